package background

import (
	"encoding/json"
	"fmt"
	"strings"

	runs "dream-mcp/consolidate/background"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory/visible"
)

// reader reads the output of a host line by line: Claude Code's stream-json or json, Gemini CLI's stream-json, and the events of
// Codex. It logs the beginning of other JSON, and other lines whole.
type reader struct {
	log     *runLog
	end     runs.RunEnd // zero where the host was killed
	failure string
	words   string // of the model, which Gemini CLI prints in pieces
}

// maxWords bounds a message that is printed in pieces, in bytes. The log shows less.
const maxWords = 8 << 10

func newReader(log *runLog) *reader { return &reader{log: log} }

// event is what is used of a line.
type event struct {
	Type    string  `json:"type"`
	Subtype string  `json:"subtype"`
	IsError bool    `json:"is_error"`
	Result  string  `json:"result"`
	Turns   int     `json:"num_turns"`
	Cost    float64 `json:"total_cost_usd"`
	Usage   struct {
		In      int64 `json:"input_tokens"`
		Out     int64 `json:"output_tokens"`
		Written int64 `json:"cache_creation_input_tokens"`
		Cached  int64 `json:"cache_read_input_tokens"`
	} `json:"usage"`
	Message json.RawMessage `json:"message"` // with blocks of content; of an error, a text

	// Of a request that Claude Code makes again.
	Attempt    int `json:"attempt"`
	MaxRetries int `json:"max_retries"`

	Item struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Message   string          `json:"message"`
		Command   string          `json:"command"`
		Tool      string          `json:"tool"`
		Status    string          `json:"status"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"item"`
	Error phrase `json:"error"`

	// Gemini CLI's.
	Role       string          `json:"role"`
	Content    string          `json:"content"`
	Name       string          `json:"tool_name"`
	Parameters json.RawMessage `json:"parameters"`
	Status     string          `json:"status"`
	Output     string          `json:"output"`
	Stats      *struct {
		Tokens int64 `json:"total_tokens"`
		Calls  int   `json:"tool_calls"`
	} `json:"stats"`
}

// phrase is a text that hosts write as a string or as an object with a message.
type phrase string

func (p *phrase) UnmarshalJSON(data []byte) error {
	var object struct{ Message string }
	if json.Unmarshal(data, (*string)(p)) != nil && json.Unmarshal(data, &object) == nil {
		*p = phrase(object.Message)
	}
	return nil
}

type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"`
}

func (r *reader) line(line string) {
	var e event
	if line = strings.TrimSpace(line); line == "" {
		return
	}
	_ = json.Unmarshal([]byte(line), &e) // a field of another type than is known leaves the others as they are
	if e.Type == "" {
		if strings.HasPrefix(line, "{") {
			line = clip(line)
		}
		r.log.say("%s", line)
		return
	}
	if e.Type != "message" {
		r.flush()
	}
	switch {
	case e.Type == "message":
		if e.Role == "assistant" && len(r.words) < maxWords {
			r.words += e.Content
		}
	case e.Type == "tool_use":
		r.log.say("calls %s %s", e.Name, clip(string(e.Parameters)))
	case e.Type == "tool_result":
		r.log.say("%s %s", outcome(e.Status == "error"), clip(e.Output+string(e.Error)))
	case e.Type == "item.completed":
		r.log.say("%s %s", e.Item.Type, clip(strings.TrimSpace(fmt.Sprint(e.Item.Tool, e.Item.Command, " ", string(e.Item.Arguments), " ", e.Item.Status, e.Item.Text, e.Item.Message))))
	case e.Type == "turn.completed":
		r.end.Turns++
		r.end.Tokens += e.Usage.In + e.Usage.Out // the cached ones are among those read
	case e.Type == "turn.failed":
		r.failure = "the host's turn failed: " + quote(string(e.Error))
	case e.Subtype == "api_retry":
		r.log.say("tries again, %d of %d: %s", e.Attempt, e.MaxRetries, clip(string(e.Error)))
	case e.Type == "error":
		var text phrase
		_ = json.Unmarshal(e.Message, &text)
		r.log.say("error: %s", clip(string(e.Error+text)))
	case e.Stats != nil:
		r.end = runs.RunEnd{Turns: e.Stats.Calls + 1, Tokens: e.Stats.Tokens} // a call is a turn, and so are the last words
		if e.Status == "error" {
			r.failure = "the host ended with an error: " + quote(string(e.Error))
		}
	case e.Type == "result":
		r.end = runs.RunEnd{Turns: e.Turns, CostUSD: e.Cost, Tokens: e.Usage.In + e.Usage.Out + e.Usage.Written + e.Usage.Cached}
		if e.IsError || strings.HasPrefix(e.Subtype, "error") {
			r.failure = strings.TrimSpace(fmt.Sprintf("the host ended with %s: %s", quote(e.Subtype), quote(e.Result)))
		}
		r.log.say("says: %s", e.Result)
	default:
		r.message(e)
	}
}

// message logs the blocks of a message of Claude Code's.
func (r *reader) message(e event) {
	var message struct{ Content json.RawMessage }
	var blocks []block
	if json.Unmarshal(e.Message, &message) != nil || json.Unmarshal(message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			r.log.say("%s: %s", e.Type, b.Text)
		case "tool_use":
			r.log.say("calls %s %s", b.Name, clip(string(b.Input)))
		case "tool_result":
			r.log.say("%s %s", outcome(b.IsError), clip(string(b.Content)))
		}
	}
}

// flush logs a message that was printed in pieces.
func (r *reader) flush() {
	if r.words != "" {
		r.log.say("assistant: %s", r.words)
		r.words = ""
	}
}

// quote is the beginning of a host's text in one line, without what a terminal would act on: it is kept in the journal.
func quote(s string) string {
	return clip(strings.Join(strings.Fields(transcript.Visible(s)), " "))
}

// outcome is a word for what a tool did.
func outcome(refused bool) string {
	if refused {
		return "refused"
	}
	return "answered"
}

// clip is the beginning of a text: the log says what happened, not what was read.
func clip(s string) string {
	return visible.Cut(s, 300)
}
