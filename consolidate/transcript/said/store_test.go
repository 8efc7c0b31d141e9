package said

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/testdata/fixture"
)

// said returns what a transcript says, each as "line speaker: text".
func said(t testing.TB, text string) []string {
	t.Helper()
	all, _ := utterances(t, text)
	var lines []string
	for _, u := range all {
		lines = append(lines, fmt.Sprintf("%d %s: %s", u.Line, u.Speaker, u.Text))
	}
	return lines
}

func utterances(t testing.TB, text string) ([]*Entry, Skipped) {
	t.Helper()
	var all []*Entry
	r := NewReader(File{ID: fixture.ID(1)}, NewLineReader(strings.NewReader(text), ReadBlock), func(u *Entry) error {
		all = append(all, u)
		return nil
	})
	r.Tools = func([]byte) bool { return true }
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *Entry) int { return cmp.Or(a.Line-b.Line, a.Place-b.Place) })
	return all, r.Skipped
}
