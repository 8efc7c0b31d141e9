package consolidate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
)

// watched opens a watcher of w, as another process has it.
func watched(w *world) *Watch {
	o := w.options()
	o.LookOnly = true
	p := Open(o)
	w.t.Cleanup(func() { p.Close("the test ended") })
	return p.Watch("background.log")
}

func look(t *testing.T, w *Watch) (Snapshot, bool) {
	t.Helper()
	snapshot, changed, err := w.Look(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot, changed
}

func kinds(events []state.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s/%s %s;", e.Phase, e.Kind, strings.TrimSpace(e.Text))
	}
	return b.String()
}

// Whoever looks on sees each step of a dream after it was taken, and its end, and what would land.
func TestWatch(t *testing.T) {
	w := newWorld(t)
	from := watched(w)
	if p, changed := look(t, from); !changed || p.Dream != nil || !p.Due || len(p.Gates) != 5 {
		t.Errorf("before: %+v", p)
	}
	if _, changed := look(t, from); changed {
		t.Error("nothing happened, and the snapshot changed")
	}
	p := w.open()
	if err := p.Begin(ctx, true, false); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Map(ctx, false); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Sessions.Search(ctx, search.Query{Pattern: "better"}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Sessions.Search(ctx, search.Query{Pattern: "better"}, ""); err != nil { // reported once
		t.Fatal(err)
	}
	seen, changed := look(t, from)
	if want := "orienting/begun ;orienting/map ;gathering/search better;"; !changed || kinds(seen.Events) != want || seen.Events[2].Hits != 1 {
		t.Errorf("saw %s, want %s", kinds(seen.Events), want)
	}
	if len(seen.Reviewed) != 1 || seen.Reviewed[0].First != "no, the better body of a" {
		t.Errorf("under review: %+v", seen.Reviewed)
	}
	if _, err := p.Write(ctx, WriteRequest{Path: "a.md", Base: sum(topic("a", "project")), Edits: []memory.Edit{{Old: "The body of a.", New: "The better body of a."}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(ctx, WriteRequest{Path: "b.md", Delete: true, Base: "000000000000"}); err == nil {
		t.Fatal("a wrong base was taken")
	}
	seen, _ = look(t, from)
	if got := kinds(seen.Events); !strings.Contains(got, "consolidating/staged updated a.md;consolidating/refused b.md: ") {
		t.Errorf("saw %s", got)
	}
	if !strings.Contains(seen.Diff, "+The better body of a.") || seen.Dream.Phase != Consolidating || !slices.Equal(seen.Dream.Staged, []string{"a.md"}) {
		t.Errorf("dream %+v, diff %s", seen.Dream, seen.Diff)
	}
	if err := finalize(p); err != nil {
		t.Fatal(err)
	}
	seen, _ = look(t, from)
	if got := kinds(seen.Events); !strings.HasSuffix(got, "finalizing/landing ;finalizing/ended committed: 1 memory corrected: updated a.md; reviewed 0 of 1 session.;") {
		t.Errorf("saw %s", got)
	}
	if seen.Dream != nil || seen.Last == nil || seen.Last.Outcome != ops.Committed {
		t.Errorf("after: %+v %+v", seen.Dream, seen.Last)
	}
}

// A refused end is not the end: the dream works on.
func TestWatchRefusedEnd(t *testing.T) {
	w := newWorld(t)
	from, p := watched(w), w.dreaming()
	if _, err := p.Write(ctx, WriteRequest{Path: "f.md", Content: new(topic("f", "project"))}); err != nil {
		t.Fatal(err)
	}
	index := w.files()[memory.IndexFile]
	if _, err := p.Finalize(ctx, ops.FinalizeRequest{Content: new(index + "- [gone](gone.md) — gone\n"), Base: sum(index)}); err == nil {
		t.Fatal("a dangling line was taken")
	}
	seen, _ := look(t, from)
	if got := kinds(seen.Events); !strings.Contains(got, "consolidating/refused the end: ") || seen.Dream.Phase != Consolidating {
		t.Errorf("saw %s in %s", got, seen.Dream.Phase)
	}
}

// Events that cannot be written cost no call.
func TestEventsCostNothing(t *testing.T) {
	w := newWorld(t)
	p := w.dreaming()
	repair := w.breakTable("events")
	for i := range 3 {
		if _, err := p.Sessions.Search(ctx, search.Query{Pattern: fmt.Sprint("better", i)}, ""); err != nil {
			t.Fatal(err)
		}
	}
	repair()
	seen, _ := look(t, watched(w))
	if strings.Contains(kinds(seen.Events), "better") {
		t.Errorf("saw %s", kinds(seen.Events))
	}
	if err := finalize(p); err != nil {
		t.Fatal(err)
	}
}

// Looking makes nothing, not even where the state folder has vanished, and shows what is left to see.
func TestWatchMakesNothing(t *testing.T) {
	w := newWorld(t)
	from := watched(w)
	look(t, from)
	if _, err := os.Stat(from.p.Store.Records.StateDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a state folder was made: %v", err)
	}
	if _, err := os.Stat(filepath.Join(w.memory, lock.File)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a lock file was made: %v", err)
	}
	p := w.dreaming()
	look(t, from)
	if err := os.RemoveAll(from.p.Store.Records.StateDir()); err != nil {
		t.Skip(err)
	}
	if seen, _ := look(t, from); seen.Dream == nil || seen.Dream.ID != p.dream.ID {
		t.Errorf("the dream is out of sight: %+v", seen.Dream)
	}
	if _, err := os.Stat(from.p.Store.Records.StateDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state folder was made again: %v", err)
	}
}

// A secret that was searched for is not in the events.
func TestEventsAreMasked(t *testing.T) {
	w := newWorld(t)
	p := w.dreaming()
	token := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	if _, err := p.Sessions.Search(ctx, search.Query{Pattern: token}, ""); err != nil {
		t.Fatal(err)
	}
	events, err := w.database(p).Events(p.dream.ID).All()
	if err != nil || len(events) < 2 || strings.Contains(fmt.Sprint(events), token[4:]) {
		t.Errorf("%v: %v", err, events)
	}
}

// A dream whose process died is seen as dead, at the next look, by nobody's doing.
func TestWatchDeadDream(t *testing.T) {
	w := cutOff(t, "plan")
	seen, _ := look(t, watched(w))
	if seen.Dream == nil || !seen.Dead {
		t.Errorf("saw %+v, dead %v", seen.Dream, seen.Dead)
	}
	if seen, _ = look(t, watched(w)); seen.Dream == nil {
		t.Error("looking ended what the crash left")
	}
}

// The words of a background dream stand in its log, as far as it is of this dream.
func TestWatchBackgroundWords(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.Unattended = true
	p := Open(o)
	t.Cleanup(func() { p.Close("the test ended") })
	if err := p.Begin(ctx, false, false); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(p.Store.Records.StateDir(), "background.log")
	text := "09:00:00 assistant: first\n09:00:01 calls grep_transcripts {}\n09:00:02 assistant: I merge\n         the two\n09:00:03 answered\n         assistant: not this\n"
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	from := watched(w)
	for _, row := range []struct {
		at   time.Time
		want string
	}{{start.Add(-time.Hour), ""}, {start.Add(time.Minute), "I merge\nthe two"}} {
		if err := os.Chtimes(log, row.at, row.at); err != nil {
			t.Fatal(err)
		}
		if seen, _ := look(t, from); seen.Words != row.want {
			t.Errorf("said %q, want %q", seen.Words, row.want)
		}
	}
}

// A write that is refused before anything is staged is an event too.
func TestWatchRefusedWrite(t *testing.T) {
	w := newWorld(t)
	p := w.dreaming()
	for _, r := range []WriteRequest{
		{Path: "../outside.md", Content: new("x")},
		{Path: "MEMORY.md", Content: new("x")},
		{Path: "waived.md", Content: new("x"), Waive: []ops.Waiver{{Rule: "drift"}}},
		{Path: "cited.md", Content: new("x"), Evidence: []string{"nowhere:1"}},
		{Path: "based.md", Content: new("x"), Base: "0123456789ab"},
	} {
		if _, err := p.Write(ctx, r); err == nil {
			t.Fatalf("%s was written", r.Path)
		}
		snapshot, _, err := w.open().Watch("").Look(ctx)
		if err != nil || len(snapshot.Events) == 0 {
			t.Fatal(err)
		}
		last := snapshot.Events[len(snapshot.Events)-1]
		if last.Kind != state.EventRefused || !strings.HasPrefix(last.Text, r.Path+": ") {
			t.Errorf("%s: the last event is %+v", r.Path, last)
		}
	}
}

// The log names as many sessions as the gate counted: the session that dreams is none of them.
func TestLogCountsAsTheGate(t *testing.T) {
	w := newWorld(t)
	w.say("current", "dream, please")
	o := w.options()
	o.MinSessions, o.Session = 1, "current"
	o.Transcripts = search.Open(sessions.Options{Folders: []string{w.transcripts()}, Current: "current"})
	p := Open(o)
	defer p.Close("the test ended")
	w.mustDo(p.Begin(ctx, false, false))
	counted := p.dream.Sessions
	if _, err := p.Map(ctx, false); err != nil {
		t.Fatal(err)
	}
	w.mustDo(finalize(p))
	entries, err := logOf(p)
	if err != nil || counted != 1 || entries[len(entries)-1].SessionsSince != counted {
		t.Errorf("the gate counted %d; the log: %+v, %v", counted, entries, err)
	}
}
