package tools

import (
	"context"
	"encoding/json"

	"dream-mcp/consolidate"
)

func undoDream(p *consolidate.Project) tool {
	type arguments struct {
		ID string `json:"id"`
	}
	return tool{
		name:  "undo_dream",
		title: "Undo a dream or a write",
		description: "Undo a memory dream or a single write that has landed, where the person asked for it: its files are as before, deleted ones restored. " +
			"The client asks the person to agree first. Files that were changed later are kept and reported as conflicts. An undo can be undone.",
		input:       `{"type":"object","properties":{"id":{"type":"string","maxLength":40,"description":"as finalize_index or write_memory answered it after \"undo\"; default: the newest that was not undone"}},"additionalProperties":false}`,
		output:      `{"type":"object","properties":{"id":{"type":"string"},"undone":{"type":"string"},"files":{"type":"object"},"merged":{"type":"array"},"conflicts":{"type":"array"}},"required":["undone","files","merged","conflicts"]}`,
		destructive: true,
		confirm: func(_ context.Context, raw json.RawMessage) (resolved json.RawMessage, question, instead string, err error) {
			a, err := decode[arguments](raw)
			if err != nil {
				return nil, "", "", err
			}
			id, report, err := p.History.Undoable(a.ID)
			if err != nil {
				return nil, "", "", err
			}
			resolved, err = json.Marshal(arguments{id})
			return resolved, "Undo what " + id + " did to the memory? " + report, "dream-mcp undo " + id, err
		},
		now: p.Now,
		call: func(ctx context.Context, raw json.RawMessage) (answer, error) {
			a, err := decode[arguments](raw)
			if err != nil {
				return answer{}, err
			}
			r, err := p.History.Undo(ctx, a.ID)
			return answer{value: r}, err
		},
	}
}
