package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"dream-mcp/consolidate"
	"dream-mcp/memory"
)

// Bounds of what a success lists, so that it fits into one answer.
const (
	maxFindings = 40
	maxDiff     = 20_000
	maxProposed = 15_000
)

func finalizeIndex(p *consolidate.Project) tool {
	return tool{
		name:  "finalize_index",
		title: "Finish the dream",
		description: "Finish the memory dream: brings MEMORY.md up to date, checks every rule, and lands all staged changes together, or refuses with findings and the dream stays open. " +
			"upsert/remove edit lines; content with base replaces the whole index; adopt adds a line for each memory without one and drops lines that point to nothing. dry_run shows the index and the diff. " +
			"A dream that changed nothing is finalized too.",
		input: `{"type":"object","properties":{
			"upsert":{"type":"array","maxItems":500,"items":{"type":"object","properties":{"file":{"type":"string"},"title":{"type":"string","maxLength":200},"hook":{"type":"string","maxLength":400},"section":{"type":"string","maxLength":200}},"required":["file"],"additionalProperties":false}},
			"remove":{"type":"array","maxItems":500,"items":{"type":"string","minLength":1},"description":"files whose lines go"},
			"content":{"type":"string"},
			"base":{"type":"string","pattern":"^[0-9a-fA-F]{12,64}$","description":"sum of the index that content replaces"},
			"adopt":{"type":"boolean"},
			"dry_run":{"type":"boolean"},
			"accept_loss":{"type":"array","maxItems":500,"items":{"type":"object","properties":{"file":{"type":"string"},"why":{"type":"string","minLength":1,"maxLength":500}},"required":["file","why"],"additionalProperties":false},"description":"deletions and cuts that are meant"},
			"summary":{"type":"string","maxLength":2000,"description":"what the dream did, for the journal"}},
			"additionalProperties":false}`,
		output: `{"type":"object","properties":{"outcome":{"type":"string","enum":["committed","unchanged","dry_run"]},"files":{"type":"object"},"index":{"type":"object"},` +
			findingsSchema + `,"report":{"type":"string"},"undo":{"type":"string"},"proposed_index":{"type":"string"},"diff":{"type":"string"}},"required":["outcome","files","index","findings","report"]}`,
		destructive: true,
		call: func(ctx context.Context, arguments json.RawMessage) (answer, error) {
			r, err := decode[struct {
				Upsert     []consolidate.IndexLine
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
			res, err := p.Finalize(ctx, consolidate.FinalizeRequest{
				Upsert: r.Upsert, Remove: r.Remove, Content: r.Content, Base: r.Base, Adopt: r.Adopt,
				DryRun: r.DryRun, AcceptLoss: accepted, Summary: r.Summary,
			})
			if err != nil {
				return answer{}, err
			}
			res.Findings = fewFindings(res.Findings)
			res.Diff, res.Proposed = cut(res.Diff, maxDiff), cut(res.Proposed, maxProposed)
			return answer{value: res}, nil
		},
	}
}

// fewFindings bounds a list of findings, and says so in its last.
func fewFindings(findings []memory.Finding) []memory.Finding {
	if len(findings) <= maxFindings {
		return findings
	}
	rest := len(findings) - maxFindings
	return append(findings[:maxFindings:maxFindings], memory.Finding{
		Rule: "more", Severity: memory.Info, Message: fmt.Sprintf("and %d more findings", rest), Hint: "dream_orient lists them all",
	})
}
