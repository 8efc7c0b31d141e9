package said

import (
	"slices"
	"strings"
	"time"
)

// time returns the record's timestamp, or the zero time: also for one that cannot be written in every zone.
func (r *Record) time() time.Time {
	var t time.Time
	if r.Timestamp.Empty() { // an error takes longer to make than a time to read
		return t
	}
	if plain, ok := r.Timestamp.plain(); !ok || t.UnmarshalText(plain) != nil {
		var err error
		if t, err = time.Parse(time.RFC3339Nano, r.Timestamp.Text()); err != nil {
			return time.Time{}
		}
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9998 {
		return time.Time{}
	}
	return t
}

// A part is what one record gives to one utterance.
type part struct {
	speaker  Speaker
	recorded recorded
	text     string
	manner   Manner // of a person's words, where the record says it
	message  string // of the assistant: the id that joins its parts
	slot     int    // counts the places for utterances within the record, from 0
}

// recorded says how the host recorded a person's words. It may record the same words in several ways, in this order.
type recorded int

const (
	spoken   recorded = iota // not a person's words, or nothing is known to repeat them
	enqueued                 // typed while the model was busy
	attached                 // given to the model during its turn
	turn                     // a turn of their own
)

// typed reports whether a person typed the part.
func (p part) typed() bool { return p.recorded != spoken }

// maxCalls bounds the calls that are remembered of one session, of each kind.
const maxCalls = 1 << 16

// calls are those of tools, by their ids, whose results say less than others; and the command that the host did not
// know.
type calls struct {
	Ours    sums   `json:",omitempty"` // of our own tools: neither what those were asked nor what they answered was said
	Servers sums   `json:",omitempty"` // of tools of servers, until their results are read: these may be any text
	Unknown string `json:",omitempty"` // its name, until its arguments are read
}

func (s *sums) add(call Raw) {
	if *s == nil {
		*s = sums{}
	}
	if len(*s) < maxCalls {
		(*s)[Sum(call.Text())] = true
	}
}

func (s sums) has(call Raw) bool { return len(s) > 0 && s[Sum(call.Text())] }

// fromServer reports whether a result is the first one of a call of a server's tool.
func (c *calls) fromServer(call Raw) bool {
	was := c.Servers.has(call)
	if was {
		delete(c.Servers, Sum(call.Text()))
	}
	return was
}

// parts appends what was said in a record, and returns what else the record marks. A record that opens a dream says
// nothing. Without tools, the parts of tools have no text.
func (r *Record) parts(said []part, of *calls, tools bool) (all []part, marks event) {
	if r.Sidechain.IsTrue() || r.Summary.IsTrue() {
		return said, noEvent
	}
	switch {
	case r.Type.Is("user"):
		return r.userParts(said, of, tools)
	case r.Type.Is("other"):
		return append(said, part{speaker: Others, text: Joined(r.Message.Blocks)}), noEvent
	case r.Type.Is("memory"):
		return append(said, part{speaker: Memory, text: Joined(r.Message.Blocks)}), noEvent
	case r.Type.Is("assistant"):
		return r.assistantParts(said, of, tools), noEvent
	case r.Meta.IsTrue():
	case r.Type.Is("queue-operation"):
		if r.Operation.Is("enqueue") {
			return r.typedParts(said, blocks(r.Content), enqueued)
		}
	case r.Type.Is("attachment"):
		if a := r.Attachment; a.Field("type").Is("queued_command") && !a.Field("isMeta").IsTrue() {
			if mode := a.Field("commandMode"); mode.Empty() || mode.Is("prompt") {
				r.Origin = a.Field("origin")
				return r.typedParts(said, blocks(a.Field("prompt")), attached)
			}
		}
	case r.Type.Is("system"):
		return r.systemParts(said, of)
	}
	return said, noEvent
}

// systemParts appends what a person typed that the host recorded as its own: a command that it carried out, and the
// arguments of a command that it did not know.
func (r *Record) systemParts(said []part, of *calls) (all []part, marks event) {
	text := strings.TrimSpace(r.Content.Text())
	if name := unknownCommand(r.Content); name != "" {
		of.Unknown = name
	}
	if args, ok := strings.CutPrefix(text, "Args from unknown skill: "); ok && r.Subtype.Is("informational") {
		if of.Unknown != "" {
			args, of.Unknown = "/"+of.Unknown+" "+args, ""
		}
		return r.typedParts(said, []Block{{Type: TextType, Text: Quoted(args)}}, turn)
	}
	if r.Subtype.Is("local_command") && strings.HasPrefix(text, "<command-") {
		return r.typedParts(said, blocks(r.Content), turn)
	}
	return said, noEvent
}

func (r *Record) userParts(said []part, of *calls, tools bool) (all []part, marks event) {
	slot := 0
	var typed []Block
	var dialog []part
	for _, b := range r.Message.Blocks {
		if !b.isResult() {
			if name := unknownCommand(b.Text); name != "" {
				of.Unknown = name
			}
			typed = append(typed, b)
			continue
		}
		p := part{speaker: Tool, slot: slot}
		if tools && !of.Ours.has(b.ToolUseID) {
			p.text = plain(b.Content)
		}
		dialog = r.dialog(dialog, b, !of.fromServer(b.ToolUseID))
		said = append(said, p)
		slot++
	}
	words, marks := r.typedParts(dialog, typed, turn)
	if r.Meta.IsTrue() || marks == dreamBegun {
		return said, marks
	}
	for _, p := range words {
		p.slot = slot
		said = append(said, p)
		slot++
	}
	return said, marks
}

// typedParts appends the words that a person typed, as one utterance. The words of a plan are the model's.
func (r *Record) typedParts(said []part, content []Block, v recorded) (all []part, marks event) {
	kind := r.Origin.Field("kind")
	byPerson := kind.Is("human") || r.Source.Is("typed")
	var words []string
	for _, b := range content {
		text := b.Text.Text()
		if OpensDream(text) {
			return said, dreamBegun
		}
		typed, e := typedText(text, byPerson)
		if typed != "" {
			words = append(words, typed)
		}
		marks = max(marks, e)
	}
	if len(words) == 0 || !r.Plan.Empty() || !kind.Empty() && !byPerson || r.Source.Is("system") {
		return said, marks
	}
	p := part{speaker: User, recorded: v, text: strings.Join(words, "\n")}
	if r.Source.Is("suggestion_accepted") {
		p.manner = Suggested
	}
	return append(said, p), marks
}

func (r *Record) assistantParts(said []part, of *calls, tools bool) []part {
	if r.APIError.IsTrue() || r.Message.Model.Is("<synthetic>") { // the host's words in the model's place
		return said
	}
	var words []string
	slot := 0
	for _, b := range r.Message.Blocks {
		if b.isText() {
			slot = 1
			if text := modelText(b.Text.Text()); text != "" {
				words = append(words, text)
			}
		}
	}
	if len(words) > 0 {
		said = append(said, part{speaker: Assistant, text: strings.Join(words, "\n\n"), message: r.Message.ID.Text()})
	}
	for _, b := range r.Message.Blocks {
		if !b.isUse() {
			continue
		}
		text := ""
		if strings.HasPrefix(b.Name.Text(), "mcp__") {
			of.Servers.add(b.ID)
		}
		if ownTool(b.Name) {
			of.Ours.add(b.ID)
		} else if tools {
			text = useText(b.Name.Text(), b.Input)
		}
		said = append(said, part{speaker: Tool, text: text, slot: slot})
		slot++
	}
	return said
}

// ownTools are all of our tools: their arguments and answers repeat memories and hits.
var ownTools = []string{
	"__dream_status", "__dream_orient", "__grep_transcripts", "__read_memory", "__write_memory",
	"__finalize_index", "__abort_dream", "__review_dream", "__undo_dream",
}

// ownTool reports whether a tool is one of ours, under any server name that a host gave it.
func ownTool(name Raw) bool {
	return slices.ContainsFunc(ownTools, name.ends)
}

func (b Block) isText() bool   { return !b.Text.Empty() && (b.Type.Empty() || b.Type.Is("text")) }
func (b Block) isUse() bool    { return b.Type.ends("tool_use") }
func (b Block) isResult() bool { return b.Type.ends("tool_result") }

// blocks reads a content: a string, a block, or a list of blocks and bare strings.
func blocks(v Raw) []Block {
	if len(v) == 0 {
		return nil
	}
	var all []Block
	content(v, 0, &all)
	return all
}

// plain is the text of a content, its blocks one below the other, without reminders.
func plain(v Raw) string {
	if v.IsString() {
		return withoutReminders(v.Text())
	}
	texts := slices.DeleteFunc(blocks(v), func(b Block) bool { return !b.isText() })
	return withoutReminders(Joined(texts))
}
