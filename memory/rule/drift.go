package rule

import (
	"fmt"
	"slices"

	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule/drift"
)

// findDriftWritten looks at the memory that was written, and findDrift at all, so that a folder that was moved is one
// finding. They find nothing where the project's folder is not known (Check.Project).
func findDriftWritten(v *view, n memory.Name, t *memory.Topic) []Finding {
	if v.written != n {
		return nil
	}
	return v.compare([]memory.Name{n})
}

func findDrift(v *view) []Finding { return v.compare(v.sortedNames()) }

// maxNamedPlaces bounds the places that a finding names beside its own.
const maxNamedPlaces = 8

// compare compares memories with the project.
func (v *view) compare(names []memory.Name) []Finding {
	if v.Project == nil {
		return nil
	}
	type origin struct {
		file         string
		line, column int
	}
	var texts []drift.Text
	var origins []origin
	for _, n := range names {
		v.After.Topics[n].EachText(func(text string, line, column int) {
			texts = append(texts, drift.Text{File: n.String(), Body: text, Line: line})
			origins = append(origins, origin{n.String(), line, column})
		})
	}
	var found []Finding
	for _, hit := range v.Project.Find(texts, v.isMemory) {
		place := func(p drift.Place) (string, int, int) {
			o := origins[p.Text]
			line, column := position(texts[p.Text].Body, p.From, o.line, o.column)
			return o.file, line, column
		}
		file, line, column := place(hit.Place)
		f := Finding{
			File: file, Line: line, Column: column, subject: hit.Ref, Message: hit.Message,
			Hint: "correct or delete the line with write_memory; if no new name is given, find out what became of it",
		}
		var others []string
		for _, p := range hit.More {
			if file, line, _ := place(p); file != f.File || line != f.Line {
				others = append(others, fmt.Sprintf("%s:%d", file, line))
			}
		}
		if others = slices.Compact(others); len(others) > 0 {
			f.Message += "; also in " + phrase.Few(others, maxNamedPlaces)
		}
		found = append(found, f)
	}
	return found
}

// isMemory reports whether a name is that of a memory, of its log, or of the index.
func (v *view) isMemory(name string) bool {
	n, err := memory.ParseName(name)
	return err == nil && (v.After.Topics[n] != nil || n.IsIndex() || n.IsLog())
}
