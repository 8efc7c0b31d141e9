package rule

import (
	"fmt"

	"dream-mcp/memory"
)

// findDrift finds nothing where the project's folder is not known (Check.Project).
func findDrift(v *view, n memory.Name, t *memory.Topic) []Finding {
	var found []Finding
	t.EachText(func(text string, line, column int) {
		for _, hit := range v.Project.Find(text, v.isMemory) {
			at, in := position(text, hit.From, line, column)
			f := Finding{
				File: n.String(), Line: at, Column: in, subject: hit.Ref, Message: hit.Message,
				Hint: "find out what became of it, then correct or delete the line with write_memory",
			}
			if hit.Nearest != "" {
				f.Message += fmt.Sprintf("; see %q", hit.Nearest)
			}
			for _, more := range hit.More {
				f.Message += "; " + more
			}
			found = append(found, f)
		}
	})
	return found
}

// isMemory reports whether a name is that of a memory, of its log, or of the index.
func (v *view) isMemory(name string) bool {
	n, err := memory.ParseName(name)
	return err == nil && (v.After.Topics[n] != nil || n.IsIndex() || n.IsLog())
}
