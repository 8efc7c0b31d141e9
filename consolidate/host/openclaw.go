package host

import (
	"strings"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/lazy"
)

// OpenClaw writes a file for each session of each of its agents: a head with the working directory, then a tree of entries, in
// the order in which they were said. What was said on a branch that was left was said too. Most of what is in a person's
// place is wrapped by the channel that it came through, and much was typed by nobody: events, heartbeats, jobs.
var openClaw = Host{
	ID: "openclaw", Name: "OpenClaw", Program: "openclaw",
	Sessions: &Sessions{
		Format: said.Format{
			Host:    "openclaw",
			Folders: []said.Folder{{Path: "agents/*/sessions", Why: "OpenClaw's, of one agent: those that ran here", Files: []string{"*.jsonl"}}},
			ID:      openClawID, Line: openClawLine, NotTyped: openClawNotTyped,
		},
		Place: Place{Variable: "OPENCLAW_STATE_DIR", Home: ".openclaw"},
	},
}

var openClawNotTyped = []string{
	"Read HEARTBEAT.md", "[cron:", "[Subagent Context]", "[System Message]", "[Queued announce messages while agent was busy]", "A new session was started via", "Pre-compaction memory flush",
	"An async command you ran earlier has completed",
}

// openClawID is the name of a file: a UUID, and perhaps "-topic-" and the topic's. "ID.jsonl.deleted.…" and "ID.jsonl.reset.…" are
// sessions that a person removed.
func openClawID(path string) string {
	stem := said.Stem(path)
	if len(stem) < 36 || !said.IsUUID(stem[:36]) || len(stem) > 36 && !strings.HasPrefix(stem[36:], "-topic-") {
		return ""
	}
	return stem
}

func openClawLine(line said.Raw, r *said.Record, h *said.HostState) {
	kind := line.Field("type")
	r.UUID, r.Timestamp = line.Field("id"), line.Field("timestamp")
	h.SetCWD(line.Field("cwd"))
	r.CWD = said.Quoted(h.CWD)
	switch {
	case kind.Is("session"):
		r.Type, r.UUID = said.MetaType, nil
	case kind.Is("message"):
		openClawMessage(line.Field("message"), r)
	}
	if !r.UUID.Empty() && h.Origin != "" { // ids are short: unique in a session only
		r.UUID = said.Quoted(h.Origin + "/" + r.UUID.Text())
	}
	if kind.Is("session") && h.Origin == "" {
		h.Origin = line.Field("id").Text()
	}
}

func openClawMessage(message said.Raw, r *said.Record) {
	role, content := message.Field("role"), message.Field("content")
	switch {
	case role.Is("user"):
		r.TypedBlocks(content.Texts("text"), openClawNotTyped, openClawTyped)
	case role.Is("toolResult"):
		r.Answered(message.Field("toolCallId"), said.Joined(content.Texts()))
	case role.Is("assistant"):
		r.Type = said.AssistantType
		for _, b := range content.Texts("text") {
			if words := strings.TrimSpace(b.Text.Text()); words != "HEARTBEAT_OK" && words != "NO_REPLY" {
				r.Message.Blocks = append(r.Message.Blocks, b)
			}
		}
		content.Items(func(item said.Raw) {
			if item.Field("type").Is("toolCall") {
				r.Used(item.Field("id"), item.Field("name"), item.Field("arguments"))
			}
		})
	}
}

// openClawTyped is what a person typed of a text, which may hold all that was typed while the agent was busy.
func openClawTyped(text string) string {
	typed := openClawWords(text)
	queue, ok := strings.CutPrefix(typed, "[Queued messages while agent was busy]")
	if !ok {
		return typed
	}
	var texts []string
	for i, text := range strings.Split(queue, "\n---\nQueued #") {
		if i > 0 {
			_, text, _ = strings.Cut(text, "\n") // after its number
		}
		if text = said.TypedIn(text, openClawNotTyped, openClawWords); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

var (
	// openClawEnvelope is before the words that came through a channel, with the sender or the time: "[Telegram Ann id:7 +3m
	// 2026-11-18T09:14Z] "; or it is only the time: "[Wed 2026-11-18 09:14 UTC] ".
	openClawEnvelope = lazy.New(`^\[[A-Z][^\[\]\n]* (?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?:Z| [^\s\[\]]+)?|id:[^\s\[\]]+(?: \+\w+)?)\]\s`)

	openClawMessageID = lazy.New(`(?m)^[ \t]*\[message_id: [^\[\]\n]*\][ \t]*(?:\n|$)`)

	// openClawAnnounce is what OpenClaw writes to the model when a sub-agent or a job has ended.
	openClawAnnounce = lazy.New(`(?s)^A (?:background task|subagent task|cron job) ".*" just .*\n\n(?:Findings|Result):\n`)
)

// maxEnvelope bounds an envelope. Anybody may write to OpenClaw: looking at a text must end soon, or remove what it looked at.
const maxEnvelope = 256

// openClawWords is a text without the blocks that describe the sender and the conversation, the events before it, the
// envelopes and the IDs of messages; "" if a sub-agent or a job announces its end.
func openClawWords(text string) string {
	rest := strings.TrimSpace(openClawMessageID.ReplaceAllString(text, ""))
	for before := ""; rest != before; {
		before = rest
		for envelope := " "; envelope != ""; {
			envelope = openClawEnvelope.FindString(rest[:min(len(rest), maxEnvelope)])
			rest = rest[len(envelope):]
		}
		first, after, _ := strings.Cut(rest, "\n")
		switch {
		case strings.HasSuffix(first, ":") && (strings.Contains(first, " (untrusted") || strings.HasPrefix(first, "Untrusted context (")):
			if fenced, ok := strings.CutPrefix(after, "```json\n"); ok {
				_, rest, _ = strings.Cut(fenced, "\n```")
			} else if words, ok := strings.CutPrefix(after, "\n"); ok {
				rest = words
			} else {
				_, rest, _ = strings.Cut(after, "\n\n")
			}
		case strings.HasPrefix(first, "System: ["), strings.HasPrefix(first, "System (untrusted): ["):
			rest = after
		}
		rest = strings.TrimSpace(rest)
	}
	if openClawAnnounce.MatchString(rest) {
		return ""
	}
	return rest
}
