package forgotten

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"sync"
	"time"
)

// current is the list of this process.
var current struct {
	sync.Mutex
	path    string
	list    *List
	looked  time.Time
	changed time.Time
}

// Use makes the list in a file that of this process. The file need not exist.
func Use(path string) {
	current.Lock()
	defer current.Unlock()
	current.path, current.looked, current.changed, current.list = path, time.Time{}, time.Time{}, nil
}

// moment is how long another process may show a text that was forgotten.
const moment = 20 * time.Millisecond

// Current returns the list of this process as it is now; nil if nothing was forgotten.
func Current() *List {
	current.Lock()
	defer current.Unlock()
	if current.path == "" || time.Since(current.looked) < moment {
		return current.list
	}
	current.looked = time.Now()
	stat, err := os.Stat(current.path)
	if err == nil && !stat.ModTime().Equal(current.changed) {
		if l, err := Read(current.path); err == nil {
			current.list, current.changed = l, stat.ModTime()
		}
	}
	return current.list
}

// Damaged returns why the list of this process cannot be read; nil if it can, or if there is none.
func Damaged() error {
	current.Lock()
	path := current.path
	current.Unlock()
	if path == "" {
		return nil
	}
	if _, err := Read(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Version returns a number that differs for other texts. What was derived from sessions with another one is to be
// derived again.
func Version() uint64 {
	h := fnv.New64a()
	if l := Current(); l != nil {
		for _, t := range l.Texts {
			h.Write(t.Hash)
		}
	}
	return h.Sum64()
}
