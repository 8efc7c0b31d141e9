package console

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

func TestRenderLog(t *testing.T) {
	t.Parallel()
	at := func(hours int) time.Time { return noon.Add(time.Duration(-hours) * time.Hour) }
	op := func(id string, kind lock.Kind) ops.Header { return ops.Header{ID: id, Kind: kind} }
	undo, aborted := op("u1", lock.KindUndo), op("d1", lock.KindDream)
	undo.Undoes, aborted.Reason = "d2", "changed \x1b]0;x\x07my mind"
	entries := []ops.LogEntry{ // the newest first
		{Time: at(1), Outcome: ops.Fired, Header: op("d3", lock.KindDream), SessionsSince: 7},
		{Time: at(2), Outcome: ops.Committed, Header: undo, Files: []string{"a.md"}},
		{Time: at(3), Outcome: ops.Committed, Undone: true, Files: []string{"a.md", "b.md"}, Header: ops.Header{
			Kind: lock.KindDream, ID: "d2", Host: "codex", Started: at(3).Add(-12 * time.Minute),
			OfDream: ops.OfDream{ToolCalls: 1, Forced: true, Summary: "merged\ntwo\u202e", BytesSearched: 12_340_000},
			Waived:  []ops.Waiver{{Rule: "relative-date", Why: "quoted", File: "a.md"}}, Accepted: map[string]string{"b.md": "x"},
		}},
		{Time: at(4), Outcome: ops.Fired, Header: op("d2", lock.KindDream)}, // replaced by its end
		{Time: at(5), Outcome: ops.Aborted, Header: aborted},
		{Time: at(6), Outcome: ops.Aborted, Header: ops.Header{ID: "d0", Kind: lock.KindDream, Reason: ops.Interrupted + ": the client closed the connection"}},
	}
	want := `2026-11-20 11:00  A dream is open.
    dream begun, 7 sessions  d3
2026-11-20 10:00  Undone: merged; two⟨U+202E⟩
    undo landed, of d2  u1
    a.md
2026-11-20 09:00  merged; two⟨U+202E⟩
    dream undone, 1 call, took 12 minutes, searched 12.3 MB, forced, by codex  d2
    a.md, b.md
    rule waived: relative-date for a.md (quoted)
    loss accepted: b.md (x)
2026-11-20 07:00  Changed my mind
    dream aborted  d1
2026-11-20 06:00  Interrupted: the client closed the connection
    dream interrupted  d0
`
	if got := renderLog(entries, noon, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := renderLog(nil, noon, false); got != "Nothing has happened yet.\n" {
		t.Errorf("an empty log: %q", got)
	}
}

func TestRenderDiff(t *testing.T) {
	t.Parallel()
	diff := "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n same\x1b[2J\n-old\u202e\r\n+new"
	r := history.Report{Undone: true, Entry: ops.LogEntry{Time: noon, Outcome: ops.Committed, Header: ops.Header{ID: "d1", Kind: lock.KindDream, OfDream: ops.OfDream{Summary: "new for old"}}}}
	plain := "new for old\ndream undone, 2026-11-20 12:00, d1\n--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n same\n-old⟨U+202E⟩\n+new\n"
	if got := renderDiff(r, diff, noon, false); got != plain {
		t.Errorf("got %q, want %q", got, plain)
	}
	coloured := renderDiff(r, diff, noon, true)
	for _, want := range []string{"\x1b[1m--- a/a.md\x1b[0m\n", "\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n", "\n same\n", "\x1b[31m-old⟨U+202E⟩\x1b[0m\n", "\x1b[32m+new\x1b[0m\n"} {
		if !strings.Contains(coloured, want) {
			t.Errorf("%q is not in %q", want, coloured)
		}
	}
	if got := renderDiff(r, "", noon, false); !strings.HasSuffix(got, "d1\nIt changed nothing.\n") {
		t.Errorf("an empty diff: %q", got)
	}
}

func TestRenderUndo(t *testing.T) {
	t.Parallel()
	name, err := memory.ParseName("mine.md")
	if err != nil {
		t.Fatal(err)
	}
	r := history.UndoResult{ID: "u1", Undone: "d1",
		Files:     ops.Files{Created: []string{"gone.md"}, Updated: []string{"a.md", "MEMORY.md"}, Deleted: []string{"new.md"}},
		Conflicts: []ops.Conflict{{Name: name, Want: memory.SumOf([]byte("a"))}},
	}
	want := `Undone: d1
  as before   a.md
  as before   MEMORY.md
  restored    gone.md
  removed     new.md
  kept        mine.md: changed later (ca978112ca1b when it landed, absent now)
To undo this too: dream-mcp undo u1
`
	if got := renderUndo(r, time.UTC, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r.ID, r.Files = "", ops.Files{}
	if got := renderUndo(r, time.UTC, false); !strings.HasPrefix(got, "Nothing more to undo of d1\n  kept ") || strings.Contains(got, "To undo this too") {
		t.Errorf("nothing but a conflict: %q", got)
	}
	if got := renderUndo(history.UndoResult{Undone: "d1"}, time.UTC, false); !strings.HasPrefix(got, "Nothing to undo: all files are as they were before d1") {
		t.Errorf("nothing undone: %q", got)
	}
}
