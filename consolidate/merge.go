package consolidate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// Replaced is a memory that a write merges into another, or renames to it.
type Replaced struct {
	Path string `json:"path"`
	Base string `json:"base"`
}

// Accepted is a fact of a merged memory that the one that it was merged into need not say, and why.
type Accepted struct{ Text, Why string }

// Merge is what was merged into a memory in a dream.
type Merge struct {
	Replaced map[string]memory.Sum `json:"replaced"`           // by path, the text as it was; kept in the dream's folder
	Accepted map[string]string     `json:"accepted,omitempty"` // why, by the text of a fact
}

// replaced reads the memories that a write of n merges into it. Of each the base must be its sum.
func (d *dream) replaced(n memory.Name, r WriteRequest) (map[memory.Name]memory.File, error) {
	files := make(map[memory.Name]memory.File, len(r.Replaces))
	size := 0
	for _, one := range r.Replaces {
		o, err := memory.ParseName(one.Path)
		if err == nil {
			err = o.Writable()
		}
		if err != nil {
			return nil, nameError(one.Path, err)
		}
		if o == n {
			return nil, &RequestError{fmt.Sprintf("replaces names %q, which is what is written", one.Path), "name the memories that go; what is written itself has its base"}
		}
		if _, twice := files[o]; twice {
			return nil, &RequestError{fmt.Sprintf("replaces names %q twice", one.Path), "name each memory once"}
		}
		f, err := d.stage.Check(o, one.Base)
		var base *landing.BaseError
		if err == nil && f.Sum == "" || errors.As(err, &base) && base.Have == "" {
			err = &RequestError{fmt.Sprintf("replaces %q: it does not exist", one.Path), didYouMean(d.stage.Nearest(o), "name memories that exist")}
		}
		if err != nil {
			return nil, err
		}
		files[o] = f
		if size += len(f.Data); size > rule.MaxMerged {
			return nil, &RequestError{fmt.Sprintf("replaces: the memories have more than %d KB together", rule.MaxMerged>>10), "merge fewer at a time, or split what is large"}
		}
	}
	return files, nil
}

func sortedNames(files map[memory.Name]memory.File) []memory.Name {
	return slices.SortedFunc(maps.Keys(files), func(a, b memory.Name) int { return strings.Compare(a.String(), b.String()) })
}

// inherit gives a renamed memory the line that the index has for it.
func (d *dream) inherit(n memory.Name, r *WriteRequest) error {
	e, err := d.editIndex()
	if err != nil {
		return err
	}
	for _, entry := range e.index.Entries() {
		if entry.File != r.Replaces[0].Path {
			continue
		}
		line := IndexLine{File: n.String(), Title: entry.Title, Hook: entry.Hook, Section: entry.Section}
		if memory.StemOf(entry.Title) == memory.StemOf(entry.File) {
			line.Title = ""
		}
		if own := r.Index; own != nil {
			line.Title, line.Hook, line.Section = cmp.Or(own.Title, line.Title), cmp.Or(own.Hook, line.Hook), cmp.Or(own.Section, line.Section)
		}
		r.Index = &line
		return nil
	}
	return nil
}

// noteMerge records what a write of n has merged into it and accepted, with what was merged into that before.
func (d *dream) noteMerge(n memory.Name, merged map[memory.Name]memory.File, r WriteRequest) {
	for _, m := range d.Merges { // what is written stands again
		delete(m.Replaced, n.String())
	}
	if r.Delete {
		delete(d.Merges, n.String())
	}
	if len(merged) == 0 && len(r.Accept) == 0 {
		return
	}
	m := d.Merges[n.String()]
	if m == nil {
		m = &Merge{}
	}
	m = &Merge{Replaced: cloned(m.Replaced), Accepted: cloned(m.Accepted)}
	for o, f := range merged {
		m.Replaced[o.String()] = f.Sum
		if earlier := d.Merges[o.String()]; earlier != nil {
			maps.Copy(m.Replaced, earlier.Replaced)
			maps.Copy(m.Accepted, earlier.Accepted)
			delete(d.Merges, o.String())
		}
	}
	if d.Merges == nil {
		d.Merges = make(map[string]*Merge)
	}
	d.Merges[n.String()] = m
	for _, a := range r.Accept {
		m.Accepted[a.Text] = a.Why
	}
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return make(map[K]V)
	}
	return maps.Clone(m)
}

