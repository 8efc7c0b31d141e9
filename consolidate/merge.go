package consolidate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// Replaced is a memory that a write merges into another, or renames to it.
type Replaced struct {
	Path string `json:"path"`
	Base string `json:"base"`
}

// Accepted is a sentence of a merged memory that the new text need not say, and why. Without Text it is the rest of
// File.
type Accepted struct{ Text, File, Why string }

// text returns what is accepted, as rule.Lost takes it.
func (a Accepted) text() string {
	if strings.TrimSpace(a.Text) == "" {
		return rule.RestOf(a.File)
	}
	return a.Text
}

// replaced reads the memories that are merged into w.n. Of each the base must be its sum.
func (w *writing) replaced() (map[memory.Name]memory.File, error) {
	files := make(map[memory.Name]memory.File, len(w.Replaces))
	size := 0
	for _, one := range w.Replaces {
		o, err := memory.ParseName(one.Path)
		if err == nil {
			err = o.Writable()
		}
		if err != nil {
			return nil, nameError(one.Path, err)
		}
		if o == w.n {
			return nil, ops.Refuse(fmt.Sprintf("replaces names %q, which is what is written", one.Path),
				"name the memories that go; what is written itself has its base")
		}
		if _, twice := files[o]; twice {
			return nil, ops.Refuse(fmt.Sprintf("replaces names %q twice", one.Path), "name each memory once")
		}
		f, err := w.t.Stage.Check(o, one.Base)
		var base *ops.BaseError
		if err == nil && f.Sum == "" || errors.As(err, &base) && base.Have == "" {
			err = ops.Refuse(fmt.Sprintf("replaces %q: it does not exist", one.Path), ops.DidYouMean(w.t.Dir.Nearest(one.Path), "name memories that exist"))
		}
		if err != nil {
			return nil, err
		}
		files[o] = f
		if size += len(f.Data); size > rule.MaxMerged {
			return nil, ops.Refuse(fmt.Sprintf("replaces: the memories have more than %d KB together", rule.MaxMerged>>10),
				"merge fewer at a time, or split what is large")
		}
	}
	return files, nil
}

// inherit gives a renamed memory the line that the index has for it, but for what was derived from its name and
// description.
func (w *writing) inherit() error {
	e, err := indexing.Edit(w.t)
	if err != nil {
		return err
	}
	entry, named := e.ByFile()[w.Replaces[0].Path]
	if !named {
		return nil
	}
	line := ops.IndexLine{File: w.n.String(), Title: entry.Title, Hook: entry.Hook, Section: entry.Section, Inherited: true}
	for o, f := range w.merged {
		was := memory.ParseTopic(f.Data).Shown(w.t.Dir.AllowSecrets)
		if memory.StemOf(entry.Title) == memory.StemOf(entry.File) || entry.Title == rule.ProposeEntry(o, was).Title {
			line.Title = ""
		}
		if rule.IsDerived(entry.Hook, was) {
			line.Hook = ""
		}
	}
	if own := w.Index; own != nil {
		line.Title, line.Hook, line.Section = cmp.Or(own.Title, line.Title), cmp.Or(own.Hook, line.Hook), cmp.Or(own.Section, line.Section)
		line.Inherited = own.Hook == ""
	}
	w.Index = &line
	return nil
}

// noteMerge records what was merged into w.n and accepted, with what was merged into that before.
func (w *writing) noteMerge() {
	t, file := w.t, w.n.String()
	for _, m := range t.Merges { // w.n is written again, so it is no longer merged into another
		delete(m.Replaced, file)
	}
	if w.Delete {
		delete(t.Merges, file)
	}
	if len(w.merged) == 0 && len(w.Accept) == 0 {
		return
	}
	m := &ops.Merge{}
	if earlier := t.Merges[file]; earlier != nil {
		m = earlier
	}
	m = &ops.Merge{Replaced: ops.Cloned(m.Replaced), Accepted: ops.Cloned(m.Accepted)}
	for o, f := range w.merged {
		m.Replaced[o.String()] = f.Sum
		if earlier := t.Merges[o.String()]; earlier != nil {
			maps.Copy(m.Replaced, earlier.Replaced)
			maps.Copy(m.Accepted, earlier.Accepted)
			delete(t.Merges, o.String())
		}
	}
	for _, a := range w.Accept {
		m.Accepted[a.text()] = a.Why
	}
	if t.Merges == nil {
		t.Merges = make(map[string]*ops.Merge)
	}
	t.Merges[file] = m
}

// renamed returns the new names of the memories that t renames, by the old ones. A deletion is a rename if exactly one
// new memory replaces the file or has its body.
func renamed(t *ops.Tx) (map[string]string, error) {
	all, body := make(map[string]string), make(map[memory.Name]string)
	for _, c := range t.Changes {
		f, err := t.Dir.ReadIfAny(c.Name) // a text that goes is not in the stage
		if c.After != "" {
			f.Data, err = t.Stage.Content(c.After)
		}
		if err != nil {
			return nil, err
		}
		body[c.Name] = strings.TrimSpace(memory.ParseTopic(f.Data).Body())
	}
	for _, to := range t.Changes {
		var from []string
		m := t.Merges[to.Name.String()]
		for _, o := range t.Changes {
			same := body[o.Name] != "" && body[o.Name] == body[to.Name]
			if file := o.Name.String(); o.After == "" && all[file] == "" && (m == nil && same || m != nil && m.Replaced[file] != "") {
				from = append(from, file)
			}
		}
		if to.Before == "" && len(from) == 1 {
			all[from[0]] = to.Name.String()
		}
	}
	return all, nil
}

// checkAccepted fails where a reason is missing, or nothing is merged into w.n.
func (w *writing) checkAccepted() error {
	if len(w.Accept) > 0 && len(w.Replaces) == 0 && w.t.Merges[w.n.String()] == nil {
		return ops.Refuse(fmt.Sprintf("accept: nothing was merged into %s in this dream", w.n), "accept goes with replaces, or follows it")
	}
	for _, a := range w.Accept {
		switch {
		case strings.TrimSpace(a.Why) == "":
			return ops.Refuse(fmt.Sprintf("accept %q gives no reason", cmp.Or(a.Text, a.File)), "say in why what makes it right to leave it out")
		case strings.TrimSpace(a.Text) == "" && a.File == "":
			return ops.Refuse("accept needs text or file", "text is a sentence that missing lists, or its marked words; file covers all that missing lists of it")
		}
	}
	return nil
}
