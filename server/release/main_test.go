package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What goes into an archive decides its bytes, not when it was made. That two whole builds are the same,
// .ci/release looks.
func TestArchivesKeepNoTime(t *testing.T) {
	var sums [2]string
	for i := range sums {
		name := filepath.Join(t.TempDir(), "p.zip")
		var err error
		if sums[i], err = pack(name, pluginFiles(systems[0], "1.2.3", []byte("program"))); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(name); err != nil || sum(text) != sums[i] {
			t.Errorf("the sum is not the file's: %v", err)
		}
	}
	if sums[0] != sums[1] {
		t.Error("two archives of the same differ")
	}
}

func TestRegistryFile(t *testing.T) {
	for _, repository := range []string{"https://example.test/a/b", "https://github.com/a", "https://github.com/a/b/c", "github.com/a/b"} {
		if _, err := registryFile(repository, "1.0.0", nil); err == nil {
			t.Errorf("%q was taken", repository)
		}
	}
	text, err := registryFile("https://github.com/example/dream-mcp", "1.0.0", map[string]string{"a.mcpb": "00", "a.zip": "11"})
	if err != nil || !json.Valid(text) || !strings.Contains(string(text), "download/v1.0.0/a.mcpb") || strings.Contains(string(text), "a.zip") {
		t.Errorf("%v: %s", err, text)
	}
	if len(description) > 100 {
		t.Errorf("the description has %d characters", len(description))
	}
	if err := release(".", "", nil); err == nil {
		t.Error("a folder with something in it was taken")
	}
}
