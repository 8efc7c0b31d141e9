package visible

import (
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
)

// The tags by which hosts mark what is theirs in a conversation, or models their turns. "-" stands for "_" and for a
// space too, and a prefix with a colon may be before a name (antml:invoke). Other names in angle brackets are elements,
// types or placeholders, and stay as they are: <build_time>, <div>, List<User>.
const hostTags = "system assistant human developer invoke think thinking sys inst " +
	"system-reminder system-reminders system-notification system-message system-messages system-prompt system-instruction system-instructions system-info system-warning " +
	"function-call function-calls function-result function-results function-response tool-use tool-calls tool-result tool-results tool-response tool-outputs tool-use-error " +
	"command-name command-message command-args command-contents command-permissions local-command-stdout local-command-stderr local-command-caveat " +
	"bash-input bash-stdout bash-stderr bash-notification user-prompt-submit-hook user-prompt-submit-context session-start-hook hook-context " +
	"pre-tool-use-hook post-tool-use-hook hook-additional-context additional-context ide-selection ide-opened-file ide-diagnostics ide-context new-diagnostics " +
	"task-notification task-reminder todo-reminder persisted-output retrieval-status teammate-message cross-session-message channel-message agent-message agent-notification " +
	"agent-skills available-skills skill-content skill-context skill-loaded skills-instructions apps-instructions plugins-instructions subagent-notification turn-aborted " +
	"environment-context environment-details environment-info user-instructions user-query user-info user-rules user-request user-shell-command user-settings-change " +
	"permissions-instructions collaboration-mode personality-spec model-switch mode-notice current-datetime state-snapshot session-context goal-context project-context " +
	"project-instructions workspace-info custom-instructions explicit-instructions important-instructions policy-spec antml start-of-turn end-of-turn " +
	"observed-from-primary-session additional-metadata dream-mcp-prompt dream-memories"

// The tags of hosts that people use as placeholders too (git commit -m <message>): a tag only in a text that closes it.
const commonTags = "user model tool tools function functions parameter parameters result results output error stdout stderr instruction instructions reminder " +
	"notification permissions environment env context rules policy skill skills memory memories goal tick task message event hook document documents example examples " +
	"user-input user-message user-command tool-call task-result file-content attachment attachments editor-context"

// tag matches the beginning of a tag. Its groups are the names of hostTags and of commonTags.
var tag = lazy.New(`(?i)<(?:\s*/?[|｜]|\s*[/!?]?\s*(?:[a-z][a-z0-9_-]*:)?(?:(` + oneName(hostTags) + `)|(` + oneName(commonTags) + `))[\w.:-]*)|\[/?INST\b`)

// oneName matches one of the names in a list, the longest that fits.
func oneName(list string) string {
	names := strings.Fields(list)
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	return strings.ReplaceAll(strings.Join(names, "|"), "-", "[-_ ]")
}

// EscapeTags returns a text with a backslash in each tag of a host, so that nothing that is quoted is taken for what
// the host says, or ends what it is quoted in: <\system-reminder>, <\/system-reminder>, <\|im_start|>. EscapeTags of
// the result is the same again. Whatever shows text of others to a model passes it through here, unless the model must
// be able to repeat the text exactly, as that of a memory that it edits.
func EscapeTags(text string) string {
	if !strings.ContainsAny(text, "<[") {
		return text
	}
	found := tag.FindAllStringSubmatchIndex(text, -1)
	found = slices.DeleteFunc(found, func(m []int) bool { return max(m[3], m[5]) >= 0 && max(m[3], m[5]) < m[1] }) // a longer name
	closed := make(map[string]bool)
	for _, m := range found {
		if m[4] >= 0 && strings.Contains(text[m[0]:m[4]], "/") {
			closed[strings.ToLower(text[m[4]:m[5]])] = true
		}
	}
	var b strings.Builder
	at := 0
	for _, m := range found {
		if m[4] < 0 || closed[strings.ToLower(text[m[4]:m[5]])] {
			b.WriteString(text[at:m[0]+1] + `\`)
			at = m[0] + 1
		}
	}
	return b.String() + text[at:]
}
