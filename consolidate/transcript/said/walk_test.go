package said

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"dream-mcp/testdata/fixture"
)

// seen is all that is in a record, as text.
func seen(r *Record) string {
	var b strings.Builder
	for _, v := range []Raw{
		r.Type, r.Subtype, r.UUID, r.Session, r.CWD, r.Branch, r.Operation, r.Denial, r.Worktree.Field("originalCwd"),
		r.Attachment.Field("type"), r.Attachment.Field("commandMode"), r.Message.ID, r.Message.Model,
	} {
		fmt.Fprintf(&b, "%q ", v.Text())
	}
	for _, v := range []Raw{r.Sidechain, r.Meta, r.Summary, r.APIError, r.Attachment.Field("isMeta")} {
		fmt.Fprint(&b, v.IsTrue(), " ")
	}
	fmt.Fprintf(&b, "%v %q %q", r.time(), blocksOf(blocks(r.Content)), blocksOf(blocks(r.Attachment.Field("prompt"))))
	fmt.Fprintf(&b, "%q", blocksOf(r.Message.Blocks))
	var of calls
	said, marks := r.parts(nil, &of, true)
	fmt.Fprintf(&b, "\n%+v %v %v", said, marks, of)
	return b.String()
}

func blocksOf(all []Block) string {
	var b strings.Builder
	for _, k := range all {
		for _, v := range []Raw{k.Type, k.Text, k.ID, k.Name, k.ToolUseID} {
			fmt.Fprintf(&b, "%q ", v.Text())
		}
		if k.Input != nil {
			b.WriteString(sortedUse(useText("", k.Input)))
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
			_, hex := Hex4(line[i+2:])
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

// agree checks the law of the walk: what encoding/json accepts it reads as encoding/json does, unless a key comes twice
// or in another case.
func agree(t *testing.T, line []byte) (compared bool) {
	t.Helper()
	line = bytes.Trim(line, Blank)
	d := newDecoder(nil)
	got, gotBad := d.line(line)
	if !json.Valid(line) {
		if line = escapedWell(line); !json.Valid(line) {
			return false
		}
	}
	want, bad := oddLine(line)
	if bad || gotBad || len(want) != 1 || line[0] == '{' && len(got) != 1 {
		t.Fatalf("%q: %d records, bad %v; encoding/json reads %d records, bad %v", line, len(got), gotBad, len(want), bad)
	}
	if line[0] != '{' || repeatsKeys(line) {
		return false
	}
	if got, want := seen(&got[0]), seen(&want[0]); got != want {
		t.Fatalf("%q\n got %s\nwant %s", line, got, want)
	}
	for _, b := range want[0].Message.Blocks {
		var use strings.Builder
		var input any
		_ = json.Unmarshal(b.Input, &input)
		separator := ": "
		writeUse(&use, &separator, "", input)
		if got, want := sortedUse(useText("", b.Input)), sortedUse(use.String()); len(b.Input) > 0 && got != want {
			t.Fatalf("use of %q\n got %q\nwant %q", b.Input, got, want)
		}
		if got, want := blocksOf(blocks(b.Content)), blocksOf(oddBlocks(b.Content)); got != want {
			t.Fatalf("blocks of %q\n got %q\nwant %q", b.Content, got, want)
		}
	}
	return true
}

// sortedUse is a use with its lines in order: which argument comes first is the host's affair.
func sortedUse(use string) string {
	lines := strings.Split(strings.TrimPrefix(use, ": "), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// writeUse is useText by encoding/json.
func writeUse(b *strings.Builder, separator *string, path string, decoded any) {
	switch v := decoded.(type) {
	case string:
		fmt.Fprint(b, *separator, path, "=", v)
		*separator = "\n"
	case []any:
		for _, item := range v {
			writeUse(b, separator, path, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			writeUse(b, separator, strings.TrimPrefix(path+"."+key, "."), v[key])
		}
	}
}

// repeatsKeys reports whether some object has two keys that differ in case at most, or one that is known in another
// case.
func repeatsKeys(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	known := map[string]string{}
	for _, key := range []string{"type", "subtype", "uuid", "sessionId", "timestamp", "cwd", "gitBranch", "isSidechain", "isMeta", "isCompactSummary",
		"isApiErrorMessage", "toolDenialKind", "toolUseResult", "promptSource", "origin", "message", "content", "planContent", "operation", "attachment", "worktreeSession", "id", "model", "text", "name",
		"input", "tool_use_id", "commandMode", "prompt", "originalCwd"} {
		known[foldText(key)] = key
	}
	var repeats func() bool
	repeats = func() bool {
		token, err := d.Token()
		if err != nil {
			return true
		}
		met := map[string]bool{}
		for bracket, ok := token.(json.Delim); ok && d.More(); {
			if bracket == '{' {
				token, err := d.Token()
				key, _ := token.(string)
				folded := foldText(key)
				if err != nil || met[folded] || known[folded] != "" && known[folded] != key {
					return true
				}
				met[folded] = true
			}
			if repeats() {
				return true
			}
		}
		if _, ok := token.(json.Delim); ok {
			d.Token()
		}
		return false
	}
	return repeats()
}

func foldText(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			least = min(least, c)
		}
		return least
	}, text)
}

// oddLines are lines that hosts do not write.
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
		for _, line := range fixture.RandomTalk(rng, n+1, nil).Lines {
			agree(t, []byte(line))
			cut := rng.IntN(len(line) + 1)
			agree(t, []byte(line[:cut]))
			agree(t, []byte(line[:cut]+line[min(len(line), cut+1+rng.IntN(3)):]))
		}
	}
}

// FuzzWalk: what encoding/json accepts the walk reads as encoding/json does, once the strings are escaped well.
func FuzzWalk(f *testing.F) {
	for _, line := range oddLines {
		f.Add([]byte(line))
	}
	for _, line := range fixture.RandomTalk(rand.New(rand.NewPCG(1, 1)), 1, nil).Lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) { agree(t, line) })
}

