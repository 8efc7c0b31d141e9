package said

import "strings"

// Claude Code writes a file for each session into a folder for each directory in which it was started. Its
// lines are records as record.go has them; what is in them is in walk_record.go.

// claudeCodeNamed reports whether an entry of a folder is a transcript, its id, and the reason why its name is that of no
// session. In a folder that a person named any name will do.
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
