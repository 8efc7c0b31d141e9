package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

// A record is one JSON object of a transcript, as far as it matters here (FACTS 4.1). What it holds
// besides (duplicates of tool results, images, signatures: most of its bytes) is never decoded.
type record struct {
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

// A message is what the model's API was sent or answered.
type message struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
}

// A block is one part of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

// These bound what one line may unfold to. Two records on a line were seen, and four blocks in a record.
const (
	maxRecords = 16
	maxBlocks  = 10_000
)

// decodeLine reads the records of a line: one as a rule, two where a concurrent append lost its
// newline (CENSUS 2). bad reports that some of the line was no JSON. A value that is no object, or a
// field of another type than it ought to have, is passed over.
func decodeLine(line []byte) (records []*record, bad bool) {
	r := new(record)
	if tolerate(json.Unmarshal(line, r)) == nil {
		return []*record{r}, false
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	for len(records) < maxRecords {
		r := new(record)
		if err := tolerate(dec.Decode(r)); err != nil {
			return records, err != io.EOF
		}
		records = append(records, r)
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

// time returns the record's timestamp, or the zero time.
func (r *record) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.Timestamp)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// A part is what one record gives to one utterance.
type part struct {
	speaker Speaker
	via     via
	text    string
	message string // of the assistant: the id that joins its parts
	slot    int    // counts the places for utterances within the record, from 0
}

// via is the way on which a person's words came into a transcript. The same words may come on
// several, in this order (CENSUS 2).
type via int

const (
	spoken   via = iota // not a person's words, or nothing is known to repeat them
	enqueued            // typed while the model was busy
	attached            // handed to the model amid its turn
	turn                // a turn of their own
)

// typed reports whether a person typed the part.
func (p part) typed() bool { return p.via != spoken }

// parts returns what was said in a record, and whether the record opens a dream. ours holds the ids
// of calls of our own tools, which parts adds to: what they were asked and answered is not said.
func (r *record) parts(ours map[string]bool) (said []part, dream bool) {
	if r.Sidechain || r.Summary {
		return nil, false
	}
	switch r.Type {
	case "user":
		return r.userParts(ours)
	case "assistant":
		return r.assistantParts(ours), false
	case "queue-operation":
		if r.Operation == "enqueue" && !r.Meta {
			return typedParts(r.Content, enqueued)
		}
	case "attachment":
		a := r.Attachment
		if a.Type == "queued_command" && (a.Mode == "prompt" || a.Mode == "") && !r.Meta && !a.Meta {
			return typedParts(a.Prompt, attached)
		}
	case "system":
		if r.Subtype == "away_summary" {
			if text := plain(r.Content); text != "" {
				return []part{{speaker: Assistant, text: text}}, false
			}
		}
	}
	return nil, false
}

func (r *record) userParts(ours map[string]bool) (said []part, dream bool) {
	content := r.message().Content
	slot := 0
	results := false
	for _, b := range blocks(content) {
		if !b.isResult() {
			continue
		}
		results = true
		text := ""
		if !ours[b.ToolUseID] {
			text = plain(b.Content)
		}
		said = append(said, part{speaker: Tool, text: text, slot: slot})
		slot++
	}
	if results {
		return said, false
	}
	words, dream := typedParts(content, turn)
	if r.Meta {
		return nil, dream
	}
	return words, dream
}

// typedParts returns the words that a person typed, as one utterance, or that they open a dream.
func typedParts(content json.RawMessage, v via) (said []part, dream bool) {
	var words []string
	for _, b := range blocks(content) {
		if strings.Contains(b.Text, DreamMarker) {
			return nil, true
		}
		if text := typedText(b.Text); text != "" {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return nil, false
	}
	return []part{{speaker: User, via: v, text: strings.Join(words, "\n")}}, false
}

func (r *record) assistantParts(ours map[string]bool) (said []part) {
	m := r.message()
	if r.APIError || m.Model == "<synthetic>" { // the host's words in the model's place
		return nil
	}
	content := blocks(m.Content)
	var words []string
	slot := 0
	for _, b := range content {
		if b.isText() {
			slot = 1
			if text := withoutReminders(b.Text); text != "" {
				words = append(words, text)
			}
		}
	}
	if len(words) > 0 {
		said = append(said, part{speaker: Assistant, text: strings.Join(words, "\n\n"), message: m.ID})
	}
	for _, b := range content {
		if !b.isUse() {
			continue
		}
		text := ""
		if ownTool(b.Name) {
			ours[b.ID] = true
		} else {
			text = useText(b.Name, b.Input)
		}
		said = append(said, part{speaker: Tool, text: text, slot: slot})
		slot++
	}
	return said
}

// ownTools are those of our tools whose arguments or answers repeat memories and hits.
var ownTools = []string{
	"__dream_status", "__dream_orient", "__grep_transcripts", "__read_memory", "__write_memory",
	"__finalize_index", "__abort_dream",
}

// ownTool reports whether a tool is one of ours, under whatever name of server a host gave it.
func ownTool(name string) bool {
	return slices.ContainsFunc(ownTools, func(own string) bool { return strings.HasSuffix(name, own) })
}

func (b block) isText() bool   { return b.Text != "" && (b.Type == "text" || b.Type == "") }
func (b block) isUse() bool    { return strings.HasSuffix(b.Type, "tool_use") }
func (b block) isResult() bool { return strings.HasSuffix(b.Type, "tool_result") }

// message reads the record's message: an object as a rule, at times the bare content (CENSUS 2).
func (r *record) message() (m message) {
	if len(r.Message) > 0 && r.Message[0] != '{' {
		return message{Content: r.Message}
	}
	_ = json.Unmarshal(r.Message, &m) // what does not fit stays empty
	return m
}

// blocks reads a content: a string, a block, or a list of blocks and bare strings.
func blocks(content json.RawMessage) []block {
	if len(content) == 0 {
		return nil
	}
	switch content[0] {
	case '"':
		var text string
		_ = json.Unmarshal(content, &text)
		return []block{{Type: "text", Text: text}}
	case '{':
		var b block
		_ = json.Unmarshal(content, &b)
		return []block{b}
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
				all = append(all, blocks(item)...)
			}
		}
		return all
	}
	return nil
}

// plain is the text of a content, its blocks one below the other, without reminders.
func plain(content json.RawMessage) string {
	var texts []string
	for _, b := range blocks(content) {
		if b.isText() {
			texts = append(texts, b.Text)
		}
	}
	return withoutReminders(strings.Join(texts, "\n"))
}

// useText is a tool's name and the strings it was given, "Bash: command=ls", each argument on a line
// of its own from the second on.
func useText(name string, input json.RawMessage) string {
	var value any
	_ = json.Unmarshal(input, &value)
	var text strings.Builder
	text.WriteString(name)
	separator := ": "
	var walk func(key string, value any)
	walk = func(key string, value any) {
		if text.Len() > maxText {
			return
		}
		switch v := value.(type) {
		case string:
			text.WriteString(separator + key + "=" + v)
			separator = "\n"
		case []any:
			for _, item := range v {
				walk(key, item)
			}
		case map[string]any:
			for _, k := range sortedKeys(v) {
				path := k
				if key != "" {
					path = key + "." + k
				}
				walk(path, v[k])
			}
		}
	}
	walk("", value)
	return text.String()
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
