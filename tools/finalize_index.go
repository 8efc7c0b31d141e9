package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/consolidate"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

func finalizeIndex(p *consolidate.Project) tool {
	return tool{
		name:  "finalize_index",
		title: "Finish the dream",
		description: "Finish the memory dream: brings MEMORY.md up to date, checks every rule, and lands all staged changes together, or refuses with findings and the dream stays open. " +
			"upsert/remove edit lines; content with base replaces the whole index; adopt adds a line for each memory without one and drops lines that point to nothing. dry_run shows the index and the diff. " +
			"A dream that changed nothing is finalized too.",
		input: `{"type":"object","properties":{
			"upsert":{"type":"array","maxItems":500,"items":{"type":"object","properties":{"file":{"type":"string"},"title":{"type":"string","maxLength":200},"text":{"type":"string","maxLength":400},"section":{"type":"string","maxLength":200}},"required":["file"],"additionalProperties":false}},
			"remove":{"type":"array","maxItems":500,"items":{"type":"string","minLength":1},"description":"files whose lines go"},
			"content":{"type":"string"},
			"base":{"type":"string","pattern":"^[0-9a-fA-F]{12,64}$","description":"sum of the index that content replaces"},
			"adopt":{"type":"boolean"},
			"dry_run":{"type":"boolean"},
			"accept_loss":{"type":"array","maxItems":500,"items":{"type":"object","properties":{"file":{"type":"string"},"why":{"type":"string","minLength":1,"maxLength":500}},"required":["file","why"],"additionalProperties":false},"description":"deletions and cuts that are meant"},
			"summary":{"type":"string","maxLength":2000,"description":"what the dream did, for the journal"}},
			"additionalProperties":false}`,
		output: `{"type":"object","properties":{"outcome":{"type":"string","enum":["committed","unchanged","dry_run","proposed"]},"files":{"type":"object"},"index":{"type":"object"},` +
			findingsSchema + `,"report":{"type":"string"},"undo":{"type":"string"},"proposed_index":{"type":"string"},"diff":{"type":"string"}},"required":["outcome","files","index","findings","report"]}`,
		destructive: true,
		call: func(ctx context.Context, arguments json.RawMessage) (answer, error) {
			r, err := decode[struct {
				Upsert     []indexLine
				Remove     []string
				Content    *string
				Base       string
				Adopt      bool
				DryRun     bool                         `json:"dry_run"`
				AcceptLoss []struct{ File, Why string } `json:"accept_loss"`
				Summary    string
			}](arguments)
			if err != nil {
				return answer{}, err
			}
			accepted := make(map[string]string, len(r.AcceptLoss))
			for _, a := range r.AcceptLoss {
				accepted[a.File] = a.Why
			}
			var lines []consolidate.IndexLine
			for _, l := range r.Upsert {
				lines = append(lines, *l.line())
			}
			res, err := p.Finalize(ctx, consolidate.FinalizeRequest{
				Upsert: lines, Remove: r.Remove, Content: r.Content, Base: r.Base, Adopt: r.Adopt,
				DryRun: r.DryRun, AcceptLoss: accepted, Summary: r.Summary,
			})
			if err != nil {
				return answer{}, err
			}
			res.Findings = ofThisDream(res)
			return answer{value: fit(res)}, nil
		},
	}
}

// fit shortens what a result lists until it is no longer than an answer may be: each list says what it
// leaves out, and where the rest is.
func fit(res consolidate.FinalizeResult) consolidate.FinalizeResult {
	for share := 1; ; share *= 2 {
		r := res
		r.Findings = fewFindings(res.Findings, 40/share)
		r.Diff, r.Proposed = cut(res.Diff, 16_000/share), cut(res.Proposed, 12_000/share)
		r.Files.Created = fewFiles(res.Files.Created, 100/share)
		r.Files.Updated = fewFiles(res.Files.Updated, 100/share)
		r.Files.Deleted = fewFiles(res.Files.Deleted, 100/share)
		r.Report = short(res.Report, 4_000/share)
		data, err := plainJSON(r)
		if err != nil || utf8.RuneCount(data) <= MaxAnswer || share > 16 {
			return r
		}
	}
}

// ofThisDream returns the findings that the dream can have to do with, and one that counts the others: warnings about
// memories that it left alone, of which dream_orient has told.
func ofThisDream(res consolidate.FinalizeResult) []rule.Finding {
	files := slices.Concat([]string{"", memory.IndexFile}, res.Files.Created, res.Files.Updated, res.Files.Deleted)
	others := 0
	findings := slices.DeleteFunc(slices.Clone(res.Findings), func(f rule.Finding) bool {
		if f.Severity == rule.Error || f.Rule == "conflict" || slices.Contains(files, f.File) ||
			slices.ContainsFunc(files[2:], func(file string) bool { return strings.Contains(f.Message, file) }) {
			return false
		}
		others++
		return true
	})
	if others > 0 {
		findings = append(findings, rule.Finding{
			Rule: "more", Severity: rule.Info, Message: fmt.Sprintf("and %d more on memories that this dream leaves alone", others), Hint: "dream_orient and dream-mcp lint list them",
		})
	}
	return findings
}

func fewFindings(findings []rule.Finding, most int) []rule.Finding {
	if len(findings) <= most {
		return findings
	}
	return append(findings[:most:most], rule.Finding{
		Rule: "more", Severity: rule.Info, Message: fmt.Sprintf("and %d more findings", len(findings)-most), Hint: "dream_orient lists them",
	})
}

func fewFiles(files []string, most int) []string {
	if len(files) <= most {
		return files
	}
	return append(files[:most:most], fmt.Sprintf("and %d more", len(files)-most))
}
