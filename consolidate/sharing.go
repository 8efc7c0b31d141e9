package consolidate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/share"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// How long a dream waits for the remote of a shared memory. What does not arrive in time waits for the next exchange.
const (
	shareWait    = 20 * time.Second
	releaseWait  = 4 * time.Second // less than a program's end may take
	leaseRenewal = 15 * time.Minute
)

// shared is the memory of p as package share sees it. Whoever uses it holds p.mu.
type shared struct{ p *Project }

func (l shared) Read() (share.Files, error) {
	dir, err := l.p.openDir()
	if err != nil || dir == nil {
		return share.Files{}, err
	}
	defer dir.Close()
	return readFiles(dir)
}

// readFiles reads every topic and the index. What is there and cannot be read is an error: it would look like a deletion.
func readFiles(dir *memory.Dir) (share.Files, error) {
	l, err := dir.List()
	if err != nil {
		return nil, err
	}
	if l.Limited {
		return nil, errors.New("the memory directory holds more files than are read")
	}
	for _, o := range l.Other {
		if n, err := memory.ParseName(o.Path); err == nil && (n.IsTopic() || n.IsIndex()) {
			return nil, fmt.Errorf("%q cannot be shared: %s", o.Path, o.Why)
		}
	}
	files := share.Files{}
	for _, f := range l.Files {
		if f.Name.IsTopic() || f.Name.IsIndex() {
			file, err := dir.Read(f.Name)
			if err != nil {
				return nil, err
			}
			files[f.Name] = file.Data
		}
	}
	return files, nil
}

// Landed is the newest merge. One that left a file alone, because somebody changed it in that moment, is merged again.
func (l shared) Landed() (id, commit string, err error) {
	if err := l.p.recoverHere(context.Background()); err != nil {
		return "", "", err
	}
	entries, err := l.p.landed()
	if err != nil {
		return "", "", err
	}
	for _, e := range slices.Backward(entries) {
		if e.Kind != lock.KindSync || e.Outcome != Committed {
			continue
		}
		info, err := readInfo(l.p.state, e.ID)
		if err != nil {
			return "", "", nil // merged again, which changes nothing that is merged
		}
		a, err := l.p.archive(e.ID)
		if err != nil {
			return "", "", nil
		}
		defer a.Close()
		if len(a.LeftAlone) > 0 {
			return "", "", nil
		}
		return e.ID, info.Commit, nil
	}
	return "", "", nil
}

func (l shared) Land(ctx context.Context, commit, summary string, merge func(share.Files) (share.Files, error)) (id string, err error) {
	id, a, err := l.p.transact(ctx, Info{Kind: lock.KindSync, Commit: commit, Reason: summary}, func(d *dream) (*indexEdit, error) {
		local, err := readFiles(d.dir)
		if err != nil {
			return nil, err
		}
		merged, err := merge(local)
		if err != nil {
			return nil, err
		}
		return nil, l.p.stageMerged(d, local, merged)
	})
	if err != nil || id == "" {
		return id, err
	}
	l.p.changed(a.Changes)
	if len(a.LeftAlone) > 0 {
		return "", fmt.Errorf("%s was changed in the moment of the merge; the next exchange merges it again", a.LeftAlone[0].Name)
	}
	return id, nil
}

// stageMerged stages what merged has beyond local, and asks the rules about it. What only a person or a dream can set right, such as
// an index that is too long now, does not keep it from landing: the next dream finds it.
func (p *Project) stageMerged(d *dream, local, merged share.Files) error {
	accepted := make(map[memory.Name]string)
	for n := range local {
		if _, stays := merged[n]; stays || n.IsIndex() {
			continue
		}
		accepted[n] = "another machine deleted it"
		if _, err := d.stage.Delete(n, string(memory.SumOf(local[n]))); err != nil {
			return err
		}
	}
	for _, n := range slices.SortedFunc(maps.Keys(merged), func(a, b memory.Name) int { return strings.Compare(a.String(), b.String()) }) {
		if have, is := local[n]; is && string(have) == string(merged[n]) {
			continue
		}
		accepted[n] = "another machine changed it"
		if err := d.stage.Restore(n, merged[n], time.Time{}); err != nil {
			return err
		}
	}
	before, err := d.dir.Snapshot()
	if err != nil {
		return err
	}
	after, err := d.stage.Over(before)
	if err != nil {
		return err
	}
	check := rule.Check{Before: before, After: after, Touched: d.stage.Touched(), Accepted: accepted, Now: p.o.Now()}
	for _, f := range check.Whole() {
		if f.Severity == rule.Error && (f.Rule == "name" || f.Rule == "secret" || f.Rule == "invisible") {
			return &RuleError{Findings: []rule.Finding{f}}
		}
	}
	return nil
}

