package server

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// maxSubscriptions is how many resources may be subscribed to at a time.
const maxSubscriptions = 1024

// A client is what is known of the other side. In the legacy era it is said once
// by initialize, in the modern one by each request about itself.
type client struct {
	who     mcp.Implementation
	can     mcp.ClientCapabilities
	version string
}

// A call is one request under way. To mcp-go each is a session of its own, so
// that what one request declares or sends cannot be taken for another's.
type call struct {
	message
	seq    uint64 // what mcp-go knows it by, ours being unique and exact
	size   int    // bytes of the line
	ctx    context.Context
	cancel context.CancelFunc
	client client
	out    *output
	subs   *subscriptions
	asked  *questions

	cancelled atomic.Bool   // by the client: nothing more is written
	speaking  sync.Mutex    // held while a notification takes its place
	ended     chan struct{} // closed when its handler has returned
	live      atomic.Bool   // it has spoken: a listening call, that it is acknowledged

	after <-chan struct{} // closed when the writes that arrived before have ended
	wrote chan struct{}   // nil unless a write; closed when it has ended

	// What mcp-go says of a failure, told by its hook.
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

// Initialized is true from the start: nothing may wait for initialize.
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

// NotificationChannel hands out a channel for exactly one notification, whose
// place in the output is taken here and now. mcp-go drops what a channel cannot
// take at once; this one always can, and the place keeps the order. Once the call
// has ended or was cancelled it leads nowhere.
func (c *call) NotificationChannel() chan<- mcp.JSONRPCNotification {
	note := make(chan mcp.JSONRPCNotification, 1)
	c.speaking.Lock()
	defer c.speaking.Unlock()
	select {
	case <-c.ended:
		return note
	default:
	}
	if !c.cancelled.Load() {
		c.out.put(item{note: note, call: c})
		c.live.Store(true)
	}
	return note
}

// end says that the handler has returned: what it left behind is not heard.
func (c *call) end() {
	c.speaking.Lock()
	defer c.speaking.Unlock()
	close(c.ended)
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

// announce queues an update for whoever subscribed to uri. It holds the lock
// meanwhile, so that none follows the end of a subscription.
func (s *subscriptions) announce(uri string, out *output) {
	quoted, _ := encode(uri) // a string can always be encoded
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
		out.put(item{call: sub.call, line: fmt.Appendf(nil,
			`{"jsonrpc":"2.0","method":%q,"params":{%s"uri":%s}}`, mcp.MethodNotificationResourceUpdated, tag, quoted)})
	}
}
