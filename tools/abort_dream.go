package tools

import (
	"context"

	"dream-mcp/consolidate"
)

func abortDream(ctx context.Context, p *consolidate.Project, r struct{ Reason string }) (answer, error) {
	id, staged, err := p.Abort(ctx, r.Reason)
	if err != nil {
		return answer{}, err
	}
	a := aborted{Outcome: "aborted", ID: id, Kept: staged}
	if len(staged) > 0 {
		a.Resume = `dream_orient {"resume": true}`
	}
	return answer{value: a, most: maxPage, rest: "in a terminal: dream-mcp diff " + id}, nil
}

type aborted struct {
	Outcome string   `json:"outcome"`
	ID      string   `json:"id"`
	Kept    []string `json:"kept"`
	Resume  string   `json:"resume,omitempty"`
}
