package said

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dream-mcp/testdata/fixture"
)

// FuzzRecord: whatever a line holds, reading it does not panic, and what is said is valid UTF-8 with
// an id that a search could give.
func FuzzRecord(f *testing.F) {
	seeds := fixture.Talk(1).User("x").Reply("y").Enqueue("z").Says("m", fixture.Use("t", "Bash", fixture.Fields{"a": []any{fixture.Fields{"b": "c"}}})).
		User([]any{fixture.Result("t", []any{fixture.Words("x")})}).Add("system", fixture.Fields{"subtype": "away_summary", "content": "x"})
	for _, line := range seeds.Lines {
		f.Add([]byte(line))
		f.Add([]byte(line + line))
	}
	f.Add([]byte(`{"type":"user","message":{"content":["\ud800",[],{},null,{"type":"tool_result","content":{"text":"x"}}]}}`))
	f.Add([]byte("\xef\xbb\xbf{}\r\n\x00\n[[[[\n\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewReader(File{ID: fixture.ID(1)}, NewLineReader(strings.NewReader(string(text)), ReadBlock), func(u *Entry) error {
			if u.Text == "" || !utf8.ValidString(u.Text) {
				t.Errorf("text %q", u.Text)
			}
			if CutID(u.ID) == nil || u.Line < 1 || u.Offset >= int64(len(text)) {
				t.Errorf("id %q, line %d at %d of %d bytes", u.ID, u.Line, u.Offset, len(text))
			}
			return nil
		})
		r.Tools = func([]byte) bool { return true }
		if err := r.Run(); err != nil {
			t.Error(err)
		}
	})
}
