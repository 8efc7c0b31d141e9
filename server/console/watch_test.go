package console

import (
	"errors"
	goflag "flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/server/console/terminal"
)

var update = goflag.Bool("update", false, "write the golden views")

var watched = time.Date(2026, 11, 21, 10, 2, 30, 0, time.UTC)

// dreamSnapshot is a dream in its third phase, with hostile words in it.
func dreamSnapshot() consolidate.Snapshot {
	event := func(at int, kind state.EventKind, text string, hits int) state.Event {
		return state.Event{Time: watched.Add(time.Duration(at-120) * time.Second), Kind: kind, Text: text, Hits: hits}
	}
	return consolidate.Snapshot{
		Time: watched,
		State: consolidate.State{MemoryDir: "/m", Dream: &consolidate.OpenDream{
			ID: "20261121-100030-c0ffee", Started: watched.Add(-2 * time.Minute), Phase: consolidate.Consolidating,
			Sessions: 6, ToolCalls: 9, Staged: []string{"bun.md", "database.md"}, Expires: watched.Add(time.Hour),
		}},
		Host:  "claude-code",
		Words: "The staging port was corrected twice.\nI keep the later one, 4321, and merge the two notes on bun; the third says npm and goes. \x1b[2JThen the index, then the end; nothing else is left to look at in these sessions.",
		Reviewed: []state.Reviewed{
			{ID: "s1", Last: watched.Add(-20 * time.Hour), First: "no, use bun\u202e not npm"},
			{ID: "s2", Last: watched.Add(-50 * time.Hour), First: "the staging port is 4321, remember that for next time please, it was wrong twice"},
			{ID: "s3", Last: watched.Add(-90 * time.Hour)},
		},
		Events: []state.Event{
			event(0, state.EventBegun, "", 0), event(1, state.EventMap, "", 6),
			event(20, state.EventSearch, "port", 12), event(31, state.EventSearch, "世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界世界\x07", 0),
			event(40, state.EventContext, "babd0f39-e08:3", 0), event(55, state.EventRead, "bun.md, database.md", 0),
			event(70, state.EventStaged, "updated bun.md", 0), event(90, state.EventRefused, "new.md: near-duplicate: much like bun.md\nhint", 0),
			event(100, state.EventStaged, "deleted database.md", 0), event(110, "from the future", "unknown", 0),
		},
		Diff: "--- a/bun.md\n+++ b/bun.md\n@@ -1,3 +1,3 @@\n name: bun\n-Port 3000.\n+Port\t4321: a memory is prose, and its lines are longer than a screen is wide, so they go on in the next row.\n--- a/database.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-Gone\x1b[31m\n",
	}
}

func idleSnapshot() consolidate.Snapshot {
	yes, no := true, false
	return consolidate.Snapshot{
		Time: watched, State: consolidate.State{ClosedGate: "time",
			Gates:    []consolidate.Gate{{Name: "enabled", Open: &yes, Why: "on by default"}, {Name: "time", Open: &no, Why: "3h of 24h; opens 2026-11-22T07:02:30Z"}, {Name: "sessions", Why: "not checked"}},
			Last:     &consolidate.LastDream{ID: "1", Ended: watched.Add(-3 * time.Hour), Outcome: ops.Committed, Files: []string{"a.md"}, Summary: "merged\u200b two"},
			Warnings: []string{"two memory directories"},
		}}
}

// Each snapshot is drawn on each screen as it was: the golden files are written again by -update, and to
// be read by a person.
func TestWatchView(t *testing.T) {
	stopping := dreamSnapshot()
	stopping.Stopping = true
	dead := dreamSnapshot()
	dead.Dead = true
	ended := idleSnapshot()
	ended.Events = append(dreamSnapshot().Events, state.Event{Time: watched, Kind: state.EventEnded, Text: "committed: 2 memories corrected"})
	for name, v := range map[string]watchView{
		"dream-80x24":  {snapshot: dreamSnapshot(), width: 80, height: 24},
		"dream-40x10":  {snapshot: dreamSnapshot(), width: 40, height: 10},
		"dream-120x40": {snapshot: dreamSnapshot(), width: 120, height: 40},
		"dream-once":   {snapshot: dreamSnapshot()},
		"diff-40x10":   {snapshot: dreamSnapshot(), width: 40, height: 10, scrolled: 5},
		"asking-80x24": {snapshot: stopping, width: 80, height: 24, asking: true},
		"dead-80x16":   {snapshot: dead, width: 80, height: 16},
		"idle-80x24":   {snapshot: idleSnapshot(), width: 80, height: 24},
		"idle-40x10":   {snapshot: idleSnapshot(), width: 40, height: 10},
		"ended-80x24":  {snapshot: ended, width: 80, height: 24},
		"nothing-once": {snapshot: consolidate.Snapshot{Time: watched}},
	} {
		t.Run(name, func(t *testing.T) {
			v.zone = time.UTC
			got := strings.Join(v.lines(), "\n") + "\n"
			golden := filepath.Join("testdata", "watch", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%v; drawn:\n%s\nwant:\n%s", err, got, want)
			}
		})
	}
}

