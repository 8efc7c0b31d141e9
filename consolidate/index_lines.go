package consolidate

import (
	"fmt"
	"slices"
	"strings"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/secret"
)

// indexFindings reports what is to be known about the lines of an index that an operation leaves: those that do not
// fit, those that waited for room and are there now, and those that somebody wrote about what has changed.
func indexFindings(e *indexing.Index, r ops.FinalizeRequest, show secret.Allowed) []rule.Finding {
	findings := []rule.Finding{} // never null in an answer
	full := fullMessage(e.Index)
	for _, n := range e.Full {
		f := rule.Finding{Rule: rule.IndexLimits, Severity: rule.Warning, File: n.String(),
			Hint: "read_memory finds it; a dream makes room: merge memories, shorten or remove lines"}
		if line := e.Line(n); line != "" {
			f.Message = fmt.Sprintf("%s: the line of this memory stays %q", full, show.Line(line))
		} else {
			f.Unlisted, f.Message = true, full+": this memory has no line until there is room"
		}
		findings = append(findings, f)
	}
	if len(e.Came) > 0 {
		var files []string
		for _, n := range e.Came {
			files = append(files, n.String())
		}
		findings = append(findings, rule.Finding{Rule: rule.IndexLimits, Severity: rule.Info, File: memory.IndexFile,
			Message: "there is room again: " + strings.Join(files, ", ") + " had no line and has one now"})
	}
	for _, f := range e.Wrote {
		given := slices.ContainsFunc(r.Upsert, func(l ops.IndexLine) bool { return l.File == f.File && l.Hook != "" })
		if r.Content == nil && !given {
			findings = append(findings, f)
		}
	}
	return findings
}

// atEnd leaves out the memories without a line, which a finding about the index names together.
func atEnd(lines []rule.Finding) []rule.Finding {
	return slices.DeleteFunc(slices.Clone(lines), func(f rule.Finding) bool { return f.Unlisted })
}

// fullMessage says how full the index is.
func fullMessage(x *memory.Index) string {
	lines, bytes := x.Size()
	return fmt.Sprintf("the index is full (%d lines of %d, %d bytes of %d)", lines, memory.MaxIndexLines, bytes, memory.MaxIndexBytes)
}
