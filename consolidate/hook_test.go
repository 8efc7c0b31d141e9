package consolidate

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/runs"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
)

// A pause that a hook wrote keeps the same kind of hook from trying again, unless a wrong clock wrote it. Off is off.
func TestSoon(t *testing.T) {
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name          string
		off           bool
		pause         state.Note[state.Pause]
		ahead         time.Duration
		start, offers bool // want
	}{
		{name: "nothing is known", start: true, offers: true},
		{name: "off", off: true},
		{name: "a failure", pause: state.Launches, ahead: time.Minute, offers: true},
		{name: "a failure long ago", pause: state.Launches, ahead: -time.Minute, start: true, offers: true},
		{name: "a wrong clock", pause: state.Launches, ahead: 1000 * time.Hour, start: true, offers: true},
		{name: "an offer today", pause: state.Offers, ahead: time.Hour, start: true},
	} {
		dir := t.TempDir()
		p := Open(Options{
			Options:     ops.Options{MemoryDir: filepath.Join(dir, "memory"), StateHome: filepath.Join(dir, "state"), Now: func() time.Time { return now }},
			Transcripts: search.Open(sessions.Options{}),
			Enabled:     Switch{On: !row.off}, MinHours: 24,
		})
		if row.pause.Name != "" {
			_, err := row.pause.Change(p.Store.Records.DB(), func(q *state.Pause) bool { q.After = now.Add(row.ahead); return true })
			if err != nil {
				t.Fatal(err)
			}
		}
		if start, offers := p.Gates.Soon(false), p.Gates.Soon(true); start != row.start || offers != row.offers {
			t.Errorf("%s: %t, %t", row.name, start, offers)
		}
		p.Close("the test ended")
	}
}

// Reports that several processes queue and deliver at once are each delivered, and once; one whose delivery fails is
// delivered again.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	open := func() *Project {
		p := Open(Options{Options: ops.Options{MemoryDir: filepath.Join(dir, "memory"), StateHome: filepath.Join(dir, "state")}, Transcripts: search.Open(sessions.Options{})})
		t.Cleanup(func() { p.Close("the test ended") })
		return p
	}
	queue := func(p *Project, id string) {
		p.Background.Queue(ops.Op{Header: ops.Header{ID: id, Kind: lock.KindDream, Unattended: true}, Outcome: ops.Committed}, make([]state.Change, 1))
	}
	var mu sync.Mutex
	delivered := map[string]int{}
	deliver := func(p *Project, fails bool) {
		for { // a lock that is held is one more try here
			called := false
			err := p.Background.DeliverReports(func(reports []state.Report) error {
				called = true
				if fails {
					return errors.New("the output is closed")
				}
				mu.Lock()
				defer mu.Unlock()
				for _, r := range reports {
					delivered[r.Dream]++
				}
				return nil
			})
			if !called {
				t.Error("deliver was not called")
			}
			if err == nil || fails {
				return
			}
		}
	}
	const rounds, each = 100, 4 // no more than maxReports at once
	var projects [2 * each]*Project
	for i := range projects {
		projects[i] = open()
		deliver(projects[i], false) // which opens its state
	}
	for round := range rounds {
		var all sync.WaitGroup
		begin := make(chan struct{})
		for i := range each {
			all.Go(func() {
				<-begin
				queue(projects[i], fmt.Sprintf("%d-%d", round, i))
			})
			all.Go(func() {
				<-begin
				deliver(projects[each+i], i%2 == 0)
			})
		}
		close(begin)
		all.Wait()
		deliver(projects[0], false)
	}
	for round := range rounds {
		for i := range each {
			if id := fmt.Sprintf("%d-%d", round, i); delivered[id] != 1 {
				t.Errorf("%s was delivered %d times", id, delivered[id])
			}
		}
	}
}

// Of the hooks that a host calls for one event, one offers or starts a dream.
func TestClaim(t *testing.T) {
	for _, offer := range []bool{true, false} {
		w := newWorld(t)
		var claimed atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			p := w.open()
			all.Go(func() {
				first, err := p.Background.Claim(offer)
				if err != nil {
					t.Error(err)
				}
				if first {
					claimed.Add(1)
				}
			})
		}
		all.Wait()
		if n := claimed.Load(); n != 1 {
			t.Errorf("offer %v: %d claimed it", offer, n)
		}
		w.setNow(w.now.Add(25 * time.Hour))
		if again, err := w.open().Background.Claim(offer); !again || err != nil {
			t.Errorf("offer %v: a day later: %v, %v", offer, again, err)
		}
	}
}

// After failures in a row the pause doubles, up to a day; what lands ends it.
func TestPauses(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Unattended = true
	p := Open(o)
	defer p.Close("the test ended")
	for _, want := range []time.Duration{10 * time.Minute, 20 * time.Minute, 40 * time.Minute, 80 * time.Minute, 160 * time.Minute, 320 * time.Minute, 640 * time.Minute, 1280 * time.Minute, 24 * time.Hour, 24 * time.Hour} {
		run, err := p.Gates.BeginRun(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if outcome, err := run.End(ctx, runs.RunEnd{Failure: "it broke"}); outcome != ops.Failed || err != nil {
			t.Fatal(outcome, err)
		}
		w.setNow(w.now.Add(want - time.Second))
		if run, err := p.Gates.BeginRun(ctx); err == nil {
			run.End(ctx, runs.RunEnd{})
			t.Fatalf("tried again before %v had passed", want)
		}
		w.setNow(w.now.Add(time.Second))
	}
	run, err := p.Gates.BeginRun(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other := Open(o)
	defer other.Close("the test ended")
	if _, err := other.Gates.BeginRun(ctx); err != runs.ErrRunning {
		t.Errorf("two at once: %v", err)
	}
	if err := script["commit"].run(p); err != nil {
		t.Fatal(err)
	}
	if outcome, err := run.End(ctx, runs.RunEnd{}); outcome != ops.Committed || err != nil {
		t.Fatal(outcome, err)
	}
	if why := p.Background.FailedRun(); why != "" {
		t.Error(why)
	}
}
