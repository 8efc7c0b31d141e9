package tools

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate/transcript/parallel"
)

// beatEvery is the interval between progress reports. Most calls end before the first.
const beatEvery = time.Second

// heartbeat reports the progress of a call to the client, if it asked for it, until stop is called. The call must use
// the returned context.
func heartbeat(ctx context.Context, title string, r mcp.CallToolRequest) (within context.Context, stop func()) {
	s := mcpserver.ServerFromContext(ctx)
	if s == nil || r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return ctx, func() {}
	}
	return parallel.Beat(ctx, title, beatEvery, func(n int, message string) {
		// If this fails, so will the answer.
		_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": n, "message": message,
		})
	})
}
