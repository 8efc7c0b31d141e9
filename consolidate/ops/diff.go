package ops

import (
	"regexp"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/diff"
	"dream-mcp/memory/secret"
)

// Diff returns the changes of o to the memory in dir as a unified diff that may be shown: credentials that are not
// allowed are masked on both sides.
func (s *Records) Diff(dir *memory.Dir, o Op) (d []byte, err error) {
	for _, c := range o.Changes {
		before, err := s.ContentIn(dir, c.Before, c.Name)
		if err != nil {
			return nil, err
		}
		after, err := s.ContentIn(dir, c.After, c.Name)
		if err != nil {
			return nil, err
		}
		d = append(d, DiffOf(c.Name, before, after, s.AllowSecrets)...)
	}
	return d, nil
}

// DiffOf returns what a change of one file would change; nil: no file.
func DiffOf(n memory.Name, before, after []byte, allowed secret.Allowed) []byte {
	from, to := "a/"+n.String(), "b/"+n.String()
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	// While the texts are compared, a sum follows each mask, so that a credential that was replaced is not one that
	// stayed.
	was, is := allowed.View(string(before)), allowed.View(string(after))
	mark := "\x00"
	for strings.Contains(was.Text+is.Text, mark) {
		mark += "\x00"
	}
	sum := func(value string) string { return mark + memory.SumOf([]byte(value)).Short() + mark }
	d := diff.Of(was.Marked(sum), is.Marked(sum)).Unified(from, to)
	return regexp.MustCompile(mark+"[0-9a-f]+"+mark).ReplaceAll([]byte(d), nil)
}
