package transcript

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// maxRecords bounds what one line may unfold to; two records on a line were seen.
const maxRecords = 16

// A decoder reads lines. What it returns is valid until the next line.
type decoder struct {
	records  []record
	form     func(raw, *record, *heritage) bool // of another host's lines; nil: they are Claude Code's
	heritage heritage
	setting  setting
}

// newDecoder returns what reads the lines of a host.
func newDecoder(h Host) decoder {
	if f := forms[h]; f != nil {
		return decoder{form: f.line}
	}
	return decoder{}
}

// line reads the records of a line: one as a rule, two where a concurrent append lost its newline
// (CENSUS 2). bad reports that some of the line was no JSON. A value that is no object, or a field of
// another type than it ought to have, is passed over.
func (d *decoder) line(line []byte) (records []record, bad bool) {
	if d.form != nil {
		return d.foreign(line)
	}
	if cap(d.records) == 0 {
		d.records = make([]record, 1)
	}
	if one := d.records[:1]; one[0].walk(line, &d.setting) {
		return one, false
	}
	return oddLine(line)
}

// time returns the record's timestamp, or the zero time: also for one that can't be written down in every zone.
func (r *record) time() time.Time {
	var t time.Time
	if r.Timestamp.empty() { // an error takes longer to make than a time to read
		return t
	}
	if plain, ok := r.Timestamp.plain(); !ok || t.UnmarshalText(plain) != nil {
		var err error
		if t, err = time.Parse(time.RFC3339Nano, r.Timestamp.text()); err != nil {
			return time.Time{}
		}
	}
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9998 {
		return time.Time{}
	}
	return t
}

// A clock reads the times of records, most of which are of the minute that the one before was of: those in a
// tenth of the time.
type clock struct {
	minute []byte // as it is spelt, `"2026-11-18T09:14:`; empty: none is known
	begins time.Time
}

// read returns the time of a record.
func (c *clock) read(r *record) time.Time {
	const form, digits = `"2026-11-18T09:14:03.123Z"`, `00.000Z"`
	v := r.Timestamp
	if len(v) != len(form) {
		return r.time()
	}
	minute, n := v[:len(form)-len(digits)], milliseconds(v[len(form)-len(digits):])
	if n >= 0 && string(minute) == string(c.minute) {
		return c.begins.Add(time.Duration(n) * time.Millisecond)
	}
	t := r.time()
	if _, plain := v.plain(); plain && n >= 0 && !t.IsZero() {
		c.minute, c.begins = append(c.minute[:0], minute...), t.Add(-time.Duration(n)*time.Millisecond)
	}
	return t
}

// milliseconds reads what stands behind a minute, `03.123Z"`; -1: something else does.
func milliseconds(text []byte) int {
	tens, units, a, b, c := text[0]-'0', text[1]-'0', text[3]-'0', text[4]-'0', text[5]-'0'
	if tens > 5 || max(units, a, b, c) > 9 || text[2] != '.' || string(text[6:]) != `Z"` {
		return -1
	}
	return (int(tens)*10+int(units))*1000 + int(a)*100 + int(b)*10 + int(c)
}

// A part is what one record gives to one utterance.
type part struct {
	speaker Speaker
	via     via
	text    string
	message string // of the assistant: the id that joins its parts
	slot    int    // counts the places for utterances within the record, from 0
	holds   bool   // see utterance
}

// via is the way on which a person's words came into a transcript. The same words may come on
// several, in this order (CENSUS 2).
type via int

const (
	spoken   via = iota // not a person's words, or nothing is known to repeat them
	enqueued            // typed while the model was busy
	attached            // handed to the model amid its turn
	turn                // a turn of their own
)

// typed reports whether a person typed the part.
func (p part) typed() bool { return p.via != spoken }

// An ear says what of a record is listened to.
type ear struct {
	ours  map[string]bool   // the ids of calls of our own tools, which parts adds to: what they were asked and answered is not said
	tools func(raw) hearing // of the values of tools: those that have nothing to hear are taken for empty; nil: all are decoded

	answers func(raw) hearing // of what tools answered, where tools says maybe; nil: it stays so

	noModel bool // what the model says is not listened to
}

// hearing is what there is to hear in a value that nobody has decoded.
type hearing int

const (
	nothing hearing = iota // that is sought
	maybe
	surely // its text holds what is sought, and need not be decoded
)

func (e ear) hears(values ...raw) hearing {
	if e.tools == nil {
		return maybe
	}
	most := nothing
	for _, v := range values {
		most = max(most, e.tools(v))
	}
	return most
}

// hearsAnswer is what there is to hear in what a tool answered.
func (e ear) hearsAnswer(v raw) hearing {
	heard := e.hears(v)
	if heard == maybe && e.answers != nil {
		return e.answers(v)
	}
	return heard
}

