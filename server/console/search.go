package console

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/server/console/terminal"
	"dream-mcp/server/settings"
)

// searchOptions are the flags of search and said.
type searchOptions struct {
	regex  bool   // the words are an RE2 expression
	ranked bool   // the words are a question: the best answers first
	from   string // said: only what was said in this host, and what it remembers
	all    bool   // said: the model's words too
	tools  bool   // what tools were asked and answered too
	since  string // a date, a time, or a span back from now
}

// searchPage is how many hits are looked up at a time.
const searchPage = 200

// rankedHits is how many answers search --ranked shows.
const rankedHits = 20

// runSearch shows where words were said in the sessions of the project, the newest first.
func runSearch(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) error {
	q := search.Query{Pattern: strings.Join(c.Args, " "), Regex: c.search.regex, Fold: true}
	if c.search.tools {
		q.Speakers = []said.Speaker{said.User, said.Assistant, said.Tool}
	}
	var err error
	if q.Since, err = consolidate.When("since", c.search.since, p.Store.Now(), false); err != nil {
		return err
	}
	return c.paged(setup, func(to *pager) error {
		if c.search.ranked {
			return printRanked(ctx, c, to, p, q, "")
		}
		q.Limit = searchPage
		var last search.Result
		var printed error
		within, stop := c.working(ctx, "Searching")
		defer stop()
		err := p.Transcripts.Pages(within, q, func(res search.Result) bool {
			stop()
			last = res
			for _, hit := range res.Hits {
				if printed == nil {
					printed = printHit(c, to, hit, p.Store.Now())
				}
			}
			return printed == nil
		})
		if err = cmp.Or(err, printed); err == nil && last.Matches == 0 && len(strings.Fields(q.Pattern)) > 1 && !c.search.regex && !c.search.tools {
			return printRanked(ctx, c, to, p, q, "No text has these words as they are. Texts that have some of them, the best first:\n")
		}
		return ended(c, to, p, err, last)
	})
}

// printRanked shows the texts that have most of the words, after a heading.
func printRanked(ctx context.Context, c *Command, to *pager, p *consolidate.Project, q search.Query, head string) error {
	q.Limit = rankedHits
	within, stop := c.working(ctx, "Searching")
	hits, res, err := p.Transcripts.Ranked(within, q.Pattern, q)
	stop()
	if err == nil && len(hits) > 0 && head != "" && !c.json {
		err = to.print(head)
	}
	for _, hit := range hits {
		if err == nil {
			err = printHit(c, to, hit.Hit, p.Store.Now())
		}
	}
	return ended(c, to, p, err, res)
}

// ended names what a search could not read. It returns err, or a *Failure with exit code 1 if the search found nothing.
func ended(c *Command, to *pager, p *consolidate.Project, err error, res search.Result) error {
	if err == nil && !c.json {
		err = to.print(unread(p.Transcripts.Unread()))
	}
	if err != nil || res.Matches > 0 {
		return err
	}
	hint := "dream-mcp search --ranked takes any of the words; --tools looks in what tools were asked and answered too"
	switch {
	case res.Sessions == 0:
		hint = "dream-mcp doctor names the folders that are searched"
	case c.search.tools:
		hint = "fewer words, or dream-mcp search --ranked without --tools, which takes any of them"
	case c.search.ranked:
		hint = "dream-mcp search --tools looks in what tools were asked and answered too"
	}
	return &Failure{fmt.Sprintf("not said in %d sessions: %q", res.Sessions, strings.Join(c.Args, " ")), hint, 1}
}

// printHit prints where the words were said, and the words around them.
func printHit(c *Command, to *pager, h search.Hit, now time.Time) error {
	if c.json {
		return to.json(hitJSON{turnJSON: turnOf(h.Utterance), Before: h.Before, Match: h.Match, After: h.After, More: h.More, Alike: h.Alike})
	}
	more := ""
	if h.More > 0 {
		more += fmt.Sprintf(", %d more in this text", h.More)
	}
	if h.Alike > 0 {
		more += fmt.Sprintf(", %d more like it", h.Alike)
	}
	match := h.Match
	if match != "" {
		match = to.ink.In(terminal.Red, match)
	}
	return to.turn(h.Utterance, more, h.Before+match+h.After, now)
}

