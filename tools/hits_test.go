package tools

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/consolidate"
	"dream-mcp/memory/related"
)

// A search that finds nothing names what was narrow about it.
func TestAdvice(t *testing.T) {
	w := newWorld(t)
	w.say(1, "the blue boats wait at the quay")
	w.open()
	for _, test := range []struct{ arguments, want string }{
		{`{"pattern": "gree.*boats"}`, `try "regex": true, without which a pattern is text as it is; or the root`},
		{`{"pattern": "Boats"}`, `try lower case, which ignores case; or the root of the word`},
		{`{"pattern": "boots", "since": "60d"}`, `try all sessions, without since, until and session; or`},
		{`{"pattern": "boats of blue", "speakers": ["user"]}`, `try {"query": "boats of blue"}, which takes any of the words`},
		{`{"query": "zzz"}`, `try the words that would have been used then`},
		{`{"patterns": ["a b", "c"], "speakers": ["user"]}`, ""},
	} {
		text := w.must("grep_transcripts", test.arguments)
		if _, advice, ok := strings.Cut(text, "; try "); ok && !strings.HasPrefix("try "+advice, test.want) || ok != (test.want != "") {
			t.Errorf("%s: %s", test.arguments, text)
		}
	}
}

// A dry run with a diff says too whether it would be refused, and by what.
func TestDiffSaysTheVerdict(t *testing.T) {
	w := newWorld(t)
	w.populate(3, 500)
	w.open()
	w.must("dream_orient", `{"force": true}`)
	file, _, _ := subject(0)
	w.must("write_memory", fmt.Sprintf(`{"path": %q, "base": %q, "delete": true}`, file, w.sum(file)))
	text := w.must("finalize_index", `{"dry_run": true, "diff": "all"}`)
	if want := `"report":"nothing has landed, and it would be refused: loss ` + file + `"`; !strings.Contains(text, want) {
		t.Errorf("it lacks %s: %s", want, text)
	}
}

// What is wrong with a search is said of the pattern as it was given, with how to go on.
func TestBadSearch(t *testing.T) {
	w := newWorld(t)
	w.say(1, "the blue boats wait at the quay")
	w.open()
	for arguments, want := range map[string]string{
		`{"pattern": "(", "regex": true}`:         "refused: pattern: missing closing ): `(`\nhint: an expression is RE2",
		`{"pattern": "boats", "session": "ffff"}`: "hint: dream_orient and a listing name the sessions",
		`{"pattern": "boats", "cursor": "ffff"}`:  "hint: call without cursor",
	} {
		if text, refused := w.call("grep_transcripts", arguments); !refused || !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}
}

// A search shows a passage of some memories, names more, and counts the others.
func TestRenderMentions(t *testing.T) {
	var m consolidate.Mentions
	for i := range maxMentions + maxNamed + 3 {
		m.Found = append(m.Found, consolidate.Mention{Passage: related.Passage{File: fmt.Sprintf("m%02d.md", i), Line: 7, Text: "The quay is wet."}})
	}
	m.Memories = len(m.Found)
	got := grepArguments{Pattern: "quay"}.renderMentions(m)
	if asked := (grepArguments{Pattern: "quay", Memories: true, Limit: 40}).renderMentions(m); !strings.Contains(asked, "m39.md:7: The quay is wet.\nalso in m40.md:7") {
		t.Errorf("40 are asked for: %s", asked)
	}
	for _, want := range []string{"In 41 memories:\nm00.md:7: The quay is wet.\n", "\nm07.md:7: The quay is wet.\nalso in m08.md:7, m09.md:7, ", ", m37.md:7 and 3 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}
