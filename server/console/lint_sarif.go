package console

import (
	"net/url"
	"path/filepath"

	"dream-mcp/memory/rule"
)

// The parts of SARIF 2.1.0 that code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				Line   int `json:"startLine"`
				Column int `json:"startColumn"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
)

func sarifOf(o lintJSON, version string) sarifLog {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "dream-mcp", Version: version}
	for _, doc := range rule.Docs() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{doc.Name, sarifText{sentence(doc.Summary) + "."}})
	}
	level := map[rule.Severity]string{rule.Error: "error", rule.Warning: "warning", rule.Info: "note"}
	for _, f := range o.Findings {
		r := sarifResult{RuleID: f.Rule, Level: level[f.Severity], Message: sarifText{f.Message}}
		if f.Hint != "" {
			r.Message.Text += "\n" + f.Hint
		}
		var at sarifLocation
		at.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(shownPath(o, f))}).EscapedPath()
		at.Physical.Region.Line, at.Physical.Region.Column = position(f)
		r.Locations = []sarifLocation{at}
		run.Results = append(run.Results, r)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}
