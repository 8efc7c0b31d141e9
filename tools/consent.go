package tools

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory/visible"
)

// consentLife is how long an answer to a question is accepted.
const consentLife = 10 * time.Minute

// consentKey signs the questions of this process. A client could forge an unsigned answer.
var consentKey = func() (key [32]byte) {
	rand.Read(key[:])
	return key
}()

// errDeclined reports that the person was asked and did not agree.
var errDeclined = ops.Refuse("the person did not agree; nothing has changed", "do not ask again unless they say so")

// A question refuses a call that only the person may decide. Once they agree, agreed runs in its place.
type question struct {
	about    string // the tool and its arguments
	text     string
	terminal string       // the equivalent command for a terminal
	left     func() error // what the person's silence does; if nil, they are named the command
	declined func() error // what their no does; if nil, nothing
	agreed   func(context.Context) (answer, error)
}

func (q *question) Error() string { return q.text }

// ifAgreed returns err. If only the person may decide, it is a question about agreed.
func ifAgreed(err error, agreed func(context.Context) (answer, error)) error {
	person, ok := errors.AsType[*consolidate.PersonError](err)
	if !ok {
		return err
	}
	left := person.Leave
	if left == nil {
		left = person.Unwrap
	}
	return &question{text: person.Question, terminal: person.Terminal, left: left, declined: person.Declined, agreed: agreed}
}

// unanswered returns the error for a question without an answer.
func (q *question) unanswered(why string) error {
	if q.left != nil {
		return q.left()
	}
	return ops.Refuse(why, "tell them the command for a terminal: "+q.terminal)
}

// consent returns nil if the person has agreed to exactly this question about exactly these arguments. Otherwise it
// returns the form for the client, or an error. A client that cannot ask, such as `claude -p`, cancels, which does not
// count as consent, nor is an answer to another question.
func (q *question) consent(ctx context.Context, r mcp.CallToolRequest, now time.Time) (*mcp.CallToolResult, error) {
	const id = "agree"
	if !canElicit(ctx) {
		return nil, q.unanswered("only the person may decide this, and this client cannot ask them")
	}
	answer := mcpserver.ElicitationResponse(r.Params.InputResponses, id)
	if answer == nil || !q.signed(r.Params.RequestState, now) {
		return mcpserver.NewInputRequestBuilder(q.sign(now.Add(consentLife))).Elicit(id, mcp.ElicitationParams{
			Message:         visible.Short(q.text, 1_000),
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}, // to accept is the answer
		}).ToolResult(), nil
	}
	switch answer.Action {
	case mcp.ElicitationResponseActionAccept:
		return nil, nil
	case mcp.ElicitationResponseActionCancel:
		return nil, q.unanswered("the person was asked and gave no answer; nothing has changed")
	}
	if q.declined != nil {
		return nil, q.declined()
	}
	return nil, errDeclined
}

// canElicit reports whether the client can show a form to its person. To a client of the older protocol package server
// sends a request, and mcp-go calls again with the answer.
func canElicit(ctx context.Context) bool {
	session, ok := mcpserver.ClientSessionFromContext(ctx).(mcpserver.SessionWithClientInfo)
	if !ok {
		return false
	}
	can := session.GetClientCapabilities().Elicitation
	return can != nil && (can.Form != nil || can.URL == nil)
}

func (q *question) sign(until time.Time) string {
	mac := hmac.New(sha256.New, consentKey[:])
	fmt.Fprintf(mac, "%d %q %q", until.Unix(), q.about, q.text)
	return fmt.Sprintf("%d.%s", until.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

func (q *question) signed(state string, now time.Time) bool {
	at, _, _ := strings.Cut(state, ".")
	until, err := strconv.ParseInt(at, 10, 64)
	return err == nil && now.Unix() <= until && hmac.Equal([]byte(state), []byte(q.sign(time.Unix(until, 0))))
}