// FuzzString: a string of any bytes ends where encoding/json has it end, and is decoded as it does.
func FuzzString(f *testing.F) {
	for _, text := range []string{"", "plain", `\n\"\\\/`, `\ud83d\ude00`, `\ud83d`, `\ude00\ud83d\u0020`, "\xff\xc3",
		"\x1f", `\`, `\u00`, `"`, "1234567\x00", `1234567\`, "12345678\"x"} {
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
		if got := Raw(v).Text(); got != want {
			t.Fatalf("%q: text %q, want %q", v, got, want)
		}
	})
}

// What hosts write is compared.
func TestWalkReadsWhatHostsWrite(t *testing.T) {
	text, err := os.ReadFile("testdata/working.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if !agree(t, bytes.TrimSpace(line)) {
			t.Errorf("not compared: %s", line)
		}
	}
}

type jsonRecord struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	UUID      string `json:"uuid"`
	Session   string `json:"sessionId"`
	Timestamp string `json:"timestamp"`
	CWD       string `json:"cwd"`
	Branch    string `json:"gitBranch"`

	Sidechain bool `json:"isSidechain"`
	Meta      bool `json:"isMeta"`
	Summary   bool `json:"isCompactSummary"`
	APIError  bool `json:"isApiErrorMessage"`

	Message    json.RawMessage `json:"message"`
	Content    json.RawMessage `json:"content"`
	Plan       json.RawMessage `json:"planContent"`
	Operation  string          `json:"operation"`
	Denial     string          `json:"toolDenialKind"`
	Result     json.RawMessage `json:"toolUseResult"`
	Source     string          `json:"promptSource"`
	Origin     json.RawMessage `json:"origin"`
	Attachment json.RawMessage `json:"attachment"`

	Worktree json.RawMessage `json:"worktreeSession"`
}

type jsonMessage struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
}

type jsonBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

// tolerate ignores a value of the wrong type: the decoder has gone on after it.
func tolerate(err error) error {
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
		return nil
	}
	return err
}

// oddLine reads the records of a line, as decoder.line does.
func oddLine(line []byte) (records []Record, bad bool) {
	var r jsonRecord
	if tolerate(json.Unmarshal(line, &r)) == nil {
		return []Record{r.record()}, false
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	for len(records) < maxRecords {
		var r jsonRecord
		if err := tolerate(dec.Decode(&r)); err != nil {
			return records, err != io.EOF
		}
		records = append(records, r.record())
	}
	return records, true
}

// record is what the walk would have found.
func (j *jsonRecord) record() (r Record) {
	r.Type, r.Subtype, r.UUID, r.Session = Quoted(j.Type), Quoted(j.Subtype), Quoted(j.UUID), Quoted(j.Session)
	r.Timestamp, r.CWD, r.Branch = Quoted(j.Timestamp), Quoted(j.CWD), Quoted(j.Branch)
	r.Sidechain, r.Meta, r.Summary, r.APIError = truth(j.Sidechain), truth(j.Meta), truth(j.Summary), truth(j.APIError)
	r.Content, r.Plan, r.Operation, r.Denial = Raw(j.Content), Raw(j.Plan), Quoted(j.Operation), Quoted(j.Denial)
	r.Result, r.Source, r.Origin = Raw(j.Result), Quoted(j.Source), Raw(j.Origin)
	r.Attachment, r.Worktree = Raw(j.Attachment), Raw(j.Worktree)
	if len(j.Message) > 0 && j.Message[0] != '{' {
		r.Message.Blocks = oddBlocks(j.Message)
		return r
	}
	var m jsonMessage
	_ = json.Unmarshal(j.Message, &m) // what does not fit stays empty
	r.Message = Message{ID: Quoted(m.ID), Model: Quoted(m.Model), Blocks: oddBlocks(m.Content)}
	return r
}

// oddBlocks reads a content, as blocks does.
func oddBlocks(content []byte) []Block {
	if len(content) == 0 {
		return nil
	}
	switch content[0] {
	case '"':
		return []Block{{Type: TextType, Text: content}}
	case '{':
		var b jsonBlock
		_ = json.Unmarshal(content, &b)
		return []Block{{
			Type: Quoted(b.Type), Text: Quoted(b.Text), ID: Quoted(b.ID), Name: Quoted(b.Name), Input: Raw(b.Input),
			ToolUseID: Quoted(b.ToolUseID), Content: Raw(b.Content),
		}}
	case '[':
		dec := json.NewDecoder(bytes.NewReader(content))
		_, _ = dec.Token()
		var all []Block
		for dec.More() && len(all) < maxBlocks {
			var item json.RawMessage
			if dec.Decode(&item) != nil {
				break
			}
			if item[0] != '[' { // a list in a list is none of the known forms
				all = append(all, oddBlocks(item)...)
			}
		}
		return all
	}
	return nil
}

func truth(b bool) Raw {
	if b {
		return Raw("true")
	}
	return nil
}

// BenchmarkDecode reads what a host writes by the walk, and by encoding/json into a struct of the same fields.
func BenchmarkDecode(b *testing.B) {
	text, err := os.ReadFile("testdata/working.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	b.Run("walk", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		var r Record
		for b.Loop() {
			for _, line := range lines {
				r.walk(line, 0)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			for _, line := range lines {
				var r struct {
					Type, Subtype, UUID, SessionID, CWD, Timestamp string
					Message                                        struct {
						Role    string
						Content json.RawMessage
					}
				}
				_ = json.Unmarshal(line, &r)
			}
		}
	})
}
