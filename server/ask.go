package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// askPatience bounds how long a question of ours stays open: a client that declared that it can ask its
// person, and never answers, does not hold a call up for ever.
const askPatience = 10 * time.Minute

// questions are what the server has asked its client and waits for: so it was done before 2026-07-28. Since
// then a result asks, and the client calls again.
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

// ask opens a question; closed says that nobody waits for its answer any more. An answer that is nil, or
// closed, is none.
func (q *questions) ask() (id string, answer <-chan json.RawMessage, closed func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	id = "ask-" + strconv.Itoa(q.asked)
	told := make(chan json.RawMessage, 1)
	if q.ended {
		close(told)
	} else {
		q.open[id] = told
	}
	return id, told, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.open, id)
	}
}

// answer takes in a response of the client's: its result, or nil for an error. The first counts; what answers
// no open question is dropped.
func (q *questions) answer(m message) {
	var id string
	if json.Unmarshal(m.id, &id) != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if told := q.open[id]; told != nil {
		delete(q.open, id)
		told <- m.result
	}
}

// end says that no more answers will come.
func (q *questions) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	for id, told := range q.open {
		close(told)
		delete(q.open, id)
	}
}

// RequestElicitation asks the client to put a form before its person. Whatever is not an answer to it (an
// error, garbage, silence) is "cancel". The error is the context's, or that the client has not declared
// that it can be asked.
func (c *call) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	params, err := encode(r.Params)
	if err != nil {
		return nil, err
	}
	result, err := c.request(ctx, mcp.InputRequest{Method: mcp.MethodElicitationCreate, Elicitation: &r.Params}, params, c.asked.patience)
	if err != nil {
		return nil, err
	}
	return elicited(result), nil
}

// rootsPatience bounds how long the client's folders are waited for. No person is asked for them.
const rootsPatience = 5 * time.Second

// ListRoots asks the client for its folders. Whatever is not an answer to that is none.
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

// request sends the client a request of ours and returns its result, nil for none. The error is the
// context's, or that the client has not declared that it can be asked this.
func (c *call) request(ctx context.Context, what mcp.InputRequest, params json.RawMessage, patience time.Duration) (json.RawMessage, error) {
	if _, declared := demands(c.client.can, what); !declared {
		return nil, fmt.Errorf("%s was not declared by the client", what.Method)
	}
	id, answer, closed := c.asked.ask()
	defer closed()
	c.out.put(item{call: c, line: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, id, what.Method, params)})
	withdraw := func(why string) {
		c.out.put(item{line: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"requestId":%q,"reason":%q}}`, mcp.MethodNotificationCancelled, id, why)})
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
	// A map, for its keys are exact where a struct's match in any case: of "action" and "Action" the last would count.
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
