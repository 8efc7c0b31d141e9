package server

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// Only the exact actions "accept" and "decline" count as such; anything else is "cancel".
func FuzzElicited(f *testing.F) {
	for _, seed := range []string{`{"action":"accept","content":{"agree":true}}`, `{"action":"decline"}`, `{"action":"ACCEPT"}`, `{"Action":"accept"}`,
		`{"action":"decline","Action":"accept"}`, `null`, `[]`, ``, `{"action":"accept"`, `{"action":["accept"]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, result []byte) {
		got := elicited(result).Action
		if got == mcp.ElicitationResponseActionCancel {
			return
		}
		var said map[string]json.RawMessage
		if err := json.Unmarshal(result, &said); err != nil {
			t.Fatalf("%q is taken for %q: %v", result, got, err)
		}
		var action string
		if json.Unmarshal(said["action"], &action) != nil || action != string(got) {
			t.Errorf("%q is taken for %q", result, got)
		}
	})
}
