package share

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/forgotten"
)

// The refs of a memory on the remote are below the name of the project. A server that refuses other refs gets branches.
const (
	customRefs = "refs/dream-mcp/"
	branchRefs = "refs/heads/dream-mcp/"
	memoryRef  = "/memory"
	leaseRef   = "/lease"
)

const tries = 3 // of a push, when other machines push first

// A StopError says why nothing is synced until a person decides.
type StopError struct{ Why string }

func (e *StopError) Error() string { return e.Why }

// errAgain is a failed push that is tried again.
type errAgain struct{ error }

// link is a share that this process has open.
type link struct {
	*Share
	State
	git     git
	decided bool          // a person agreed to what otherwise stops a sync
	answer  time.Duration // how long the remote may take to answer
	silent  error         // that it did not answer in time
	clock   func() (boot string, since time.Duration)
}

// heads are the commits of the remote's refs; "" where there is none.
type heads struct{ memory, lease string }

func (l *link) ref(name string) string { return l.Refs + l.Identity.id() + name }

// MemoryRef is the ref of the remote that has the memory.
func (s State) MemoryRef() string { return s.Refs + s.Identity.id() + memoryRef }

// redacted returns files without what was forgotten here, and which of them had something of it.
func redacted(files Files) (without Files, had []memory.Name) {
	list, without := forgotten.Current(), make(Files, len(files))
	for n, data := range files {
		text := list.Redact(string(data))
		if without[n] = data; text != string(data) {
			without[n], had = []byte(text), append(had, n)
		}
	}
	slices.SortFunc(had, memory.Name.Compare)
	return without, had
}

// heads asks the remote. Where it did not answer in time, it is not asked again.
func (l *link) heads(ctx context.Context) (heads, error) {
	if l.silent != nil {
		return heads{}, l.silent
	}
	id := l.Identity.id()
	short, cancel := context.WithTimeoutCause(ctx, l.answer, fmt.Errorf("the remote did not answer within %v", l.answer))
	defer cancel()
	all, err := l.git.heads(short, l.Remote, customRefs+id+"/*", branchRefs+id+"/*")
	if l.Base == "" && all[customRefs+id+memoryRef] == "" && all[branchRefs+id+memoryRef] != "" {
		l.Refs = branchRefs
	}
	if short.Err() != nil {
		l.silent = err
	}
	return heads{all[l.ref(memoryRef)], all[l.ref(leaseRef)]}, err
}

func (l *link) author() author { return author{l.Machine, l.MachineName} }

// save notes the state. A dream of another process may have ended since it was read.
func (l *link) save() error {
	_, err := saved.Change(l.Store.Records.DB(), func(s *State) bool {
		l.Finished = l.Finished || s.Finished && s.Held == l.Held
		*s = l.State
		return true
	})
	return err
}

// sync pulls the changes of others and pushes those of this machine. The same push releases the lease of a dream that
// has ended; with dreamed, that dream has just landed. What it cannot push waits for the next sync; the state says why.
func (l *link) sync(ctx context.Context, dreamed bool) (err error) {
	if dreamed {
		l.Notes = nil // the dream has seen them
	}
	for i := range tries {
		if i > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(100+mathrand.IntN(400)) * time.Millisecond): // others try again too
			}
		}
		var h heads
		if h, err = l.heads(ctx); err == nil {
			l.see(h.lease)
			err = l.pull(ctx, &h)
		}
		if err == nil {
			err = l.push(ctx, h, dreamed)
		}
		if again := (errAgain{}); !errors.As(err, &again) {
			break
		}
	}
	l.Pending, l.Stopped = "", ""
	if stop := (*StopError)(nil); errors.As(err, &stop) {
		l.Stopped = err.Error()
	} else if err != nil {
		l.Pending = err.Error()
	} else {
		l.Last = l.Store.Now().UTC()
	}
	return errors.Join(err, l.save())
}
