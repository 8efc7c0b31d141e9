package transcript

import (
	"path/filepath"
	"strings"
	"time"
)

// A cachedHead holds as long as the file's size and time do.
type cachedHead struct {
	size    int64
	modTime time.Time
	trust   trust // of its folder
	head    head
	tail    head // what the end says, when ended is set
	ended   bool
}

// maxHeads bounds the cache, of some 300 bytes each. Beyond, each new head replaces any other.
const maxHeads = 120_000

// cached returns what is known of a file that is unchanged.
func (s *Store) cached(f file) (cachedHead, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.heads[f.path]
	if !ok || c.size != f.size || !c.modTime.Equal(f.modTime) {
		return cachedHead{}, false
	}
	return c, true
}

// cache keeps what was read of a file.
func (s *Store) cache(f file, c cachedHead) {
	c.size, c.modTime, c.trust = f.size, f.modTime, f.trust
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.heads[f.path]; !known && len(s.heads) >= maxHeads {
		for path := range s.heads {
			delete(s.heads, path)
			break
		}
	}
	s.heads[f.path] = c
}

// head returns what the beginning of a file says, from the cache if the file is unchanged.
func (s *Store) head(f file) (head, error) {
	if c, ok := s.cached(f); ok {
		return c.head, nil
	}
	source, err := f.open()
	if err != nil {
		return head{}, err
	}
	defer source.Close()
	h, err := readHead(source, f.host)
	if err != nil {
		return head{}, err
	}
	h.first, h.title = s.shownLine(h.first), s.shownLine(h.title)
	s.cache(f, cachedHead{head: h})
	return h, nil
}

// shownLine is the beginning of a text as a Session shows it. It is masked before it is cut, and cached as
// it is shown: a piece of a credential is known for one no more.
func (s *Store) shownLine(text string) string {
	return oneLine(s.masked(text[:min(len(text), maxMasked)]), maxFirst)
}

// maxMasked bounds, in bytes, what is masked for one line: twice what oneLine looks at.
const maxMasked = 32 * maxFirst

// tail returns what the end of a file says, from the cache likewise.
func (s *Store) tail(f file, h head) head {
	c, ok := s.cached(f)
	if ok && c.ended {
		return c.tail
	}
	t := readTail(f)
	t = head{title: s.shownLine(t.title), last: t.last}
	c.head, c.tail, c.ended = h, t, true
	s.cache(f, c)
	return t
}

// knowsOurs reports whether a file of a folder that was read before is a session of ours.
func (s *Store) knowsOurs(folder Folder) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, c := range s.heads {
		if strings.HasPrefix(path, folder.Path+string(filepath.Separator)) && c.head.reason == "" && s.owns(file{trust: c.trust}, c.head) {
			return true
		}
	}
	return false
}
