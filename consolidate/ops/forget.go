package ops

import (
	"bytes"
	"context"
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

// Redact replaces all texts and strings in the state folder by what redact makes of them, and returns how many files had
// something to replace, by their folder. With dry it only counts. The records then name the new texts, so that what is older can
// still be shown and undone. After a crash it can be called again. The caller holds the lock.
func (s *Records) Redact(redact func(string) string, dry bool) (found map[string]int, err error) {
	found = make(map[string]int)
	root, err := s.Root()
	if err != nil {
		return nil, err
	}
	all := texts{root, textsFolder}
	sums, err := all.sums()
	if err != nil {
		return nil, err
	}
	renamed := make(map[string]string)
	for sum := range sums {
		data, err := root.ReadFile(all.file(sum))
		if err != nil {
			return nil, err
		}
		now := []byte(redact(string(data)))
		if bytes.Equal(now, data) {
			continue
		}
		found[textsFolder]++
		is := memory.SumOf(now)
		renamed[string(sum)], renamed[sum.Short()] = string(is), is.Short()
		if !dry {
			s.Step("redact a text")
			if _, err := all.add(map[memory.Sum][]byte{is: now}); err != nil {
				return nil, err
			}
		}
	}
	in := func(text string) string {
		if is, ok := renamed[text]; ok {
			return is
		}
		return redact(text)
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.IsDir() && (name == textsFolder || path.Ext(name) == ".git"):
			return fs.SkipDir
		case !e.Type().IsRegular() || strings.HasPrefix(name, state.File):
			return nil
		}
		if path.Ext(name) == ".jsonl" && !dry { // no line is added meanwhile
			unlock, err := s.LockNote(context.Background(), appendLock, Wait)
			if err != nil {
				return err
			}
			defer unlock()
		}
		data, err := root.ReadFile(name)
		if err != nil {
			return err
		}
		now := redactFile(name, data, in)
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
	var db *state.DB
	if err == nil {
		db, err = s.Look()
	}
	if err != nil {
		return nil, err
	}
	s.Step("redact the database")
	rows, err := db.Redact(func(text string) string { return string(redactJSON([]byte(text), in)) }, dry)
	for table, n := range rows {
		found[table] += n
	}
	if err != nil || dry {
		return found, err
	}
	s.Step("remove the texts")
	for sum := range sums {
		if _, had := renamed[string(sum)]; had {
			if err := root.Remove(all.file(sum)); err != nil {
				return nil, err
			}
		}
	}
	return found, atomicfile.SyncFolder(root, textsFolder)
}

var tags = lazy.New(`<[^>]*>`)

// redactFile returns a file of the state folder with its strings replaced; nil for a page, which can be made again.
func redactFile(name string, data []byte, redact func(string) string) []byte {
	switch path.Ext(name) {
	case ".html":
		if text := html.UnescapeString(tags.ReplaceAllString(string(data), "")); redact(text) != text {
			return nil
		}
		return data
	case ".json":
		return redactJSON(data, redact)
	case ".jsonl":
		var now []byte
		for line := range bytes.Lines(data) {
			now = append(now, redactJSON(line, redact)...)
		}
		return now
	}
	return []byte(redact(string(data)))
}

// redactJSON replaces the strings of a JSON text, keys included. It returns data if none changes.
func redactJSON(data []byte, redact func(string) string) []byte {
	if !json.Valid(data) {
		return []byte(redact(string(data)))
	}
	return secret.MapJSON(data, func(_ int, _, text string, isKey bool) string {
		if !isKey && secret.IsJSON(text) {
			return string(redactJSON([]byte(text), redact))
		}
		return redact(text)
	})
}
