package said

import (
	"encoding/json"
	"testing"
)

// What is quoted says what it said.
func TestQuoted(t *testing.T) {
	for _, text := range []string{"", "plain", "\"quoted\" \\n", "one\ntwo\ttab\r\x00\x1f\x7f", "<é & 日本\u2028\U0001f4a1>"} {
		var decoded string
		if v := Quoted(text); v.Text() != text || text != "" && (json.Unmarshal(v, &decoded) != nil || decoded != text) {
			t.Errorf("%q: %s", text, v)
		}
	}
}
