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
	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// How long a dream waits for the remote of a shared memory. What does not arrive in time waits for the next exchange.
const (
	shareWait    = 20 * time.Second
	releaseWait  = 4 * time.Second // less than a program's end may take
	leaseRenewal = 15 * time.Minute
)

// shared is the memory of p as package share sees it. Whoever uses it holds p.
type shared struct{ p *base }

// exchanges are with other machines.
type exchanges struct{ *dreams }

func (l shared) Read() (share.Files, error) {
	dir, err := l.p.Dir()
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
	if err := l.p.Recover(context.Background()); err != nil {
		return "", "", err
	}
	entries, err := l.p.Entries()
	if err != nil {
		return "", "", err
	}
	for _, e := range slices.Backward(entries) {
		if e.Kind != lock.KindSync || e.Outcome != store.Committed {
			continue
		}
		info, err := l.p.Info(e.ID)
		if err != nil {
			return "", "", nil // merged again, which changes nothing that is merged
		}
		a, err := l.p.Archive(e.ID)
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
	info := l.p.New(lock.KindSync)
	info.Commit, info.Reason = commit, summary
	id, a, err := l.p.Change(ctx, info, func(t *store.Tx) (*store.Index, error) {
		local, err := readFiles(t.Dir)
		if err != nil {
			return nil, err
		}
		merged, err := merge(local)
		if err != nil {
			return nil, err
		}
		return nil, stageMerged(t, l.p.Now(), local, merged)
	})
	if err != nil || id == "" {
		return id, err
	}
	if len(a.LeftAlone) > 0 {
		return "", fmt.Errorf("%s was changed in the moment of the merge; the next exchange merges it again", a.LeftAlone[0].Name)
	}
	return id, nil
}

// stageMerged stages what merged has beyond local, and asks the rules about it. What only a person or a dream can set right, such as
// an index that is too long now, does not keep it from landing: the next dream finds it.
func stageMerged(t *store.Tx, now time.Time, local, merged share.Files) error {
	accepted := make(map[memory.Name]string)
	for n := range local {
		if _, stays := merged[n]; stays || n.IsIndex() {
			continue
		}
		accepted[n] = "another machine deleted it"
		if _, err := t.Stage.Delete(n, string(memory.SumOf(local[n]))); err != nil {
			return err
		}
	}
	for _, n := range slices.SortedFunc(maps.Keys(merged), func(a, b memory.Name) int { return strings.Compare(a.String(), b.String()) }) {
		if have, is := local[n]; is && string(have) == string(merged[n]) {
			continue
		}
		accepted[n] = "another machine changed it"
		if err := t.Stage.Restore(n, merged[n], time.Time{}); err != nil {
			return err
		}
	}
	before, err := t.Dir.Snapshot()
	if err != nil {
		return err
	}
	after, err := t.Stage.Over(before)
	if err != nil {
		return err
	}
	check := rule.Check{Before: before, After: after, Touched: t.Stage.Touched(), Accepted: accepted, Now: now}
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

func (p *base) shareOptions() share.Options {
	return share.Options{StateDir: p.StateDir(), Allowed: p.AllowSecrets, Now: p.Now}
}

// withShare runs do over the open share, within limit. It fails with share.ErrNotShared. The caller holds p.
func (p *base) withShare(ctx context.Context, limit time.Duration, do func(context.Context, *share.Share) error) error {
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
func (p *base) Shared() (share.State, error) { return share.Read(p.StateDir()) }

// JoinRequest says how a memory is to be shared.
type JoinRequest struct {
	Remote   string
	Identity share.Identity
	Machine  string // a name for this machine
	Team     bool
}

// Join shares the memory by a remote, after agree has seen what that would change here and send.
func (p *exchanges) Join(ctx context.Context, r JoinRequest, agree func(share.Preview) error) error {
	p.Lock()
	defer p.Unlock()
	if err := p.mayExchange(); err != nil {
		return err
	}
	s, err := share.Begin(ctx, p.shareOptions(), r.Remote, r.Identity, r.Machine, r.Team)
	if err != nil {
		return err
	}
	preview, err := s.Preview(ctx, shared{p.base})
	if err == nil {
		err = agree(preview)
	}
	if err == nil {
		err = s.Exchange(ctx, shared{p.base}, false)
	}
	return errors.Join(err, s.Close())
}

func (p *dreams) mayExchange() error {
	p.reread()
	if p.dream != nil {
		return p.dream.Busy()
	}
	return p.refuseOff()
}

// Exchange takes over what other machines have changed, and sends what has changed here.
func (p *exchanges) Exchange(ctx context.Context) error {
	p.Lock()
	defer p.Unlock()
	if err := p.mayExchange(); err != nil {
		return err
	}
	return p.withShare(ctx, 5*time.Minute, func(ctx context.Context, s *share.Share) error { return s.Exchange(ctx, shared{p.base}, false) })
}

// StopSharing ends the share on this machine. The memory and the remote stay as they are.
func (p *exchanges) StopSharing(ctx context.Context) error {
	p.Lock()
	defer p.Unlock()
	return p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error {
		_ = s.Release(ctx) // where the remote cannot be reached, the lease ends by itself
		return s.Forget()
	})
}

// takeOver brings a shared memory up to date before the gates are asked. A remote that cannot be reached keeps nobody from dreaming.
func (p *dreams) takeOver(ctx context.Context) {
	_ = p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error { return s.Exchange(ctx, shared{p.base}, false) })
}

// takeLease takes the lease on a shared memory for a dream. It fails only where another machine holds it: without the remote the dream's
// changes are merged later.
func (p *dreams) takeLease(ctx context.Context) error {
	err := p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error { return s.Acquire(ctx) })
	if held := (*share.HeldError)(nil); errors.As(err, &held) {
		open := false
		return &ClosedError{Gate: Gate{Name: "lock", Open: &open, Why: held.Error()}}
	}
	return nil
}

// leaseLost reports whether another machine has taken the lease over that our dream held.
func (p *dreams) leaseLost(ctx context.Context) (lost bool) {
	_ = p.withShare(ctx, shareWait, func(ctx context.Context, s *share.Share) error {
		held := s.Held != ""
		holds, err := s.Holds(ctx)
		lost = err == nil && held && !holds
		return err
	})
	return lost
}

// send sends what a dream has landed, with the lease.
func (p *dreams) send() {
	_ = p.withShare(context.Background(), shareWait, func(ctx context.Context, s *share.Share) error { return s.Exchange(ctx, shared{p.base}, true) })
}

// releaseLease gives back the lease of a dream that landed nothing.
func (p *dreams) releaseLease() {
	_ = p.withShare(context.Background(), releaseWait, func(ctx context.Context, s *share.Share) error { return s.Release(ctx) })
}

// dreamtElsewhere says that another machine has dreamt over this memory within the hours of the time gate; "" where none has.
func (p *base) dreamtElsewhere(now time.Time) string {
	s, err := p.Shared()
	age := now.Sub(s.Dreamed).Hours()
	if err != nil || s.Dreamed.IsZero() || age < 0 || age >= p.o.MinHours {
		return ""
	}
	return fmt.Sprintf("the machine %q dreamt over this shared memory %.0fh ago", s.DreamedBy, age)
}
