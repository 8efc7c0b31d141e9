package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/memory/secret"
	"dream-mcp/memory/visible"
)

// maxErrorText bounds an error's text in bytes: it may quote the client.
const maxErrorText = 2000

// answer runs a request through mcp-go and returns the line that answers it.
func (l *loop) answer(c *call) (line []byte) {
	defer func() {
		if p := recover(); p != nil {
			l.Log.LogAttrs(context.Background(), slog.LevelError, "panic", slog.String("method", c.method),
				slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			line = refusal{c.id, mcp.INTERNAL_ERROR, "internal error"}.line()
		}
	}()
	if c.ctx.Err() != nil {
		return stopped(c).line()
	}
	method, _ := secret.JSON(c.method)
	params := c.params
	if params == nil {
		params = json.RawMessage("{}")
	}
	// mcp-go gets a new message, with these four members and no others, and an
	// id that float64 represents exactly.
	raw := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%s,"params":%s}`, c.seq, method, params)
	switch response := l.mcp.HandleMessage(l.mcp.WithContext(c.ctx, c), raw).(type) {
	case mcp.JSONRPCError:
		return l.failed(c, response.Error)
	case mcp.JSONRPCResponse:
		return l.result(c, response.Result)
	default:
		l.Log.Error("no answer", "method", c.method)
		return refusal{c.id, mcp.INTERNAL_ERROR, "internal error"}.line()
	}
}

// result renders what a request returned.
func (l *loop) result(c *call, result any) []byte {
	var asked mcp.InputRequests
	switch r := result.(type) {
	case *mcp.CallToolResult:
		asked = r.InputRequests
	case mcp.GetPromptResult:
		asked = r.InputRequests
	}
	needed := map[string]any{}
	for _, request := range asked {
		if capability, declared := demands(c.client.can, request); !declared {
			maps.Copy(needed, capability)
		}
	}
	if len(needed) > 0 {
		l.Log.Error("asked for what the client did not offer", "method", c.method, "needed", needed)
		body, _ := secret.JSON(mcp.JSONRPCErrorDetails{ // strings and maps can always be encoded
			Code:    mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
			Message: "the client did not declare what this request needs",
			Data:    map[string]any{"requiredCapabilities": needed},
		})
		return errorLine(c.id, body)
	}
	body, err := secret.JSON(result)
	if err != nil {
		l.Log.Error("answer cannot be encoded", "method", c.method, "error", err)
		return refusal{c.id, mcp.INTERNAL_ERROR, "internal error"}.line()
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, c.id, body)
}

// demands returns what a client must have declared to be asked this, as it declares it, and whether it did.
func demands(can mcp.ClientCapabilities, request mcp.InputRequest) (capability map[string]any, declared bool) {
	yes := map[string]any{}
	switch request.Method {
	case mcp.MethodElicitationCreate:
		e := can.Elicitation
		if request.Elicitation != nil && request.Elicitation.Mode == mcp.ElicitationModeURL {
			return map[string]any{"elicitation": map[string]any{"url": yes}}, e != nil && e.URL != nil
		}
		// Without a mode, a form is meant: it was the first mode.
		return map[string]any{"elicitation": yes}, e != nil && (e.Form != nil || e.URL == nil)
	case mcp.MethodSamplingCreateMessage:
		return map[string]any{"sampling": yes}, can.Sampling != nil
	default:
		return map[string]any{"roots": yes}, can.Roots != nil
	}
}

// failed renders an error. The code depends on the failure: mcp-go answers
// "internal" for every error of a handler.
func (l *loop) failed(c *call, e mcp.JSONRPCErrorDetails) []byte {
	var unparsable *mcpserver.UnparsableMessageError
	switch {
	case errors.As(c.failure, &unparsable):
		e.Code, e.Message = mcp.INVALID_PARAMS, misfit(unparsable)
	case errors.Is(c.failure, mcp.ErrResourceNotFound), errors.Is(c.failure, mcpserver.ErrResourceNotFound):
		e.Code = mcp.RESOURCE_NOT_FOUND
		if c.modern {
			e.Code = mcp.INVALID_PARAMS
		}
		e.Data = map[string]string{"uri": c.uri()}
	case errors.Is(c.failure, mcp.ErrInvalidParams):
		e.Code = mcp.INVALID_PARAMS
	case e.Code == mcp.INTERNAL_ERROR && c.ctx.Err() != nil:
		return stopped(c).line()
	case e.Code == mcp.INTERNAL_ERROR:
		l.Log.Error("handler failed", "method", c.method, "error", e.Message)
		e.Message = "internal error"
	}
	e.Message = visible.Cut(l.Allowed().Line(e.Message), maxErrorText)
	body, err := secret.JSON(e)
	if err != nil {
		return refusal{c.id, e.Code, e.Message}.line()
	}
	return errorLine(c.id, body)
}

// uri is the resource that a request names.
func (c *call) uri() string {
	var params struct{ URI string }
	_ = json.Unmarshal(c.params, &params) // mcp-go has read it before
	return visible.Cut(params.URI, maxErrorText)
}

// misfit describes which param has the wrong type.
func misfit(err error) string {
	wrong, is := errors.AsType[*json.UnmarshalTypeError](err)
	if !is || wrong.Field == "" {
		return "params do not have the form that this method needs"
	}
	got, _, _ := strings.Cut(wrong.Value, " ") // of "number 1.5"
	return fmt.Sprintf("%s must not be of type %s", wrong.Field, got)
}

// stopped refuses a call when the server ends.
func stopped(c *call) refusal {
	return refusal{c.id, mcp.INTERNAL_ERROR, "the server is stopping"}
}

func (r refusal) line() []byte {
	// Neither an int nor a string can fail to be encoded.
	body, _ := secret.JSON(mcp.JSONRPCErrorDetails{Code: r.code, Message: visible.Cut(r.text, maxErrorText)})
	return errorLine(r.id, body)
}

func errorLine(id, body json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, body)
}
