package listing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/reldate"
	"dream-mcp/memory/visible"
)

// A talk is a segment as it is rendered.
type talk struct {
	store   *search.Store
	list    *List
	number  int // of the segment
	segment *segment
	session *session
	said    []cache.Said // as much as a page can need
	row     map[Mark]int
	bytes   int  // of their texts
	last    Mark // of what was read
	cut     bool // there is more
}

// maxRead bounds, in bytes, what is read for one page of one segment; one utterance may be longer.
const maxRead = 1 << 20

// read reads a session from one mark to another, and what the model said before. Of what the model said in a row, the
// last is enough, unless it is listed.
func (t *talk) read(ctx context.Context, from, to Mark) error {
	all, err := t.store.Said(ctx, t.session.Session)
	t.row = map[Mark]int{}
	for _, u := range all {
		m := Mark{u.Line, u.Place}
		last := len(t.said) - 1
		if to.Before(m) || t.bytes > maxRead {
			t.cut = !to.Before(m)
			break
		}
		switch {
		case m.Before(from) && u.Speaker == said.Assistant:
			t.said = t.said[:0]
		case !m.Before(from):
			t.bytes += len(u.Text)
			if last >= 0 && u.Speaker == said.Assistant && t.said[last].Speaker == said.Assistant && !t.list.query.lists(&u) {
				t.said = t.said[:last]
			}
		case !isReply(&u):
			continue
		}
		t.said, t.last = append(t.said, u), m
	}
	for i := range t.said {
		t.row[Mark{t.said[i].Line, t.said[i].Place}] = i
	}
	return err
}

// header is the line that begins a session, or another day of it. It names host and branch unless they are those of the
// header before, which it returns as where.
func (t *talk) header(continued bool, before string) (line, where string) {
	s, g := t.session, t.segment
	if s.File.Memory() {
		return fmt.Sprintf("%s %s %s remembers, in %s (its claim, not the person's word)\n", s.Short(), t.segment.day, s.Host, visible.OneLine(t.store.Shown(s.Branch), 100)), before
	}
	if host := s.Host.Unnamed(); host != "" {
		where = " " + host
	}
	if s.Branch != "" && s.Branch != "HEAD" {
		where += " on " + visible.OneLine(t.store.Shown(s.Branch), 60)
	}
	var notes []string
	if g.folded > 0 {
		notes = append(notes, fmt.Sprintf("%d said again later", g.folded))
	}
	if continued {
		notes = append(notes, "continued")
	}
	day := g.day
	if at, err := time.Parse(time.DateOnly, day); err == nil {
		day += at.Format(" Mon") // people say "on Monday"
	}
	line = s.Short() + " " + day
	if where != before {
		line += where
	}
	if notes != nil {
		line += " (" + strings.Join(notes, ", ") + ")"
	}
	return line + "\n", where
}

// line renders the utterance at a place. touched are the passages that it names.
func (t *talk) line(at int) (line string, touched []string) {
	k := &t.session.kept[at]
	mark := ":" + k.id()
	u, ok := t.utterance(at)
	if !ok {
		return mark + " [cannot be read any more]\n", nil
	}
	when := u.Time.In(t.list.query.Zone)
	clock := when.Format("15:04")
	if when.Format("2006-01-02") != t.segment.day {
		clock = when.Format("2006-01-02 15:04")
	}
	var b strings.Builder
	b.WriteString(mark + " " + clock)
	if k.more > 0 {
		fmt.Fprintf(&b, " [+%d more]", k.more)
	}
	b.WriteString(manners[u.Manner])
	if before := t.answered(u); before != "" {
		b.WriteString(" [assistant: " + before + "]")
	}
	switch u.Speaker {
	case said.Assistant:
		b.WriteString(" assistant:")
	case said.Others:
		b.WriteString(" another person:")
	}
	text := typed(t.store.Shown(u.Text))
	if u.Speaker == said.User && likeSpeaker.MatchString(text) {
		b.WriteString(" user:")
	}
	if utf8.RuneCountInString(text) > t.list.query.Whole {
		text = abridged(text)
	}
	text = reldate.Annotated(text, when)
	b.WriteString(indented(text))
	if touch := t.list.query.Touch; touch != nil && (u.Speaker == said.User || u.Speaker == said.Memory) {
		if touched = touch(text); len(touched) > 0 {
			b.WriteString(" → " + strings.Join(touched, ", "))
		}
	}
	return b.String() + "\n", touched
}

// manners are the marks of utterances that were said in a certain way.
var manners = map[said.Manner]string{
	said.Busy: " [busy]", said.Interrupting: " [interrupted]", said.Rejecting: " [rejected]", said.Choosing: " [chosen]", said.Suggested: " [suggested]",
}

// indented returns the lines of a text without blank ones, the first on the line of its mark.
func indented(text string) string {
	var b strings.Builder
	for part := range strings.Lines(text) {
		if part = strings.TrimRightFunc(part, unicode.IsSpace); part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n ")
		}
		b.WriteString(" " + part)
	}
	return b.String()
}

func (t *talk) utterance(at int) (*cache.Said, bool) {
	i, ok := t.row[t.session.kept[at].Mark]
	if !ok {
		return nil, false
	}
	return &t.said[i], true
}

// answered returns the last sentence that the model said before an answer of the user. Of several answers to it, the
// first has it.
func (t *talk) answered(u *cache.Said) string {
	before, first := t.before(u)
	if before < 0 || !first {
		return ""
	}
	return visible.OneLine(typed(lastSentence(t.store.Shown(t.said[before].Text))), maxSentence+2)
}

// before returns what the model said before an answer of the user; -1 where there is nothing, or where it is not an
// answer. first says that no other answer to it is listed.
func (t *talk) before(u *cache.Said) (row int, first bool) {
	first = true
	if u.Speaker != said.User || !isReply(u) {
		return -1, first
	}
	for i := t.row[Mark{u.Line, u.Place}] - 1; i >= 0; i-- {
		o := &t.said[i]
		if o.Speaker == said.Assistant {
			return i, first && !slices.Contains(t.list.query.Speakers, said.Assistant)
		}
		if isReply(o) && t.session.after.Before(Mark{o.Line, o.Place}) {
			first = false
		}
	}
	return -1, first
}

// ownMarks is what begins like the marks of a listing.
var ownMarks = lazy.New(`\[(?:pasted: |busy\]|interrupted\]|rejected\]|chosen\]|assistant: |cannot be read|\+\d+ more\]|\d+ (?:pieces?|characters?)\b)`)

// likeSpeaker is what begins like the words of somebody else.
var likeSpeaker = lazy.New(`^\s*(?:assistant|another person):`)

// typed returns a text in which nothing can be taken for a mark of ours: a backslash is before it.
func typed(text string) string { return ownMarks.ReplaceAllString(text, `\$0`) }
