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

// beatEvery is how often a call that takes long tells of itself. Most are over before the first time.
const beatEvery = time.Second

// progressOf returns what tells the client of the progress of a call; nil where it did not ask for it.
func progressOf(ctx context.Context, r mcp.CallToolRequest) func(n int, message string) {
	s := mcpserver.ServerFromContext(ctx)
	if s == nil || r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return nil
	}
	return func(n int, message string) {
		// What can't be sent is not worth an error: the answer will be.
		_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": n, "message": message,
		})
	}
}

// heartbeat tells, as long as a call takes, how many beats have gone by (so it rises, and nobody knows of
// how many), and in words what is being done and how far it has come. Quiet ends it, and nothing is told
// any more once it has returned. A client that did not ask pays nothing.
func heartbeat(ctx context.Context, title string, every time.Duration, tell func(n int, message string)) (within context.Context, quiet func()) {
	if tell == nil {
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
				tell(n, *far.Load())
			}
		}
	})
	return within, func() {
		close(ended)
		beats.Wait()
	}
}
