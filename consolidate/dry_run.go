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
	res := FinalizeResult{Outcome: "dry_run", Report: "nothing has landed; it would land: " + ops.Summary(changes, d.Op) + d.Left()}
	if ruled {
		res.Report = "nothing has landed, and it would be refused: " + refusal.where()
		res.Findings = slices.DeleteFunc(slices.Clone(refusal.Findings), func(f rule.Finding) bool { return f.Severity != rule.Error })
	}
	if file := plan.request.Diff; file != "" {
		res.Files = ops.FilesOf(nil, nil)
		var err error
		res.Diff, err = d.diff(plan.index, file)
		return res, err
	}
	res.Files, res.Index, res.Standing = ops.FilesOf(changes, d.Renamed), plan.index.Size(), standing(plan.findings)
	fresh := d.fresh(plan.findings)
	res.Findings = append(atEnd(plan.lines), fresh...)
	if !plan.index.None {
		res.IndexChanges = d.indexChanges(plan.index, res.Files, plan.request.Upsert)
	}
	return res, nil
}

// indexChanges returns the lines of the index that go and come. Those of memories that the dream changes and of upserted
// lines, which say what the caller knows, are only counted.
func (d *dream) indexChanges(edit *indexing.Index, files ops.Files, upserted []ops.IndexLine) (changes []string) {
	show := d.Dir.AllowSecrets.Show
	known := files.All()
	for _, line := range upserted {
		known = append(known, line.File)
	}
	count := map[string]int{}
	for _, change := range ops.LineChanges(show(string(edit.Before)).Text, show(string(edit.Bytes())).Text) {
		entries := memory.ParseIndex([]byte(change[2:])).Entries()
		if len(entries) == 1 && slices.Contains(known, entries[0].File) {
			count[change[:1]]++
		} else {
			changes = append(changes, change)
		}
	}
	if len(count) > 0 {
		changes = append(changes, fmt.Sprintf(`and the lines of changed memories, and those given: +%d -%d; `+
			`{"dry_run": true, "diff": "MEMORY.md"} shows them`, count["+"], count["-"]))
	}
	return changes
}

// diff returns the unified diff of what the dream would land: of one file, or of all. Of all only the lines that
// change are shown, and what it creates is counted: the caller wrote it.
func (d *dream) diff(edit *indexing.Index, file string) (string, error) {
	var all strings.Builder
	for _, c := range indexing.All(d.Tx, edit) {
		if file != AllFiles && c.Name.String() != file {
			continue
		}
		before, err := d.Dir.ReadIfAny(c.Name)
		if err != nil {
			return "", err
		}
		after := edit.Bytes()
		if !c.Name.IsIndex() {
			if after, err = d.Stage.Content(c.After); err != nil {
				return "", err
			}
		}
		if file == AllFiles && before.Data == nil && !c.Name.IsIndex() {
			fmt.Fprintf(&all, "created %s: %s, as written\n", c.Name, ops.Plural(bytes.Count(after, []byte("\n")), "line"))
			continue
		}
		for line := range strings.Lines(string(ops.DiffOf(c.Name, before.Data, after, d.Dir.AllowSecrets))) {
			if file != AllFiles || line[0] == '+' || line[0] == '-' {
				all.WriteString(line)
			}
		}
	}
	if all.Len() == 0 && file != AllFiles {
		return "", ops.Refuse(fmt.Sprintf("diff: nothing would change in %q", file), `name a file that the dry run lists, or "all"`)
	}
	return all.String(), nil
}
