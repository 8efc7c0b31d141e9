package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const introduced = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"},"capabilities":%s}}`

// A client of the protocol before 2026-07-28 that declared elicitation is asked by a request. Each row is an answer
// of the client, in which ID is replaced by the question's.
func TestAsk(t *testing.T) {
	for _, row := range []struct{ answer, want string }{
		{`{"jsonrpc":"2.0","id":"ID","result":{"action":"accept","content":{"x":1}}}`, "accept"},
		{`{"jsonrpc":"2.0","id":"ID","result":{"action":"decline"}}`, "decline"},
		{`{"jsonrpc":"2.0","id":"ID","result":{"action":"cancel"}}`, "cancel"},
		{`{"jsonrpc":"2.0","id":"ID","result":{"action":"ACCEPT"}}`, "cancel"},
		{`{"jsonrpc":"2.0","id":"ID","result":{}}`, "cancel"},
		{`{"jsonrpc":"2.0","id":"ID","result":null}`, "cancel"},
		{`{"jsonrpc":"2.0","id":"ID","result":7}`, "cancel"},
		{`{"jsonrpc":"2.0","id":"ID","error":{"code":-32601,"message":"what?"}}`, "cancel"},
		{`{"jsonrpc":"2.0","id":"ID","result":{"action":"accept"},"error":null}`, "accept"},
		// Responses to other requests are ignored, and the first answer counts.
		{`{"jsonrpc":"2.0","id":"other","result":{"action":"accept"}}` + "\n" + `{"jsonrpc":"2.0","id":"ID","result":{"action":"decline"}}` + "\n" +
			`{"jsonrpc":"2.0","id":"ID","result":{"action":"accept"}}`, "decline"},
		{`{"jsonrpc":"2.0","result":{"action":"accept"}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" +
			`{"jsonrpc":"2.0","id":"ID","result":{"action":"decline"}}`, "decline"},
	} {
		p := dial(t, sample())
		p.ask(fmt.Sprintf(introduced, `{"elicitation":{}}`))
		p.write(toolCall(2, `"_meta":{}`, "ask", `{}`))
		q := p.read()
		var params struct {
			Message         string
			RequestedSchema json.RawMessage
		}
		if err := json.Unmarshal(q.Params, &params); err != nil || q.Method != "elicitation/create" || params.Message != "Sure?" || len(params.RequestedSchema) == 0 {
			t.Fatalf("asked %s", q.raw)
		}
		var id string
		if err := json.Unmarshal(q.ID, &id); err != nil {
			t.Fatal(err)
		}
		p.write(strings.ReplaceAll(row.answer, "ID", id))
		if r := p.read(); !strings.Contains(r.raw, "answered "+row.want) {
			t.Errorf("%s: got %s", row.answer, r.raw)
		}
		p.silent()
	}
}

// A question that is not answered is withdrawn after a while, when its call is cancelled, and when the input
// ends; then nothing waits for it.
func TestUnansweredQuestion(t *testing.T) {
	q := newQuestions()
	q.patience = time.Millisecond
	can := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}}
	c := &call{client: client{can: can}, out: newOutput(Options{}), asked: q}
	result, err := c.RequestElicitation(t.Context(), mcp.ElicitationRequest{})
	if err != nil || result.Action != "cancel" || len(q.open) != 0 || len(c.out.items) != 2 {
		t.Errorf("silence: %+v, %v, %d open, %d lines", result, err, len(q.open), len(c.out.items))
	}

	// An answer that is there when the call is cancelled does not count.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q.end()
	for range 50 {
		c.out = newOutput(Options{})
		if result, err := c.RequestElicitation(ctx, mcp.ElicitationRequest{}); err == nil {
			t.Fatalf("after the end of the call: %+v", result)
		}
	}

	p := dial(t, sample())
	p.ask(fmt.Sprintf(introduced, `{"elicitation":{"form":{}}}`))
	p.write(toolCall(2, `"_meta":{}`, "ask", `{}`))
	asked := p.read()
	p.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if r := p.read(); r.Method != "notifications/cancelled" || !strings.Contains(string(r.Params), string(asked.ID)) {
		t.Errorf("cancelled: got %s", r.raw)
	}
	p.write(toolCall(3, `"_meta":{}`, "ask", `{}`))
	p.read()
	if lines, err := p.end(); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "answered cancel") {
		t.Errorf("at the end of input: %q, %v", lines, err)
	}
}
