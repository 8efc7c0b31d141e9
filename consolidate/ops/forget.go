package ops

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/secret"
)

// maxStateFile bounds a file of the state folder that is not a database, in bytes. Logs and pages are far smaller.
const maxStateFile = 64 << 20

// Redact replaces all texts in the state folder by what redact makes of them, and returns how many had something to
// replace, by table or folder, and the error of each text of the archive that is damaged and stays. With dry it only
// counts. Paths, IDs and sums are not texts. Operations then name the new texts, so that what is older can still be
// shown and undone. After a crash it can be called again. The caller holds the file lock.
func (s *Records) Redact(redact func(string) string, dry bool) (found map[string]int, damaged []error, err error) {
	db := s.Look()
	s.Step("redact the database")
	text := func(data []byte) []byte { return redactValuesOf(data, redact) }
	record := func(data []byte, renamed map[memory.Sum]memory.Sum) []byte {
		return mapWords(data, words, redact, func(other string) string { return string(cmp.Or(renamed[memory.Sum(other)], memory.Sum(other))) })
	}
	entry := func(data []byte) []byte { return mapWords(data, words, redact, same) }
	if found, damaged, err = db.Redact(text, record, entry, dry); err != nil {
		return nil, nil, err
	}
	if found == nil {
		found = make(map[string]int)
	}
	root, err := s.Root()
	if err != nil {
		return nil, nil, err
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
		data, err := memory.ReadBounded(root, name, maxStateFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, memory.ErrTooLarge):
			return Refuse(fmt.Sprintf("the state folder %q has a file that is too large to be read: %v", root.Name(), err),
				"it is not of dream-mcp: move it away, then do it again")
		case err != nil:
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
	return found, damaged, err
}

// The keys, in a record or an entry of the log, of what a model or a person wrote: what is masked there, and all. What
// is to land is not masked.
var (
	maskedWords = []string{"summary", "reason", "why", "accepted_loss", "Summary", "AcceptLoss"}
	words       = append(slices.Clip(maskedWords), facts, "held", "title", "text", "section", "Content", "Remove")
)

// facts is the key of an object whose keys are words, too.
const facts = "accepted"

// mapWords returns a record or an entry in which word has replaced the texts below some keys, and other has replaced
// all other texts.
func mapWords(data []byte, keys []string, word, other func(string) string) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return data // doctor reports it
	}
	before, _ := json.Marshal(v)
	now, err := json.Marshal(mapTexts(v, keys, word, other))
	if err != nil || bytes.Equal(before, now) {
		return data
	}
	return now
}

func mapTexts(v any, keys []string, word, other func(string) string) any {
	switch v := v.(type) {
	case string:
		return other(v)
	case []any:
		for i := range v {
			v[i] = mapTexts(v[i], keys, word, other)
		}
	case map[string]any:
		for key, below := range v {
			if !slices.Contains(keys, key) {
				v[key] = mapTexts(below, keys, word, other)
				continue
			}
			v[key] = mapTexts(below, nil, word, word)
			reasons, _ := below.(map[string]any)
			for fact, why := range maps.Clone(reasons) {
				if key == facts {
					delete(reasons, fact)
					reasons[word(fact)] = why
				}
			}
		}
	}
	return v
}

func same(text string) string { return text }

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
