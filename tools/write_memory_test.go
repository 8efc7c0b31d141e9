package tools

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/memory/secret"
)

const quayRule = `---\nname: quay\ndescription: which boats wait at the quay\nmetadata:\n  type: feedback\n---\nThe blue ones wait.\n`

// A line without its session is evidence where only one listed session has it.
func TestEvidenceWithoutItsSession(t *testing.T) {
	w := newWorld(t)
	w.say(1, "the blue boats wait at the quay, because it is narrow", "and the red ones go on")
	w.say(2, "go on")
	w.open()
	w.must("dream_orient", `{"force": true}`)
	w.pages("grep_transcripts", `{}`)
	text, refused := w.call("write_memory", fmt.Sprintf(`{"path": "feedback_quay.md", "content": "%s", "evidence": [":1"]}`, quayRule))
	if !refused || !strings.Contains(text, "an ID is SESSION:LINE") {
		t.Errorf("of two sessions: %s", text)
	}
	text = w.must("write_memory", fmt.Sprintf(`{"path": "feedback_quay.md", "content": "%s", "evidence": [":3"]}`, quayRule))
	if !strings.Contains(text, `"at":"2026-10-20T09:03:00Z","said":"and the red ones go on"`) {
		t.Errorf("of one session: %s", text)
	}
}

// The answer to several writes is short: what is as expected is left out, and a hint is shown once.
func TestSeveralWritesAnswer(t *testing.T) {
	w := newWorld(t)
	w.say(1, "the blue boats wait at the quay", "go on then")
	w.open()
	w.must("dream_orient", `{"force": true}`)
	var writes []any
	for i := range 26 {
		write := map[string]any{"path": fmt.Sprintf("feedback_quay-%d.md", i), "content": strings.NewReplacer(`\n`, "\n", "quay\\n", fmt.Sprintf("quay-%d\n", i)).Replace(quayRule)}
		switch i {
		case 0: // the words of the user, on what is written
			write["evidence"] = []any{"00000001-111:1"}
		case 1: // of the model
			write["evidence"] = []any{"00000001-111:2"}
		}
		write["waive"] = []any{map[string]any{"rule": "near-duplicate", "why": "a test"}}
		writes = append(writes, write)
	}
	arguments, err := secret.JSON(map[string]any{"writes": writes})
	if err != nil {
		t.Fatal(err)
	}
	text := w.must("write_memory", string(arguments))
	for _, want := range []string{`{"written":26,"staged":true,"writes":[{"path":"feedback_quay-1.md","action":"created","sum":"`, `"done":["feedback_quay-0.md created `, `"evidence":[{"id":"00000001-111:2","speaker":"assistant","at":"2026-10-20T09:02:00Z","said":"Done.","doubt":"not the user's words"}]`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	if strings.Count(text, `"evidence"`) != 1 || strings.Count(text, "find where the user said it") != 1 || strings.Contains(text, "[]") {
		t.Errorf("it repeats itself: %s", text)
	}
	t.Logf("%d bytes", len(text))
}

// Errors name the limit, and the text of an index line has its old name still.
func TestArguments(t *testing.T) {
	w := newWorld(t)
	w.populate(3, 300)
	w.open()
	many := strings.TrimSuffix(strings.Repeat(`"a", `, 101), ", ")
	for _, test := range []struct{ tool, arguments, want string }{
		{"grep_transcripts", `{"patterns": [` + many + `]}`, "patterns: at most 64, not 101"},
		{"grep_transcripts", `{"pattern": ""}`, "pattern: at least 1 characters, not 0"},
		{"read_memory", `{"paths": []}`, "paths: at least 1, not 0"},
	} {
		if text, refused := w.call(test.tool, test.arguments); !refused || !strings.Contains(text, test.want) {
			t.Errorf("%s %s: %s", test.tool, test.arguments, text)
		}
	}
}

// The line of the index that says what the memory no longer says is reported, until it says something else.
func TestOutdatedIndexLine(t *testing.T) {
	w := newWorld(t)
	file, _, title := subject(1)
	w.write(file, topicText(1, 500))
	w.write("MEMORY.md", lineOf(1, "kept by svc-1, on port 4001; ask Anselm"))
	w.open()
	w.must("dream_orient", `{"force": true}`)
	edit := `{"path": %q, "base": %q, "edits": [{"old": "port 4001", "new": "port 5001"}]%s}`
	text := w.must("write_memory", fmt.Sprintf(edit, file, w.sum(file), ""))
	want := `"its line in MEMORY.md says \"kept by svc-1, on port 4001; ask Anselm\"; the memory no longer says \"4001\""`
	if !strings.Contains(text, want) {
		t.Errorf("it lacks %s: %s", want, text)
	}
	w.must("abort_dream", `{}`)
	w.must("dream_orient", `{"force": true}`)
	if text := w.must("write_memory", fmt.Sprintf(edit, file, w.sum(file), `, "index": {"text": "the `+title+`, on port 5001"}`)); strings.Contains(text, "index-entry") {
		t.Errorf("with another line: %s", text)
	}
}

// Some models fill in every argument: with delete false nothing is deleted.
func TestDeleteFalse(t *testing.T) {
	w := newWorld(t)
	w.populate(1, 300)
	w.open()
	if text := w.must("write_memory", fmt.Sprintf(`{"path": "feedback_pier.md", "content": "%s", "delete": false}`, strings.ReplaceAll(quayRule, "quay", "pier"))); !strings.Contains(text, `"action":"created"`) {
		t.Errorf("%s", text)
	}
	if text, refused := w.call("write_memory", `{"path": "feedback_pier.md", "delete": false}`); !refused || !strings.Contains(text, "exactly one of content, edits and delete") {
		t.Errorf("alone: %s", text)
	}
}
