package said

import "strings"

// Claude Code writes a file for each session into a folder for each directory in which it was started. Its
// lines are records as record.go has them; what is in them is in walk_record.go.

// claudeCodeNamed returns the ID of the session in the name of a file, or the reason why the name has none. If any is
// set, as for a folder that a person named, every name is accepted.
func claudeCodeNamed(entry string, any bool) (id string, reason Reason, ok bool) {
	id, ok = strings.CutSuffix(entry, ".jsonl")
	switch {
	case strings.HasPrefix(id, "agent-"):
		reason = Subagent
	case !any && !IsUUID(id):
		reason = NoSession
	}
	return id, reason, ok
}
