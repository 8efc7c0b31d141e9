package host

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/lazy"
)

// OpenClaw keeps the sessions of each of its agents in a database, and versions before 2026.9 in a file for each: a
// head with the working directory, then a tree of entries, in the order in which they were said. A long entry is
// compressed in the database. What was said on a branch that was left was said too. Most of what is in a person's place
// is wrapped by the channel that it came through, and much was typed by nobody: events, heartbeats, jobs. In the chats
// of a group other people speak: there only the words of the owner, whom the host marks, are the person's.
var openClaw = Host{
	ID: "openclaw", Name: "OpenClaw", Program: "openclaw", Tried: "2026.9.6",
	Sessions: []Sessions{{
		Format: said.Format{
			Host:    "openclaw",
			Folders: []said.Folder{{Path: "agents/*/sessions", Why: "OpenClaw's, of one agent: those that ran here", Files: []string{"*.jsonl"}}},
			ID:      openClawID, Line: openClawLine, Version: []string{"version"},
		},
		Place: openClawPlace,
	}, {
		Format: said.Format{
			Host:    "openclaw",
			Folders: []said.Folder{{Path: "agents/*/agent/openclaw-agent.sqlite", Why: "OpenClaw's database, of one agent: those that ran here"}},
			Collect: tables{openClawSessions, openClawRead}.collect,
		},
		Place: openClawPlace,
	}},
}

var _ = add(&openClaw)

var openClawPlace = Place{Variable: "OPENCLAW_STATE_DIR", Home: ".openclaw"}

// openClawSessions returns the sessions of a database. Their working directories are in their first entries.
func openClawSessions(v database.View, wanted func(*session) bool) (all []session, err error) {
	if has, err := v.Has("transcript_events"); !has || err != nil {
		return nil, cmp.Or(err, errors.New("it has no table of entries: an unknown version of OpenClaw"))
	}
	var found []session
	columns := []string{"session_id", "updated_at", "spawned_by", "hook_external_content_source"}
	err = v.Rows("session_windows", "", "", columns, func(row database.Row) error {
		s := session{ID: row.Text(0), Status: said.Status{ModTime: dateOf(row.Int(1))}}
		switch {
		case row.Text(2) != "":
			s.Reason = said.Subagent
		case row.Text(3) != "": // a mail or a web hook
			s.Reason = said.Automated
		}
		found = append(found, s)
		return nil
	})
	for _, s := range found {
		err := v.Rows("transcript_events", "session_id", s.ID, []string{"seq", "event_json"}, func(row database.Row) error {
			s.Directory = said.Raw(row.Text(1)).Field("cwd").Text() // the first entry is never compressed
			return fs.SkipAll
		})
		if err != nil && err != fs.SkipAll {
			return nil, err
		}
		if !wanted(&s) {
			continue
		}
		n, err := v.Count("transcript_events", "session_id", s.ID)
		if err != nil {
			return nil, err
		}
		s.Size = n
		all = append(all, s)
	}
	return all, err
}

// openClawEntries calls do with each entry of a session; with nil for one that cannot be read.
func openClawEntries(v database.View, id string, do func(entry said.Raw)) error {
	type entry struct {
		seq  int64
		text said.Raw
	}
	var b budget
	var all []entry
	columns := []string{"seq", "event_json", "event_zstd"}
	err := v.Rows("transcript_events", "session_id", id, columns, func(row database.Row) error {
		text := []byte(row.Text(1))
		if packed, ok := row[2].([]byte); ok {
			var err error
			if text, err = unpacked(packed); err != nil {
				text = nil
			}
		}
		value, err := b.value(text, row.TooLong(1) || row.TooLong(2))
		all = append(all, entry{row.Int(0), value})
		return err
	})
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.seq, b.seq) })
	for _, e := range all {
		do(e.text)
	}
	return err
}

// openClawRead returns a session: a line for each entry.
func openClawRead(v database.View, s session) (lines []said.Record, err error) {
	group := false // other people speak there too
	err = v.Rows("session_windows", "session_id", s.ID, []string{"chat_type"}, func(row database.Row) error {
		group = row.Text(0) == "group" || row.Text(0) == "channel"
		return nil
	})
	if err != nil {
		return nil, err
	}
	var h said.HostState
	err = openClawEntries(v, s.ID, func(entry said.Raw) {
		var r said.Record
		if entry == nil {
			lines = said.AppendBad(lines, 1)
			return
		}
		openClawLine(entry, &r, &h)
		if message := entry.Field("message"); group && r.Type.Is("user") && message.Field("role").Is("user") &&
			!message.Field("__openclaw").Field("senderIsOwner").IsTrue() {
			r.Type = said.OtherType
		}
		lines = append(lines, r)
	})
	return lines, err
}

var openClawNotTyped = []string{
	"Read HEARTBEAT.md", "[cron:", "[Subagent Context]", "[System Message]", "[Queued announce messages while agent was busy]", "A new session was started via", "Pre-compaction memory flush",
	"An async command you ran earlier has completed",
}

// openClawID is the name of a file: a UUID, and perhaps "-topic-" and the topic's. "ID.jsonl.deleted.…" and
// "ID.jsonl.reset.…" are sessions that a person removed.
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
		if by := message.Field("provenance").Field("kind"); by.Is("inter_session") || by.Is("internal_system") {
			return
		}
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
		usedTools(r, content)
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
	// openClawEnvelope is before the words that came through a channel, with the sender or the time: "[Telegram Ann
	// id:7 +3m 2026-11-18T09:14Z] "; or it is only the time: "[Wed 2026-11-18 09:14 UTC] ".
	openClawEnvelope = lazy.New(`^\[[A-Z][^\[\]\n]* (?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?:Z| [^\s\[\]]+)?|id:[^\s\[\]]+(?: \+\w+)?)\]\s`)

	openClawMessageID = lazy.New(`(?m)^[ \t]*\[message_id: [^\[\]\n]*\][ \t]*(?:\n|$)`)

	// openClawAnnounce is what OpenClaw writes to the model when a sub-agent or a job has ended.
	openClawAnnounce = lazy.New(`(?s)^A (?:background task|subagent task|cron job) ".*" just .*\n\n(?:Findings|Result):\n`)
)

// maxEnvelope bounds an envelope. Anybody may write to OpenClaw: looking at a text must end soon, or remove what it
// looked at.
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
