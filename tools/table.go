// Package tools defines the tools, prompts and resources that a model uses: one file for each tool, and one table of
// them all. A handler decodes the arguments, makes one call of package consolidate, and renders the answer.
//
// Arguments are checked against the schema that the client sees. The size of an answer is limited (MaxAnswer,
// MaxError); an answer that was cut says so, and how to get the rest. An error that a model can fix is an answer with
// isError, which names the problem and the next call, and not a protocol error. Package server masks credentials in
// what is sent; text that is cut here is masked first. The package has no state, so a crash loses nothing.
//
// A dream is undone only after the client asked its person (undo_dream). A client that cannot ask gets the command for a
// terminal.
//
// There is deliberately no tool that restores a single memory (read_memory and write_memory do it, and the terminal
// restores the exact bytes), reads a transcript (grep_transcripts needs less), lists files (dream_orient does), or writes
// only the index (finalize_index does, in a dream).
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
	pageBytes = 9_500 // a page without its header
)

// Table is everything that a server offers.
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
	input, output            string // JSON schemas; without output, the answer is only text
	readOnly, destructive    bool
	idempotent               bool
	always                   bool // hosts that load tools later load this one at once
	call                     call

	// confirm, if not nil, returns the question that the person must agree to before the call ("" for none), the arguments
	// of the call once they agree, and the equivalent command for a terminal.
	confirm func(ctx context.Context, arguments json.RawMessage) (resolved json.RawMessage, question, instead string, err error)
	now     func() time.Time

	// agreed is called once the person agrees to what call refused with a *consolidate.PersonError.
	agreed call
}

// answer is text, or a value that is sent as structured content and as the same JSON in text.
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
		a, err := t.withProgress(ctx, r, arguments, t.call)
		var person *consolidate.PersonError
		if errors.As(err, &person) && t.agreed != nil {
			return t.askPerson(ctx, r, arguments, person, show), nil
		}
		return a.result(err, show), nil
	}}
}

type call func(ctx context.Context, arguments json.RawMessage) (answer, error)

// withProgress runs a call and reports its progress.
func (t tool) withProgress(ctx context.Context, r mcp.CallToolRequest, arguments json.RawMessage, run call) (answer, error) {
	ctx, stop := heartbeat(ctx, t.title, beatEvery, progressOf(ctx, r))
	defer stop()
	return run(ctx, arguments)
}

// askPerson asks the person about a call that only they may decide, and runs it once they agree.
func (t tool) askPerson(ctx context.Context, r mcp.CallToolRequest, arguments json.RawMessage, e *consolidate.PersonError, show secret.Allowed) *mcp.CallToolResult {
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
	a, err := t.withProgress(ctx, r, arguments, t.agreed)
	return a.result(err, show)
}

// result renders the answer of a call, or its error.
func (a answer) result(err error, show secret.Allowed) *mcp.CallToolResult {
	if err != nil {
		return refuse(err, show)
	}
	return a.render(show)
}

// render renders an answer. Text is masked before it is cut.
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

// cut cuts a text after limit characters, and says so.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	const mark = "\n… cut here: the rest does not fit into one answer"
	return string([]rune(s)[:limit-utf8.RuneCountInString(mark)]) + mark
}