func (l shared) LastRead() (time.Time, error) {
	at, err := l.p.consolidated()
	return at.Time, err
}

func (p *Project) shareOptions() share.Options {
	return share.Options{StateDir: p.StateDir(), Allowed: p.o.AllowSecrets, Now: p.o.Now}
}

// withShare runs do over the open share, within limit. It fails with share.ErrNotShared. The caller holds p.mu.
func (p *Project) withShare(ctx context.Context, limit time.Duration, do func(context.Context, *share.Share) error) error {
	if _, err := share.Read(p.StateDir()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := share.Open(ctx, p.shareOptions())
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, s), s.Close())
}

// Shared returns how the memory is shared. It fails with share.ErrNotShared.
func (p *Project) Shared() (share.State, error) { return share.Read(p.StateDir()) }

// JoinRequest says how a memory is to be shared.
type JoinRequest struct {
	Remote   string
	Identity share.Identity
	Machine  string // a name for this machine
	Team     bool
}

// Join shares the memory by a remote, after agree has seen what that would change here and send.
func (p *Project) Join(ctx context.Context, r JoinRequest, agree func(share.Preview) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.mayExchange(); err != nil {
		return err
	}
	s, err := share.Begin(ctx, p.shareOptions(), r.Remote, r.Identity, r.Machine, r.Team)
	if err != nil {
		return err
	}
	preview, err := s.Preview(ctx, shared{p})
	if err == nil {
		err = agree(preview)
	}
	if err == nil {
		err = s.Exchange(ctx, shared{p}, false)
	}
	return errors.Join(err, s.Close())
}

func (p *Project) mayExchange() error {
	p.reread()
	if p.dream != nil {
		return &lock.BusyError{Holder: p.dream.record.String()}
	}
	return p.refuseOff()
}

// Exchange takes over what other machines have changed, and sends what has changed here.
func (p *Project) Exchange(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.mayExchange(); err != nil {
		return err
	}
	return p.withShare(ctx, 5*time.Minute, func(ctx context.Context, s *share.Share) error { return s.Exchange(ctx, shared{p}, false) })
}

// StopSharing ends the share on this machine. The memory and the remote stay as they are.
func (p *Project) StopSharing(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error {
		_ = s.Release(ctx) // where the remote cannot be reached, the lease ends by itself
		return s.Forget()
	})
}

// takeOver brings a shared memory up to date before the gates are asked. A remote that cannot be reached keeps nobody from dreaming.
func (p *Project) takeOver(ctx context.Context) {
	_ = p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error { return s.Exchange(ctx, shared{p}, false) })
}

// takeLease takes the lease on a shared memory for a dream. It fails only where another machine holds it: without the remote the dream's
// changes are merged later.
func (p *Project) takeLease(ctx context.Context) error {
	err := p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error { return s.Acquire(ctx) })
	if held := (*share.HeldError)(nil); errors.As(err, &held) {
		open := false
		return &ClosedError{Gate: Gate{Name: "lock", Open: &open, Why: held.Error()}}
	}
	return nil
}

// leaseLost reports whether another machine has taken the lease over that our dream held.
func (p *Project) leaseLost(ctx context.Context) (lost bool) {
	_ = p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error {
		held := s.Held != ""
		holds, err := s.Holds(ctx)
		lost = err == nil && held && !holds
		return err
	})
	return lost
}

// send sends what a dream has landed, with the lease.
func (p *Project) send() {
	_ = p.withShare(context.Background(), shareWait, func(ctx context.Context, s *share.Share) error { return s.Exchange(ctx, shared{p}, true) })
}

// releaseLease gives back the lease of a dream that landed nothing.
func (p *Project) releaseLease() {
	_ = p.withShare(context.Background(), releaseWait, func(ctx context.Context, s *share.Share) error { return s.Release(ctx) })
}

// dreamtElsewhere says that another machine has dreamt over this memory within the hours of the time gate; "" where none has.
func (p *Project) dreamtElsewhere(now time.Time) string {
	s, err := p.Shared()
	age := now.Sub(s.Dreamed).Hours()
	if err != nil || s.Dreamed.IsZero() || age < 0 || age >= p.o.MinHours {
		return ""
	}
	return fmt.Sprintf("the machine %q dreamt over this shared memory %.0fh ago", s.DreamedBy, age)
}
