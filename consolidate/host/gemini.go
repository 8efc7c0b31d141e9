package host

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/atomicfile"
)

// Gemini CLI keeps a folder for each project, named by a short name or the SHA-256 of the project's path, and in it a
// file a session: one JSON document, or (since 2026) a log that must be replayed to its end: a message written again
// under its id replaces the first, "$set" changes the head or all messages, "$rewindTo" removes a message and all after
// it. So a file is read whole, and turned into records of what it has at its end, two for each message.
var gemini = Host{
	ID: "gemini", Name: "Gemini CLI", Program: "gemini", Tried: "0.61.0", Ask: "/dream",
	Variables: Variables{
		Hook: []string{"GEMINI_PROJECT_DIR"}, Started: []string{"GEMINI_CLI"}, Session: "GEMINI_SESSION_ID",
		Nested:   []string{"GEMINI_CLI", "GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR"},
		Trusting: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
	},
	// Its command that adds a server loses the comments and line ends of the file, so it is not used.
	Settings: &Settings{
		Place: Place{Variable: "GEMINI_CLI_HOME"}, Files: []string{".gemini/settings.json"}, Project: ".gemini/settings.json", List: "mcpServers", Entry: PlainEntry,
	},
	Hooks: &Hooks{
		Events: []string{"SessionStart", "AfterAgent", "SessionEnd"}, Prompt: "BeforeAgent", Tool: "BeforeTool", Timeout: 5000, // ms: its docs/hooks
		Own: []string{"AfterAgent"}, Deny: geminiDeny,
	},
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "gemini",
			Folders: []said.Folder{{Path: "tmp/*/chats", Why: "Gemini CLI's, of this project", Trust: said.ByFolder, Files: []string{"*.json", "*.jsonl"}}},
			Ours:    geminiOurs,
			ID:      geminiID, Session: geminiSession, Own: geminiOwn, Whole: geminiWhole,
		},
		Place: geminiPlace,
	}, memories("gemini", geminiPlace, []string{"tmp/*/memory/*.md"}, inFolder("memory", geminiOurs), passages)},
	Background: geminiBackground,
	Reads:      append(geminiReads[:len(geminiReads):len(geminiReads)], "read_many_files", "search_file_content", "write_todos", "ask_user"),
	Shells:     []string{"run_shell_command"},
}

var _ = add(&gemini)

var geminiPlace = Place{Variable: "GEMINI_CLI_HOME", Below: ".gemini", Home: ".gemini"}

var geminiNotTyped = []string{
	"<session_context>", "<state_snapshot>", "This is the Gemini CLI. We are setting up the context", "System: Please continue.",
}

func geminiDeny(reason string) any { return map[string]string{"decision": "deny", "reason": reason} }

// geminiOurs returns a filter for the chat folders of the project with these roots.
func geminiOurs(home string, roots []string) func(chats string) bool {
	ours := func(dir string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return said.Within(root, dir) })
	}
	named := map[string]bool{} // folders that are ours by the register or a sum
	for _, root := range roots {
		sum := sha256.Sum256([]byte(root))
		named[hex.EncodeToString(sum[:])] = true
	}
	var register struct{ Projects map[string]string }
	if json.Unmarshal(readStart(filepath.Join(home, "projects.json"), maxProjects), &register) == nil {
		for dir, name := range register.Projects {
			if ours(dir) {
				named[name] = true
			}
		}
	}
	return func(chats string) bool {
		folder := filepath.Dir(chats)
		// What the folder records of itself counts before what others record of its name.
		if dir := strings.TrimSpace(string(readStart(filepath.Join(folder, ".project_root"), maxMarker))); dir != "" {
			return ours(dir)
		}
		return named[filepath.Base(folder)]
	}
}

// geminiID is the name of "session-2026-02-10T23-57-9f5659bb" without the first word.
func geminiID(path string) string {
	id, ok := strings.CutPrefix(said.Stem(path), "session-")
	if !ok || !said.IsPlainName(id) || !strings.Contains(id, "-") {
		return ""
	}
	return id
}

// geminiSession is the last word of an id: the beginning of the session's UUID, which may have several files.
func geminiSession(id string) string { return id[strings.LastIndexByte(id, '-')+1:] }

// geminiOwn is geminiSession of a session's UUID.
func geminiOwn(id string) string { return geminiSession("-" + id[:min(len(id), 8)]) }

// maxGeminiID is more than a session's UUID has.
const maxGeminiID = 128

// A geminiLog is a session as it is after what was read.
type geminiLog struct {
	session  string
	kind     said.Raw
	messages []said.Raw
	places   map[string]int // of ids in messages
	bad      int            // lines that could not be read
}

// geminiWhole returns a file in records.
func geminiWhole(text []byte, _ string) []said.Record {
	log := geminiLog{places: map[string]int{}}
	text = trimmed(text)
	if said.Raw(text).IsWhole() {
		log.set(text)
	} else {
		for line := range bytes.Lines(text) {
			ended := bytes.HasSuffix(line, []byte("\n"))
			if line = bytes.Trim(line, said.Blank+"\n"); said.Raw(line).IsWhole() {
				log.replay(line)
			} else if len(line) > 0 && ended {
				log.bad++
			}
		}
	}
	return log.lines()
}

// replay applies one line.
func (l *geminiLog) replay(line said.Raw) {
	rewind, set, session := line.Field("$rewindTo"), line.Field("$set"), line.Field("sessionId")
	switch {
	case rewind.IsString():
		place := l.places[rewind.Text()] // one that is not known removes all, as the host does
		for _, m := range l.messages[place:] {
			delete(l.places, m.Field("id").Text())
		}
		l.messages = l.messages[:place]
	case set != nil:
		l.set(set)
	case !line.Field("id").Empty():
		l.upsert(line)
	case !session.Empty():
		l.kind = nil
		l.set(line)
	}
}

