package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/phrase"
)

// maxAround bounds what a page of a listing says around what was said, in bytes.
const maxAround = 1_000

// list answers a call without a selector: it lists what was said.
func (r grepArguments) list(ctx context.Context, p *consolidate.Project) (answer, error) {
	if slices.Contains(r.Speakers, said.Tool) {
		return answer{}, ops.Refuse("speakers: what tools said is searched, not listed",
			`list user and assistant, or give a pattern: {"pattern": "exit status", "speakers": ["tool"]}`)
	}
	q, err := r.query(p.Store.Now())
	if err != nil {
		return answer{}, err
	}
	l := consolidate.ListRequest{
		Since: q.Since, Until: q.Until, SinceLast: r.Since == consolidate.SinceLastDream, Session: r.Session, Speakers: r.Speakers,
		Cursor: r.Cursor, Limit: r.Limit, PageBytes: max(answerBytes(r), maxPage) - maxAround,
	}
	if r.Context != nil {
		l.Whole = 2 * *r.Context
	}
	page, err := p.Sessions.List(ctx, l)
	if err != nil {
		return answer{}, err
	}
	return answer{text: renderPage(page, p.Store.Now())}, nil
}

// zone returns the name of the time zone of the listed times.
func zone(now time.Time) string {
	if name, offset := now.Zone(); offset == 0 && name == "UTC" {
		return name
	}
	return now.Format("MST (UTC-07:00)")
}

// datedMark is how reldate.Annotated dates a phrase.
var datedMark = lazy.New(`\w \((?:the \w+ of )?\d{4}-\d\d`)

// listMarks are the marks in a listing, each explained on the first page that has it.
var listMarks = []struct {
	in   func(text string) bool
	text string
}{
	{has(" [busy] "), "[busy]: typed while the model worked."},
	{has(" [assistant: "), "[assistant: …]: what the words after it answer."},
	{has("[pasted: "), "[pasted: …]: left out."},
	{has(" [chosen] "), "[chosen]: an option of a dialog, in the model's words."},
	{has(" [suggested] "), "[suggested]: the host's words, which the user took with a key."},
	{has(" [rejected] "), "[rejected]: why the use of a tool was rejected."},
	{func(text string) bool { return datedMark.MatchString(text) }, "\"next week (…)\": a date computed from the day of the line."},
	{has(" → "), "→: memories that may be on the same thing; read_memory {} shows them."},
	{func(text string) bool {
		return strings.Contains(text, " more] ") || strings.Contains(text, " said again later")
	},
		`[+N more]: said N times before in the same words; {"session": "…"} lists each.`,
	},
}

func has(mark string) func(text string) bool {
	return func(text string) bool { return strings.Contains(text, mark) }
}

// renderPage renders a page of a listing, and what remains.
func renderPage(page listing.Page, now time.Time) string {
	var b text
	l, n := page.List, len(page.Shown)
	if page.Text != "" {
		if page.Number == 1 && n > 0 {
			first, _, _ := strings.Cut(page.Text, " ")
			b.add(true, "Oldest first; times are %s. The ID of a line is SESSION:LINE, as in %s:%d.", zone(now), first, page.Shown[0].First.Line)
		}
		for _, m := range listMarks {
			b.add(m.in(page.Text) && l.Explains(m.text, page.Number), " %s", m.text)
		}
		b.add(b.Len() > 0, "\n")
		b.WriteString(fenceOpen + "\n" + harmless(page.Text) + fenceClose + "\n")
	}
	b.add(true, "page %d, %d of %s, %d of %s", page.Number,
		page.Sessions, phrase.Plural(l.Sessions, "session"), page.Utterances, phrase.Plural(page.Of, "utterance"))
	if page.Cursor != "" && n > 0 && page.Shown[n-1].Last.Before(l.Ends()[page.Shown[n-1].Session]) {
		b.add(true, " (%s continues on the next page)", (&sessions.Session{ID: page.Shown[n-1].Session}).Short())
	}
	b.add(l.Silent > 0, "; %d more sessions in which none of these speakers said anything", l.Silent)
	b.add(l.Older > 0, "; %d older sessions are not listed (since lists them)", l.Older)
	if len(l.Failed) > 0 {
		first := l.Failed[0]
		b.add(true, "; %s could not be read (%s: %s)", phrase.Plural(len(l.Failed), "session"), first.Session.Short(), quoted(first.Err.Error(), 200))
	}
	for _, u := range consolidate.Unread(l.Unread) {
		b.add(true, "; %s", u)
	}
	switch {
	case page.Cursor != "":
		b.add(true, "; more: grep_transcripts {\"cursor\": %q}", page.Cursor)
	case page.Text == "" && len(l.Unread)+len(l.Failed) == 0:
		b.add(true, "; nothing was said in that time")
	default:
		b.add(true, "; this was the last page")
	}
	return b.String()
}
