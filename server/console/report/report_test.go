package report

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/state"
)

var update = flag.Bool("update", false, "write the golden page")

func sample() Page {
	at := time.Date(2026, 11, 21, 1, 6, 52, 0, time.UTC)
	past := func(id string, at time.Time, changes ops.Counts) ops.LogEntry {
		return ops.LogEntry{Time: at, Header: ops.Header{ID: id}, Changes: changes}
	}
	text := func(s string) *string { return &s }
	changes := ops.Counts{Created: 1, Updated: 1, Deleted: 1}
	return Page{
		Project: "/home/mira/shop", Memory: "/home/mira/.claude/projects/shop/memory", Zone: time.UTC,
		Report: history.Report{
			Entry: ops.LogEntry{Time: at, Outcome: ops.Committed, Changes: changes, Header: ops.Header{
				ID: "20261121-010651-d56fd6", Kind: "dream", Host: "claude-code", OfDream: ops.OfDream{Summary: "Three notes on bun became one."},
			}},
			Files: []history.File{
				{Path: "use-bun.md", Description: "Run scripts with bun, not npm",
					Before:  text("---\nname: use-bun\n---\nRun scripts with `bun run`, not with `npm run`.\n\n" + strings.Repeat("A line that stays.\n", 9) + "The end.\n"),
					After:   text("---\nname: use-bun\n---\nUse bun alone: `bun install`, `bun run`.\n\n" + strings.Repeat("A line that stays.\n", 9) + "The end.\n"),
					LeftOut: []history.LeftOut{{Text: "node 14", Why: "nothing runs on it any more"}},
					Sources: []provenance.Origin{
						{Words: state.Words{Source: "e4f91da5-5d2:6", Speaker: "user", Said: at.Add(-144 * time.Hour), Text: "no, use bun, not npm.\npackage-lock.json is gone"}},
						{Words: state.Words{Source: "77aa:3"}},
					}},
				{Path: "bun-not-npm.md", Into: "use-bun.md", Why: "use-bun.md says all of it", Before: text("Scripts are run with bun.\n")},
				{Path: "deploy.md", After: text("The shop moved to Fly on 2026-11-17.\n")},
			},
			Left: []string{"database.md", "user-role.md"}, Index: [2]ops.IndexSize{{Lines: 9, Bytes: 471, MaxLines: 200, MaxBytes: 25000}, {Lines: 8, Bytes: 409, MaxLines: 200, MaxBytes: 25000}},
			History: []ops.LogEntry{past("20261103-020000-aaaaaa", at.AddDate(0, 0, -18), ops.Counts{Updated: 4}), past("20261121-010651-d56fd6", at, changes)},
		},
	}
}

func TestPage(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, sample()); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/page.html"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the page differs from %s; go test ./server/console/report -update writes it", golden)
	}
}

// Nothing that a memory, a path or a person's words hold becomes markup.
func TestEscaped(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>{{.ID}}</pre></style>`
	p := sample()
	old, new := hostile+"\nold", "new\n"+hostile
	p.Project, p.Memory, p.Entry = hostile, hostile, ops.LogEntry{Outcome: hostile, Header: ops.Header{ID: hostile, Host: hostile, OfDream: ops.OfDream{Summary: hostile}, Kind: hostile}}
	p.Files = []history.File{{Path: hostile, Into: hostile, Description: hostile, Why: hostile, LeftOut: []history.LeftOut{{Text: hostile, Why: hostile}}, Before: &old, After: &new,
		Sources: []provenance.Origin{{Words: state.Words{Source: hostile, Speaker: hostile, Text: hostile}}}}}
	p.Left = []string{hostile}
	var b strings.Builder
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, markup := range []string{"<script", "<img", hostile} {
		if strings.Contains(b.String(), markup) {
			t.Errorf("the page holds %q", markup)
		}
	}
}
