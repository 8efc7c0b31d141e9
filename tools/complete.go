package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/memory"
	"dream-mcp/memory/near"
)

// maxCompletions is how many values MCP allows in one completion.
const maxCompletions = 100

// CompletePromptArgument completes an argument of a prompt. Free text has no completions.
func (c *Connection) CompletePromptArgument(ctx context.Context, name string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	if !slices.ContainsFunc(prompts, func(row prompt) bool {
		return row.Name == name && slices.ContainsFunc(row.Arguments, func(known mcp.PromptArgument) bool { return known.Name == a.Name })
	}) {
		return nil, fmt.Errorf("%w: no prompt %q has an argument %q", mcp.ErrInvalidParams, name, a.Name)
	}
	if name != extractPrompt || a.Name != sessionArgument {
		return &mcp.Completion{}, nil
	}
	p, err := c.findNow(ctx)
	if err != nil {
		return nil, paramsError(err)
	}
	sessions, err := p.Sessions.Recent(ctx)
	return completion(ranked(a.Value, sessions)), err
}

// CompleteResourceArgument completes the path of a memory. If nothing matches, it returns the nearest name.
func (c *Connection) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	if uri != memoryTemplate || a.Name != "path" {
		return nil, fmt.Errorf("%w: %q has no argument %q; the argument \"path\" of %q is completed", mcp.ErrInvalidParams, uri, a.Name, memoryTemplate)
	}
	p, err := c.findNow(ctx)
	if err != nil {
		return nil, paramsError(err)
	}
	topics, err := p.Topics(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(topics))
	for i, n := range topics {
		names[i] = n.String()
	}
	found := ranked(a.Value, names)
	if len(found) == 0 && len(a.Value) <= memory.MaxNameBytes {
		if nearest := memory.Nearest(a.Value, topics); nearest != "" {
			found = []string{nearest}
		}
	}
	return completion(found), nil
}

// ranked returns the values that match what was typed, the best first. If nothing was typed, it returns all.
func ranked(typed string, values []string) []string {
	if typed == "" {
		return values
	}
	if len(typed) > memory.MaxNameBytes {
		return nil // longer than any value
	}
	var found []string
	for _, i := range near.Ranked(typed, values) {
		found = append(found, values[i])
	}
	return found
}

func completion(values []string) *mcp.Completion {
	return &mcp.Completion{Values: values[:min(len(values), maxCompletions)], Total: len(values), HasMore: len(values) > maxCompletions}
}
