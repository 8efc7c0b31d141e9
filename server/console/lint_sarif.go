package console

import (
	"net/url"
	"path/filepath"

	"dream-mcp/memory/rule"
)

// sarifOf returns the parts of a SARIF 2.1.0 log that code scanning reads.
func sarifOf(o lintJSON, version string) any {
	type object = map[string]any
	rules, results := []object{}, []object{}
	for _, doc := range rule.Docs() {
		rules = append(rules, object{"id": doc.Name, "shortDescription": object{"text": sentence(doc.Summary) + "."}})
	}
	level := map[rule.Severity]string{rule.Error: "error", rule.Warning: "warning", rule.Info: "note"}
	for _, f := range o.Findings {
		text := f.Message
		if f.Hint != "" {
			text += "\n" + f.Hint
		}
		line, column := position(f)
		results = append(results, object{"ruleId": f.Rule, "level": level[f.Severity], "message": object{"text": text}, "locations": []object{{
			"physicalLocation": object{
				"artifactLocation": object{"uri": (&url.URL{Path: filepath.ToSlash(shownPath(o, f))}).EscapedPath()},
				"region":           object{"startLine": line, "startColumn": column},
			},
		}}})
	}
	driver := object{"name": "dream-mcp", "version": version, "rules": rules}
	runs := []object{{"tool": object{"driver": driver}, "results": results}}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": runs}
}
