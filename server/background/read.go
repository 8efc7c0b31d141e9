package background

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/runs"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/visible"
)

// reader reads the output of a host line by line: the forms of stream-json, and events of items. It logs the beginning
// of other JSON, and other lines whole.
type reader struct {
	log     *runLog
	end     runs.RunEnd // zero where the host was killed
	failure string
	words   string // of the model, which some hosts print in pieces
	last    string // the last words of the model, or a line that is not JSON
}

// maxWords bounds a message that is printed in pieces, in bytes. The log shows less.
const maxWords = 8 << 10

func newReader(log *runLog) *reader { return &reader{log: log} }

// step is a step of a host: a call of a tool, its answer, or a text. It is a line or part of one.
type step struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Message message `json:"message"`
	IsError bool    `json:"is_error"`
	Status  string  `json:"status"`
	Error   message `json:"error"`

	// The tool, its arguments and its answer, by the names that the hosts have for them.
	Name       string  `json:"name"`
	Tool       string  `json:"tool"`
	Command    string  `json:"command"`
	ToolName   string  `json:"tool_name"`
	Input      message `json:"input"`
	Arguments  message `json:"arguments"`
	Parameters message `json:"parameters"`
	Content    message `json:"content"`
	Output     message `json:"output"`
}

// event is what is used of a line.
type event struct {
	step
	Subtype string  `json:"subtype"`
	Result  string  `json:"result"`
	Turns   int     `json:"num_turns"`
	Cost    float64 `json:"total_cost_usd"`
	Usage   struct {
		In      int64 `json:"input_tokens"`
		Out     int64 `json:"output_tokens"`
		Written int64 `json:"cache_creation_input_tokens"`
		Cached  int64 `json:"cache_read_input_tokens"`

		Reused int64 `json:"cached_input_tokens"` // counted in In too
	} `json:"usage"`

	// Of a request that Claude Code makes again.
	Attempt    int `json:"attempt"`
	MaxRetries int `json:"max_retries"`

	Item step `json:"item"` // of an event of items

	// Of a host that prints messages in pieces.
	Role  string `json:"role"`
	Stats *struct {
		Tokens int64 `json:"total_tokens"`
		In     int64 `json:"input_tokens"` // with Cached
		Out    int64 `json:"output_tokens"`
		Cached int64 `json:"cached"`
		Calls  int   `json:"tool_calls"`
	} `json:"stats"`
}

// message is a text that hosts write as a string, as an object with a message, or as other JSON.
type message string

func (p *message) UnmarshalJSON(data []byte) error {
	var object struct{ Message string }
	if json.Unmarshal(data, (*string)(p)) == nil {
		return nil
	}
	_ = json.Unmarshal(data, &object)
	*p = message(cmp.Or(object.Message, string(data)))
	return nil
}

func (r *reader) line(line string) {
	var e event
	if line = strings.TrimSpace(line); line == "" {
		return
	}
	_ = json.Unmarshal([]byte(line), &e) // a field of another type than is known leaves the others as they are
	if e.Type == "" {
		r.other(line)
		return
	}
	if e.Type != "message" {
		r.flush()
	}
	switch {
	case e.Type == "message":
		if e.Role == "assistant" && len(r.words) < maxWords {
			r.words += string(e.Content)
		}
	case e.Type == "tool_use", e.Type == "tool_result":
		r.step("", e.step)
	case e.Type == "item.completed":
		r.step(e.Item.Type, e.Item)
	case e.Type == "turn.completed":
		r.end.Turns++
		r.end.Tokens = r.end.Tokens.Add(ops.Tokens{Input: e.Usage.In - e.Usage.Reused, Output: e.Usage.Out, CacheRead: e.Usage.Reused})
	case e.Type == "turn.failed":
		r.failure = "the turn failed: " + quote(string(e.Error))
	case e.Subtype == "api_retry":
		r.log.say("tries again, %d of %d: %s", e.Attempt, e.MaxRetries, clip(string(e.Error)))
	case e.Type == "error":
		r.log.say("error: %s", clip(string(e.Error+e.Message)))
	case e.Stats != nil:
		r.stats(&e)
	case e.Type == "result":
		r.result(&e)
	default: // a message of Claude Code's
		var message struct{ Content []step }
		_ = json.Unmarshal([]byte(e.Message), &message)
		for _, s := range message.Content {
			r.step(e.Type, s)
		}
	}
}

// other logs a line that is not an event.
func (r *reader) other(line string) {
	if strings.HasPrefix(line, "{") {
		line = clip(line)
	}
	r.last = line
	r.log.say("%s", line)
}

// stats reads the end of a run as a host writes it that prints messages in pieces.
func (r *reader) stats(e *event) {
	s := e.Stats
	if s.In+s.Out == 0 {
		s.In = s.Tokens // an earlier version has only the sum
	}
	r.end = runs.RunEnd{Cost: ops.Cost{Turns: s.Calls + 1, Tokens: ops.Tokens{Input: s.In - s.Cached, Output: s.Out, CacheRead: s.Cached}}} // a call is a turn, and so are the last words
	if e.Status == "error" {
		r.failure = "it ended with an error: " + quote(string(e.Error))
	}
}

// result reads the end of a run in the form of stream-json.
func (r *reader) result(e *event) {
	r.end = runs.RunEnd{Cost: ops.Cost{Turns: e.Turns, CostUSD: e.Cost, Tokens: ops.Tokens{Input: e.Usage.In, Output: e.Usage.Out, CacheRead: e.Usage.Cached, CacheCreated: e.Usage.Written}}}
	if e.IsError || strings.HasPrefix(e.Subtype, "error") {
		r.failure = quote(e.Result)
		if e.Subtype != "success" || e.Result == "" {
			r.failure = strings.TrimSuffix("it ended with "+quote(e.Subtype)+": "+r.failure, ": ")
		}
	}
	r.last = cmp.Or(e.Result, r.last)
	r.log.say("says: %s", e.Result)
}

// step logs a step. who is the speaker of a text.
func (r *reader) step(who string, s step) {
	tool := cmp.Or(s.Name, s.Tool, s.ToolName, s.Command)
	switch said := s.Text + string(s.Message); {
	case s.Type == "tool_result" && (s.IsError || s.Status == "error"):
		r.log.say("refused %s", clip(string(s.Content+s.Output+s.Error)))
	case s.Type == "tool_result":
		r.log.say("answered %s", clip(string(s.Content+s.Output)))
	case tool != "":
		r.log.say("calls %s %s", clip(tool), clip(strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Input+s.Arguments+s.Parameters, s.Status, s.Error))))
	case said != "":
		r.last = said
		r.log.say("%s: %s", who, said)
	}
}

// flush logs a message that was printed in pieces.
func (r *reader) flush() {
	if r.words != "" {
		r.log.say("assistant: %s", r.words)
		r.last, r.words = r.words, ""
	}
}

// quote returns the beginning of a host's text for the log: one line, without control characters.
func quote(s string) string {
	return clip(strings.Join(strings.Fields(said.Visible(s)), " "))
}

// clip returns the beginning of a text. The log is about what happened, not about what was read.
func clip(s string) string {
	return visible.Cut(s, 300)
}
