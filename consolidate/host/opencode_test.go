package host

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"dream-mcp/testdata/fixture"

	"dream-mcp/consolidate/transcript/said"
)

// Whatever number a database has for a time, ours of it can be written down: an event or a copied word with another
// could not.
func TestDateOf(t *testing.T) {
	for _, ms := range []int64{0, 1_795_000_000_000, -1, 9e15, math.MaxInt64, math.MinInt64, 253402300799999} {
		if _, err := dateOf(ms).In(time.FixedZone("", 14*60*60)).MarshalJSON(); err != nil {
			t.Errorf("%d: %v", ms, err)
		}
	}
	if want := fixture.Start.UnixMilli(); dateOf(want).UnixMilli() != want {
		t.Errorf("%v became %v", fixture.Start, dateOf(want))
	}
}

func recordReader(t *testing.T, records []said.Record) *said.LineReader {
	return (&said.Source{Records: records}).Lines(t.Context(), 1, 0, new(atomic.Int64))
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
		data := said.Raw(message)
		if !data.IsWhole() || !said.Raw(part).IsWhole() {
			return
		}
		m := openCodeMessage{id: "msg_1", role: data.Field("role"), created: 1793523600000, data: data, parts: []openCodePart{{"prt_1", said.Raw(part)}}}
		if m.role == nil {
			m.role = data.Field("type")
		}
		lines := openCodeLines(session{ID: "ses_1", Directory: fixture.Root}, []openCodeMessage{m}, 1)
		if len(lines) != 4 {
			t.Fatalf("%d lines: %v", len(lines), lines)
		}
		reader := said.NewReader(said.File{ID: "ses_1", Format: &openCode.Sessions[0].Format}, recordReader(t, lines), func(u *said.Entry) error {
			if !utf8.ValidString(u.Text) || u.Text == "" || len(u.Text) > said.MaxText {
				t.Fatalf("said %q", u.Text)
			}
			return nil
		})
		if err := reader.Run(); err != nil || reader.Skipped[said.BadLine] != 1 {
			t.Fatalf("%v, %v in %v", err, reader.Skipped, lines)
		}
	})
}

// What our hook showed the model is said by nobody, wherever it is put.
func TestOpenCodeRecalled(t *testing.T) {
	shown := "<" + said.RecallTag + ">\nNotes.\n[lantern.md; feedback]\nthe lantern is red\n</" + said.RecallTag + ">"
	turns := []string{shown + "\n\npaint it", "paint it\n\n" + shown, shown}
	var messages []openCodeMessage
	for i, text := range turns {
		part := func(fields fixture.Fields) openCodePart { return openCodePart{data: said.Raw(fixture.Marshal(fields))} }
		m := openCodeMessage{
			id: fixture.ID(i + 1), role: said.Quoted("user"), created: fixture.Start.Add(time.Duration(i) * time.Second).UnixMilli(),
			parts: []openCodePart{part(fixture.Fields{"type": "text", "text": text}), part(fixture.Fields{"type": "text", "text": shown, "synthetic": true})},
		}
		messages = append(messages, m)
	}
	var texts []string
	lines := openCodeLines(session{}, messages, 0)
	reader := said.NewReader(said.File{ID: "ses_1"}, recordReader(t, lines), func(u *said.Entry) error {
		texts = append(texts, fmt.Sprintf("%d %s: %s", u.Line, u.Speaker, u.Text))
		return nil
	})
	if err := reader.Run(); err != nil {
		t.Fatal(err)
	}
	fixture.Equal(t, "what was said", texts,
		[]string{"2 user: paint it", "4 user: paint it"})
}
