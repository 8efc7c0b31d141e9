package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// told is a record as Claude Code writes it, made of what another host keeps.
type told struct {
	Type      string       `json:"type,omitempty"`
	UUID      string       `json:"uuid,omitempty"`
	Time      string       `json:"timestamp,omitempty"`
	CWD       string       `json:"cwd,omitempty"`
	Sidechain bool         `json:"isSidechain,omitempty"`
	Title     string       `json:"aiTitle,omitempty"`
	Message   *toldMessage `json:"message,omitempty"`
}

type toldMessage struct {
	Content []toldBlock `json:"content"`
}

type toldBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	UseID   string          `json:"tool_use_id,omitempty"`
	Content string          `json:"content,omitempty"`
}

func (r *told) add(b toldBlock) {
	if r.Message == nil {
		r.Message = &toldMessage{}
	}
	if len(r.Message.Content) < maxBlocks {
		r.Message.Content = append(r.Message.Content, b)
	}
}

// says adds words, if there are any.
func (r *told) says(text string) {
	if text != "" {
		r.add(toldBlock{Type: "text", Text: text})
	}
}

// asks adds what a tool was asked, and to answers what it answered. A host that names a server's tools in its own way
// ends them with an underscore and the tool's name: ours are known by Claude Code's.
func (r *told) asks(answers *told, id, name string, input json.RawMessage, output string) {
	for _, own := range ownTools {
		if tool := strings.TrimPrefix(own, "__"); name == tool || strings.HasSuffix(name, "_"+tool) {
			name = "mcp" + own
		}
	}
	r.add(toldBlock{Type: "tool_use", ID: id, Name: name, Input: input})
	if output != "" {
		answers.add(toldBlock{Type: "tool_result", UseID: id, Content: output})
	}
}

// A teller writes records, a line each.
type teller struct {
	bytes.Buffer
	out *json.Encoder
}

func newTeller() *teller {
	t := new(teller)
	t.out = json.NewEncoder(&t.Buffer)
	t.out.SetEscapeHTML(false)
	return t
}

// tell writes one record.
func (t *teller) tell(r told) {
	if t.out.Encode(r) != nil { // an input that is none
		t.bad(1)
	}
}

// tellMessage writes two lines, whatever is in them: so the lines of a message stay where they are when it, or one before it,
// says more.
func (t *teller) tellMessage(said, answers told) {
	for _, r := range []told{said, answers} {
		if r.Message == nil {
			r = told{}
		}
		t.tell(r)
	}
}

// bad writes lines that count as bad ones do anywhere.
func (t *teller) bad(n int) { t.Write(bytes.Repeat([]byte("{\n"), n)) }

// tolerate ignores a value of the wrong type: the decoder has gone on after it.
func tolerate(err error) error {
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
		return nil
	}
	return err
}
