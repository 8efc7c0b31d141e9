package background

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/server/hook"
	"dream-mcp/server/host"
)

// reading are tools of hosts that change nothing and ask nobody but the person.
var reading = []string{
	"Read", "Grep", "Glob", "LS", "NotebookRead", "TodoRead", "TodoWrite", "ToolSearch", "AskUserQuestion", "ExitPlanMode", // Claude Code
	"ListMcpResourcesTool", "ReadMcpResourceTool", "WaitForMcpServers",
	"read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content", "write_todos", "ask_user", // Gemini CLI
	"update_plan", "view_image", // Codex
	"read", "grep", "list", "todoread", "todowrite", "question", // opencode
}

// ours matches our own tools as hosts name them, after the name of the server.
var ours = regexp.MustCompile(`^(?:mcp_+)?(?:plugin_\w+?_)?dream(?:[-_]mcp)?_+` +
	`(?:dream_status|dream_orient|grep_transcripts|read_memory|write_memory|finalize_index|abort_dream|review_dream|undo_dream)$`)

// forbidden returns why a tool must not be used while a dream is open in the session, and what to use instead, or ""
// if it may be used. An unknown tool must not be used, since it may do anything.
func forbidden(e hook.Event) string {
	const end = " A dream is open: finish it with finalize_index or end it with abort_dream first."
	switch {
	case slices.Contains(reading, e.Tool) || ours.MatchString(e.Tool):
		return ""
	case e.Command != "" && onlyReads(e.Command):
		return ""
	case e.Command != "":
		return "In a dream the shell only reads, by plain commands such as ls, cat, grep, rg and git log, without redirection or substitution. " +
			"To change a memory use write_memory; to search sessions use grep_transcripts." + end
	case e.File != "":
		return "In a dream memories change through write_memory alone, and nothing else changes." + end
	}
	return "In a dream only its own tools and those that read may be used, without sub-agents: read_memory, write_memory, grep_transcripts, finalize_index." + end
}

// readers are the commands that only read, with the options that make them do more.
var readers = map[string][]string{
	"ls": nil, "cat": nil, "head": nil, "tail": nil, "wc": nil, "grep": nil, "egrep": nil, "fgrep": nil, "cut": nil, "tr": nil, "pwd": nil,
	"stat": nil, "du": nil, "df": nil, "basename": nil, "dirname": nil, "realpath": nil, "readlink": nil, "echo": nil, "printf": nil,
	"true": nil, "false": nil, "diff": nil, "cmp": nil, "nl": nil, "which": nil, "uname": nil, "whoami": nil, "sha256sum": nil,
	"rg":   {"--pre", "--hostname-bin"},
	"find": {"-exec", "-ok", "-delete", "-fprint", "-fls"},
	"git":  {"--output", "--ext-diff", "--textconv", "--open-files-in-pager"},
}

// gitReaders are the subcommands of git that only read.
var gitReaders = []string{"log", "show", "diff", "status", "blame", "grep", "ls-files", "ls-tree", "rev-parse", "rev-list", "describe", "shortlog", "cat-file"}

// quotation matches a quoted text in which a shell expands nothing.
var quotation = regexp.MustCompile("'[^']*'|\"[^\"$`]*\"")

// special are the characters that a shell may act on.
const special = "<>`$(){}\\\r\"'"

// onlyReads reports whether a command line certainly changes nothing.
func onlyReads(line string) bool {
	line = strings.NewReplacer("2>/dev/null", "", "2>&1", "").Replace(line)
	if strings.Contains(line, `\`) {
		return false
	}
	line = quotation.ReplaceAllStringFunc(line, func(quoted string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(special+" \t\n|;&", r) {
				return '_'
			}
			return r
		}, quoted[1:len(quoted)-1])
	})
	if strings.ContainsAny(line, special) {
		return false
	}
	calls := strings.FieldsFunc(strings.NewReplacer("&&", "\n", "||", "\n").Replace(line), func(r rune) bool { return strings.ContainsRune("|;\n", r) })
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(call string) bool { return strings.Contains(call, "&") || !reads(strings.Fields(call)) })
}

// reads reports whether one command certainly changes nothing.
func reads(words []string) bool {
	if len(words) == 0 || words[0] == "cd" && len(words) == 2 {
		return true
	}
	more, known := readers[words[0]]
	if !known || words[0] == "git" && (len(words) < 2 || !slices.Contains(gitReaders, words[1])) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		abbreviated := strings.HasPrefix(name, "--") && len(name) > 3
		pager := words[0] == "git" && words[1] == "grep" && len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word, "O")
		return pager || slices.ContainsFunc(more, func(option string) bool {
			return strings.HasPrefix(word, option) || abbreviated && strings.HasPrefix(option, name)
		})
	})
}

// dreaming returns the record of an attended dream that any process has open, and its session, or "" if that is
// unknown. If no operation is open, it costs one stat.
func dreaming(p *consolidate.Project) (r lock.Record, session string, open bool, err error) {
	info, err := os.Lstat(filepath.Join(p.MemoryDir, lock.File))
	if err != nil || info.Size() <= 1 {
		return r, "", false, nil // a lock that cannot be seen was not taken by a server of this person
	}
	root, err := memory.OpenRoot(p.MemoryDir)
	if err != nil {
		return r, "", false, err
	}
	defer root.Close()
	if r, err = lock.Read(root); err != nil || r.Kind != lock.KindDream || r.Dead() {
		return r, "", false, err
	}
	p.Lock()
	defer p.Unlock()
	dream, err := p.Op(r.Dream)
	return r, dream.Session, err != nil || !dream.Unattended, nil // the host of an unattended one has no tool of its own that writes
}

// guard denies a tool that must not be used in a dream of this session, and reports whether it did. If it cannot see
// whether a dream is open, it denies.
func guard(p *consolidate.Project, e hook.Event, out io.Writer) (denied bool, err error) {
	reason := forbidden(e)
	if reason == "" {
		return false, nil
	}
	dream, session, open, err := dreaming(p)
	if err == nil && (!open || session != "" && e.Session != "" && session != e.Session && !host.SharesParent(dream.PID)) {
		return false, nil // nobody dreams, or another session does
	}
	return true, deny(out, e.Name, reason)
}

// deny writes the answer that denies a tool.
func deny(out io.Writer, event, reason string) error {
	if event == "BeforeTool" { // Gemini CLI
		return json.NewEncoder(out).Encode(map[string]string{"decision": "deny", "reason": reason})
	}
	type specific struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
	return json.NewEncoder(out).Encode(map[string]specific{"hookSpecificOutput": {event, "deny", reason}})
}
