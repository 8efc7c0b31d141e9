package said

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLatest(t *testing.T) {
	said := func(text string) string {
		return `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
	}
	call := `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"grep_transcripts","input":{}}]}}` + "\n"
	for name, c := range map[string]struct{ lines, want string }{
		"none":                    {`{"type":"user","message":{"content":"hello assistant"}}` + "\n", ""},
		"the last":                {said("first") + said("second"), "second"},
		"before a call":           {said("I look") + call, "I look"},
		"of old hosts":            {`{"type":"assistant","message":{"content":"plain"}}`, "plain"},
		"cut off in writing":      {said("whole") + `{"type":"assistant","message":{"content":[{"type":"te`, "whole"},
		"of a sub-agent":          {said("mine") + `{"type":"assistant","isSidechain":true,"message":{"content":"its"}}` + "\n", "mine"},
		"beyond what is read":     {said("far") + `{"type":"user","message":{"content":"` + strings.Repeat("x", latestTail) + `"}}` + "\n", ""},
		"of a headless run's log": {`{"type":"system","subtype":"init"}` + "\n" + said("hi") + `{"type":"result","result":"done"}` + "\n", "hi"},
		"before an error of the host": {said("mine") + `{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error: 529 overloaded"}]}}` + "\n" +
			said("API Error: Connection error.") + `{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}` + "\n", "mine"},
		"long": {said(strings.Repeat("é", maxLatest)), strings.Repeat("é", maxLatest/2)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s1.jsonl")
			if err := os.WriteFile(path, []byte(c.lines), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := Latest(path); got != c.want {
				t.Errorf("got %.100q, want %.100q", got, c.want)
			}
		})
	}
}
