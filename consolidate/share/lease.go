package share

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// leaseTerm is how long a lease lasts after it was taken or renewed: as long as a dream may rest between two calls.
const leaseTerm = time.Hour

// sighting is when this machine first saw the lease of another. Times are since the boot, so that no clock needs to be right.
type sighting struct {
	Lease string        `json:"lease,omitempty"`
	Boot  string        `json:"boot,omitempty"`
	First time.Duration `json:"first,omitempty"`
}

// A HeldError says that another machine holds the lease, so that no dream may begin here.
type HeldError struct {
	Name string
	Left time.Duration // after which it may be taken over, if it is not renewed
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("a dream runs on %q; if it ended without saying so, this machine may dream in %v", e.Name, e.Left.Round(time.Minute))
}

// holder is what the message of a lease says.
type holder struct {
	Machine string `json:"machine"`
	Name    string `json:"name"`
	Nonce   string `json:"nonce"`
}

// see notes the lease that the remote has, and returns how long another machine's may still last.
func (s *Share) see(lease string) (left time.Duration) {
	if lease == "" || lease == s.Held {
		s.Sighting = sighting{}
		return 0
	}
	boot, now := s.sinceBoot()
	if s.Sighting.Lease != lease || s.Sighting.Boot != boot || s.Sighting.First > now {
		s.Sighting = sighting{lease, boot, now}
	}
	return s.term - (now - s.Sighting.First)
}

// Acquire takes or renews the lease on the memory. It fails with a *HeldError while another machine holds it.
func (s *Share) Acquire(ctx context.Context) (err error) {
	for range tries { // of several pushes at once a remote may refuse all
		var heads heads
		if heads, err = s.heads(ctx); err != nil {
			return err
		}
		if left := s.see(heads.lease); left > 0 {
			return s.held(ctx, left)
		}
		if err = s.acquire(ctx, heads.lease); err == nil {
			return nil
		}
	}
	return err
}

// acquire moves the lease from where it was seen.
func (s *Share) acquire(ctx context.Context, from string) error {
	var nonce [8]byte
	rand.Read(nonce[:])
	message, _ := json.Marshal(holder{s.Machine, s.MachineName, hex.EncodeToString(nonce[:])})
	made, err := s.git.commit(ctx, "", nil, s.author(), s.now(), string(message))
	if err != nil {
		return err
	}
	if err := s.git.push(ctx, s.Remote, update{s.ref(leaseRef), from, made}); err != nil {
		if now, again := s.heads(ctx); again != nil || now.lease != made {
			return err
		}
	}
	s.Held = made
	s.see(made)
	return s.save()
}

// held says who holds the lease, and keeps when it was first seen.
func (s *Share) held(ctx context.Context, left time.Duration) error {
	name := "another machine"
	var h holder
	if s.git.fetch(ctx, s.Remote, s.ref(leaseRef), "refs/ours/lease") == nil {
		if out, err := s.git.run(ctx, localTime, nil, "log", "-1", "--format=%B", "refs/ours/lease"); err == nil && json.Unmarshal(out, &h) == nil {
			name = plainName(h.Name)
		}
	}
	if err := s.save(); err != nil {
		return err
	}
	return &HeldError{name, left}
}

// Holds reports whether the lease is still ours.
func (s *Share) Holds(ctx context.Context) (bool, error) {
	heads, err := s.heads(ctx)
	return err == nil && heads.lease == s.Held, err
}

// Release gives the lease back, if it is ours.
func (s *Share) Release(ctx context.Context) error {
	if s.Held == "" {
		return nil
	}
	err := s.git.push(ctx, s.Remote, update{s.ref(leaseRef), s.Held, ""})
	if err != nil {
		heads, again := s.heads(ctx)
		if again != nil {
			return err // it is ours, and the next to hold it may be we
		}
		if heads.lease == s.Held {
			return err
		}
	}
	s.Held = ""
	return s.save()
}
