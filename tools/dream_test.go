package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"dream-mcp/consolidate"
	"dream-mcp/memory/secret"
)

// What a whole dream may cost: calls, and bytes that are sent and read.
const (
	maxDreamCalls = 60
	maxShortBytes = 75_000  // topics of 500 bytes
	maxRealBytes  = 140_000 // topics as long as real ones
)

// realSize is how long the i-th topic is: half have 1.8 KB, one in ten 5 KB.
func realSize(i int) int {
	return []int{900, 1800, 1800, 2500, 1200, 1800, 3000, 1800, 1500, 5000}[i%10]
}

// notes is the second memory on the i-th subject: part of the same, and something of its own.
func notes(i, size int) (file, text string) {
	_, kind, title := subject(i)
	text = strings.Replace(topicText(i, size), "name: ", "name: notes-on-", 1)
	body := strings.Index(text, "**How to apply:**")
	text = text[:body] + fmt.Sprintf("The %s has a night crew of %d, never fewer unless %s says so.\n\n", title, 70+i, person(i)) + text[body:]
	return fmt.Sprintf("%s_notes-%d.md", kind, i), text
}

func person(i int) string {
	return []string{"Mareike", "Anselm", "Yusuf", "Ingrid", "Tove", "Pilar", "Osman", "Ruta", "Enzo"}[i%9]
}

// dreamWorld has 45 memories, of which nine are on the subject of another, and 27 sessions with 20 corrections and 20
// new facts.
func dreamWorld(t *testing.T, size func(int) int) *world {
	w := newWorld(t)
	index := "# Memory\n\n"
	for i := range 36 {
		file, _, title := subject(i)
		w.write(file, topicText(i, size(i)))
		index += lineOf(i, "how the "+title+" is run")
	}
	for i := range 9 {
		file, text := notes(i, size(i))
		w.write(file, text)
		index += fmt.Sprintf("- [Notes %d](%s) — more on the same\n", i, file)
	}
	w.write("MEMORY.md", index)
	for s := range 27 {
		said := []string{fmt.Sprintf("please go on with the %s where we left it", harbour[s%len(harbour)])}
		if s < 20 {
			_, _, title := subject(9 + s)
			said = append(said, fmt.Sprintf("no, the %s is on port %d since yesterday, the old port is closed", title, 5000+9+s), fmt.Sprintf("remember: rule %d of the quay is that boats of class %d wait for the %s", s, s*3, harbour[(s*7)%len(harbour)]))
		}
		w.say(s+1, append(said, "yes, that one", "run the checks again")...)
	}
	w.open()
	return w
}

// listed finds the ID of the line of a listing that holds some words.
func listed(t *testing.T, listing, words string) string {
	t.Helper()
	session := ""
	for line := range strings.Lines(listing) {
		if m := regexp.MustCompile(`^([0-9a-f-]+) 20\d\d-`).FindStringSubmatch(line); m != nil {
			session = m[1]
		}
		if strings.HasPrefix(line, ":") && strings.Contains(line, words) {
			number, _, _ := strings.Cut(line, " ")
			return session + number
		}
	}
	t.Fatalf("%q is not listed in\n%s", words, listing)
	return ""
}

