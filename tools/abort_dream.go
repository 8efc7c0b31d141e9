package tools

import (
	"context"

	"dream-mcp/consolidate"
)

var abortDream = tool{
	name:  "abort_dream",
	title: "Abort the dream",
	description: "Abort the open memory dream: nothing lands, the memory and the time gate stay as they were. " +
		"The staged changes are kept for a week; dream_orient {\"resume\": true} resumes them.",
	input:  `{"type":"object","properties":{"reason":{"type":"string","maxLength":500,"description":"why, for the journal"}},"additionalProperties":false}`,
	output: `{"type":"object","properties":{"outcome":{"type":"string"},"id":{"type":"string"},"kept":{"type":"array","items":{"type":"string"}},"resume":{"type":"string"}},"required":["outcome","id","kept"]}`,
	call: calls(func(ctx context.Context, p *consolidate.Project, r struct{ Reason string }) (answer, error) {
		id, staged, err := p.Abort(ctx, r.Reason)
		if err != nil {
			return answer{}, err
		}
		type aborted struct {
			Outcome string   `json:"outcome"`
			ID      string   `json:"id"`
			Kept    []string `json:"kept"`
			Resume  string   `json:"resume,omitempty"`
		}
		a := aborted{Outcome: "aborted", ID: id, Kept: staged}
		if len(staged) > 0 {
			a.Resume = `dream_orient {"resume": true}`
		}
		return answer{value: a}, nil
	}),
}
