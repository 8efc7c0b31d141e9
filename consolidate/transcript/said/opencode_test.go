package said

import (
	"bytes"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/bench/fixture"
)

// Whatever number a database has for a time, ours of it can be written down: an event or a copied word with another could not.
func TestOpenCodeTime(t *testing.T) {
	for _, ms := range []int64{0, 1_795_000_000_000, -1, 9e15, math.MaxInt64, math.MinInt64, 253402300799999} {
		if _, err := openCodeTime(ms).In(time.FixedZone("", 14*60*60)).MarshalJSON(); err != nil {
			t.Errorf("%d: %v", ms, err)
		}
	}
	if want := fixture.Start.UnixMilli(); openCodeTime(want).UnixMilli() != want {
		t.Errorf("%v became %v", fixture.Start, openCodeTime(want))
	}
}

// FuzzOpenCode: whatever a message and its part hold, they become two lines, and what is read of them is bounded text.
func FuzzOpenCode(f *testing.F) {
	f.Add(`{"role":"user","time":{"created":1793523600000},"summary":{}}`, `{"type":"text","text":"the lantern"}`)
	f.Add(`{"role":"assistant","summary":true}`, `{"type":"text","text":"\ud800"}`)
	f.Add(`{"role":"assistant","time":{"created":-1}}`,
		`{"type":"tool","tool":"dream_read_memory","callID":"c","state":{"input":{"a":[1]},"output":"x","error":{"message":"no"}}}`)
	f.Add(`{"type":"assistant","content":[{"type":"text","text":"a"},{"type":"tool","id":"1","name":"b","state":{"input":"{","content":[{"type":"text","text":"c"}]}},3,null,[]]}`, `null`)
	f.Add(`{"type":"shell","command":"ls","output":{"output":"a"}}`, `[]`)
	f.Fuzz(func(t *testing.T, message, part string) {
		data := Raw(message)
		if !data.IsWhole() || !Raw(part).IsWhole() {
			return
		}
		m := openCodeMessage{id: "msg_1", role: data.Field("role"), created: 1793523600000, data: data, parts: []openCodePart{{"prt_1", Raw(part)}}}
		if m.role == nil {
			m.role = data.Field("type")
		}
		lines := openCodeLines(openCodeSession{ID: "ses_1", Directory: fixture.Root}, []openCodeMessage{m}, 1)
		if n := bytes.Count(lines, []byte("\n")); n != 4 {
			t.Fatalf("%d lines: %q", n, lines)
		}
		reader := NewReader(File{ID: "ses_1", Host: OpenCode}, NewLineReader(bytes.NewReader(lines), ReadBlock), func(u *Entry) error {
			if !utf8.ValidString(u.Text) || u.Text == "" || len(u.Text) > MaxText {
				t.Fatalf("said %q", u.Text)
			}
			return nil
		})
		if err := reader.Run(); err != nil || reader.Skipped[BadLine] != 1 {
			t.Fatalf("%v, %v in %q", err, reader.Skipped, lines)
		}
	})
}
