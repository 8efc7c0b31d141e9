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

func codexLine(line Raw, r *Record, h *HostState) {
	r.Timestamp = line.Field("timestamp")
	payload := line.Field("payload")
	switch kind := line.Field("type"); {
	case kind.Is("session_meta"):
		codexMeta(payload, r, h)
	case kind.Is("turn_context"):
		h.SetCWD(payload.Field("cwd"))
	case kind.Is("event_msg"):
		codexEvent(payload, r, h)
	case kind.Is("response_item"):
		codexItem(payload, r, h)
	}
	r.CWD, r.Branch = Quoted(h.CWD), Quoted(h.Branch)
}

// codexMeta reads who a session is. A second one in the same file heads what a fork copied.
func codexMeta(payload Raw, r *Record, h *HostState) {
	r.Type = MetaType
	if h.Origin == "" {
		h.SetCWD(payload.Field("cwd"))
		h.Branch = payload.Field("git").Field("branch").Text()
		source := payload.Field("source")
		if source.Is("subagent") || source.Field("subagent") != nil || payload.Field("thread_source").Is("subagent") {
			r.Sidechain = True
		}
	}
	if id := payload.Field("id"); id != nil {
		h.Origin, h.Said = id.Text(), 0
	}
	if mode := payload.Field("history_mode"); mode != nil {
		h.Items = mode.Is("paginated")
	}
}

func codexEvent(payload Raw, r *Record, h *HostState) {
	var text Raw
	switch kind := payload.Field("type"); {
	case kind.Is("user_message") && !h.Items:
		if of := payload.Field("kind"); !of.Empty() && !of.Is("plain") {
			return
		}
		text = payload.Field("message")
	case kind.Is("item_completed") && h.Items:
		item := payload.Field("item")
		if !item.Field("type").Is("UserMessage") {
			return
		}
		text = item.Field("content")
	}
	if blocks := text.Texts("text"); len(blocks) > 0 {
		h.NameWords(r, text)
		r.TypedBlocks(Codex, blocks, codexTyped)
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

func codexItem(payload Raw, r *Record, h *HostState) {
	id := payload.Field("call_id")
	switch kind := payload.Field("type"); {
	case kind.Is("message"):
		content := payload.Field("content")
		if !payload.Field("role").Is("assistant") {
			return
		}
		if r.Message.Blocks = content.Texts("output_text", "text"); len(r.Message.Blocks) > 0 {
			r.Type = AssistantType
			h.NameWords(r, content)
		}
	case kind.Is("function_call"):
		name, arguments := payload.Field("name"), payload.Field("arguments")
		if prefix := payload.Field("namespace").Text(); prefix != "" { // a tool of a server: mcp__NAME__ and the tool's own name
			name = Quoted(strings.TrimSuffix(prefix, "__") + "__" + name.Text())
		}
		if text := strings.TrimSpace(arguments.Text()); json.Valid([]byte(text)) {
			arguments = Raw(text)
		}
		r.Used(id, name, arguments)
	case kind.Is("custom_tool_call"):
		r.Used(id, payload.Field("name"), slices.Concat(Raw(`{"input":`), orNull(payload.Field("input")), Raw("}")))
	case kind.Is("local_shell_call"), kind.Is("web_search_call"):
		r.Used(id, slices.Concat(Raw(`"`), Raw(strings.TrimSuffix(kind.Text(), "_call")), Raw(`"`)), payload.Field("action"))
	case kind.Is("function_call_output"), kind.Is("custom_tool_call_output"):
		r.Answered(id, Joined(codexOutput(payload.Field("output")).Texts()))
	}
}

func orNull(v Raw) Raw {
	if v == nil {
		return Raw("null")
	}
	return v
}

// codexOutput is what a tool answered: text, a content, or an object around one of them, which older
// versions wrote into a string.
func codexOutput(v Raw) Raw {
	if text := v.Text(); strings.HasPrefix(text, `{"output":`) && json.Valid([]byte(text)) {
		v = Raw(text)
	}
	for _, name := range []string{"output", "content"} {
		if inner := v.Field(name); inner != nil {
			return inner
		}
	}
	return v
}

// IsNumber reports whether a name is all digits.
func IsNumber(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }
