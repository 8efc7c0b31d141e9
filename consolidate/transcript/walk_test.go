package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// seen is all that a record tells, as text.
func seen(r *record) string {
	var b strings.Builder
	for _, v := range []raw{
		r.Type, r.Subtype, r.UUID, r.Session, r.CWD, r.Branch, r.Operation, r.AITitle, r.CustomTitle, r.Worktree.Original,
		r.Attachment.Type, r.Attachment.Mode, r.Message.ID, r.Message.Model,
	} {
		fmt.Fprintf(&b, "%q ", v.text())
	}
	for _, v := range []raw{r.Sidechain, r.Meta, r.Summary, r.APIError, r.Attachment.Meta} {
		fmt.Fprint(&b, v.isTrue(), " ")
	}
	fmt.Fprintf(&b, "%v %q %q", r.time(), blocksOf(blocks(r.Content)), blocksOf(blocks(r.Attachment.Prompt)))
	fmt.Fprintf(&b, "%q", blocksOf(r.Message.Blocks))
	ours := map[string]bool{}
	said, marks := r.parts(nil, ear{ours: ours})
	fmt.Fprintf(&b, "\n%+v %v %v", said, marks, ours)
	return b.String()
}

func blocksOf(all []block) string {
	var b strings.Builder
	for _, k := range all {
		for _, v := range []raw{k.Type, k.Text, k.ID, k.Name, k.ToolUseID} {
			fmt.Fprintf(&b, "%q ", v.text())
		}
		if k.Input != nil {
			b.WriteString(useText("", k.Input))
		}
		b.WriteString(blocksOf(blocks(k.Content)))
	}
	return b.String()
}

// escapedWell is a line whose strings hold nothing that encoding/json refuses: a backslash that escapes
// nothing is escaped itself, and so is a control.
func escapedWell(line []byte) []byte {
	var out []byte
	within := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '"':
			within = !within
		case within && c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
			continue
		case within && c == '\\' && i+1 < len(line):
			_, hex := hex4(line[i+2:])
			if next := line[i+1]; unescape[next] != 0 || next == 'u' && hex {
				out = append(out, c)
				i++
				c = next
			} else {
				out = append(out, c)
			}
		}
		out = append(out, c)
	}
	return out
}

// agree checks the law of the walk: what it accepts it reads as encoding/json does, once the strings are
// such as that accepts.
func agree(t *testing.T, line []byte) (walked bool) {
	t.Helper()
	line = bytes.Trim(line, blank)
	var r record
	walked = r.walk(line, nil)
	sameSetting(t, line, line)
	if !walked {
		return false
	}
	if !json.Valid(line) {
		line = escapedWell(line)
	}
	want, bad := oddLine(line)
	if bad || len(want) != 1 {
		t.Fatalf("the walk accepts %q, encoding/json reads %d records, bad %v", line, len(want), bad)
	}
	if got, want := seen(&r), seen(&want[0]); got != want {
		t.Fatalf("%q\n got %s\nwant %s", line, got, want)
	}
	for _, b := range want[0].Message.Blocks {
		odd := usage{separator: ": "}
		odd.writeOdd("", b.Input)
		if got := useText("", b.Input); len(b.Input) > 0 && got != odd.text.String() {
			t.Fatalf("use of %q\n got %q\nwant %q", b.Input, got, odd.text.String())
		}
		if got, want := blocksOf(blocks(b.Content)), blocksOf(oddBlocks(b.Content)); got != want {
			t.Fatalf("blocks of %q\n got %q\nwant %q", b.Content, got, want)
		}
	}
	return true
}

// sameSetting checks that a line is walked to the same whether the setting of another is known or not.
func sameSetting(t *testing.T, line, other []byte) {
	t.Helper()
	var known setting
	var alone, r record
	walked := alone.walk(line, nil)
	for range 2 { // the second time, where its setting is that of the other, it is passed over
		r.walk(other, &known)
		again := r.walk(line, &known)
		if again != walked { // an odd line may be read otherwise (walk.go)
			t.Fatalf("%q is walked alone: %v; behind %q: %v", line, walked, other, again)
		}
		if again && seen(&r) != seen(&alone) {
			t.Fatalf("%q behind %q\n got %s\nwant %s", line, other, seen(&r), seen(&alone))
		}
	}
}

