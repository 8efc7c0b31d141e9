package host

import (
	"encoding/json"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/lazy"
)

// Codex writes a file for each session of any project, by the day on which it began: lines of timestamp, type and
// payload. What a person typed is in it twice, once among what is sent to the model together with what Codex injects,
// and once as an event, which is read here. What the model said is read where it was answered. A sub-agent's session
// says so in its first line. What a fork copied from another session counts once.
var codex = Host{
	ID: "codex", Name: "Codex", Program: "codex", Tried: "0.171.0", Get: "npm install -g @openai/codex", Ask: "$dream",
	Variables: Variables{Started: []string{"CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_HOME"}, Session: "CODEX_THREAD_ID"},
	// Its command that adds a server loses the comments and line ends of the file, so it is not used.
	Settings: &Settings{
		Place: Place{Variable: "CODEX_HOME", Home: ".codex"}, Files: []string{"config.toml"}, Project: ".codex/config.toml", List: "mcp_servers",
		Skill: "skills/dream/SKILL.md",
	},
	Hooks: &Hooks{
		Events: []string{"SessionStart", "Stop"}, Prompt: "UserPromptSubmit", Tool: "PreToolUse", Timeout: 5, Named: true, File: "hooks.json",
		Own: []string{"agent-turn-complete"}, SilentAt: []string{"agent-turn-complete"},
		Note: "Codex runs a hook only after you agree: it asks, or see /hooks there.",
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host: "codex",
			Folders: []said.Folder{
				{Path: "sessions", Why: "Codex's, of all projects: those that ran here", Files: []string{"[0-9]*/[0-9]*/[0-9]*/*.jsonl"}, Sealed: map[string]string{"*/*/*/*.jsonl.zst": "it is compressed"}},
				{Path: "archived_sessions", Why: "Codex's archive, of all projects: those that ran here", Files: []string{"*.jsonl"}},
			},
			ID: codexID, Line: codexLine, Version: []string{"payload", "cli_version"},
		},
		Place: codexPlace,
	}, memories("codex", codexPlace, []string{"memories/MEMORY.md"}, nil, codexEntries)},
	Background: codexBackground,
	Reads:      []string{"update_plan", "view_image"},
	Shells:     []string{"shell"},
}

var _ = add(&codex)

var codexPlace = Place{Variable: "CODEX_HOME", Home: ".codex"}

var codexNotTyped = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<skill>", "<subagent_notification>",
	"<user_shell_command>",
}

