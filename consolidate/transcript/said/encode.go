package said

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// A claudeRecord is a record as Claude Code writes it, made of what another host keeps.
type claudeRecord struct {
	Type      string        `json:"type,omitempty"`
	UUID      string        `json:"uuid,omitempty"`
	Time      string        `json:"timestamp,omitempty"`
	CWD       string        `json:"cwd,omitempty"`
	Sidechain bool          `json:"isSidechain,omitempty"`
	Title     string        `json:"aiTitle,omitempty"`
	Message   claudeMessage `json:"message,omitzero"`
}

type claudeMessage struct {
	Content []claudeBlock `json:"content"`
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	UseID   string          `json:"tool_use_id,omitempty"`
	Content string          `json:"content,omitempty"`
}

func (r *claudeRecord) add(b claudeBlock) {
	if len(r.Message.Content) < maxBlocks {
		r.Message.Content = append(r.Message.Content, b)
	}
}

// addText adds words, if there are any.
func (r *claudeRecord) addText(text string) {
	if text != "" {
		r.add(claudeBlock{Type: "text", Text: text})
	}
}

// addUse adds what a tool was asked, and to answers what it answered. A host that has its own names for the tools of
// servers ends them with an underscore and the tool's name; ours get Claude Code's names.
func (r *claudeRecord) addUse(answers *claudeRecord, id, name string, input json.RawMessage, output string) {
	for _, own := range ownTools {
		if tool := strings.TrimPrefix(own, "__"); name == tool || strings.HasSuffix(name, "_"+tool) {
			name = "mcp" + own
		}
	}
	r.add(claudeBlock{Type: "tool_use", ID: id, Name: name, Input: input})
	if output != "" {
		answers.add(claudeBlock{Type: "tool_result", UseID: id, Content: output})
	}
}

// An encoder writes records, a line each.
type encoder struct {
	bytes.Buffer
	out *json.Encoder
}

func newEncoder() *encoder {
	t := new(encoder)
	t.out = json.NewEncoder(&t.Buffer)
	t.out.SetEscapeHTML(false)
	return t
}

// encode writes one record.
func (t *encoder) encode(r claudeRecord) {
	if t.out.Encode(r) != nil { // its input is not JSON
		t.bad(1)
	}
}

// encodeMessage writes two lines, whatever is in them, so that a message stays on its lines when it, or one before it,
// becomes longer.
func (t *encoder) encodeMessage(said, answers claudeRecord) {
	for _, r := range []claudeRecord{said, answers} {
		if r.Message.Content == nil {
			r = claudeRecord{}
		}
		t.encode(r)
	}
}

// bad writes lines that are counted as bad.
func (t *encoder) bad(n int) { t.Write(bytes.Repeat([]byte("{\n"), n)) }

// tolerate ignores a value of the wrong type: the decoder has gone on after it.
func tolerate(err error) error {
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
		return nil
	}
	return err
}
