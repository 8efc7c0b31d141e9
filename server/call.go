package server

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// A client is what is known of the other side. In the legacy era initialize says
// it once, in the modern era each request does.
type client struct {
	who     mcp.Implementation
	can     mcp.ClientCapabilities
	version string
}

// A call is one request under way. mcp-go sees each as a session, so that what
// one request declares or sends is not mixed up with another's.
type call struct {
	message
	seq    uint64 // its id in mcp-go: unique, and exact in a float64
	size   int    // bytes of the line
	ctx    context.Context
	cancel context.CancelFunc
	client client
	out    *output
	asked  *questions

	cancelled atomic.Bool   // by the client: nothing more is written
	sending   sync.Mutex    // held while a notification is queued
	ended     chan struct{} // closed when its handler has returned

	after <-chan struct{} // closed when all earlier writes have ended; for a read also when the last one waits
	wrote chan struct{}   // nil unless a write; closed when it has ended
	waits func()          // of a write: later reads need not wait for it

	// Set by mcp-go's error hook.
	failure error
	modern  bool
}

var (
	_ mcpserver.SessionWithClientInfo      = (*call)(nil)
	_ mcpserver.SessionWithProtocolVersion = (*call)(nil)
	_ mcpserver.SessionWithElicitation     = (*call)(nil)
	_ mcpserver.SessionWithRoots           = (*call)(nil)
)

func (c *call) SessionID() string { return "stdio" }
func (c *call) Initialize()       {}

// Initialized is always true: nothing waits for initialize.
func (c *call) Initialized() bool { return true }

func (c *call) GetClientInfo() mcp.Implementation                { return c.client.who }
func (c *call) SetClientInfo(who mcp.Implementation)             { c.client.who = who }
func (c *call) GetClientCapabilities() mcp.ClientCapabilities    { return c.client.can }
func (c *call) SetClientCapabilities(can mcp.ClientCapabilities) { c.client.can = can }
func (c *call) ProtocolVersion() string                          { return c.client.version }
func (c *call) SetProtocolVersion(version string)                { c.client.version = version }

// NotificationChannel returns a channel for exactly one notification, and queues
// it at once, which keeps the order. mcp-go drops a notification when its channel
// is full; this one has room for it. After the call has ended or was cancelled the
// notification is dropped.
func (c *call) NotificationChannel() chan<- mcp.JSONRPCNotification {
	note := make(chan mcp.JSONRPCNotification, 1)
	c.sending.Lock()
	defer c.sending.Unlock()
	select {
	case <-c.ended:
		return note
	default:
	}
	if !c.cancelled.Load() {
		c.out.queue(item{note: note, call: c})
	}
	return note
}

// end notes that the handler has returned: later notifications are dropped.
func (c *call) end() {
	c.sending.Lock()
	defer c.sending.Unlock()
	close(c.ended)
}

// Waiting reports that the call of ctx now waits for something outside, such as a network: the reads after it need not
// wait for its end.
func Waiting(ctx context.Context) {
	if c, ok := mcpserver.ClientSessionFromContext(ctx).(*call); ok && c.waits != nil {
		c.waits()
	}
}
