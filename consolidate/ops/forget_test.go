package ops

import (
	"encoding/json"
	"strings"
	"testing"
)

// Of a record the words are replaced, and the sums of texts that have others; names, IDs and numbers stay as they are.
func TestMapWords(t *testing.T) {
	const old, now = "cafe1", "cafe2"
	record := `{"kind":"dream","id":"WORD","host":"WORD","reason":"a WORD","waived":[{"rule":"WORD","why":"a WORD","file":"WORD.md"}],` +
		`"accepted_loss":{"WORD.md":"a WORD"},"bytes_searched":9007199254740993,"summary":"a WORD","proposed":["WORD.md"],"last_call":"2026-11-18T09:00:00Z",` +
		`"index":"SUM","displaced":["SUM"],"left_alone":[{"name":"WORD.md","want":"SUM","have":"SUM","lost":"SUM"}],` +
		`"index_lines":[{"file":"WORD.md","title":"a WORD","text":"a WORD","section":"a WORD"}],"evidence":{"WORD.md":["WORD:1"]},` +
		`"merges":{"WORD.md":{"replaced":{"WORD.md":"SUM"},"accepted":{"a WORD":"a WORD","another":"a WORD"}}},` +
		`"request":{"Upsert":[{"file":"WORD.md","title":"a WORD"}],"Remove":["a WORD"],"Content":"a WORD","Base":"SUM","AcceptLoss":{"WORD.md":"a WORD"},"Summary":"a WORD"},` +
		`"held":{"WORD.md":"a WORD"}}`
	parse := func(data string) string {
		var o Op
		if err := json.Unmarshal([]byte(strings.NewReplacer("SUM", old).Replace(data)), &o); err != nil {
			t.Fatal(err)
		}
		again, _ := json.Marshal(o)
		return string(again)
	}
	whole := parse(record)
	redact := func(text string) string { return strings.ReplaceAll(text, "WORD", "…") }
	rename := func(text string) string {
		if text == old {
			return now
		}
		return text
	}
	want := strings.NewReplacer("a WORD", "a …", `"`+old+`"`, `"`+now+`"`).Replace(whole)
	if got := parse(string(mapWords([]byte(whole), words, redact, rename))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	masked := parse(string(mapWords([]byte(whole), maskedWords, redact, same)))
	if strings.Count(masked, "a …") != 6 || !strings.Contains(masked, `"Content":"a WORD"`) {
		t.Error(masked)
	}
	for _, data := range []string{`{"summary":"<b>"}`, "no JSON", ""} {
		if got := string(mapWords([]byte(data), words, redact, rename)); got != data {
			t.Errorf("%q became %q", data, got)
		}
	}
}
