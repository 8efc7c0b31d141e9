package ops

import (
	"testing"
	"time"
)

// A method that is called without the mutex panics. A store beside another has the same mutex.
func TestMutex(t *testing.T) {
	s := Open(Options{MemoryDir: t.TempDir(), StateHome: t.TempDir(), Now: time.Now})
	other := s.Beside(t.TempDir())
	panics := func(on *Store) (did bool) {
		defer func() { did = recover() != nil }()
		on.Recover(t.Context())
		return false
	}
	for _, on := range []*Store{s, other} {
		if !panics(on) {
			t.Errorf("%s: it does not panic without the mutex", on.MemoryDir)
		}
		unlock := s.Lock()
		if panics(on) {
			t.Errorf("%s: it panics with the mutex", on.MemoryDir)
		}
		unlock()
	}
}