// runSaid lists what was said since the last dream, or since a time: what the person said, and with --all the model
// too.
func runSaid(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup) error {
	if id := c.argument(); id != "" {
		return printTurns(ctx, c, p, setup, id)
	}
	r := consolidate.ListRequest{SinceLast: c.search.since == "", Host: said.HostID(c.search.from), PageBytes: 64 << 10, Speakers: []said.Speaker{said.User}}
	if c.search.all {
		r.Speakers = append(r.Speakers, said.Assistant)
	}
	var err error
	if r.Since, err = consolidate.When("since", c.search.since, p.Store.Now(), false); err != nil {
		return err
	}
	return c.paged(setup, func(to *pager) error {
		for {
			within, stop := c.working(ctx, "Reading")
			page, err := p.Sessions.List(within, r)
			stop()
			if err != nil {
				return err
			}
			unread := unread(page.List.Unread)
			switch {
			case page.Text != "" || page.Number > 1:
				err = to.listing(page.Text)
			case unread != "":
				err = to.print("Nothing was said in what could be read.\n")
			case len(p.Sessions.Folders()) == 0:
				err = to.print("No session of this project was found. dream-mcp doctor says where it looks.\n")
			case c.search.since != "":
				err = to.print("Nothing was said in that time.\n")
			default:
				err = to.print("Nothing was said since the last dream. Earlier: dream-mcp said --since 30d\n")
			}
			if err != nil {
				return err
			}
			if page.Cursor == "" {
				return to.print(unread)
			}
			r.Cursor = page.Cursor
		}
	})
}

// unread has a line for each reason why something could not be read.
func unread(all []sessions.Unread) (lines string) {
	for _, u := range consolidate.Unread(all) {
		lines += u + "\n"
	}
	return lines
}

// printTurns prints an utterance and the turns around it.
func printTurns(ctx context.Context, c *Command, p *consolidate.Project, setup settings.Setup, id string) error {
	const around = 2
	turns, err := p.Transcripts.ContextOf(ctx, []string{id}, around)
	if err != nil {
		return err
	}
	return c.paged(setup, func(to *pager) error {
		for _, u := range turns {
			text, note := u.Text, ""
			if u.Asked {
				note = " ←"
			}
			if c.json {
				err = to.json(hitJSON{turnJSON: turnOf(u.Utterance), Match: text})
			} else {
				err = to.turn(u.Utterance, note, text, p.Store.Now())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

type turnJSON struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Speaker string    `json:"speaker"`
	Host    string    `json:"host"`
	Branch  string    `json:"branch,omitempty"`
}

type hitJSON struct {
	turnJSON
	Before string `json:"before,omitempty"`
	Match  string `json:"match"`
	After  string `json:"after,omitempty"`
	More   int    `json:"more,omitempty"`  // matches in the same text
	Alike  int    `json:"alike,omitempty"` // older hits with the same text
}

func turnOf(u said.Utterance) turnJSON {
	return turnJSON{u.ID, u.Time, string(u.Speaker), string(u.Host), u.Branch}
}

// turn prints who said something and when, and the text below it.
func (to *pager) turn(u said.Utterance, note, text string, now time.Time) error {
	who := string(u.Speaker)
	if u.Speaker == said.User {
		who = "you"
	}
	head := fmt.Sprintf("%s  %-9s  %s", minute(u.Time, now.Location()), who, u.ID)
	var b bytes.Buffer
	where := u.Host.Unnamed()
	if u.Branch != "" && u.Branch != "HEAD" {
		where += " " + terminal.OneLine(u.Branch)
	}
	b.WriteString(to.ink.In(terminal.Dim, head+"  "+where+note) + "\n")
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if strings.TrimSpace(ansi.Strip(line)) != "" {
			b.WriteString("    " + strings.TrimRight(line, " ") + "\n")
		}
	}
	return to.print(terminal.Wrap(b.String(), to.width))
}

// listing prints a page of a listing: an empty line and the head in bold before each session, and below an utterance
// its further lines, indented.
func (to *pager) listing(text string) error {
	var b strings.Builder
	for line := range strings.Lines(text) {
		head := !strings.ContainsAny(line[:1], ": ")
		line = strings.TrimSuffix(line, "\n")
		switch {
		case head:
			line = "\n" + to.ink.In(terminal.Bold, line)
		case line[0] == ' ':
			line = "    " + strings.TrimLeft(line, " ")
		}
		if to.width > 0 {
			line = terminal.WrapLine(line, to.width, "    ")
		}
		b.WriteString(line + "\n")
	}
	return to.print(b.String())
}
