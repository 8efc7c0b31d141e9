package tools

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate/transcript"
)

// beatEvery is how often a call reports its progress. Most end before the first report.
const beatEvery = time.Second

// progressOf returns the function that reports the progress of a call to the client, or nil if it did not ask for it.
func progressOf(ctx context.Context, r mcp.CallToolRequest) func(n int, message string) {
	s := mcpserver.ServerFromContext(ctx)
	if s == nil || r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return nil
	}
	return func(n int, message string) {
		// An error here will be one of the answer too.
		_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": n, "message": message,
		})
	}
}

// heartbeat calls report at intervals while a call runs, with the number of the report and, in words, what the call
// does and how far it is. quiet ends that: no report follows its return. A nil report costs nothing.
func heartbeat(ctx context.Context, title string, every time.Duration, report func(n int, message string)) (within context.Context, quiet func()) {
	if report == nil {
		return ctx, func() {}
	}
	var far atomic.Pointer[string]
	far.Store(&title)
	within = transcript.Watched(ctx, func(done, of int) {
		message := fmt.Sprintf("%s: %d of %d sessions", title, done, of)
		far.Store(&message)
	})
	ended := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			select {
			case <-ended:
				return
			default:
				report(n, *far.Load())
			}
		}
	})
	return within, func() {
		close(ended)
		beats.Wait()
	}
}