// parts appends what was said in a record, and returns what the record marks beside that. A record that opens a
// dream says nothing.
func (r *record) parts(said []part, e ear) (all []part, marks event) {
	if r.Sidechain.isTrue() || r.Summary.isTrue() {
		return said, noEvent
	}
	switch {
	case r.Type.is("user"):
		return r.userParts(said, e)
	case r.Type.is("assistant"):
		return r.assistantParts(said, e), noEvent
	case r.Type.is("queue-operation"):
		if r.Operation.is("enqueue") && !r.Meta.isTrue() {
			return r.typedParts(said, blocks(r.Content), enqueued)
		}
	case r.Type.is("attachment"):
		a := &r.Attachment
		if a.Type.is("queued_command") && (a.Mode.empty() || a.Mode.is("prompt")) && !r.Meta.isTrue() && !a.Meta.isTrue() {
			return r.typedParts(said, blocks(a.Prompt), attached)
		}
	case r.Type.is("system"):
		if r.Subtype.is("away_summary") {
			if text := plain(r.Content); text != "" {
				said = append(said, part{speaker: Assistant, text: text})
			}
		}
	}
	return said, noEvent
}

func (r *record) userParts(said []part, e ear) (all []part, marks event) {
	slot := 0
	for _, b := range r.Message.Blocks {
		if !b.isResult() {
			continue
		}
		p := part{speaker: Tool, slot: slot}
		if heard := e.hearsAnswer(b.Content); heard != nothing && !(len(e.ours) > 0 && e.ours[b.ToolUseID.text()]) {
			if p.holds = heard == surely; !p.holds {
				p.text = plain(b.Content)
			}
		}
		said = append(said, p)
		slot++
	}
	if slot > 0 {
		if _, marks = r.typedParts(nil, r.Message.Blocks, turn); marks != interrupted {
			marks = noEvent
		}
		return said, marks
	}
	words, marks := r.typedParts(said, r.Message.Blocks, turn)
	if r.Meta.isTrue() {
		return said, marks
	}
	return words, marks
}

// typedParts appends the words that a person typed, as one utterance. The words of a plan are the model's.
func (r *record) typedParts(said []part, content []block, v via) (all []part, marks event) {
	var words []string
	for _, b := range content {
		text := b.Text.text()
		if strings.Contains(text, DreamMarker) {
			return said, dreamBegun
		}
		typed, e := typedText(text)
		if typed != "" {
			words = append(words, typed)
		}
		marks = max(marks, e)
	}
	if len(words) == 0 || !r.Plan.empty() {
		return said, marks
	}
	return append(said, part{speaker: User, via: v, text: strings.Join(words, "\n")}), marks
}

func (r *record) assistantParts(said []part, e ear) []part {
	if r.APIError.isTrue() || r.Message.Model.is("<synthetic>") { // the host's words in the model's place
		return said
	}
	var words []string
	slot := 0
	for _, b := range r.Message.Blocks {
		if b.isText() {
			if slot = 1; e.noModel {
				continue
			}
			if text := modelText(b.Text.text()); text != "" {
				words = append(words, text)
			}
		}
	}
	if len(words) > 0 {
		said = append(said, part{speaker: Assistant, text: strings.Join(words, "\n\n"), message: r.Message.ID.text()})
	}
	for _, b := range r.Message.Blocks {
		if !b.isUse() {
			continue
		}
		text := ""
		if ownTool(b.Name) {
			e.ours[b.ID.text()] = true
		} else if e.hears(b.Name, b.Input) != nothing {
			text = useText(b.Name.text(), b.Input)
		}
		said = append(said, part{speaker: Tool, text: text, slot: slot})
		slot++
	}
	return said
}

// ownPrefix is what stands between the name of a server and that of its tool.
const ownPrefix = "__"

// ownTools are all of our tools: their arguments and answers repeat memories and hits. Heads and digests say which
// transcripts have no calls of them: whoever adds one raises headsMagic and digestVersion.
var ownTools = []string{
	"__dream_status", "__dream_orient", "__grep_transcripts", "__read_memory", "__write_memory",
	"__finalize_index", "__abort_dream", "__review_dream", "__undo_dream",
}

// ownTool reports whether a tool is one of ours, under whatever name of server a host gave it.
func ownTool(name raw) bool {
	plain, ok := name.plain()
	if !ok {
		plain = []byte(name.text())
	}
	return slices.ContainsFunc(ownBytes, func(own []byte) bool { return bytes.HasSuffix(plain, own) })
}

func (b block) isText() bool   { return !b.Text.empty() && (b.Type.empty() || b.Type.is("text")) }
func (b block) isUse() bool    { return b.Type.ends("tool_use") }
func (b block) isResult() bool { return b.Type.ends("tool_result") }

// blocks reads a content: a string, a block, or a list of blocks and bare strings.
func blocks(v raw) []block {
	if len(v) == 0 {
		return nil
	}
	var all []block
	if content(v, 0, &all) == odd {
		return oddBlocks(v)
	}
	return all
}

// plain is the text of a content, its blocks one below the other, without reminders.
func plain(v raw) string {
	if v.isString() {
		return withoutReminders(v.text())
	}
	var texts []string
	for _, b := range blocks(v) {
		if b.isText() {
			texts = append(texts, b.Text.text())
		}
	}
	return withoutReminders(strings.Join(texts, "\n"))
}
