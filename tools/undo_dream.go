package tools

import (
	"context"

	"dream-mcp/consolidate"
)

func undoDream(ctx context.Context, p *consolidate.Project, r struct{ ID string }) (answer, error) {
	id, report, err := p.History.Undoable(ctx, r.ID)
	if err != nil {
		return answer{}, err
	}
	return answer{}, &question{
		text: "Undo what " + id + " did to the memory? " + report, terminal: "dream-mcp undo " + id,
		agreed: func(ctx context.Context) (answer, error) {
			r, err := p.History.Undo(ctx, id)
			return answer{value: r, most: maxPage, rest: "in a terminal: dream-mcp diff " + r.ID}, err
		},
	}
}