// dreamWrites are the writes of the dream: nine merges, 20 corrections, 20 new memories.
func dreamWrites(t *testing.T, w *world, listing string) (writes []map[string]any) {
	for i := range 9 {
		file, _, title := subject(i)
		other, _ := notes(i, 0)
		edit := map[string]any{"old": "**How to apply:**", "new": fmt.Sprintf("The night crew has %d, never fewer unless %s says so.\n\n**How to apply:**", 70+i, person(i))}
		write := map[string]any{"path": file, "base": w.sum(file), "edits": []any{edit}, "replaces": []any{map[string]any{"path": other, "base": w.sum(other)}}}
		if i == 0 {
			edit["new"] = "The night crew is never small unless " + person(i) + " says so.\n\n**How to apply:**"
			write["accept"] = []any{map[string]any{"file": other, "why": "the " + title + " has no fixed crew any more"}}
		}
		writes = append(writes, write)
	}
	for s := range 20 {
		file, kind, title := subject(9 + s)
		write := map[string]any{"path": file, "base": w.sum(file), "edits": []any{map[string]any{"old": fmt.Sprintf("port %d", 4009+s), "new": fmt.Sprintf("port %d since 2026-11-%02d", 5009+s, s%17+1)}}}
		if kind == "feedback" || kind == "user" {
			write["evidence"] = []any{listed(t, listing, fmt.Sprintf("the %s is on port %d", title, 5009+s))}
		}
		writes = append(writes, write)
	}
	for s := range 20 {
		text := fmt.Sprintf("---\nname: quay-rule-%d\ndescription: which boats wait at the %s of the quay, by rule %d\nmetadata:\n  type: feedback\n---\nRule %d of the quay: boats of class %d wait for the %s.\n\n**How to apply:** look at the class before a berth is given.\n",
			s, harbour[s], s, s, s*3, harbour[(s*7)%len(harbour)])
		write := map[string]any{"path": fmt.Sprintf("feedback_quay-rule-%d.md", s), "content": text, "evidence": []any{listed(t, listing, fmt.Sprintf("rule %d of the quay", s))}}
		if s < 3 {
			write["index"] = map[string]any{"title": fmt.Sprintf("Rule %d of the quay", s), "text": "boats that wait"}
		}
		writes = append(writes, write)
	}
	return writes
}

// dream dreams over a world, with so many writes in one call, and returns the answers of the dry run and the commit.
func dream(t *testing.T, w *world, together int) (dryRun, commit string) {
	prompt, err := consolidate.DreamPrompt(consolidate.PromptValues{Today: worldTime, MemoryDir: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	w.bytes += len(prompt)
	w.must("dream_status", `{}`)
	w.pages("dream_orient", `{"force": true}`)
	w.pages("read_memory", `{}`)
	listing := strings.Join(w.pages("grep_transcripts", `{}`), "\n")
	writes := dreamWrites(t, w, listing)
	for len(writes) > 0 {
		some := writes[:min(together, len(writes))]
		writes = writes[len(some):]
		call := any(some[0])
		if together > 1 {
			call = map[string]any{"writes": some}
		}
		arguments, err := secret.JSON(call)
		if err != nil {
			t.Fatal(err)
		}
		if text := w.must("write_memory", string(arguments)); strings.Contains(text, `"missing"`) || strings.Contains(text, `"refused"`) {
			t.Fatalf("%s\n%s", arguments, text)
		}
	}
	dryRun = w.must("finalize_index", `{"dry_run": true}`)
	commit = w.must("finalize_index", `{"summary": "nine memories merged into others, 20 ports corrected, 20 rules of the quay noted"}`)
	return dryRun, commit
}

func TestDreamInSixtyCalls(t *testing.T) {
	short := func(int) int { return 500 }
	for _, test := range []struct {
		name     string
		size     func(int) int
		together int
		bytes    int
	}{
		{"short topics", short, 1, maxShortBytes},
		{"topics as long as real ones, ten writes in a call", realSize, 10, maxRealBytes},
	} {
		w := dreamWorld(t, test.size)
		dryRun, commit := dream(t, w, test.together)
		t.Logf("%s: %d calls, %d bytes; dry run %d, commit %d", test.name, w.calls, w.bytes, len(dryRun), len(commit))
		if w.calls > maxDreamCalls || w.bytes > test.bytes {
			t.Errorf("%s: %d calls and %d bytes, at most %d and %d", test.name, w.calls, w.bytes, maxDreamCalls, test.bytes)
		}
		if len(dryRun) > maxDryRun {
			t.Errorf("%s: the dry run has %d bytes", test.name, len(dryRun))
		}
		var done struct{ Outcome, Report string }
		const report = "20 memories created, 29 corrected, 9 removed; reviewed 27 of 27 sessions."
		if err := json.Unmarshal([]byte(commit), &done); err != nil || done.Outcome != "committed" || done.Report != report {
			t.Errorf("%s: %v, %s", test.name, err, commit)
		}
		if test.name == "short topics" {
			w.golden("dry_run.golden", indented(t, dryRun))
			w.golden("report.golden", indented(t, commit))
		}
	}
}

func indented(t *testing.T, text string) string {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
