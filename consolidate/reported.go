package consolidate

import (
	"dream-mcp/memory/rule"
)

// reported records that findings were reported in this dream.
func (d *dream) reported(findings []rule.Finding) {
	for _, f := range findings {
		d.report(findingKey(f))
	}
}

// report records that something is reported in this dream, and reports whether it was not before.
func (d *dream) report(key string) bool {
	if d.known == nil {
		d.known = make(map[string]bool)
	}
	known := d.known[key]
	d.known[key] = true
	return !known
}

// fresh returns errors and the findings that were not yet reported in this dream.
func (d *dream) fresh(findings []rule.Finding) (fresh []rule.Finding) {
	fresh = []rule.Finding{} // never null in an answer
	for _, f := range findings {
		if f.Severity == rule.Error || !d.known[findingKey(f)] {
			fresh = append(fresh, f)
		}
	}
	d.reported(fresh)
	return fresh
}

// findingKey identifies a finding independent of its line.
func findingKey(f rule.Finding) string { return f.Rule + "\x00" + f.File + "\x00" + f.Message }
