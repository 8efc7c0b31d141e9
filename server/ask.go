package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"dream-mcp/memory/secret"
)

// askPatience bounds how long a question of ours stays open: a client may declare that it can ask its
// person, and never answer.
const askPatience = 10 * time.Minute

// questions are the server's own requests that are not answered yet. Only protocol versions before 2026-07-28 have
// them; since then a result asks, and the client calls again.
type questions struct {
	patience time.Duration

	mu    sync.Mutex
	asked int
	open  map[string]chan<- json.RawMessage // by id; one answer fits into each
	ended bool
}

func newQuestions() *questions {
	return &questions{patience: askPatience, open: map[string]chan<- json.RawMessage{}}
}

// ask opens a question; the caller calls closed when it no longer waits for the answer. A nil result, or a
// closed channel, means that there was none.
func (q *questions) ask() (id string, answer <-chan json.RawMessage, closed func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	id = "ask-" + strconv.Itoa(q.asked)
	result := make(chan json.RawMessage, 1)
	if q.ended {
		close(result)
	} else {
		q.open[id] = result
	}
	return id, result, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.open, id)
	}
}

// answer delivers a response of the client: its result, or nil for an error. The first response to a question
// counts, and others are dropped.
func (q *questions) answer(m message) {
	var id string
	if json.Unmarshal(m.id, &id) != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if result := q.open[id]; result != nil {
		delete(q.open, id)
		result <- m.result
	}
}

// end closes all questions: no more answers will come.
func (q *questions) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	for id, result := range q.open {
		close(result)
		delete(q.open, id)
	}
}

// RequestElicitation asks the client to show its person a form. An error, garbage or silence counts as
// "cancel". The error is the context's, or says that the client has not declared this capability.
func (c *call) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	params, err := secret.JSON(r.Params)
	if err != nil {
		return nil, err
	}
	result, err := c.request(ctx, mcp.InputRequest{Method: mcp.MethodElicitationCreate, Elicitation: &r.Params}, params, c.asked.patience)
	if err != nil {
		return nil, err
	}
	return elicited(result), nil
}

// rootsPatience bounds the wait for the client's folders, for which it need not ask a person.
const rootsPatience = 5 * time.Second

// ListRoots asks the client for its folders. An error, garbage or silence counts as none.
func (c *call) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	result, err := c.request(ctx, mcp.InputRequest{Method: mcp.MethodListRoots}, json.RawMessage("{}"), min(rootsPatience, c.asked.patience))
	if err != nil {
		return nil, err
	}
	var roots mcp.ListRootsResult
	if json.Unmarshal(result, &roots) != nil {
		roots = mcp.ListRootsResult{}
	}
	return &roots, nil
}

// request sends the client a request of ours and returns its result, or nil for none. The error is the
// context's, or says that the client has not declared this capability.
func (c *call) request(ctx context.Context, what mcp.InputRequest, params json.RawMessage, patience time.Duration) (json.RawMessage, error) {
	if _, declared := demands(c.client.can, what); !declared {
		return nil, fmt.Errorf("%s was not declared by the client", what.Method)
	}
	id, answer, closed := c.asked.ask()
	defer closed()
	c.out.queue(item{call: c, line: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, id, what.Method, params)})
	withdraw := func(why string) {
		c.out.queue(item{line: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"requestId":%q,"reason":%q}}`, mcp.MethodNotificationCancelled, id, why)})
	}
	var result json.RawMessage
	select {
	case result = <-answer:
	case <-time.After(patience):
		withdraw("nobody answered")
	case <-ctx.Done():
		withdraw("the call that asked has ended")
	}
	return result, ctx.Err() // an answer after the end does not count
}

// elicited reads what a client answered.
func elicited(result json.RawMessage) *mcp.ElicitationResult {
	var said mcp.ElicitationResponse
	// A map has exact keys; a struct would match "Action" too.
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) == nil && json.Unmarshal(members["action"], &said.Action) == nil && members["content"] != nil {
		if json.Unmarshal(members["content"], &said.Content) != nil {
			said.Action = mcp.ElicitationResponseActionCancel
		}
	}
	switch said.Action {
	case mcp.ElicitationResponseActionAccept, mcp.ElicitationResponseActionDecline:
	default:
		said = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}
	}
	return &mcp.ElicitationResult{ElicitationResponse: said}
}
