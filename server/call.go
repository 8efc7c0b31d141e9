package server

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/memory/secret"
)

// maxSubscriptions is how many resources may be subscribed to at a time.
const maxSubscriptions = 1024

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
	subs   *subscriptions
	asked  *questions

	cancelled atomic.Bool   // by the client: nothing more is written
	sending   sync.Mutex    // held while a notification is queued
	ended     chan struct{} // closed when its handler has returned
	live      atomic.Bool   // a notification was queued; for a listening call the first is its acknowledgement

	after <-chan struct{} // closed when all earlier writes have ended; for a read also when the last one waits
	wrote chan struct{}   // nil unless a write; closed when it has ended
	waits func()          // of a write: later reads need not wait for it

	// Set by mcp-go's error hook.
	failure error
	modern  bool
}

var (
	_ mcpserver.SessionWithClientInfo               = (*call)(nil)
	_ mcpserver.SessionWithProtocolVersion          = (*call)(nil)
	_ mcpserver.SessionWithResourceSubscriptionsErr = (*call)(nil)
	_ mcpserver.SessionWithElicitation              = (*call)(nil)
	_ mcpserver.SessionWithRoots                    = (*call)(nil)
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
func (c *call) SubscribeToResource(uri string)                   { _ = c.subs.add(uri, c.stream()) }
func (c *call) SubscribeToResourceErr(uri string) error          { return c.subs.add(uri, c.stream()) }
func (c *call) UnsubscribeFromResource(uri string)               { c.subs.remove(uri, c.stream()) }
func (c *call) SubscribedResources() []string                    { return c.subs.of(c.stream()) }

// IsSubscribedToResource reports whether uri is subscribed to, by this call when
// it listens, else by the connection.
func (c *call) IsSubscribedToResource(uri string) bool {
	return slices.Contains(c.SubscribedResources(), uri)
}

// stream is the call that a subscription belongs to, nil for the connection.
func (c *call) stream() *call {
	if c.method == string(mcp.MethodSubscriptionsListen) {
		return c
	}
	return nil
}

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
		c.live.Store(true)
	}
	return note
}

// end notes that the handler has returned: later notifications are dropped.
func (c *call) end() {
	c.sending.Lock()
	defer c.sending.Unlock()
	close(c.ended)
}

// Waiting reports that the call of ctx now waits for something outside, such as a network: the reads after it need not wait
// for its end.
func Waiting(ctx context.Context) {
	if c, ok := mcpserver.ClientSessionFromContext(ctx).(*call); ok && c.waits != nil {
		c.waits()
	}
}

// A subscription is to a resource, by a listening call or (nil) by the connection.
type subscription struct {
	uri  string
	call *call
}

// subscriptions are those of one connection, in both eras.
type subscriptions struct {
	mu  sync.Mutex
	all map[subscription]struct{}
}

func (s *subscriptions) add(uri string, c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) >= maxSubscriptions {
		return fmt.Errorf("more than %d subscriptions", maxSubscriptions)
	}
	s.all[subscription{uri, c}] = struct{}{}
	return nil
}

func (s *subscriptions) remove(uri string, c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, subscription{uri, c})
}

func (s *subscriptions) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all) > 0
}

func (s *subscriptions) of(c *call) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var uris []string
	for sub := range s.all {
		if sub.call == c {
			uris = append(uris, sub.uri)
		}
	}
	return uris
}

// announce queues an update for each subscriber of uri. It holds the lock, so
// that no update follows the end of a subscription.
func (s *subscriptions) announce(uri string, out *output) {
	quoted, _ := secret.JSON(uri) // a string can always be encoded
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.all {
		if sub.uri != uri || sub.call != nil && !sub.call.live.Load() {
			continue
		}
		tag := ""
		if sub.call != nil {
			tag = fmt.Sprintf(`"_meta":{%q:%s},`, mcp.MetaKeySubscriptionID, sub.call.id)
		}
		out.queue(item{call: sub.call, line: fmt.Appendf(nil,
			`{"jsonrpc":"2.0","method":%q,"params":{%s"uri":%s}}`, mcp.MethodNotificationResourceUpdated, tag, quoted)})
	}
}
