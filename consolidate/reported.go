package consolidate

import "dream-mcp/memory/rule"

// reports are the keys of what was reported in a dream.
type reports map[string]bool

// first records that something is reported, and reports whether it was not before.
func (r reports) first(key string) bool {
	known := r[key]
	r[key] = true
	return !known
}

// add records that findings are reported.
func (r reports) add(findings []rule.Finding) {
	for _, f := range findings {
		r.first(findingKey(f))
	}
}

// fresh returns errors and the findings that were not reported yet, and records them.
func (r reports) fresh(findings []rule.Finding) []rule.Finding {
	fresh := []rule.Finding{} // never null in an answer
	for _, f := range findings {
		if f.Severity == rule.Error || !r[findingKey(f)] {
			fresh = append(fresh, f)
		}
	}
	r.add(fresh)
	return fresh
}

// findingKey identifies a finding independent of its line.
func findingKey(f rule.Finding) string { return f.Rule + "\x00" + f.File + "\x00" + f.Message }
