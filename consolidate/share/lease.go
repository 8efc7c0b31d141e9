package share

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"

	"dream-mcp/consolidate/lock"
)

// leaseTerm is how long a lease lasts after it was taken or renewed: as long as a dream may pause between two calls.
const leaseTerm = time.Hour

// sighting is when this machine first saw the lease of another. Times are since the boot, so that no clock needs to
// be right.
type sighting struct {
	Lease string        `json:"lease,omitempty"`
	Boot  string        `json:"boot,omitempty"`
	First time.Duration `json:"first,omitempty"`
}

// clock returns the boot of this machine and the time since then. Where boots have no name, a later one makes a lease
// only seem younger than it is.
func clock() (boot string, since time.Duration) { return lock.Boot(), sinceBoot() }

// A HeldError says that another machine holds the lease, so that no dream may begin here.
type HeldError struct {
	Name string
	Left time.Duration // after which it may be taken over, if it is not renewed
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("a dream runs on %q; if it was killed, this machine may dream in %.0f minutes", e.Name, math.Ceil(e.Left.Minutes()))
}

// see records the lease on the remote, and returns how long another machine may still hold it.
func (l *link) see(lease string) (left time.Duration) {
	if lease == "" || lease == l.Held {
		l.Sighting = sighting{}
		return 0
	}
	boot, now := l.clock()
	if l.Sighting.Lease != lease || l.Sighting.Boot != boot || l.Sighting.First > now {
		l.Sighting = sighting{lease, boot, now}
	}
	return leaseTerm - (now - l.Sighting.First)
}

// acquire takes or renews the lease on the memory. It fails with a *HeldError while another machine holds it.
func (l *link) acquire(ctx context.Context) (err error) {
	for range tries { // of several pushes at once a remote may refuse all
		var h heads
		var made string
		if h, err = l.heads(ctx); err != nil {
			return err
		}
		if left := l.see(h.lease); left > 0 {
			held := &HeldError{"another machine", left}
			if commit, err := l.git.fetch(ctx, l.Remote, l.ref(leaseRef)); err == nil {
				held.Name = l.authors(ctx, commit, "")
			}
			return errors.Join(held, l.save())
		}
		if made, err = l.git.commit(ctx, "", nil, nil, l.author(), l.Store.Now(), rand.Text()); err != nil { // two leases of one second differ
			return err
		}
		if err = l.move(ctx, h.lease, made); err == nil {
			return nil
		}
	}
	return err
}

// release releases the lease if it is ours.
func (l *link) release(ctx context.Context) error {
	if l.Held == "" {
		return nil
	}
	return l.move(ctx, l.Held, "")
}

// move moves the lease from where it was seen. After a failed push it asks the remote whether the push arrived.
func (l *link) move(ctx context.Context, from, to string) error {
	if err := l.git.push(ctx, l.Remote, update{l.ref(leaseRef), from, to}); err != nil {
		h, unreachable := l.heads(ctx)
		if unreachable != nil || h.lease != to && (to != "" || h.lease == from) {
			return err
		}
	}
	l.Held, l.Finished = to, false
	l.see(to)
	return l.save()
}
