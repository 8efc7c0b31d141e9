package tools

import (
	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript/said"
)

// sessionKey is the member of _meta in which a host may name its session.
const sessionKey = "sessionId"

// namesSession passes the host's session to the project, if the client names it.
func namesSession(p *consolidate.Project, r mcp.CallToolRequest) {
	if m := r.Params.Meta; m != nil {
		if id, ok := m.AdditionalFields[sessionKey].(string); ok && said.IsPlainName(id) {
			p.CalledIn(id)
		}
	}
}
