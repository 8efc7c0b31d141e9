package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript"
)

// sessionKey is where Codex says with each call, and nowhere else, in which session it is made (0.169).
const sessionKey = "sessionId"

// ofSession tells the project in which session of the host a call is made, where the client says so, and makes the call.
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
