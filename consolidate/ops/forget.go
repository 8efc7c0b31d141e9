package ops

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"html"
	"io/fs"
	"path"
	"strings"
	"time"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/secret"
)

// Redact replaces all texts in the state folder by what redact makes of them, and returns how many had something to replace, by
// table or folder. With dry it only counts. Paths, IDs and sums are not texts. Operations then name the new texts, so that what is
// older can still be shown and undone. After a crash it can be called again. The caller holds the file lock.
func (s *Records) Redact(redact func(string) string, dry bool) (found map[string]int, err error) {
	db := s.Look()
	s.Step("redact the database")
	text := func(data []byte) []byte { return redactValuesOf(data, redact) }
	record := func(data []byte, renamed map[memory.Sum]memory.Sum) []byte {
		return redactJSON(data, func(o *Op) { o.redact(redact, renamed) })
	}
	entry := func(data []byte) []byte { return redactJSON(data, func(e *LogEntry) { e.redact(redact) }) }
	if found, err = db.Redact(text, record, entry, dry); err != nil {
		return nil, err
	}
	if found == nil {
		found = make(map[string]int)
	}
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.IsDir() && path.Ext(name) == ".git":
			return fs.SkipDir
		case strings.HasPrefix(name, state.Aside) && dry:
			found[state.Aside[:len(state.Aside)-1]]++ // nobody can read what it has
			return fs.SkipDir
		case strings.HasPrefix(name, state.Aside):
			return cmp.Or(root.RemoveAll(name), fs.SkipDir)
		case !e.Type().IsRegular() || strings.HasPrefix(name, state.File):
			return nil
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		now := redactFile(name, data, redact)
		if bytes.Equal(now, data) {
			return nil
		}
		found[path.Dir(name)]++
		if dry {
			return nil
		}
		s.Step("redact " + path.Ext(name))
		if now == nil {
			return root.Remove(name)
		}
		return atomicfile.Replace(root, name, now, time.Time{})
	})
	return found, err
}

// redactJSON returns a record with what change makes of it.
func redactJSON[T any](data []byte, change func(*T)) []byte {
	var v T
	if json.Unmarshal(data, &v) != nil {
		return data // doctor reports it
	}
	before, _ := json.Marshal(v)
	change(&v)
	now, err := json.Marshal(v)
	if err != nil || bytes.Equal(before, now) {
		return data
	}
	return now
}

// redact replaces the texts of h that a model or a person wrote.
func (h *Header) redact(redact func(string) string) {
	h.Summary, h.Reason = redact(h.Summary), redact(h.Reason)
	for i := range h.Waived {
		h.Waived[i].Why = redact(h.Waived[i].Why)
	}
	redactValues(h.Accepted, redact)
}

func redactValues(m map[string]string, redact func(string) string) {
	for key, text := range m {
		m[key] = redact(text)
	}
}

// redact replaces the texts of o that are in its record, and the sums of those that are not.
func (o *Op) redact(redact func(string) string, renamed map[memory.Sum]memory.Sum) {
	o.Header.redact(redact)
	rename := func(sum *memory.Sum) { *sum = cmp.Or(renamed[*sum], *sum) }
	rename(&o.Index)
	for i := range o.Displaced {
		rename(&o.Displaced[i])
	}
	for i := range o.LeftAlone {
		rename(&o.LeftAlone[i].Want)
		rename(&o.LeftAlone[i].Have)
		rename(&o.LeftAlone[i].Lost)
	}
	for _, m := range o.Merges {
		for file, sum := range m.Replaced {
			m.Replaced[file] = cmp.Or(renamed[sum], sum)
		}
		for fact, why := range m.Accepted {
			delete(m.Accepted, fact)
			m.Accepted[redact(fact)] = redact(why)
		}
	}
	lines := func(all []IndexLine) {
		for i := range all {
			all[i].Title, all[i].Hook, all[i].Section = redact(all[i].Title), redact(all[i].Hook), redact(all[i].Section)
		}
	}
	lines(o.IndexLines)
	redactValues(o.Held, redact)
	if r := o.Request; r != nil {
		lines(r.Upsert)
		r.Summary = redact(r.Summary)
		redactValues(r.AcceptLoss, redact)
		if r.Content != nil {
			*r.Content = redact(*r.Content)
		}
		for i := range r.Remove {
			r.Remove[i] = redact(r.Remove[i])
		}
	}
}

var tags = lazy.New(`<[^>]*>`)

// redactFile returns a file of the state folder with its texts replaced; nil for a page, which can be made again.
func redactFile(name string, data []byte, redact func(string) string) []byte {
	switch path.Ext(name) {
	case ".html":
		if text := html.UnescapeString(tags.ReplaceAllString(string(data), "")); redact(text) != text {
			return nil
		}
		return data
	case ".json":
		return redactValuesOf(data, redact)
	case ".jsonl":
		var now []byte
		for line := range bytes.Lines(data) {
			now = append(now, redactValuesOf(line, redact)...)
		}
		return now
	}
	return []byte(redact(string(data)))
}

// redactValuesOf replaces the strings of a JSON text, but not its keys. It returns data if none changes.
func redactValuesOf(data []byte, redact func(string) string) []byte {
	if !json.Valid(data) {
		return []byte(redact(string(data)))
	}
	return secret.MapJSON(data, func(_ int, _, text string, isKey bool) string {
		switch {
		case isKey:
			return text
		case secret.IsJSON(text):
			return string(redactValuesOf([]byte(text), redact))
		}
		return redact(text)
	})
}
