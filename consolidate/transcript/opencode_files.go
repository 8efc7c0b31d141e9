package transcript

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// openCodeFiles are the files of versions before 1.2: session/PROJECT/ID.json, message/SESSION/ID.json and
// part/MESSAGE/ID.json in one folder. A session counts as touched when its own file is, as it is behind each turn.
type openCodeFiles struct {
	path string // the folder of sessions
	ours func([]string) bool

	mu    sync.Mutex
	known map[string]openCodeSession // by path; what a file held that has not changed
}

// list looks at each session's file, and reads those that it has not seen so.
func (c *openCodeFiles) list(since time.Time) (files []file, skipped Skipped, err error) {
	projects, whole, err := readFolder(c.path)
	if err != nil {
		return nil, nil, err
	}
	skipped = Skipped{}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range projects {
		if !p.IsDir() {
			continue
		}
		dir := filepath.Join(c.path, p.Name())
		entries, all, err := readFolder(dir)
		whole = whole && all && err == nil
		for _, e := range entries {
			if len(files) >= maxSessions {
				whole = false
				break
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() || !info.ModTime().After(since) || !strings.HasSuffix(e.Name(), ".json") {
				continue
			}
			s, err := c.session(filepath.Join(dir, e.Name()), info)
			if err != nil {
				skipped[Unreadable]++
			} else if reason := s.reason(c.ours); reason != "" {
				skipped[reason]++
			} else {
				files = append(files, s.file(c.path, c))
			}
		}
	}
	if !whole {
		skipped[Unlisted] = 1
	}
	return files, skipped, nil
}

// session reads a session's file. c.mu is held.
func (c *openCodeFiles) session(path string, info fs.FileInfo) (s openCodeSession, err error) {
	now := status{size: info.Size(), modTime: info.ModTime()}
	if s, ok := c.known[path]; ok && s.status == now {
		return s, nil
	}
	var r reading
	if err := r.file(path, &s); err != nil {
		return s, err
	}
	s.ID = strings.TrimSuffix(filepath.Base(path), ".json") // by which its messages are found
	s.status = now
	if len(c.known) >= maxHeads {
		clear(c.known)
	}
	c.known[path] = s
	return s, nil
}

// file reads a JSON file.
func (r *reading) file(path string, into any) error {
	f, err := openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := readAtMost(f, maxWhole-r.size)
	if err != nil {
		return err
	}
	r.size += len(text)
	return tolerate(json.Unmarshal(text, into))
}

// read tells a session.
func (c *openCodeFiles) read(id string) ([]byte, status, error) {
	s, err := c.find(id)
	if err != nil {
		return nil, status{}, err
	}
	storage := filepath.Dir(c.path)
	var r reading
	var parts []openCodePart
	err = r.each(filepath.Join(storage, "message", id), func(path, stem string) error {
		m := openCodeMessage{}
		err := r.file(path, &m)
		m.ID = stem
		r.all = append(r.all, m)
		return err
	})
	for i := 0; err == nil && i < len(r.all); i++ {
		if message := r.all[i].ID; isPlainName(message) {
			err = r.each(filepath.Join(storage, "part", message), func(path, stem string) error {
				p := openCodePart{}
				err := r.file(path, &p)
				p.ID, p.Message = stem, message
				parts = append(parts, p)
				return err
			})
		}
	}
	r.join(parts)
	return openCodeLines(s, r.all, r.bad), s.status, err
}

// find reads a session's file, in whichever project's folder it lies.
func (c *openCodeFiles) find(id string) (s openCodeSession, err error) {
	if !isPlainName(id) {
		return s, fs.ErrNotExist
	}
	projects, _, err := readFolder(c.path)
	if err != nil {
		return s, err
	}
	for _, p := range projects {
		path := filepath.Join(c.path, p.Name(), id+".json")
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.session(path, info)
		}
	}
	return s, fs.ErrNotExist
}

// each calls read with each JSON file of a folder. One that can't be read is counted, but for what is too much.
func (r *reading) each(folder string, read func(path, stem string) error) error {
	entries, _, err := readFolder(folder)
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if err := read(filepath.Join(folder, e.Name()), stem); err == errTooBig {
			return err
		} else if err != nil {
			r.bad++
		}
	}
	return err
}
