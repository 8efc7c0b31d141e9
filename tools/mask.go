package tools

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/memory/secret"
)

// mask has every handler's answer masked as it leaves, errors included: the one place that nothing passes by.
// What is cut, compared or quoted of a memory was masked before that (consolidate.Shown), since a piece of
// a credential is known for one no more.
func (t *Table) mask(allowed secret.Allowed) {
	for i, tool := range t.Tools {
		t.Tools[i].Handler = func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := tool.Handler(ctx, r)
			return maskResult(result, allowed), maskError(err, allowed)
		}
	}
	for i, prompt := range t.Prompts {
		t.Prompts[i].Handler = func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			result, err := prompt.Handler(ctx, r)
			if result != nil {
				for j := range result.Messages {
					result.Messages[j].Content = maskContent(result.Messages[j].Content, allowed)
				}
			}
			return result, maskError(err, allowed)
		}
	}
	for i, resource := range t.Resources {
		t.Resources[i].Handler = maskedResource(resource.Handler, allowed)
	}
	for i, template := range t.Templates {
		t.Templates[i].Handler = mcpserver.ResourceTemplateHandlerFunc(maskedResource(mcpserver.ResourceHandlerFunc(template.Handler), allowed))
	}
}

func maskedResource(read mcpserver.ResourceHandlerFunc, allowed secret.Allowed) mcpserver.ResourceHandlerFunc {
	return func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		contents, err := read(ctx, r)
		for i, c := range contents {
			text, ok := c.(mcp.TextResourceContents)
			if !ok {
				continue
			}
			if text.MIMEType == "application/json" {
				text.Text = string(allowed.MaskJSON([]byte(text.Text)))
			} else {
				text.Text = allowed.Mask(text.Text)
			}
			contents[i] = text
		}
		return contents, maskError(err, allowed)
	}
}

// maskResult masks an answer. Of structured content the text is the same value, written out.
func maskResult(result *mcp.CallToolResult, allowed secret.Allowed) *mcp.CallToolResult {
	if result == nil {
		return nil
	}
	if value, ok := result.StructuredContent.(json.RawMessage); ok {
		data := allowed.MaskJSON(value)
		result.StructuredContent = json.RawMessage(data)
		result.Content = []mcp.Content{mcp.NewTextContent(string(data))}
		return result
	}
	for i := range result.Content {
		result.Content[i] = maskContent(result.Content[i], allowed)
	}
	return result
}

func maskContent(c mcp.Content, allowed secret.Allowed) mcp.Content {
	if text, ok := c.(mcp.TextContent); ok {
		text.Text = allowed.Mask(text.Text)
		return text
	}
	return c
}

// maskedError is an error whose text may be shown.
type maskedError struct {
	error
	text string
}

func (e *maskedError) Error() string { return e.text }
func (e *maskedError) Unwrap() error { return e.error }

func maskError(err error, allowed secret.Allowed) error {
	if err == nil {
		return nil
	}
	if text := allowed.Mask(err.Error()); text != err.Error() {
		return &maskedError{err, text}
	}
	return err
}
