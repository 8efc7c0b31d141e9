package consolidate

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/prompt")

// What a model reads is looked at whole before it changes: go test ./consolidate -run Golden -update.
func TestPromptsGolden(t *testing.T) {
	v := promptValues()
	past := v
	past.Session = "00000001-1111-4111-8111-111111111111"
	for name, text := range map[string]string{
		"dream": dreamPrompt(t, v), "remember": rememberPrompt(t, v), "extract": extractPrompt(t, v), "extract_past": extractPrompt(t, past),
	} {
		file := filepath.Join("testdata", "prompt", name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text != string(want) {
			t.Errorf("%s is not what %s holds:\n%s", name, file, text)
		}
	}
}
