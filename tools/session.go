package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript"
)

// sessionKey is the member of _meta in which Codex (0.169) names its session.
const sessionKey = "sessionId"

// ofSession wraps a handler. It first passes the host's session to the project, if the client names it.
func ofSession(p *consolidate.Project, call mcpserver.ToolHandlerFunc) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if m := r.Params.Meta; m != nil {
			if id, ok := m.AdditionalFields[sessionKey].(string); ok && transcript.IsSessionID(id) {
				p.CalledIn(id)
			}
		}
		return call(ctx, r)
	}
}
