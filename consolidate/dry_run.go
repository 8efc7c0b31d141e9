package consolidate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/diff"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
)

// AllFiles asks for the diff of every file.
const AllFiles = "all"

// dryRun answers what a commit would do; refused is the error that it would end with.
func (d *dream) dryRun(plan plan, refused error) (FinalizeResult, error) {
	refusal, ruled := errors.AsType[*RuleError](refused)
	if refused != nil && !ruled {
		return FinalizeResult{}, refused
	}
	changes := indexing.All(d.Tx, plan.index)
	res := FinalizeResult{Outcome: "dry_run", Report: "nothing has landed; it would land: " + ops.Summary(changes, d.Op) + d.Undecided()}
	if ruled {
		res.Report = "nothing has landed, and it would be refused: " + refusal.where()
	}
	if file := plan.request.Diff; file != "" {
		if ruled {
			res.Findings = slices.DeleteFunc(slices.Clone(refusal.Findings), func(f rule.Finding) bool { return f.Severity != rule.Error })
		}
		res.Files = ops.FilesOf(nil, nil)
		var err error
		res.Diff, err = d.diff(plan.index, file)
		return res, err
	}
	res.Files, res.Index = ops.FilesOf(changes, d.Renamed), plan.index.Size()
	d.setFindings(&res, plan)
	if !plan.index.None {
		res.IndexChanges = d.indexChanges(plan.index, res.Files)
	}
	return res, nil
}

// indexChanges returns the lines of the index that change, as "file.md: new", and those that go ("- ") and come ("+ ").
// Of the files that d creates, renames or deletes it counts them. It leaves out what this dream was shown.
func (d *dream) indexChanges(edit *indexing.Index, files ops.Files) (changes []string) {
	before, after := d.Dir.AllowSecrets.Show(string(edit.Before)).Text, d.Dir.AllowSecrets.Show(string(edit.Bytes())).Text
	had, has := memory.ParseIndex([]byte(before)).ByFile(), memory.ParseIndex([]byte(after)).ByFile()
	counts := make(map[byte]int)
	for _, change := range diff.LineChanges(before, after) {
		if entries := memory.ParseIndex([]byte(change[2:])).Entries(); len(entries) == 1 {
			file := entries[0].File
			old, new := had[file], has[file]
			switch {
			case old.Text == new.Text: // a second line
			case old.Text != "" && new.Text != "" && change[0] == '-':
				continue
			case old.Text != "" && new.Text != "" && old.Title == new.Title:
				change = fmt.Sprintf("%s: %s", file, new.Hook)
			case old.Text != "" && new.Text != "":
				change = fmt.Sprintf("%s: [%s] — %s", file, new.Title, new.Hook)
			case slices.Contains(files.All(), file):
				counts[change[0]]++
				continue
			}
		}
		changes = append(changes, change)
	}
	if n := counts['+']; n > 0 {
		changes = append(changes, "+ "+phrase.Plural(n, "line")+" of new files")
	}
	if n := counts['-']; n > 0 {
		changes = append(changes, "- "+phrase.Plural(n, "line")+" of files that are gone")
	}
	return slices.DeleteFunc(changes, func(change string) bool { return !d.known.first("index\x00" + change) })
}

// diff returns the unified diff of what the dream would land: of one file, or of all. Of all only the lines that
// change are shown, and what it creates is counted: the caller wrote it.
func (d *dream) diff(edit *indexing.Index, file string) (string, error) {
	var all strings.Builder
	err := indexing.Each(d.Tx, edit, func(n memory.Name, before, after []byte) {
		switch {
		case file != AllFiles && n.String() != file:
			return
		case file == AllFiles && before == nil && !n.IsIndex():
			fmt.Fprintf(&all, "created %s: %s, as written\n", n, phrase.Plural(bytes.Count(after, []byte("\n")), "line"))
			return
		}
		for line := range strings.Lines(string(ops.DiffOf(n, before, after, d.Dir.AllowSecrets))) {
			if file != AllFiles || line[0] == '+' || line[0] == '-' {
				all.WriteString(line)
			}
		}
	})
	if err == nil && all.Len() == 0 && file != AllFiles {
		err = ops.Refuse(fmt.Sprintf("diff: nothing would change in %q", file), `name a file that the dry run lists, or "all"`)
	}
	return all.String(), err
}
