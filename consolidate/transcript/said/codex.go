package said

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Codex writes a file a session, by the day on which it began, of all projects: lines of timestamp, type
// and payload (CENSUS 4). What a person typed stands there twice, once among what is sent to the model
// together with what Codex injects, and once as an event, which is read here. What the
// model said is read where it was answered. A sub-agent's session says so in its first line; what a
// fork copied from another session counts once.

func codexFolders(home string, _ []string) []Folder {
	var found []Folder
	for _, f := range []Folder{
		{Path: filepath.Join(home, "sessions"), Why: "Codex's, of all projects: those that ran here", Deep: dated},
		{Path: filepath.Join(home, "archived_sessions"), Why: "Codex's archive, of all projects: those that ran here"},
	} {
		if stat, err := os.Stat(f.Path); err == nil && stat.IsDir() {
			found = append(found, f)
		}
	}
	return found
}

// codexID is the UUID at the end of "rollout-2026-11-18T09-14-03-UUID".
func codexID(stem string) string {
	id := stem[max(0, len(stem)-36):]
	if !strings.HasPrefix(stem, "rollout-") || !IsUUID(id) {
		return ""
	}
	return id
}

func codexLine(line raw, r *record, h *hostState) bool {
	var kind, payload raw
	ok := line.each(func(key string, v raw) {
		switch key {
		case "timestamp":
			r.Timestamp = v
		case "type":
			kind = v
		case "payload":
			payload = v
		}
	})
	switch {
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
	return ok
}

// codexMeta reads who a session is. A second one in the same file heads what a fork copied.
func codexMeta(payload raw, r *record, h *hostState) {
	r.Type = metaType
	first := h.Origin == ""
	payload.each(func(key string, v raw) {
		switch key {
		case "id":
			h.Origin, h.Said = v.text(), 0
		case "cwd":
			if first {
				h.setCWD(v)
			}
		case "git":
			if branch := v.field("branch").text(); first && branch != "" {
				h.Branch = branch
			}
		case "source":
			if first && (v.is("subagent") || v.field("subagent") != nil) {
				r.Sidechain = isTrue
			}
		case "thread_source":
			if first && v.is("subagent") {
				r.Sidechain = isTrue
			}
		case "history_mode":
			h.Items = v.is("paginated")
		}
	})
}

func codexEvent(payload raw, r *record, h *hostState) {
	var kind, text, of, item raw
	payload.each(func(key string, v raw) {
		switch key {
		case "type":
			kind = v
		case "message":
			text = v
		case "kind":
			of = v
		case "item":
			item = v
		}
	})
	switch {
	case kind.is("user_message") && !h.Items && (of.empty() || of.is("plain")):
	case kind.is("item_completed") && h.Items && item.field("type").is("UserMessage"):
		text = item.field("content")
	default:
		return
	}
	if blocks := text.texts(nil, "text"); len(blocks) > 0 {
		h.name(r, text)
		r.typedBlocks(blocks, codexTyped)
	}
}

// codexInjected are the beginnings of what Codex puts in a person's place (CENSUS 4).
var codexInjected = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<skill>",
	"<subagent_notification>", "<user_shell_command>",
}

// codexTyped is what a person typed of a text: the words behind what an editor put before them.
func codexTyped(text string) string {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "# Context from my IDE setup:") {
		if _, asked, ok := strings.Cut(trimmed, "\n## My request for Codex:"); ok {
			return strings.TrimSpace(asked)
		}
	}
	for _, beginning := range codexInjected {
		if strings.HasPrefix(trimmed, beginning) {
			return ""
		}
	}
	return text
}

func codexItem(payload raw, r *record, h *hostState) {
	var kind, role, content, id, name, space, arguments, input, action, output raw
	payload.each(func(key string, v raw) {
		switch key {
		case "type":
			kind = v
		case "role":
			role = v
		case "content":
			content = v
		case "call_id":
			id = v
		case "name":
			name = v
		case "namespace":
			space = v
		case "arguments":
			arguments = v
		case "input":
			input = v
		case "action":
			action = v
		case "output":
			output = v
		}
	})
	switch {
	case kind.is("message") && role.is("assistant"):
		if r.Message.Blocks = content.texts(r.Message.Blocks, "output_text", "text"); len(r.Message.Blocks) > 0 {
			r.Type = assistantType
			h.name(r, content)
		}
	case kind.is("function_call"):
		if prefix := space.text(); prefix != "" { // a tool of a server: mcp__NAME__ and the tool's own name
			name = quoted(strings.TrimSuffix(prefix, "__") + "__" + name.text())
		}
		if text := strings.TrimSpace(arguments.text()); json.Valid([]byte(text)) {
			arguments = raw(text)
		}
		r.used(id, name, arguments)
	case kind.is("custom_tool_call"):
		r.used(id, name, slices.Concat(raw(`{"input":`), orNull(input), raw("}")))
	case kind.is("local_shell_call"), kind.is("web_search_call"):
		r.used(id, slices.Concat(raw(`"`), raw(strings.TrimSuffix(kind.text(), "_call")), raw(`"`)), action)
	case kind.is("function_call_output"), kind.is("custom_tool_call_output"):
		r.answered(id, codexOutput(output))
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

func IsNumber(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }
