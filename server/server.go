// Package server serves MCP over a pair of byte streams, one JSON-RPC message a
// line, in both protocol eras: the stateless 2026-07-28 with server/discover, and
// initialize for the revisions before it. It knows tools, prompts and resources
// as values, and nothing of what they do.
//
// mcp-go decodes and dispatches. The stream is ours, because mcp-go's own stdio
// transport loses work at end of input, cancellations, order, and big ids.
//
// Promises:
//
//   - Every request is answered exactly once, with its id as it was sent, unless
//     the client cancelled it: then nothing more is written for it. The refusal of
//     a line above 16 MiB has the id null, because such a line is not read.
//
//   - Hostile input is answered or ignored, and the server goes on: the length of
//     a line and the requests in flight are bounded, and a panic in a handler
//     costs one answer.
//
//   - What a handler sends (progress) is written whole, in order, before its
//     answer, and never after it. One goroutine writes.
//
//   - Tool calls that are not marked read-only run one at a time in order of
//     arrival, and a read-only call waits for the writes that arrived before it.
//     Nothing else waits for tool calls.
//
//   - No error text of ours reaches the wire unless a handler meant it to: a Go
//     error that does not wrap mcp.ErrInvalidParams or mcp.ErrResourceNotFound is
//     "internal error" there, and is logged in full to Options.Log.
//
//   - The server sends a request of its own only during a call that needs the
//     answer, and only if the client declared that capability for that call.
//
//   - Every line that is written has its credentials masked and its hidden characters
//     visible (secret.Allowed.ShowJSON), except IDs and tokens that the client chose.
//
// A crash loses nothing: the server has no state. Subscriptions to resources are not offered.
//
// It does not promise that a handler which ignores its context ends, or that a
// read or write which blocks in the operating system can be cancelled: Serve
// stops waiting for either, and its goroutine remains. It does not order reads
// among themselves, or a write after an earlier read. It does not validate tool
// arguments. One process serves one client.
package server

import (
	"context"
	_ "embed"
	"encoding/base64"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/memory/secret"
)

const (
	// defaultDrain is how long running calls may go on after the end of input.
	defaultDrain = 5 * time.Second
	// grace is how long Serve waits for calls that it has cancelled, and then
	// for the last bytes to be taken.
	grace = 2 * time.Second
	// cacheTTL is the freshness of what never changes while we run, in
	// milliseconds.
	cacheTTL = 3_600_000
)

// Options is what a server serves. The zero value is a server without anything
// to offer, which is valid.
type Options struct {
	Name, Title, Version, Description string
	Website                           string // "" for none

	// Instructions enter the model's prompt; keep them under 2,000 characters.
	Instructions string

	// Tools are called with the arguments as they came, unvalidated. A call of
	// a tool whose ReadOnlyHint is not true counts as a write.
	Tools     []mcpserver.ServerTool
	Prompts   []mcpserver.ServerPrompt
	Resources []mcpserver.ServerResource
	Templates []mcpserver.ServerResourceTemplate

	// Completions, if not nil, completes the arguments of prompts and templates. A completion has at most 100 values.
	Completions Completions

	// FoldersChanged, if not nil, is called when the client says that its
	// folders (roots) changed. It must return soon.
	FoldersChanged func()

	// Allowed, if not nil, returns the values that are shown though they look like credentials. It must
	// return soon.
	Allowed func() secret.Allowed

	// Log receives internal errors; nil discards them.
	Log *slog.Logger

	// Drain is how long calls may go on after the end of input before they are
	// cancelled; zero means 5 seconds.
	Drain time.Duration
}

// Completions completes the arguments of prompts and of resource templates.
type Completions interface {
	mcpserver.PromptCompletionProvider
	mcpserver.ResourceCompletionProvider
}

// Serve answers the client until the input ends, ctx is cancelled, or the output
// breaks. At the end of input it lets the calls in flight finish, for o.Drain at
// most, and returns nil (or the read error that ended the input). When ctx is
// cancelled it stops reading, cancels the calls, waits two seconds at most for
// their answers, and returns ctx.Err(). When out fails it cancels the calls and
// returns that error. It starts no write after it has returned.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Drain <= 0 {
		o.Drain = defaultDrain
	}
	if o.Allowed == nil {
		o.Allowed = func() secret.Allowed { return nil }
	}
	base, cancel := context.WithCancel(ctx)
	defer cancel()

	w := newOutput(o)
	go w.pump(out, cancel)
	l := newLoop(o, w)

	readErr := l.read(base, in)
	l.asked.end()
	l.wait(base.Done(), o.Drain)
	cancel()
	l.wait(nil, grace)
	writeErr := w.stop(grace)

	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case writeErr != nil:
		return writeErr
	}
	return readErr
}

// icon is what clients show beside the name.
//
//go:embed icon.svg
var icon []byte

// register creates mcp-go's server for o. It advertises only what is implemented:
// the lists never change, and there are no logging and no tasks.
func register(o Options, failed mcpserver.OnErrorHookFunc) *mcpserver.MCPServer {
	hooks := &mcpserver.Hooks{}
	hooks.AddOnError(failed)
	options := []mcpserver.ServerOption{
		mcpserver.WithTitle(o.Title),
		mcpserver.WithDescription(o.Description),
		mcpserver.WithWebsiteURL(o.Website),
		mcpserver.WithIcons(mcp.Icon{Src: "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(icon), MIMEType: "image/svg+xml", Sizes: []string{"any"}}),
		mcpserver.WithInstructions(o.Instructions),
		mcpserver.WithHooks(hooks),
		mcpserver.WithCacheHints(cacheTTL, mcp.CacheScopePublic),
		mcpserver.WithMethodCacheHints(mcp.MethodResourcesList, 0, mcp.CacheScopePrivate),
		mcpserver.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
	}
	if len(o.Tools) > 0 {
		options = append(options, mcpserver.WithToolCapabilities(false))
	}
	if len(o.Prompts) > 0 {
		options = append(options, mcpserver.WithPromptCapabilities(false))
	}
	if len(o.Resources)+len(o.Templates) > 0 {
		options = append(options, mcpserver.WithResourceCapabilities(false, false))
	}
	if o.Completions != nil {
		options = append(options, mcpserver.WithCompletions(),
			mcpserver.WithPromptCompletionProvider(o.Completions), mcpserver.WithResourceCompletionProvider(o.Completions))
	}
	s := mcpserver.NewMCPServer(o.Name, o.Version, options...)
	if len(o.Tools) > 0 {
		s.AddTools(o.Tools...)
	}
	if len(o.Prompts) > 0 {
		s.AddPrompts(o.Prompts...)
	}
	if len(o.Resources) > 0 {
		s.AddResources(o.Resources...)
	}
	if len(o.Templates) > 0 {
		s.AddResourceTemplates(o.Templates...)
	}
	return s
}