// On whatever screen, painted or not, no row is wider or below it, and none holds what a terminal follows
// but our own colours.
func TestWatchViewFits(t *testing.T) {
	for _, p := range []consolidate.Snapshot{dreamSnapshot(), idleSnapshot(), {Time: watched}} {
		for width := 1; width < 130; width += 7 {
			for height := 1; height < 45; height++ {
				for _, ink := range []terminal.Ink{false, true} {
					v := watchView{snapshot: p, width: width, height: height, ink: ink, zone: time.UTC, scrolled: height%2*40 - 20}
					rows := v.lines()
					if len(rows) > height {
						t.Fatalf("%dx%d: %d rows", width, height, len(rows))
					}
					for _, row := range rows {
						if ansi.StringWidth(row) > width {
							t.Fatalf("%dx%d: %q is wider", width, height, row)
						}
						if plain := ansi.Strip(row); strings.ContainsAny(plain, "\x00\x07\x1b\r\n\t\u202e\u200b") || !bool(ink) && plain != row {
							t.Fatalf("%dx%d: %q holds more than words", width, height, row)
						}
					}
				}
			}
		}
	}
}

// x asks once, y stops, any other key does not; the keys of a dream do nothing where there is none.
func TestWatchKeys(t *testing.T) {
	stops := 0
	model := func() watchModel {
		return watchModel{
			view: watchView{snapshot: dreamSnapshot(), width: 80, height: 24, zone: time.UTC},
			stop: func() (string, error) { stops++; return "dream 1", nil },
		}
	}
	press := func(m watchModel, keys ...string) watchModel {
		for _, key := range keys {
			next, cmd := m.press(key)
			m = next.(watchModel)
			if cmd != nil {
				next, _ = m.Update(cmd())
				m = next.(watchModel)
			}
		}
		return m
	}
	if m := press(model(), "x"); !m.view.asking || stops != 0 {
		t.Errorf("x: asking %v, stopped %d times", m.view.asking, stops)
	}
	if m := press(model(), "x", "n"); m.view.asking || stops != 0 {
		t.Errorf("x n: asking %v, stopped %d times", m.view.asking, stops)
	}
	if m := press(model(), "y", "x", "x", "x", "y"); stops != 1 || m.view.note != "asked to stop: dream 1" {
		t.Errorf("stopped %d times, says %q", stops, m.view.note)
	}
	idle := model()
	idle.view.snapshot = idleSnapshot()
	if m := press(idle, "x", "y"); m.view.asking || stops != 1 {
		t.Error("a dream was stopped where there is none")
	}
	if m := press(model(), "k", "k", "j"); m.view.scrolled != -1 {
		t.Errorf("scrolled %d rows", m.view.scrolled)
	}
	if m := press(model(), "home", "up"); !strings.Contains(strings.Join(m.view.lines(), "\n"), "── activity (10)") {
		t.Errorf("home shows\n%s", strings.Join(m.view.lines(), "\n"))
	}
	if m := press(model(), "end", "pgdown", "j"); !strings.Contains(strings.Join(m.view.lines(), "\n"), "-Gone") {
		t.Errorf("end shows\n%s", strings.Join(m.view.lines(), "\n"))
	}
	if m := press(model(), "ctrl+c"); !m.interrupted {
		t.Error("ctrl-c is not noted")
	}
	waits := watchView{snapshot: consolidate.Snapshot{Time: watched}, asked: true, began: watched.Add(-100 * time.Second), width: 80}
	waits.height = 5
	if got := waits.lines(); !strings.Contains(got[4], "ctrl-c ends the dream") {
		t.Errorf("waits with the keys %q", got)
	}
	if got := waits.lines()[0]; !strings.HasSuffix(got, " 1m40s") {
		t.Errorf("waits with %q", got)
	}
	if _, cmd := model().press("q"); cmd == nil || cmd() != (tea.QuitMsg{}) {
		t.Error("q does not quit")
	}
	m := model()
	m.stop = func() (string, error) { return "", ops.ErrNoDream }
	if m = press(m, "x", "y"); m.view.note != "the dream has ended" {
		t.Errorf("says %q", m.view.note)
	}
	next, cmd := m.Update(snapshotMsg{err: errors.New("gone")})
	if next.(watchModel).err == nil || cmd == nil {
		t.Error("an error does not end it")
	}
}

// In a pipe each event, each warning and each change of the state is printed once.
func TestWatchLines(t *testing.T) {
	var shown shownEvents
	v := watchView{zone: time.UTC}
	all := func(p consolidate.Snapshot) string { return strings.Join(shown.next(v, p), "\n") }
	if got := all(idleSnapshot()); got != "10:02:30 No dream is due. It is too early. 3h of 24h; opens 2026-11-22 07:02 UTC\n10:02:30 ! two memory directories" {
		t.Error(got)
	}
	later := idleSnapshot()
	later.Gates[1].Why = "4h of 24h"
	if got := all(later); got != "" {
		t.Errorf("printed again: %s", got)
	}
	p := dreamSnapshot()
	more := p.Events[8:]
	p.Events = p.Events[:8]
	if got := all(p); !strings.HasPrefix(got, "10:00:30 the dream begins\n") || !strings.HasSuffix(got, "10:02:30 dream 20261121-100030-c0ffee: consolidating") || strings.Count(got, "\n") != 8 {
		t.Error(got)
	}
	p.Before, p.Events = 8, more // a window on many events
	if got := all(p); got != "10:02:10 staged: deleted database.md\n10:02:20 from the future unknown" {
		t.Error(got)
	}
	p.Dead = true
	if got := all(p); got != "10:02:30 dream 20261121-100030-c0ffee: its process has exited; the next command ends it" {
		t.Error(got)
	}
}
