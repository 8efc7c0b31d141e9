package sessions

import (
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/forgotten"
	"dream-mcp/memory/visible"
)

// A cachedHead holds as long as the file's size and time do.
type cachedHead struct {
	file    said.File
	head    said.Head
	last    time.Time // the latest time at its end, when ended is set
	ended   bool
	version uint64 // of what was forgotten
}

// maxHeads bounds the cache, of some 300 bytes each. Beyond, each new head replaces any other.
const maxHeads = said.MaxSessions

// cached returns what is known of a file that is unchanged.
func (s *Project) cached(f said.File) (cachedHead, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.heads[f.Path]
	if !ok || c.version != forgotten.Version() || c.file.Size != f.Size || !c.file.ModTime.Equal(f.ModTime) {
		return cachedHead{}, false
	}
	return c, true
}

// cache keeps what was read of a file.
func (s *Project) cache(f said.File, c cachedHead) {
	c.file, c.version = f, forgotten.Version()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.heads[f.Path]; !known && len(s.heads) >= maxHeads {
		for path := range s.heads {
			delete(s.heads, path)
			break
		}
	}
	s.heads[f.Path] = c
}

// head returns what the beginning of a file says, from the cache if the file is unchanged.
func (s *Project) head(f said.File) (said.Head, error) {
	if c, ok := s.cached(f); ok {
		return c.head, nil
	}
	h, err := said.ReadHead(f)
	if err != nil {
		return said.Head{}, err
	}
	h.First = s.shownLine(h.First)
	s.cache(f, cachedHead{head: h})
	return h, nil
}

// shownLine is the beginning of a text as a Session shows it. It is masked before it is cut: a piece of a credential is
// not recognized as one.
func (s *Project) shownLine(text string) string {
	return visible.OneLine(said.Visible(s.Masked(text[:min(len(text), maxMasked)])), maxFirst)
}

// maxMasked bounds, in bytes, what is masked for one line.
const maxMasked = 32 * maxFirst

// lastTime returns the latest time at the end of a file, from the cache likewise.
func (s *Project) lastTime(f said.File, h said.Head) time.Time {
	c, ok := s.cached(f)
	if ok && c.ended {
		return c.last
	}
	c.head, c.last, c.ended = h, said.LastTime(f), true
	s.cache(f, c)
	return c.last
}

// knowsOurs reports whether the cache has a session of ours in a folder.
func (s *Project) knowsOurs(folder said.Folder) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, c := range s.heads {
		if strings.HasPrefix(path, folder.Path+string(filepath.Separator)) && c.head.Reason == "" && s.owns(c.file, c.head) {
			return true
		}
	}
	return false
}

// Masked is what may be shown of a text.
func (s *Project) Masked(text string) string {
	if s.Mask != nil {
		text, _, _ = s.Mask(text, 0, 0)
	}
	return text
}

// Shown returns a text as it may be shown: masked, and with its invisible characters made visible.
func (s *Project) Shown(text string) string { return said.Visible(s.Masked(text)) }