// set changes what is known of the session, and all messages if there are any.
func (l *geminiLog) set(head said.Raw) {
	head.Each(func(key string, v said.Raw) {
		switch key {
		case "sessionId":
			l.session = v.Text()
		case "kind":
			l.kind = v
		case "messages":
			l.messages, l.places = nil, map[string]int{}
			v.Items(l.upsert)
		}
	})
}

func (l *geminiLog) upsert(m said.Raw) {
	if len(m) == 0 || m[0] != '{' {
		return
	}
	id := m.Field("id").Text()
	if place, ok := l.places[id]; ok && id != "" {
		l.messages[place] = m
		return
	}
	l.places[id] = len(l.messages)
	l.messages = append(l.messages, m)
}

// lines returns the log in records: a head, and two for each message.
func (l *geminiLog) lines() []said.Record {
	if len(l.session) > maxGeminiID { // it is repeated with every message
		l.session = strconv.FormatUint(said.Sum(l.session), 16)
	}
	head := said.Record{Type: said.MetaType}
	if l.kind.Is("subagent") {
		head.Sidechain = said.True
	}
	lines := []said.Record{head}
	for _, m := range l.messages {
		words := said.Record{Timestamp: m.Field("timestamp")}
		answers := words
		if id := m.Field("id"); !id.Empty() { // the same words may have the same id in any session
			words.UUID = said.Quoted(l.session + "/" + id.Text())
			answers.UUID = said.Quoted(l.session + "/" + id.Text() + "/answers")
		}
		content := m.Field("content")
		switch kind := m.Field("type"); {
		case kind.Is("user"):
			if shown := m.Field("displayContent"); shown != nil && string(shown) != "null" && !said.OpensDream(said.Joined(content.Texts())) {
				content = shown
			}
			words.TypedBlocks([]said.Block{{Type: said.TextType, Text: said.Quoted(said.Joined(content.Texts()))}}, geminiNotTyped, geminiTyped)
		case kind.Is("gemini"):
			words.Type, words.Message.Blocks = said.AssistantType, content.Texts()
			m.Field("toolCalls").Items(func(call said.Raw) { // a server's tool is mcp_SERVER_TOOL, or has its own name
				if len(call) == 0 || call[0] != '{' {
					return
				}
				words.Used(call.Field("id"), call.Field("name"), call.Field("args"))
				if output := functionOutput(call.Field("result")); output != "" {
					answers.Answered(call.Field("id"), output)
				}
			})
		}
		lines = said.AppendMessage(lines, words, answers)
	}
	return said.AppendBad(lines, l.bad)
}

// geminiAfter is what Gemini CLI, and an editor that starts it, put after what a person typed.
var geminiAfter = []string{
	"\n--- Content from referenced files ---", "\nUser Selected Files:\n- ", "\nCurrent File Path:\n```", "\n PRIOR CHAT HISTORY: ",
}

// geminiTyped is what a person typed of a text: without the files and the talk that were put after it.
func geminiTyped(text string) string {
	for _, after := range geminiAfter {
		text, _, _ = strings.Cut(text, after)
	}
	return text
}

// geminiReads are the tools of Gemini CLI that only read, and only in the project.
var geminiReads = []string{"list_directory", "read_file", "grep_search", "glob"}

// geminiPolicy denies all tools but ours and those that only read. It comes before the rules of the person and of the
// project. A version that does not understand it ignores it; the settings limit the tools there.
const geminiPolicy = `[[rule]]
toolName = "*"
decision = "deny"
priority = 1

[[rule]]
toolName = %s
decision = "allow"
priority = 2

[[rule]]
mcpName = "dream"
toolName = "*"
decision = "allow"
priority = 2
`

// geminiBackground: it is started in a folder of ours, whose settings come before the
// person's. The project is a folder that it may read, and its settings are not read. The session is kept for our
// folder, for a day, and no gate counts it. It has no limit of money.
func geminiBackground(r RunOptions) (line []string, dir string, err error) {
	settings := quoted(map[string]any{
		"mcpServers":  map[string]any{"dream": map[string]any{"command": r.Server[0], "args": r.Server[1:], "env": r.Env}},
		"mcp":         map[string]any{"allowed": []string{"dream"}},
		"tools":       map[string]any{"core": geminiReads},
		"hooksConfig": map[string]any{"enabled": false},
		"model":       map[string]any{"maxSessionTurns": r.MaxTurns},
		"context":     map[string]any{"includeDirectories": []string{r.Project}, "loadMemoryFromIncludeDirectories": false},
		"general":     map[string]any{"sessionRetention": map[string]any{"enabled": true, "maxAge": "1d", "minRetention": "1h"}},
	})
	if strings.Contains(settings, "$") {
		return nil, "", fmt.Errorf("%w: Gemini CLI would take what follows a $ in a path for a variable", ErrNoProgram)
	}
	if err := os.MkdirAll(filepath.Join(r.Own, ".gemini"), 0o700); err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(r.Own)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	policy := fmt.Sprintf(geminiPolicy, quoted(geminiReads))
	for name, text := range map[string]string{".gemini/settings.json": settings, "policy.toml": policy} {
		if err := atomicfile.Replace(root, name, []byte(text), time.Time{}); err != nil {
			return nil, "", err
		}
	}
	line = []string{
		"gemini", "--output-format", "stream-json", "--approval-mode", "default", "--extensions", "none",
		"--allowed-mcp-server-names", "dream", "--admin-policy", filepath.Join(r.Own, "policy.toml"),
	}
	return append(line, r.model()...), r.Own, nil
}
