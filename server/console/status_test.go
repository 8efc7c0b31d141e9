package console

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/phrase"
	"dream-mcp/server/settings"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func fixedStatus() (consolidate.Status, settings.Setup) {
	yes, no := true, false
	return consolidate.Status{
			TranscriptDirs: []string{"/a", "/b"}, State: consolidate.State{
				ClosedGate: "sessions",
				Gates: []consolidate.Gate{
					{Name: "enabled", Open: &yes, Why: "on by default"},
					{Name: "throttle", Open: &yes, Why: "no wait"},
					{Name: "sessions", Open: &no, Why: "3 of 5"},
					{Name: "lock", Why: "not checked"},
				},
				Last: &consolidate.LastDream{ID: "20261117-0101-ab", Ended: noon.Add(-75 * time.Hour), Outcome: ops.Committed,
					Files: []string{"a.md", "MEMORY.md"}, Changes: "1 memory corrected", Summary: "merged\u202e two\nand more"},
				Warnings: []string{"a \x1b[31mwarning\x1b[0m"},
			}}, settings.Setup{
			Project: "/home/ann/x", Root: "/home/ann/x", MemoryDir: "/home/ann/.claude/projects/-x/memory", MemoryWhy: "Claude Code's, by the root", Mode: "suggest", ModeSource: "default",
			Candidates: []settings.Candidate{{Path: "/gone", Why: "by the checkout"}, {Path: "/other", Why: "by a worktree", Exists: true, Topics: 1}},
		}
}

func TestRenderStatus(t *testing.T) {
	t.Parallel()
	s, setup := fixedStatus()
	want := `No dream is due. There are too few new sessions.

  ● enabled   on by default
  ○ sessions  3 of 5
  · lock      not checked

project      /home/ann/x
memory       /home/ann/.claude/projects/-x/memory
             Claude Code's, by the root
transcripts  /a
             /b
mode         suggest
             default
last dream   3 days ago: 1 memory corrected (a.md, MEMORY.md)  20261117-0101-ab
             merged⟨U+202E⟩ two; and more

! a warning
`
	if got := renderStatus(s, nil, setup, []said.Folder{{Path: "/a"}, {Path: "/b"}}, noon, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	s.Dream = &consolidate.OpenDream{ID: "d1", Started: noon.Add(-10 * time.Minute), Phase: "gathering", ToolCalls: 3, Staged: []string{"a.md"}, Expires: noon.Add(50 * time.Minute)}
	s.Last.Undone = true
	if got := renderStatus(s, nil, setup, nil, noon, false); !strings.Contains(got, "\nlast dream   3 days ago: 1 memory corrected (a.md, MEMORY.md); undone since  ") {
		t.Errorf("got\n%s", got)
	}
	s.Due, s.Last, s.Warnings = true, nil, nil
	got := renderStatus(s, nil, setup, []said.Folder{{Path: "/a"}, {Path: "/b"}}, noon, false)
	for _, line := range []string{
		"A dream is open.\n",
		"open dream   d1 in another process, begun 10 minutes ago\n             gathering, 3 calls, staged a.md, expires 12:50\n",
		"last dream   none yet\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is not in\n%s", line, got)
		}
	}
	s.Dream = nil
	if got := renderStatus(s, nil, setup, []said.Folder{{Path: "/a"}, {Path: "/b"}}, noon, false); !strings.HasPrefix(got, "A dream is due.") {
		t.Errorf("got\n%s", got)
	}
}

// A program finds in it all that dream_status answers, and no null where a list belongs.
func TestStatusObject(t *testing.T) {
	t.Parallel()
	s, setup := fixedStatus()
	data, err := json.Marshal(statusObject(s, nil, setup, "/state"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	plain, _ := json.Marshal(s)
	var answer map[string]any
	if err := json.Unmarshal(plain, &answer); err != nil {
		t.Fatal(err)
	}
	for key := range answer {
		if _, ok := got[key]; !ok {
			t.Errorf("%q is missing", key)
		}
	}
	facts, _ := got["setup"].(map[string]any)
	for key, v := range map[string]any{"worktrees": facts["worktrees"], "candidates": facts["candidates"], "settings": facts["settings"]} {
		if v == nil {
			t.Errorf("%q is null", key)
		}
	}
	if facts["memory_why"] != setup.MemoryWhy || facts["state_dir"] != "/state" {
		t.Errorf("setup is %v", facts)
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Hour, "in the future (is the clock right?)"}, {30 * time.Second, "just now"}, {time.Minute, "1 minute ago"},
		{59 * time.Minute, "59 minutes ago"}, {time.Hour, "1 hour ago"}, {47 * time.Hour, "47 hours ago"}, {48 * time.Hour, "2 days ago"},
	} {
		if got := phrase.Ago(noon, noon.Add(-test.d)); got != test.want {
			t.Errorf("%v: %q, want %q", test.d, got, test.want)
		}
	}
}
