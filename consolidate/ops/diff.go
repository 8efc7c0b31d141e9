package ops

import (
	"regexp"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/diff"
	"dream-mcp/memory/secret"
)

// Diff returns the changes of o as a unified diff that may be shown: credentials that are not allowed are masked on both sides.
func (s *Records) Diff(o Op) ([]byte, error) {
	return diffOf(o, s.AllowSecrets, func(c Change) ([]byte, error) { return s.Content(c.Before) }, s.Content)
}

// Diff returns what the stage would change; index, if not nil, replaces the index on disk.
func (s *Stage) Diff(index []byte) ([]byte, error) {
	onDisk := func(c Change) ([]byte, error) {
		disk, err := s.dir.ReadIfAny(c.Name)
		return disk.Data, err
	}
	d, err := diffOf(*s.Op, s.dir.AllowSecrets, onDisk, s.Content)
	if index == nil || err != nil {
		return d, err
	}
	before, err := onDisk(Change{Name: memory.IndexName})
	return append(d, DiffOf(memory.IndexName, before, index, s.dir.AllowSecrets)...), err
}

func diffOf(o Op, allowed secret.Allowed, before func(Change) ([]byte, error), content func(memory.Sum) ([]byte, error)) (d []byte, err error) {
	for _, c := range o.Changes {
		was, err := before(c)
		if err != nil {
			return nil, err
		}
		is, err := content(c.After)
		if err != nil {
			return nil, err
		}
		d = append(d, DiffOf(c.Name, was, is, allowed)...)
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
	// While the texts are compared, a sum follows each mask, so that a credential that was replaced is not one that stayed.
	was, is := allowed.View(string(before)), allowed.View(string(after))
	mark := "\x00"
	for strings.Contains(was.Text+is.Text, mark) {
		mark += "\x00"
	}
	sum := func(value string) string { return mark + memory.SumOf([]byte(value)).Short() + mark }
	d := diff.Of(was.Marked(sum), is.Marked(sum)).Unified(from, to)
	return regexp.MustCompile(mark+"[0-9a-f]+"+mark).ReplaceAll([]byte(d), nil)
}