// oddLines are lines that the walk may refuse or read, but never read otherwise than encoding/json.
var oddLines = []string{
	``, ` `, `{}`, ` { } `, `{`, `}`, `{}}`, `{}{}`, `{},`, `[]`, `null`, `12`, `"x"`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{"a":1 "b":2}`,
	`{"type":"user","message":{"content":"x"}}`, `{"type":"user","message":"bare"}`, `{"type":"user","message":null}`,
	`{"type":"user","message":["a",{"type":"text","text":"b"},["c"],null,3]}`,
	`{"Type":"user","message":{"content":"x"}}`, `{"type":"user","mesſage":{"content":"x"}}`, `{"\u0074ype":"user","message":{"content":"x"}}`,
	`{"type":"user","type":"assistant","message":{"content":"x"}}`, `{"type":"user","message":{"content":"x"},"message":{"content":"y"}}`,
	`{"type":"user","message":{"content":"x","content":["y"]}}`, `{"type":"user","message":{"content":"x","CONTENT":"y"}}`,
	`{"type":"user","message":{"content":[{"text":"x","text":"y"}]}}`, `{"type":"us\u0065r","message":{"content":"x"}}`,
	`{"type":"user","message":{"content":"\ud83d\ude00 \ud83d \ude00\ud83dx \ud83d\u0041 \ud83d\n"}}`,
	`{"type":"user","message":{"content":"\x"}}`, `{"type":"user","message":{"content":"\u12g4"}}`, `{"type":"user","message":{"content":"\u12`,
	"{\"type\":\"user\",\"message\":{\"content\":\"a\tb\"}}", "{\"type\":\"user\",\"message\":{\"content\":\"a\x01b\"}}",
	"{\"type\":\"user\",\"message\":{\"content\":\"f\xffr\xc3\xe2\x82\"}}", "{\"type\":\"user\",\"message\":{\"content\":\"\xff\\n\xc3\\u00e9\"}}",
	`{"type":"user","toolUseResult":{"a":[1,-0,0.5,1e9,1E-9,-12.5e+3,true,false,null,"x\\\""]},"message":{"content":"x"}}`,
	`{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":.5}`, `{"a":1e}`, `{"a":+1}`, `{"a":1e+}`, `{"a":tru}`, `{"a":nulll}`, `{"a":NaN}`, `{"a":--1}`,
	`{"type":"assistant","message":{"id":"m","model":"<synthetic>","content":[{"type":"text","text":"x"}]}}`,
	`{"type":"assistant","message":{"id":"m","model":"\u003csynthetic>","content":[{"type":"text","text":"x"}]}}`,
	`{"type":"assistant","message":{"content":[{"type":"mcp_tool_use","id":"t","name":"B","input":{"b":{"c":["x",{"d":"y"}]},"a":"z","a":"w","":"v"}}]}}`,
	`{"type":"assistant","message":{"content":[{"type":"\tool_use","name":"B","input":"x"},{"type":"tool_use","name":"x__grep_transcripts","id":"u"}]}}`,
	`{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[{"type":"text","text":"x"}]}}`,
	`{"type":"attachment","attachment":"x"}`, `{"type":"attachment","attachment":{"type":"queued_command","commandMode":7,"prompt":"x"}}`,
	`{"type":"worktree-state","worktreeSession":{"originalCwd":"/x","OriginalCwd":"/y"}}`, `{"type":"queue-operation","operation":"enqueue","content":"x"}`,
	`{"timestamp":"2026-11-01T10:00:00.000Z"}`, `{"timestamp":"2026-11-01T10:00:00+02:00"}`, `{"timestamp":"2026-11-01T1:00:00Z"}`, `{"timestamp":"2026-11-01T10:00:00,5Z"}`, `{"timestamp":7}`,
	`{"isMeta":"true","type":"user","message":{"content":"x"}}`, `{"isMeta":true,"type":"user","message":{"content":"x"}}`,
	"\ufeff{}", "{\"type\":\"user\"}\x00", `{"type":"user","message":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`,
}

func TestWalkAgreesWithEncodingJSON(t *testing.T) {
	for _, line := range oddLines {
		agree(t, []byte(line))
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for n := range 200 {
		for _, line := range randomTalk(rng, n+1, nil).lines {
			agree(t, []byte(line))
			cut := rng.IntN(len(line) + 1)
			agree(t, []byte(line[:cut]))
			agree(t, []byte(line[:cut]+line[min(len(line), cut+1+rng.IntN(3)):]))
		}
	}
}

// FuzzWalk: what the walk accepts it reads as encoding/json does, the insides of strings mended.
func FuzzWalk(f *testing.F) {
	for _, line := range oddLines {
		f.Add([]byte(line))
	}
	for _, line := range randomTalk(rand.New(rand.NewPCG(1, 1)), 1, nil).lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) { agree(t, line) })
}

const someSetting = `,"isSidechain":false,"userType":"external","cwd":"/srv/a","sessionId":"s","version":"2.1","gitBranch":"main"`

// FuzzSetting: a line says the same behind any other.
func FuzzSetting(f *testing.F) {
	for _, lines := range [][2]string{
		{`{"a":1` + someSetting + `}`, `{"a":1` + someSetting + `}`},
		{`{"a":1` + someSetting + `}`, `{"a":1` + someSetting + `1}`},
		{`{"a":1` + someSetting + `,"cwd":"/srv/b"}`, `{"cwd":"/srv/b"` + someSetting + `}`},
		{`{"a":1` + someSetting + `,"version":2}`, `{"a":1` + someSetting + `,"version":23}`},
		{`{"a":1` + someSetting + `,"type":"user","uuid":"u"}`, `{"type":"user","uuid":"u"` + someSetting + `,"cwd":"/srv/b"}`},
		{`{"a":1` + someSetting + `,"b":2}`, `{"a":{"x":"y"` + someSetting + `}}`},
		{`{"cwd":1,"slug":null,"version":{"a":"b"},"sessionId":["x"],"b":2}`, `{"a":1,"cwd":1,"slug":null,"version":{"a":"b"},"sessionId":["x"],"b":2}`},
	} {
		f.Add([]byte(lines[0]), []byte(lines[1]))
		f.Add([]byte(lines[1]), []byte(lines[0]))
	}
	f.Fuzz(func(t *testing.T, line, other []byte) { sameSetting(t, line, other) })
}

// What records have in common is learnt, and another setting once it is the rule.
func TestSettings(t *testing.T) {
	for _, form := range []string{
		`{"parentUuid":"p"` + someSetting + `,"type":"user","message":{"content":"x"}}`,
		`{"parentUuid":"p","isSidechain":false,"type":"user","message":{"content":"x"}` + strings.Replace(someSetting, `,"isSidechain":false`, "", 1) + `}`,
	} {
		checkSettings(t, []byte(form))
	}
}

func checkSettings(t *testing.T, here []byte) {
	t.Helper()
	there := bytes.ReplaceAll(here, []byte("/srv/a"), []byte("/srv/b"))
	var known setting
	var r record
	for n, line := range slices.Concat(slices.Repeat([][]byte{here}, 2), slices.Repeat([][]byte{there}, manyMisses+1)) {
		want := string(known.spelt)
		if !r.walk(line, &known) {
			t.Fatalf("line %d: not walked", n)
		}
		if got := r.CWD.text(); !strings.Contains(string(line), got) || got == "" {
			t.Errorf("line %d: cwd %q", n, got)
		}
		if learnt := string(known.spelt) != want; learnt != (n == 0 || n == 1+manyMisses) {
			t.Errorf("line %d: learnt %v: %q", n, learnt, known.spelt)
		}
	}
	if !bytes.Contains(there, known.spelt) || known.misses != 0 {
		t.Errorf("the last setting is %q after %d misses", known.spelt, known.misses)
	}
}

// FuzzString: a string of any bytes ends where encoding/json has it end, and is decoded as it does.
func FuzzString(f *testing.F) {
	for _, text := range []string{"", "plain", `\n\"\\\/`, `\ud83d\ude00`, `\ud83d`, `\ude00\ud83d\u0020`, "\xff\xc3", "\x1f", `\`, `\u00`, `"`, "1234567\x00", `1234567\`, "12345678\"x"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v := append(append([]byte(`"`), text...), '"')
		whole := skip(v, 0, 0) == len(v)
		var want string
		if valid := json.Unmarshal(v, &want) == nil; valid && !whole {
			t.Fatalf("%q: refused", v)
		}
		if !whole {
			return
		}
		if err := json.Unmarshal(escapedWell(v), &want); err != nil {
			t.Fatalf("%q: accepted: %v", v, err)
		}
		if got := raw(v).text(); got != want {
			t.Fatalf("%q: text %q, want %q", v, got, want)
		}
	})
}

// What hosts write is walked: the reading by encoding/json would be right as well, and far slower.
func TestWalkReadsWhatHostsWrite(t *testing.T) {
	text, err := os.ReadFile("testdata/working.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if !agree(t, bytes.TrimSpace(line)) {
			t.Errorf("not walked: %s", line)
		}
	}
}
