package consolidate

import (
	"dream-mcp/memory/rule"
)

// reported notes that findings were shown in this dream.
func (d *dream) reported(findings []rule.Finding) {
	if d.known == nil {
		d.known = make(map[string]bool)
	}
	for _, f := range findings {
		d.known[findingKey(f)] = true
	}
}

// fresh returns the findings that were not shown in this dream yet, errors always, and how many it leaves out.
func (d *dream) fresh(findings []rule.Finding) (fresh []rule.Finding, known int) {
	fresh = []rule.Finding{} // never null in an answer
	for _, f := range findings {
		if f.Severity != rule.Error && d.known[findingKey(f)] {
			known++
		} else {
			fresh = append(fresh, f)
		}
	}
	d.reported(fresh)
	return fresh, known
}

// findingKey is what a finding says, wherever its line is now.
func findingKey(f rule.Finding) string { return f.Rule + "\x00" + f.File + "\x00" + f.Message }
