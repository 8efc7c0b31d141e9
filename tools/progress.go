package tools

import (
	"context"
	"dream-mcp/consolidate/transcript/parallel"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// beatEvery is the interval between progress reports. Most calls end before the first.
const beatEvery = time.Second

// progressOf returns a function that reports progress to the client, or nil if the client did not ask for it.
func progressOf(ctx context.Context, r mcp.CallToolRequest) func(n int, message string) {
	s := mcpserver.ServerFromContext(ctx)
	if s == nil || r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return nil
	}
	return func(n int, message string) {
		// If this fails, so will the answer.
		_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": n, "message": message,
		})
	}
}

// heartbeat calls report at intervals with the number of the report and a description of the progress, until stop is
// called. No report follows the return of stop. The call must use the returned context.
func heartbeat(ctx context.Context, title string, every time.Duration, report func(n int, message string)) (within context.Context, stop func()) {
	if report == nil {
		return ctx, func() {}
	}
	var far atomic.Pointer[string]
	far.Store(&title)
	within = parallel.Watched(ctx, func(done, of int) {
		message := fmt.Sprintf("%s: %d of %d sessions", title, done, of)
		far.Store(&message)
	})
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ended:
				return
			case <-tick.C:
				report(n, *far.Load())
			}
		}
	}()
	return within, func() {
		close(ended)
		<-done
	}
}
