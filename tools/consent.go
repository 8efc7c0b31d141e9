package tools

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// consentLife is how long an answer to a question is accepted.
const consentLife = 10 * time.Minute

// consentKey signs the questions of this process. A client could forge an unsigned answer.
var consentKey = func() (key [32]byte) {
	rand.Read(key[:])
	return key
}()

// errDeclined reports that the person was asked and did not agree.
var errDeclined = errors.New("the person did not agree; nothing has changed")

// errUnanswered reports that the person gave no answer, and the command that they can run in a terminal instead.
type errUnanswered struct{ why, instead string }

func (e *errUnanswered) Error() string { return e.why }

// consent returns nil if the person has agreed to run the tool with exactly these arguments. Otherwise it returns the
// question for the client, or an error. A client that cannot ask, such as `claude -p`, cancels, which does not count as consent, nor
// is an answer to another question.
func consent(ctx context.Context, r mcp.CallToolRequest, name string, arguments json.RawMessage, question, instead string, now time.Time) (*mcp.CallToolResult, error) {
	const id = "agree"
	if !canElicit(ctx) {
		return nil, &errUnanswered{"only the person may decide this, and this client cannot ask them", instead}
	}
	answer := mcpserver.ElicitationResponse(r.Params.InputResponses, id)
	if answer == nil || !signed(r.Params.RequestState, name, arguments, now) {
		return mcpserver.NewInputRequestBuilder(sign(name, arguments, now.Add(consentLife))).Elicit(id, mcp.ElicitationParams{
			Message:         short(question, 1_000),
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}, // to accept is the answer
		}).ToolResult(), nil
	}
	if answer.Action == mcp.ElicitationResponseActionCancel {
		return nil, &errUnanswered{"the person was asked and gave no answer; nothing has changed", instead}
	}
	if answer.Action != mcp.ElicitationResponseActionAccept {
		return nil, errDeclined
	}
	return nil, nil
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

func sign(name string, arguments json.RawMessage, until time.Time) string {
	mac := hmac.New(sha256.New, consentKey[:])
	fmt.Fprintf(mac, "%s %d %s", name, until.Unix(), arguments)
	return fmt.Sprintf("%d.%s", until.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

func signed(state, name string, arguments json.RawMessage, now time.Time) bool {
	at, _, _ := strings.Cut(state, ".")
	until, err := strconv.ParseInt(at, 10, 64)
	return err == nil && now.Unix() <= until && hmac.Equal([]byte(state), []byte(sign(name, arguments, time.Unix(until, 0))))
}
