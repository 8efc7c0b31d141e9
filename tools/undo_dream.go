package tools

import (
	"context"

	"dream-mcp/consolidate"
)

var undoDream = tool{
	name:  "undo_dream",
	title: "Undo a dream or a write",
	description: "Undo a memory dream or a single write that has landed, where the person asked for it: its files are as before, deleted ones restored. " +
		"The client asks the person to agree first. Files that were changed later are kept and reported as conflicts. An undo can be undone.",
	input:       `{"type":"object","properties":{"id":{"type":"string","maxLength":40,"description":"as finalize_index or write_memory answered it after \"undo\"; default: the newest that was not undone"}},"additionalProperties":false}`,
	output:      `{"type":"object","properties":{"id":{"type":"string"},"undone":{"type":"string"},"files":{"type":"object"},"merged":{"type":"array"},"conflicts":{"type":"array"}},"required":["undone","files","merged","conflicts"]}`,
	destructive: true,
	call: calls(func(_ context.Context, p *consolidate.Project, r struct{ ID string }) (answer, error) {
		id, report, err := p.History.Undoable(r.ID)
		if err != nil {
			return answer{}, err
		}
		return answer{}, &question{
			text: "Undo what " + id + " did to the memory? " + report, terminal: "dream-mcp undo " + id,
			agreed: func(ctx context.Context) (answer, error) {
				r, err := p.History.Undo(ctx, id)
				return answer{value: r}, err
			},
		}
	}),
}
