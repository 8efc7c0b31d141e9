package consolidate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// The words that memories cite go with them into another directory.
func TestMergeIntoKeepsWords(t *testing.T) {
	w := newWorldFor(t, "undo")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := w.open().Doctor.MergeInto(ctx, other); err != nil || n == 0 {
		t.Fatal(n, err)
	}
	w.memory = other
	p, cited := w.open(), 0
	for _, content := range w.files() {
		for _, source := range memory.ParseTopic([]byte(content)).Sources() {
			cited++
			if said, ok := p.Sources.Kept(source); !ok || !strings.Contains(said.Text, "better body") {
				t.Errorf("of %s is kept: %+v, %v", source, said, ok)
			}
		}
	}
	if cited == 0 {
		t.Error("no memory cites anything")
	}
}
