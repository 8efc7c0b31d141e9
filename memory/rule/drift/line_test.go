package drift

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A line is one hit; what else it names that is gone is in More, at most twice.
func TestSeveralOnALine(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"Makefile": "test:\n\tgo test ./...\n", "docker-compose.yml": "services:\n  db:\n    image: postgres:17\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const text = "Staging is deployed with `make deploy-stg`. The compose file runs Postgres 15. It is seeded with `make seed` and checked with `make check`.\nIt is released with `make release`.\n"
	hits := New(root).Find(text, func(string) bool { return false })
	if len(hits) != 2 || hits[0].Ref != "make deploy-stg" || len(hits[1].More) != 0 {
		t.Fatalf("%+v", hits)
	}
	if want := []string{"docker-compose.yml says postgres 17", `the Makefile has no "seed"`}; !slices.Equal(hits[0].More, want) {
		t.Errorf("%q, want %q", hits[0].More, want)
	}
}
