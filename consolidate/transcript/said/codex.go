package said

import (
	"encoding/json"
	"slices"
	"strings"
)

// Codex writes a file for each session of any project, by the day on which it began: lines of timestamp, type and payload.
// What a person typed is in it twice, once among what is sent to the model together with what Codex injects, and
// once as an event, which is read here. What the model said is read where it was answered. A sub-agent's session says so in
// its first line. What a fork copied from another session counts once.

// codexID is the UUID at the end of "rollout-2026-11-18T09-14-03-UUID".
func codexID(stem string) string {
	id := stem[max(0, len(stem)-36):]
	if !strings.HasPrefix(stem, "rollout-") || !IsUUID(id) {
		return ""
	}
	return id
}

func codexLine(line raw, r *record, h *hostState) {
	r.Timestamp = line.field("timestamp")
	payload := line.field("payload")
	switch kind := line.field("type"); {
	case kind.is("session_meta"):
		codexMeta(payload, r, h)
	case kind.is("turn_context"):
		h.setCWD(payload.field("cwd"))
	case kind.is("event_msg"):
		codexEvent(payload, r, h)
	case kind.is("response_item"):
		codexItem(payload, r, h)
	}
	r.CWD, r.Branch = quoted(h.CWD), quoted(h.Branch)
}

// codexMeta reads who a session is. A second one in the same file heads what a fork copied.
func codexMeta(payload raw, r *record, h *hostState) {
	r.Type = metaType
	if h.Origin == "" {
		h.setCWD(payload.field("cwd"))
		h.Branch = payload.field("git").field("branch").text()
		source := payload.field("source")
		if source.is("subagent") || source.field("subagent") != nil || payload.field("thread_source").is("subagent") {
			r.Sidechain = isTrue
		}
	}
	if id := payload.field("id"); id != nil {
		h.Origin, h.Said = id.text(), 0
	}
	if mode := payload.field("history_mode"); mode != nil {
		h.Items = mode.is("paginated")
	}
}

func codexEvent(payload raw, r *record, h *hostState) {
	var text raw
	switch kind := payload.field("type"); {
	case kind.is("user_message") && !h.Items:
		if of := payload.field("kind"); !of.empty() && !of.is("plain") {
			return
		}
		text = payload.field("message")
	case kind.is("item_completed") && h.Items:
		item := payload.field("item")
		if !item.field("type").is("UserMessage") {
			return
		}
		text = item.field("content")
	}
	if blocks := text.texts("text"); len(blocks) > 0 {
		h.name(r, text)
		r.typedBlocks(Codex, blocks, codexTyped)
	}
}

// codexTyped is what a person typed of a text: the words after what an editor or the app put before them.
func codexTyped(text string) string {
	trimmed := strings.TrimSpace(text)
	for _, head := range []string{"# Context from my IDE setup:", "# Files mentioned by the user:", "## Code review guidelines:"} {
		if !strings.HasPrefix(trimmed, head) {
			continue
		}
		if _, asked, ok := strings.Cut(trimmed, "\n## My request for Codex:"); ok {
			return strings.TrimSpace(asked)
		}
	}
	return text
}

func codexItem(payload raw, r *record, h *hostState) {
	id := payload.field("call_id")
	switch kind := payload.field("type"); {
	case kind.is("message"):
		content := payload.field("content")
		if !payload.field("role").is("assistant") {
			return
		}
		if r.Message.Blocks = content.texts("output_text", "text"); len(r.Message.Blocks) > 0 {
			r.Type = assistantType
			h.name(r, content)
		}
	case kind.is("function_call"):
		name, arguments := payload.field("name"), payload.field("arguments")
		if prefix := payload.field("namespace").text(); prefix != "" { // a tool of a server: mcp__NAME__ and the tool's own name
			name = quoted(strings.TrimSuffix(prefix, "__") + "__" + name.text())
		}
		if text := strings.TrimSpace(arguments.text()); json.Valid([]byte(text)) {
			arguments = raw(text)
		}
		r.used(id, name, arguments)
	case kind.is("custom_tool_call"):
		r.used(id, payload.field("name"), slices.Concat(raw(`{"input":`), orNull(payload.field("input")), raw("}")))
	case kind.is("local_shell_call"), kind.is("web_search_call"):
		r.used(id, slices.Concat(raw(`"`), raw(strings.TrimSuffix(kind.text(), "_call")), raw(`"`)), payload.field("action"))
	case kind.is("function_call_output"), kind.is("custom_tool_call_output"):
		r.answered(id, joined(codexOutput(payload.field("output")).texts()))
	}
}

func orNull(v raw) raw {
	if v == nil {
		return raw("null")
	}
	return v
}

// codexOutput is what a tool answered: text, a content, or an object around one of them, which older
// versions wrote into a string.
func codexOutput(v raw) raw {
	if text := v.text(); strings.HasPrefix(text, `{"output":`) && json.Valid([]byte(text)) {
		v = raw(text)
	}
	for _, name := range []string{"output", "content"} {
		if inner := v.field(name); inner != nil {
			return inner
		}
	}
	return v
}

// IsNumber reports whether a name is all digits.
func IsNumber(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }
