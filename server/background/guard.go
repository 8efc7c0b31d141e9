package background

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/server/hook"
	"dream-mcp/server/settings"
)

// reading are tools of hosts that change nothing and ask nobody but the person; shells are those that run a command
// line.
var reading, shells = tools()

func tools() (reading, shells []string) {
	for _, h := range host.List {
		reading, shells = append(reading, h.Reads...), append(shells, h.Shells...)
	}
	return reading, shells
}

// ours matches our own tools as hosts name them, after the name of the server.
var ours = lazy.New(`^(?:mcp_+)?(?:plugin_\w+?_)?dream(?:[-_]mcp)?_+` +
	`(?:dream_status|dream_orient|grep_transcripts|read_memory|write_memory|finalize_index|abort_dream|review_dream|undo_dream)$`)

// shellArguments are all arguments that shells are known to have.
var shellArguments = []string{"command", "description", "timeout", "run_in_background", "workdir", "directory", "dir_path", "is_background"}

// forbidden returns why a tool must not be used while a dream is open in the session, and what to use instead, or ""
// if it may be used. An unknown tool must not be used, since it may do anything, nor one with an unknown argument.
func forbidden(e hook.Event) string {
	const end = " A dream is open: finish it with finalize_index or end it with abort_dream first."
	shell := slices.Contains(shells, e.Tool)
	switch {
	case slices.Contains(reading, e.Tool) || ours.MatchString(e.Tool):
		return ""
	case shell && onlyReads(e.Command) && !slices.ContainsFunc(strings.Split(e.Arguments, ","), func(name string) bool { return !slices.Contains(shellArguments, name) }):
		return ""
	case shell:
		return "In a dream the shell only reads, by plain commands such as ls, cat, grep, rg and git log, without redirection or substitution. " +
			"To change a memory use write_memory; to search sessions use grep_transcripts." + end
	case e.File != "":
		return "In a dream memories change through write_memory alone, and nothing else changes." + end
	}
	return "In a dream only its own tools and those that read may be used, without sub-agents: read_memory, write_memory, grep_transcripts, finalize_index." + end
}

// dreaming returns the record of an attended dream that any process has open, and its session, or "" if that is
// unknown. If no operation is open, it costs one stat.
func dreaming(p *consolidate.Project) (r lock.Record, session string, open bool, err error) {
	info, err := os.Lstat(filepath.Join(p.Store.MemoryDir, lock.File))
	if err != nil || info.Size() <= 1 {
		return r, "", false, nil // a lock that cannot be seen was not taken by a server of this person
	}
	root, err := memory.OpenRoot(p.Store.MemoryDir)
	if err != nil {
		return r, "", false, err
	}
	defer root.Close()
	if r, err = lock.Read(root); err != nil || r.Kind != lock.KindDream || r.Dead() {
		return r, "", false, err
	}
	defer p.Store.Lock()()
	dream, err := p.Store.Records.Op(r.ID)
	return r, dream.Session, err != nil || !dream.Unattended, nil // the host of an unattended one has no tool of its own that writes
}

// guard denies a tool that must not be used in a dream of this session, and reports whether it did. If it cannot see
// whether a dream is open, or what the event is about, it denies.
func guard(p *consolidate.Project, e hook.Event, out io.Writer) (denied bool, err error) {
	reason := forbidden(e)
	if reason == "" {
		return false, nil
	}
	dream, session, open, err := dreaming(p)
	if err == nil && (!open || session != "" && e.Session != "" && session != e.Session && !settings.SharesParent(dream.PID)) {
		return false, nil // nobody dreams, or another session does
	}
	return true, deny(out, e.Name, reason)
}

// guarded reports whether the guard is asked about an event: one before a tool, and any that cannot be read.
func guarded(e hook.Event) bool { return e.Moment == hook.Tool || e.Moment == "" }

// deny writes the answer that denies a tool, in the form of the host that has the event.
func deny(out io.Writer, event, reason string) error {
	for _, h := range host.List {
		if k := h.Hooks; k != nil && k.Deny != nil && (event == k.Tool || event == "" && slices.ContainsFunc(h.Variables.Hook, func(name string) bool { return os.Getenv(name) != "" })) {
			return json.NewEncoder(out).Encode(k.Deny(reason))
		}
	}
	type specific struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
	return json.NewEncoder(out).Encode(map[string]specific{"hookSpecificOutput": {cmp.Or(event, "PreToolUse"), "deny", reason}})
}