// codexBackground: its own tools run in a sandbox that cannot write and has no network. It reads no configuration but
// ours and keeps nothing of the session. It has no limits of turns and money.
func codexBackground(r RunOptions) (line []string, dir string, err error) {
	var env []string
	for name, value := range r.Env {
		env = append(env, name+"="+quoted(value))
	}
	slices.Sort(env)
	line = []string{"codex", "exec", "--sandbox", "read-only", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check", "--json"}
	for _, setting := range []string{
		`approval_policy="never"`, `web_search="disabled"`,
		"mcp_servers.dream.command=" + quoted(r.Server[0]), "mcp_servers.dream.args=" + quoted(r.Server[1:]),
		"mcp_servers.dream.env={" + strings.Join(env, ",") + "}", `mcp_servers.dream.default_tools_approval_mode="approve"`,
	} {
		line = append(line, "-c", setting)
	}
	return append(append(line, r.model()...), "-"), r.Project, nil // the prompt is standard input
}

// codexID is the UUID at the end of "rollout-2026-11-18T09-14-03-UUID".
func codexID(path string) string {
	stem := said.Stem(path)
	id := stem[max(0, len(stem)-36):]
	if !strings.HasPrefix(stem, "rollout-") || !said.IsUUID(id) {
		return ""
	}
	return id
}

func codexLine(line said.Raw, r *said.Record, h *said.HostState) {
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
	r.CWD, r.Branch = said.Quoted(h.CWD), said.Quoted(h.Branch)
}

// codexMeta reads who a session is. A second one in the same file heads what a fork copied.
func codexMeta(payload said.Raw, r *said.Record, h *said.HostState) {
	r.Type = said.MetaType
	if h.Origin == "" {
		h.SetCWD(payload.Field("cwd"))
		h.Branch = payload.Field("git").Field("branch").Text()
		source := payload.Field("source")
		if source.Is("subagent") || source.Field("subagent") != nil || payload.Field("thread_source").Is("subagent") {
			r.Sidechain = said.True
		}
	}
	if id := payload.Field("id"); id != nil {
		h.Origin, h.Said = id.Text(), 0
	}
	if mode := payload.Field("history_mode"); mode != nil {
		h.Items = mode.Is("paginated")
	}
}

func codexEvent(payload said.Raw, r *said.Record, h *said.HostState) {
	var text said.Raw
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
		r.TypedBlocks(blocks, codexNotTyped, codexTyped)
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

func codexItem(payload said.Raw, r *said.Record, h *said.HostState) {
	id := payload.Field("call_id")
	switch kind := payload.Field("type"); {
	case kind.Is("message"):
		content := payload.Field("content")
		if !payload.Field("role").Is("assistant") {
			return
		}
		if r.Message.Blocks = content.Texts("output_text", "text"); len(r.Message.Blocks) > 0 {
			r.Type = said.AssistantType
			h.NameWords(r, content)
		}
	case kind.Is("function_call"):
		name, arguments := payload.Field("name"), payload.Field("arguments")
		if prefix := payload.Field("namespace").Text(); prefix != "" { // a tool of a server: mcp__NAME__ and the tool's own name
			name = said.Quoted(strings.TrimSuffix(prefix, "__") + "__" + name.Text())
		}
		if text := strings.TrimSpace(arguments.Text()); json.Valid([]byte(text)) {
			arguments = said.Raw(text)
		}
		r.Used(id, name, arguments)
	case kind.Is("custom_tool_call"):
		r.Used(id, payload.Field("name"), slices.Concat(said.Raw(`{"input":`), orNull(payload.Field("input")), said.Raw("}")))
	case kind.Is("local_shell_call"), kind.Is("web_search_call"):
		r.Used(id, slices.Concat(said.Raw(`"`), said.Raw(strings.TrimSuffix(kind.Text(), "_call")), said.Raw(`"`)), payload.Field("action"))
	case kind.Is("function_call_output"), kind.Is("custom_tool_call_output"):
		r.Answered(id, said.Joined(codexOutput(payload.Field("output")).Texts()))
	}
}

func orNull(v said.Raw) said.Raw {
	if v == nil {
		return said.Raw("null")
	}
	return v
}

// codexOutput is what a tool answered: text, a content, or an object around one of them, which older
// versions wrote into a string.
func codexOutput(v said.Raw) said.Raw {
	if text := v.Text(); strings.HasPrefix(text, `{"output":`) && json.Valid([]byte(text)) {
		v = said.Raw(text)
	}
	for _, name := range []string{"output", "content"} {
		if inner := v.Field(name); inner != nil {
			return inner
		}
	}
	return v
}

// codexGroup is where a group of tasks of Codex's memory names its directories.
var codexGroup = lazy.New(`\bcwd=([^;,]+)`)

// codexEntries are the lists of Codex's memory, which is one file for all projects: groups of tasks, each with its
// directories. What it says of single tasks and their keywords is left out.
func codexEntries(path, text string) (all []remembered) {
	lines := strings.Split(text, "\n")
	for n := 0; n < len(lines); {
		from := n
		for n++; n < len(lines) && !strings.HasPrefix(lines[n], "# Task Group:"); n++ {
		}
		if !strings.HasPrefix(lines[from], "# Task Group:") {
			continue
		}
		dirs, kept := []string{}, false
		for i, line := range lines[from:n] {
			if applies, ok := strings.CutPrefix(line, "applies_to:"); ok {
				for _, found := range codexGroup.FindAllStringSubmatch(applies, -1) {
					dirs = append(dirs, strings.TrimSpace(found[1]))
				}
			}
			if heading, ok := strings.CutPrefix(line, "## "); ok {
				kept = strings.HasPrefix(heading, "User preferences") || strings.HasPrefix(heading, "Reusable knowledge") || strings.HasPrefix(heading, "Failures")
			}
			if !kept || strings.HasPrefix(line, "#") {
				lines[from+i] = "" // its place stays
			}
		}
		for _, e := range passages(path, strings.Repeat("\n", from)+strings.Join(lines[from:n], "\n")) {
			e.dirs = dirs
			all = append(all, e)
		}
	}
	return all
}
