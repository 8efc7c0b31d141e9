// Package sessions finds the sessions of one project: the folders of the hosts, the files in them, and which of those
// are sessions that ran in the project's directories, by what they recorded.
//
// Nothing is written. What the beginnings and ends of files say is kept in memory as long as the files do not change. A
// session that begins or ends during a call may or may not be in its answer.
package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// Options say which project is meant. The zero value has no sessions.
type Options struct {
	// Projects is the folder <config>/projects; it need not exist.
	Projects string

	// Roots are absolute real paths in Unicode NFC: the project directory first, then the canonical
	// git root and its worktrees, live or removed. A session belongs when a working directory that it
	// recorded is one of them or below one.
	Roots []string

	// Gone returns more roots, which do not exist any more. It is called once, when roots are needed first; nil: none.
	Gone func() []string

	// DirName is CLAUDE_CODE_PROJECT_DIR_NAME: the folder's name in place of the slug of Roots[0]. The
	// host then keeps sessions there whatever their path, so it is taken whole.
	DirName string

	// Folders were named by a person (DREAM_TRANSCRIPTS). They are taken whole, unverified.
	Folders []string

	// Homes are of hosts beside Claude Code. Of their sessions only those count that ran in Roots.
	Homes []said.HostHome

	// Current is the caller's own session, unless SetCurrent names another: never counted by the gate, yet searched.
	Current string
}

// A Project is the sessions of one project. It is safe for concurrent use; its fields are set before the first call.
type Project struct {
	Options Options

	// Mask hides credentials in a text, and returns where text[from:to] is after that; nil hides nothing. A text is
	// masked before it is cut, shown or kept. MaskRules changes when Mask hides something else.
	Mask      func(text string, from, to int) (masked string, newFrom, newTo int)
	MaskRules uint64

	nests   sync.Map               // by a root and a directory below it: whether it is in another repository
	current atomic.Pointer[string] // Options.Current, or what was said since

	gone func() []string // what Options.Gone returned

	mu          sync.Mutex
	collections map[string]said.Collection // by path
	heads       map[string]cachedHead      // by path
	unread      map[string]Unread          // by path
}

// Open returns the sessions that the options name. It touches no file.
func Open(o Options) *Project {
	p := &Project{Options: o, collections: map[string]said.Collection{}, heads: map[string]cachedHead{}, unread: map[string]Unread{}}
	p.gone = sync.OnceValue(func() []string {
		if p.Options.Gone == nil {
			return nil
		}
		return p.Options.Gone()
	})
	p.SetCurrent(o.Current)
	return p
}

// GoneRoots returns the roots that do not exist any more.
func (p *Project) GoneRoots() []string { return p.gone() }

// roots returns all roots.
func (p *Project) roots() []string {
	if gone := p.gone(); len(gone) > 0 {
		return slices.Concat(p.Options.Roots, gone)
	}
	return p.Options.Roots
}

// SetCurrent says which session is the caller's own from now on, and reports whether it was another.
func (p *Project) SetCurrent(session string) (changed bool) {
	before := p.current.Swap(&session)
	return before == nil || *before != session
}

// collection returns the collection at a path: the same one each time, since it caches what it read.
func (s *Project) collection(path string, collect func(string, func([]string) bool) said.Collection) said.Collection {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collections[path]
	if c == nil {
		c = collect(path, s.ours)
		s.collections[path] = c
	}
	return c
}

// Gone returns a function that reports whether the session with a path does not exist any more. It lists each
// collection once.
func (s *Project) Gone() func(path string) bool {
	type census struct {
		ids map[string]bool
		err error
	}
	asked := map[said.Collection]census{}
	return func(path string) bool {
		dir, id := filepath.Split(path)
		s.mu.Lock()
		of := s.collections[filepath.Clean(dir)]
		s.mu.Unlock()
		if of == nil {
			_, err := os.Lstat(path)
			return errors.Is(err, fs.ErrNotExist)
		}
		c, known := asked[of]
		if !known {
			files, _, err := of.List(time.Time{})
			c = census{map[string]bool{}, err}
			for _, f := range files {
				c.ids[f.ID] = true
			}
			asked[of] = c
		}
		if c.err != nil {
			return errors.Is(c.err, fs.ErrNotExist)
		}
		return !c.ids[id]
	}
}
