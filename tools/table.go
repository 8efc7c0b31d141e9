// Package tools defines the tools, prompts and resources that a model uses: one file for each tool, and one table of
// them all. The function of a tool calls package consolidate, and renders the answer. What a client sees of
// the tools is in the folder wire.
//
// Arguments are checked against the schema in the folder wire; the client sees it without its limits. The size of an
// answer is limited (maxAnswer, maxError); an answer that was cut says so, and how to get the rest. An error that a
// model can fix is an answer with isError, which names the problem and the next call, and not a protocol error. Package
// server masks credentials in what is sent; text that is cut here is masked first. The package has no state, so a crash
// loses nothing.
//
// A dream is undone only after the client asked its person (undo_dream). A client that cannot ask gets the command for
// a terminal.
//
// There is deliberately no tool that restores a single memory (read_memory and write_memory do it, and the terminal
// restores the exact bytes), reads a transcript (grep_transcripts needs less), lists files (dream_orient does), or
// writes only the index (finalize_index does, in a dream).
package tools

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"dream-mcp/consolidate"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/secret"
)

// Limits of answers, in characters. Claude Code cuts a success over 50,000 and an error over 10,500;
// several hosts cut at 10 KB, so that is a page.
const (
	maxAnswer = 48_000
	maxError  = 10_000
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
	Completions  *Connection // completes what a person types: the path of a memory, or a session
}

// Table returns what a server offers to the client of this connection.
func (c *Connection) Table() Table {
	if c.Project != nil {
		c.use(c.Project)
	}
	t := Table{Instructions: instructions, Resources: c.resources(), Templates: c.templates(), Completions: c}
	for _, prompt := range prompts {
		t.Prompts = append(t.Prompts, prompt.serve(c))
	}
	for _, tool := range all {
		t.Tools = append(t.Tools, tool.serve(c))
	}
	return t
}

// tool is one row of the table. What a client sees of it is in the folder wire.
type tool struct {
	name string
	call call
}

var all = []tool{
	{"dream_status", dreamStatus},
	{"dream_orient", calls(dreamOrient)},
	{"grep_transcripts", calls(grepTranscripts)},
	{"read_memory", calls(readMemory)},
	{"write_memory", writeMemory},
	{"finalize_index", calls(finalizeIndex)},
	{"abort_dream", calls(abortDream)},
	{"undo_dream", calls(undoDream)},
	{"review_dream", calls(reviewDream)},
}

//go:embed wire/*.json
var wire embed.FS

// definition returns what a client sees of a tool.
func definition(tool string) mcp.Tool {
	var d struct {
		Name, Title, Description  string
		InputSchema, OutputSchema json.RawMessage
		Annotations               mcp.ToolAnnotation
		Meta                      map[string]any `json:"_meta"`
	}
	data, err := wire.ReadFile("wire/" + tool + ".json")
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		panic(err) // a test reads every definition
	}
	m := mcp.NewToolWithRawSchema(d.Name, d.Description, d.InputSchema)
	m.Title, m.Annotations, m.RawOutputSchema = d.Title, d.Annotations, d.OutputSchema
	if d.Meta != nil {
		m.Meta = mcp.NewMetaFromMap(d.Meta)
	}
	return m
}

// limitWords are the words of a schema that a model needs only if it breaks them.
var limitWords = lazy.New(`,"(?:minLength|maxLength|minItems|maxItems|minimum|maximum)":\d+|,"additionalProperties":false|,"required":\[[^]]*\]`)

// published returns a schema as clients see it: compact, and without its limits. They are a tenth of what every session
// of a host reads; a call that breaks one is refused with it. The arguments of one write are shown as those of each of
// writes, though a call may have them itself; they are checked one by one, so that a bad one does not refuse the
// others.
func published(schema json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		panic(err) // a test reads every definition
	}
	s := limitWords.ReplaceAll(b.Bytes(), nil)
	if one, writes, several := bytes.Cut(s, []byte(`,"writes":`)); several {
		writes = bytes.Replace(writes, []byte(`"items":{"type":"object"}`), slices.Concat([]byte(`"items":`), one, []byte("}}")), 1)
		return slices.Concat([]byte(`{"type":"object","properties":{"writes":`), writes)
	}
	return s
}

// A call runs a tool over a memory. The arguments match the schema of the tool.
type call func(ctx context.Context, p *consolidate.Project, arguments json.RawMessage) (answer, error)

// calls returns the call of a function that takes decoded arguments.
func calls[T any](run func(context.Context, *consolidate.Project, T) (answer, error)) call {
	return func(ctx context.Context, p *consolidate.Project, arguments json.RawMessage) (answer, error) {
		var decoded T
		if err := json.Unmarshal(arguments, &decoded); err != nil {
			return answer{}, err
		}
		return run(ctx, p, decoded)
	}
}

// answer is text, or a value, an object, that is sent as structured content and as the same JSON in text.
type answer struct {
	text  string
	value any
	most  int    // bytes of the value; 0: maxAnswer
	rest  string // how to get what a value leaves out that is longer
}

func (t tool) serve(c *Connection) mcpserver.ServerTool {
	m := definition(t.name)
	check := checker(m)
	m.RawInputSchema = published(m.RawInputSchema)
	return mcpserver.ServerTool{Tool: m, Handler: func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		p, ask, err := c.find(ctx, r.Params.MultiRoundTripParams)
		switch {
		case err != nil:
			return refuse(err, c.Allowed()), nil
		case ask != nil:
			return ask.ToolResult(), nil
		}
		namesSession(p, r)
		arguments, err := check(r.Params.RawArguments)
		if err != nil {
			return refuse(err, p.Store.AllowSecrets), nil
		}
		ctx, stop := heartbeat(ctx, m.Title, r)
		defer stop()
		a, err := t.call(ctx, p, arguments)
		if q, ok := errors.AsType[*question](err); ok {
			q.about, q.text = fmt.Sprintf("%s %s", t.name, arguments), p.Store.AllowSecrets.Line(q.text)
			form, refused := q.consent(ctx, r, p.Store.Now())
			switch {
			case refused != nil:
				return refuse(refused, p.Store.AllowSecrets), nil
			case form != nil:
				return form, nil
			}
			a, err = q.agreed(ctx)
		}
		p.Reported(err)
		return a.result(err, p.Store.AllowSecrets), nil
	}}
}

// result renders the answer of a call, or its error. Text is masked before it is cut.
func (a answer) result(err error, show secret.Allowed) *mcp.CallToolResult {
	if err == nil && a.value == nil {
		return mcp.NewToolResultText(cut(show.Show(a.text).Text, maxAnswer))
	}
	var data []byte
	if err == nil {
		data, err = secret.JSON(a.value)
	}
	if err != nil {
		return refuse(err, show)
	}
	data = bounded(show.ShowJSON(data, nil), cmp.Or(a.most, maxAnswer), a.rest)
	return mcp.NewToolResultStructured(json.RawMessage(data), string(data))
}

// cut cuts a text after limit characters, and says so. It closes a quotation that it cuts.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	const mark = "\n… cut here: the rest does not fit into one answer"
	s = string([]rune(s)[:limit-utf8.RuneCountInString("\n"+fenceClose+mark)])
	if fenceIsOpen(strings.Split(s, "\n")) {
		s += "\n" + fenceClose
	}
	return s + mark
}