// lost returns the facts of what was merged into n that its text does not say, and that were not accepted.
func (d *dream) lost(n memory.Name, survivor *memory.Topic) ([]rule.Fact, error) {
	m := d.Merges[n.String()]
	if m == nil {
		return nil, nil
	}
	texts := make(map[memory.Name]*memory.Topic)
	for file, sum := range m.Replaced {
		o, err := memory.ParseName(file)
		if err != nil {
			return nil, err
		}
		if _, _, err := d.stage.Read(o); !errors.Is(err, fs.ErrNotExist) {
			continue // it stands: its removal was not staged, or taken back
		}
		data, err := d.stage.Content(sum)
		if err != nil {
			return nil, err
		}
		texts[o] = memory.ParseTopic(data).Shown(d.dir.AllowSecrets)
	}
	return rule.Lost(texts, n, survivor.Shown(d.dir.AllowSecrets), slices.Collect(maps.Keys(m.Accepted))...), nil
}

// checkAccepted fails where a reason is missing, or nothing is merged into n.
func (d *dream) checkAccepted(n memory.Name, r *WriteRequest) error {
	if len(r.Accept) > 0 && len(r.Replaces) == 0 && d.Merges[n.String()] == nil {
		return &RequestError{fmt.Sprintf("accept: nothing was merged into %s in this dream", n), "accept goes with replaces, or follows it"}
	}
	for _, a := range r.Accept {
		if strings.TrimSpace(a.Why) == "" || strings.TrimSpace(a.Text) == "" {
			return &RequestError{fmt.Sprintf("accept %q gives no reason", a.Text), "give text, as the list has it, and say in why what makes it right to leave it out"}
		}
	}
	return nil
}

// maxShownFacts bounds the facts that one answer lists.
const maxShownFacts = 40

// mergeLosses reports what merges lose that nobody accepted, and adds the merged memories to what is accepted.
func (d *dream) mergeLosses(after *memory.Snapshot, accepted map[memory.Name]string) (map[memory.Name]string, []rule.Finding, error) {
	all := cloned(accepted)
	var findings []rule.Finding
	for _, file := range slices.Sorted(maps.Keys(d.Merges)) {
		n, err := memory.ParseName(file)
		if err != nil {
			return nil, nil, err
		}
		survivor := after.Topics[n]
		if survivor == nil || n.IsIndex() {
			continue
		}
		for merged := range d.Merges[file].Replaced {
			if o, err := memory.ParseName(merged); err == nil {
				all[o] = "merged into " + file
			}
		}
		if _, agreed := accepted[n]; agreed {
			continue
		}
		lost, err := d.lost(n, survivor)
		if err != nil {
			return nil, nil, err
		}
		if len(lost) > 0 {
			findings = append(findings, lostFinding(n, lost))
		}
	}
	return all, findings, nil
}

// lostFinding refuses a merge that loses facts.
func lostFinding(n memory.Name, lost []rule.Fact) rule.Finding {
	var texts []string
	for _, f := range lost[:min(len(lost), maxShownFacts)] {
		texts = append(texts, fmt.Sprintf("%q (%s)", f.Text, f.File))
	}
	if more := len(lost) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return rule.Finding{
		Rule: "loss", Severity: rule.Error, File: n.String(), Message: "what was merged into it also says: " + strings.Join(texts, ", "),
		Hint: fmt.Sprintf("write into %s what still holds; for the rest write_memory {\"path\": %q, \"accept\": [{\"text\": %q, \"why\": \"…\"}, …]}", n, n, lost[0].Text),
	}
}

// brokenLinks reports the links to what was merged into n.
func (d *dream) brokenLinks(n memory.Name, merged map[memory.Name]memory.File, after *memory.Snapshot) []rule.Finding {
	var findings []rule.Finding
	for _, o := range sortedNames(merged) {
		findings = append(findings, rule.LinksTo(after, o, memory.ParseTopic(merged[o].Data).Title(), n)...)
	}
	return findings
}

// merges tells what was merged into what, and what was left out.
func (i Info) merges() (told []string) {
	for _, into := range slices.Sorted(maps.Keys(i.Merges)) {
		m := i.Merges[into]
		if len(m.Replaced) == 0 {
			continue
		}
		one := strings.Join(slices.Sorted(maps.Keys(m.Replaced)), ", ") + " into " + into
		var left []string
		for _, text := range slices.Sorted(maps.Keys(m.Accepted)) {
			left = append(left, fmt.Sprintf("%q (%s)", text, m.Accepted[text]))
		}
		if left != nil {
			one += ", without " + strings.Join(left, ", ")
		}
		told = append(told, one)
	}
	return told
}
