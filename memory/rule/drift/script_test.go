package drift

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A script that a manifest lacks needs no history; a program that yarn or pnpm may run does.
func TestScriptsWithoutHistory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Makefile":     "build:\n\tgo build ./...\n",
		"package.json": `{"scripts": {"lint": "eslint ."}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const text = "Run `make deploy`.\n\nRun `make build`.\n\nRun `npm run docs`, `npm run test`.\n\nRun `npm run lint`.\n\nRun `pnpm tsc` and `yarn vitest`.\n\n" +
		"Run `just serve`.\n\nIn the infra repo, run `make plan`.\n\nWe plan to add `make docs`.\n\nRun `make -j4`, `make CC=clang`.\n"
	var got []string
	for _, h := range New(root).Find([]Text{{"a.md", text}}, func(string) bool { return false }) {
		got = append(got, h.Ref+": "+h.Message)
	}
	if want := []string{`make deploy: Makefile has no target "deploy"`, `npm run docs: package.json has no script "docs"`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
