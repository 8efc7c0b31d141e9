package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

const (
	// toolSlots is how many tool calls run at a time.
	toolSlots = 8
	// maxFlight is how many requests may be under way, and maxFlightBytes the
	// sum of their lines' lengths; more are refused, so that cancellations are
	// still read.
	maxFlight      = 4096
	maxFlightBytes = 64 << 20
)

// A loop reads messages and answers each. The fields from reads to seq belong to
// the goroutine that reads.
type loop struct {
	Options
	mcp   *mcpserver.MCPServer
	out   *output
	asked *questions
	slots chan struct{}
	calls sync.WaitGroup

	reads     map[string]bool // names of read-only tools
	client    client          // as initialize left it
	lastWrite <-chan struct{} // closed when the last write that arrived has ended
	readable  <-chan struct{} // closed when it has ended or waits
	seq       uint64

	mu     sync.Mutex
	flight map[string]*call // by idKey
	bytes  int
}

func newLoop(o Options, out *output) *loop {
	none := make(chan struct{})
	close(none)
	l := &loop{
		Options:   o,
		out:       out,
		asked:     newQuestions(),
		slots:     make(chan struct{}, toolSlots),
		reads:     map[string]bool{},
		lastWrite: none,
		readable:  none,
		flight:    map[string]*call{},
	}
	for _, t := range o.Tools {
		hint := t.Tool.Annotations.ReadOnlyHint
		l.reads[t.Tool.Name] = hint != nil && *hint
	}
	l.mcp = register(o, func(ctx context.Context, _ any, _ mcp.MCPMethod, _ any, err error) {
		if c, ok := mcpserver.ClientSessionFromContext(ctx).(*call); ok {
			c.failure, c.modern = err, mcpserver.IsModernRequest(ctx)
		}
	})
	return l
}

// read handles messages until the input ends (nil), fails, or ctx is done (nil).
// If its goroutine is blocked then, it remains.
func (l *loop) read(ctx context.Context, in io.Reader) error {
	inputs := make(chan input)
	ended := make(chan error, 1)
	go func() {
		for r := newLineReader(in); ; {
			next, err := r.next()
			if err != nil {
				ended <- err
				return
			}
			select {
			case inputs <- next:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case next := <-inputs:
			if ctx.Err() != nil {
				return nil
			}
			l.handle(ctx, next)
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read from the client: %w", err)
		case <-ctx.Done():
			return nil
		}
	}
}

// handle answers one line.
func (l *loop) handle(ctx context.Context, in input) {
	if in.long {
		l.refuse(refusal{nil, mcp.INVALID_REQUEST, fmt.Sprintf("a message of more than %d MiB", maxLine>>20)})
		return
	}
	if len(bytes.Trim(in.line, " \t\r\n")) == 0 {
		return
	}
	m, refused := parse(in.line)
	switch {
	case refused != nil:
		l.refuse(*refused)
	case m.method == "":
		l.asked.answer(m)
	case m.id != nil:
		if code, wrong := objection(m); wrong != "" {
			l.refuse(refusal{m.id, code, wrong})
			return
		}
		l.request(ctx, m, len(in.line))
	case m.method == string(mcp.MethodNotificationCancelled):
		l.cancel(m.params)
	case m.method == string(mcp.MethodNotificationRootsListChanged) && l.FoldersChanged != nil:
		l.FoldersChanged()
	}
	// Other notifications are ignored.
}

func (l *loop) refuse(r refusal) { l.out.queue(item{line: r.line()}) }

// request starts a request. One that runs a handler gets a goroutine; others are
// answered at once, in order.
func (l *loop) request(ctx context.Context, m message, size int) {
	c := &call{message: m, size: size, client: l.client, out: l.out, asked: l.asked, ended: make(chan struct{})}
	l.seq++
	c.seq = l.seq
	c.ctx, c.cancel = context.WithCancel(ctx)
	if text := l.enter(c); text != "" {
		c.cancel()
		l.refuse(refusal{m.id, mcp.INVALID_REQUEST, text})
		return
	}
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodToolsCall:
		var params struct{ Name string }
		_ = json.Unmarshal(m.params, &params) // mcp-go will say what is wrong with it
		c.after = l.readable
		if reads, known := l.reads[params.Name]; known && !reads {
			c.after, c.wrote = l.lastWrite, make(chan struct{})
			readable := make(chan struct{})
			c.waits = sync.OnceFunc(func() { close(readable) })
			l.lastWrite, l.readable = c.wrote, readable
		}
		l.calls.Go(func() { l.callTool(c) })
	case mcp.MethodResourcesRead, mcp.MethodPromptsGet, mcp.MethodCompletionComplete:
		l.calls.Go(func() { l.perform(c) })
	case mcp.MethodInitialize:
		l.perform(c)
		l.client = c.client
	default:
		l.perform(c)
	}
}

// objection returns what is wrong with a request, where mcp-go says nothing or something else. mcp-go accepts any
// cursor, though all lists have one page. It answers a method of the modern era without its protocol version as
// unknown; the conformance suite (server-stateless) requires the missing member to be named. It listens for
// subscriptions that are not offered.
func objection(m message) (code int, wrong string) {
	var params struct {
		Cursor string
		Meta   map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(m.params, &params) // what is of another type counts as missing
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList:
		if params.Cursor != "" {
			return mcp.INVALID_PARAMS, "unknown cursor: the list has one page"
		}
	case mcp.MethodServerDiscover:
		if params.Meta[mcp.MetaKeyProtocolVersion] == nil {
			return mcp.INVALID_PARAMS, fmt.Sprintf("_meta lacks %q", mcp.MetaKeyProtocolVersion)
		}
	case mcp.MethodSubscriptionsListen:
		return mcp.METHOD_NOT_FOUND, "subscriptions are not offered"
	}
	return 0, ""
}

// enter notes a call as under way, so that it can be cancelled, or returns why it
// may not start.
func (l *loop) enter(c *call) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := idKey(c.id)
	switch {
	case l.flight[key] != nil:
		return "a request with this id is still under way"
	case len(l.flight) >= maxFlight || l.bytes+c.size > maxFlightBytes:
		return "too many requests are under way"
	}
	l.flight[key] = c
	l.bytes += c.size
	return ""
}

// callTool performs a tool call when its turn has come.
func (l *loop) callTool(c *call) {
	if c.wrote != nil {
		defer close(c.wrote)
		defer c.waits()
		<-c.after // even when cancelled: later writes wait for earlier ones
	}
	select {
	case <-c.after:
	case <-c.ctx.Done():
	}
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-c.ctx.Done():
	}
	l.perform(c)
}

// perform answers a call and removes it from those in flight.
func (l *loop) perform(c *call) {
	line := l.answer(c)
	c.end()
	l.mu.Lock()
	delete(l.flight, idKey(c.id))
	l.bytes -= c.size
	l.mu.Unlock()
	l.out.queue(item{line: line, call: c})
	c.cancel()
}

// cancel stops the request that notifications/cancelled names, if there is one.
func (l *loop) cancel(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil || !validID(p.RequestID) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.flight[idKey(p.RequestID)]; c != nil {
		c.cancelled.Store(true)
		c.cancel()
	}
}

// wait returns when no call is under way, when enough is closed, or after limit.
func (l *loop) wait(enough <-chan struct{}, limit time.Duration) {
	idle := make(chan struct{})
	go func() {
		l.calls.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-enough:
	case <-time.After(limit):
	}
}
