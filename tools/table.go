// Package tools defines the tools, prompts and resources that a model uses, one file for each tool and one table of
// them all. A handler decodes, makes one call of package consolidate, and renders.
//
// It promises that arguments are checked against the schema that is shown, that every answer as it is shown is bounded
// (MaxAnswer, MaxError), and that an error that a model can fix is an answer with isError that says what is
// wrong and which call comes next, never a protocol error. Package server masks what is sent; text that is cut here is
// masked before. The package holds no state, so a crash loses nothing here. It does not promise that an answer is
// complete: a cut answer says so and how to get the rest.
//
// A dream is undone only after the client has asked its person (undo_dream); from a client that cannot ask, the answer
// is the command for a terminal.
//
// Not offered, on purpose: restoring a single memory (read_memory and write_memory do it in a dream, and
// the terminal does it to the byte), a tool that reads transcripts (a search answers in less), one that lists
// files (dream_orient does), and one that writes only the index (finalize_index, in a dream).
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
	"dream-mcp/memory/secret"
)

// Limits of answers, in characters. Claude Code cuts a success over 50,000 and an error over 10,500;
// several hosts cut at 10 KB, so that is a page.
const (
	MaxAnswer = 48_000
	MaxError  = 10_000
	maxPage   = 10_000
	pageBytes = 9_500 // of a page without its head
)

// Table is all that a server offers.
type Table struct {
	Instructions string
	Tools        []mcpserver.ServerTool
	Prompts      []mcpserver.ServerPrompt
	Resources    []mcpserver.ServerResource
	Templates    []mcpserver.ServerResourceTemplate
	Completions  Completions
}

// New returns the table over the memory p.
func New(p *consolidate.Project) Table {
	t := Table{Instructions: instructions, Prompts: prompts(p), Resources: resources(p), Templates: templates(p)}
	t.Completions = Completions{t.Prompts, func(context.Context) (*consolidate.Project, error) { return p, nil }}
	for _, tool := range []tool{
		dreamStatus(p), dreamOrient(p), grepTranscripts(p), readMemory(p), writeMemory(p), finalizeIndex(p), abortDream(p), undoDream(p), reviewDream(p),
	} {
		served := tool.serve(p.AllowSecrets)
		served.Handler = ofSession(p, served.Handler)
		t.Tools = append(t.Tools, served)
	}
	return t
}

// tool is one row of the table.
type tool struct {
	name, title, description string
	input, output            string // JSON schemas; no output: the answer is text alone
	readOnly, destructive    bool
	idempotent               bool
	always                   bool // loaded at once by hosts that defer tools
	call                     call

	// confirm, where it is not nil, makes the person be asked before the call: it returns the arguments
	// that the call is then carried out with, the question (none: nobody need be asked), and the command that does the same in a terminal.
	confirm func(ctx context.Context, arguments json.RawMessage) (resolved json.RawMessage, question, instead string, err error)
	now     func() time.Time

	// agreed is call after the person has agreed to what call refused with a *consolidate.PersonError.
	agreed call
}

// answer is text, or a value that is answered as structured content and as text that says the same.
type answer struct {
	text  string
	value any
}

func (t tool) serve(show secret.Allowed) mcpserver.ServerTool {
	no := false
	m := mcp.NewToolWithRawSchema(t.name, t.description, json.RawMessage(compact(t.input)))
	m.Title = t.title
	m.Annotations = mcp.ToolAnnotation{ReadOnlyHint: &t.readOnly, DestructiveHint: &t.destructive, IdempotentHint: &t.idempotent, OpenWorldHint: &no}
	if t.output != "" {
		m.RawOutputSchema = json.RawMessage(compact(t.output))
	}
	if t.always {
		m.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
	}
	check := checker(t.name, t.input)
	return mcpserver.ServerTool{Tool: m, Handler: func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments, err := check(r.Params.RawArguments)
		if err != nil {
			return refuse(err, show), nil
		}
		if t.confirm != nil {
			resolved, question, instead, err := t.confirm(ctx, arguments)
			if err != nil {
				return refuse(err, show), nil
			}
			var asked *mcp.CallToolResult
			if question != "" {
				asked, err = consent(ctx, r, t.name, resolved, show.Line(question), instead, t.now())
			}
			if err != nil {
				return refuse(err, show), nil
			}
			if asked != nil {
				return asked, nil
			}
			arguments = resolved
		}
		a, err := t.beating(ctx, r, arguments, t.call)
		var person *consolidate.PersonError
		if errors.As(err, &person) && t.agreed != nil {
			return t.decide(ctx, r, arguments, person, show), nil
		}
		return a.result(err, show), nil
	}}
}

type call func(ctx context.Context, arguments json.RawMessage) (answer, error)

// beating makes a call that reports its progress.
func (t tool) beating(ctx context.Context, r mcp.CallToolRequest, arguments json.RawMessage, make call) (answer, error) {
	ctx, quiet := heartbeat(ctx, t.title, beatEvery, progressOf(ctx, r))
	defer quiet()
	return make(ctx, arguments)
}

// decide asks the person about a call that only they may decide, and makes it once they agree.
func (t tool) decide(ctx context.Context, r mcp.CallToolRequest, arguments json.RawMessage, e *consolidate.PersonError, show secret.Allowed) *mcp.CallToolResult {
	asked, err := consent(ctx, r, t.name, arguments, show.Line(e.Question), e.Terminal, t.now())
	var unanswered *errUnanswered
	switch {
	case errors.As(err, &unanswered) && e.Leave != nil:
		return refuse(e.Leave(), show)
	case errors.As(err, &unanswered):
		return refuse(e, show)
	case err != nil:
		return refuse(err, show)
	case asked != nil:
		return asked
	}
	a, err := t.beating(ctx, r, arguments, t.agreed)
	return a.result(err, show)
}

// result is the answer of a call, or its error.
func (a answer) result(err error, show secret.Allowed) *mcp.CallToolResult {
	if err != nil {
		return refuse(err, show)
	}
	return a.render(show)
}

// render makes the result. What is cut is shown before it is cut.
func (a answer) render(show secret.Allowed) *mcp.CallToolResult {
	if a.value == nil {
		return mcp.NewToolResultText(cut(show.Show(a.text).Text, MaxAnswer))
	}
	data, err := plainJSON(a.value)
	if err != nil {
		return refuse(err, show)
	}
	data = show.ShowJSON(data, nil)
	return mcp.NewToolResultStructured(json.RawMessage(data), string(data))
}

// cut ends a text that is too long, and says so.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	const mark = "\n… cut here: the rest did not fit into one answer"
	return string([]rune(s)[:limit-utf8.RuneCountInString(mark)]) + mark
}
