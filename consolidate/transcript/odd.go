package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// The reading of odd lines, by encoding/json: two records, keys that come twice or in another case,
// depths, and whatever is no JSON.

type jsonRecord struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	UUID      string `json:"uuid"`
	Session   string `json:"sessionId"`
	Timestamp string `json:"timestamp"`
	CWD       string `json:"cwd"`
	Branch    string `json:"gitBranch"`

	Sidechain bool `json:"isSidechain"`
	Meta      bool `json:"isMeta"`
	Summary   bool `json:"isCompactSummary"`
	APIError  bool `json:"isApiErrorMessage"`

	Message    json.RawMessage `json:"message"`
	Content    json.RawMessage `json:"content"`
	Plan       json.RawMessage `json:"planContent"`
	Operation  string          `json:"operation"`
	Attachment struct {
		Type   string          `json:"type"`
		Mode   string          `json:"commandMode"`
		Prompt json.RawMessage `json:"prompt"`
		Meta   bool            `json:"isMeta"`
	} `json:"attachment"`

	AITitle     string `json:"aiTitle"`
	CustomTitle string `json:"customTitle"`
	Worktree    struct {
		Original string `json:"originalCwd"`
	} `json:"worktreeSession"`
}

type jsonMessage struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
}

type jsonBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

// oddLine reads the records of a line, as decoder.line does.
func oddLine(line []byte) (records []record, bad bool) {
	var r jsonRecord
	if tolerate(json.Unmarshal(line, &r)) == nil {
		return []record{r.record()}, false
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	for len(records) < maxRecords {
		var r jsonRecord
		if err := tolerate(dec.Decode(&r)); err != nil {
			return records, err != io.EOF
		}
		records = append(records, r.record())
	}
	return records, true
}

// tolerate forgives a value of the wrong type: the decoder has gone on behind it.
func tolerate(err error) error {
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
		return nil
	}
	return err
}

// record is what the walk would have found.
func (j *jsonRecord) record() (r record) {
	r.Type, r.Subtype, r.UUID, r.Session = quoted(j.Type), quoted(j.Subtype), quoted(j.UUID), quoted(j.Session)
	r.Timestamp, r.CWD, r.Branch = quoted(j.Timestamp), quoted(j.CWD), quoted(j.Branch)
	r.Sidechain, r.Meta, r.Summary, r.APIError = truth(j.Sidechain), truth(j.Meta), truth(j.Summary), truth(j.APIError)
	r.Content, r.Plan, r.Operation = raw(j.Content), raw(j.Plan), quoted(j.Operation)
	a := &j.Attachment
	r.Attachment.Type, r.Attachment.Mode = quoted(a.Type), quoted(a.Mode)
	r.Attachment.Prompt, r.Attachment.Meta = raw(a.Prompt), truth(a.Meta)
	r.AITitle, r.CustomTitle, r.Worktree.Original = quoted(j.AITitle), quoted(j.CustomTitle), quoted(j.Worktree.Original)
	if len(j.Message) > 0 && j.Message[0] != '{' {
		r.Message.Blocks = oddBlocks(j.Message)
		return r
	}
	var m jsonMessage
	_ = json.Unmarshal(j.Message, &m) // what does not fit stays empty
	r.Message = message{ID: quoted(m.ID), Model: quoted(m.Model), Blocks: oddBlocks(m.Content)}
	return r
}

// oddBlocks reads a content, as blocks does.
func oddBlocks(content []byte) []block {
	if len(content) == 0 {
		return nil
	}
	switch content[0] {
	case '"':
		return []block{{Type: textType, Text: content}}
	case '{':
		var b jsonBlock
		_ = json.Unmarshal(content, &b)
		return []block{{
			Type: quoted(b.Type), Text: quoted(b.Text), ID: quoted(b.ID), Name: quoted(b.Name), Input: raw(b.Input),
			ToolUseID: quoted(b.ToolUseID), Content: raw(b.Content),
		}}
	case '[':
		dec := json.NewDecoder(bytes.NewReader(content))
		_, _ = dec.Token()
		var all []block
		for dec.More() && len(all) < maxBlocks {
			var item json.RawMessage
			if dec.Decode(&item) != nil {
				break
			}
			if item[0] != '[' { // a list in a list is none of the known forms
				all = append(all, oddBlocks(item)...)
			}
		}
		return all
	}
	return nil
}

// quoted is a text as a value; none for an empty one. Only what must be is escaped: a search looks for words as
// hosts spell them, and encoding/json spells some signs as \u.
func quoted(text string) raw {
	if text == "" {
		return nil
	}
	v := append(make(raw, 0, len(text)+2), '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			v = append(v, '\\', c)
		case c == '\n':
			v = append(v, `\n`...)
		case c == '\t':
			v = append(v, `\t`...)
		case c == '\r':
			v = append(v, `\r`...)
		case c < ' ':
			v = fmt.Appendf(v, `\u%04x`, c)
		default:
			v = append(v, c)
		}
	}
	return append(v, '"')
}

func truth(b bool) raw {
	if b {
		return raw("true")
	}
	return nil
}

// writeOdd writes as write does.
func (u *usage) writeOdd(path string, v raw) {
	var decoded any
	_ = json.Unmarshal(v, &decoded) // what does not fit stays empty
	u.writeValue(path, decoded)
}

func (u *usage) writeValue(path string, decoded any) {
	if u.text.Len() > maxText {
		return
	}
	switch v := decoded.(type) {
	case string:
		u.argument(path, v)
	case []any:
		for _, item := range v {
			u.writeValue(path, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			u.writeValue(joined(path, key), v[key])
		}
	}
}
