package digest

import (
	"bytes"
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/bench/fixture"
	"dream-mcp/consolidate/transcript/said"
)

// FuzzForeign: whatever a host's file holds, what is read of it is bounded text, and a digest that grew
// with the file is the one of the whole.
func FuzzForeign(f *testing.F) {
	f.Add(fixture.CodexSession(fixture.ID(1), fixture.Root,
		fixture.CodexLineAt(4, "session_meta", fixture.Fields{"id": fixture.ID(2)}), fixture.CodexLineAt(6, "response_item",
			fixture.Fields{"type": "function_call", "name": "shell", "arguments": `{"command":["a"]}`, "call_id": "c1"})), uint16(700))
	f.Add(fixture.OpenClawSession(fixture.ID(1), fixture.Root, fixture.Speaks("user", fixture.Words("always light the lantern")), fixture.Speaks("assistant", fixture.Words("Lit."))), uint16(150))
	f.Add(fixture.GeminiLogText, uint16(300))
	f.Add("{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"\xff\\ud800\"}}{\"a\":[[[[", uint16(20))
	f.Fuzz(func(t *testing.T, text string, cut uint16) {
		for _, h := range host.List {
			if !h.Read() || h.Sessions.Collect != nil {
				continue
			}
			host, format := h.ID, &h.Sessions.Format
			path := filepath.Join(t.TempDir(), fixture.ID(1)+".jsonl")
			var grown *Digest
			var whole []byte
			for _, end := range []int{int(cut) % (len(text) + 1), len(text)} {
				fixture.Overwrite(t, path, text[:end])
				at := fileAt(t, path)
				at.Format = format
				m := new(Store)
				d, err := m.digest(context.Background(), at, grown, new(atomic.Int64), noParts)
				if err != nil {
					t.Fatal(err)
				}
				fresh, err := m.digest(context.Background(), at, nil, new(atomic.Int64), noParts)
				if err != nil {
					t.Fatal(err)
				}
				if grown, whole = d, fresh.all(); !bytes.Equal(d.all(), whole) {
					t.Fatalf("%s: at %d of %d it differs", host, end, len(text))
				}
			}
			if _, err := decodeDigest(whole); err != nil {
				t.Fatalf("%s: its file: %v", host, err)
			}
			at := fileAt(t, path)
			at.Format = format
			source, err := at.Open()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := said.ReadHead(at); err != nil {
				t.Fatal(err)
			}
			said.LastTime(at)
			r := said.NewReader(said.File{ID: fixture.ID(1), Format: format}, source.Lines(t.Context(), 1, 0, new(atomic.Int64)), func(u *said.Entry) error {
				if !utf8.ValidString(u.Text) || u.Text == "" || len(u.Text) > said.MaxText {
					t.Fatalf("%s said %q", host, u.Text)
				}
				return nil
			})
			r.Tools = func([]byte) bool { return true }
			if err := r.Run(); err != nil {
				t.Fatal(err)
			}
			source.Close()
		}
	})
}
