package recall

import (
	"slices"
	"time"

	"dream-mcp/consolidate/state"
)

// maxLog is the number of entries of the log that are kept.
const maxLog = 2_000

// Events that show nothing.
const (
	Forgot = "forgot" // the context of a session was compacted: what was shown before is no longer in it
	Read   = "read"   // the session read memories by itself
)

// Shows reports whether memories were shown.
func Shows(p state.Push) bool { return p.Event != Forgot && p.Event != Read }

// NoteRead notes that the caller's session has read memories, so that they are not shown in it. Where nothing was ever
// shown, or the session is not known, it does nothing.
func (r *Recall) NoteRead(files []string) {
	defer r.Store.Lock()()
	if r.Store.Session == "" || len(files) == 0 {
		return
	}
	if any, err := r.Store.Records.Look().Pushes().Any(); err == nil && any {
		_, _ = r.Claim(state.Push{Host: r.Store.Host, Session: r.Store.Session, Event: Read, Files: files[:min(len(files), maxRead)]})
	}
}

// startWindow is the time within which a second beginning of a session is taken for the first.
const startWindow = 30 * time.Second

// maxRead bounds the memories of an entry.
const maxRead = 200

// Claim returns the files of p that the caller may show, those that were not shown in the session before, and adds them
// to the log. If several processes claim a file at once, one gets it. A memory in the index does not count as shown,
// but the index is shown once when a session begins, also by a host that calls two hooks for that. It needs no mutex.
func (r *Recall) Claim(p state.Push) (fresh []string, err error) {
	err = r.Store.Records.DB().Pushes().Add(&p, maxLog, func(before []state.Push) bool {
		shown, begun := map[string]bool{}, time.Time{}
		for _, q := range before {
			switch q.Event {
			case Forgot:
				clear(shown)
				begun = time.Time{}
			case Start:
				begun = q.Time
			default:
				for _, file := range q.Files {
					shown[file] = true
				}
			}
		}
		if p.Event == Start && r.Store.Now().Sub(begun).Abs() < startWindow {
			return false
		}
		fresh = slices.DeleteFunc(slices.Clone(p.Files), func(file string) bool { return shown[file] })
		if p.Event != Start {
			p.Files = fresh
		}
		return p.Event == Forgot || len(p.Files) > 0
	})
	if err != nil {
		return nil, err
	}
	return fresh, nil
}

// Pushes returns the log, the newest last. If there is none, it is empty. It needs no mutex.
func (r *Recall) Pushes() ([]state.Push, error) {
	return r.Store.Records.Look().Pushes().All()
}
