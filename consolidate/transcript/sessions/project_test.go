package sessions

import (
	"testing"

	"dream-mcp/testdata/fixture"
)

// project opens the project whose folder holds these transcripts, the first the oldest.
func project(t testing.TB, fixtures ...*fixture.Transcript) *Project {
	t.Helper()
	projects := t.TempDir()
	for i, f := range fixtures {
		fixture.Put(t, projects, fixture.Slug+"/"+f.Session+".jsonl", f.Text(), i+1)
	}
	return Open(Options{Projects: projects, Roots: []string{fixture.Root}})
}
