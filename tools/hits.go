package tools

import (
	"fmt"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript"
)

// pageRoom returns the size of an answer: a page, or more if the caller set limit or context.
func pageRoom(r grepArguments) int {
	if r.Limit > 0 || r.Context != nil {
		return MaxAnswer - 2_000
	}
	return pageBytes
}

// writeHits writes n hits between fences, as many as fit into room bytes and at least one. It returns how many.
func writeHits(b *strings.Builder, n, room int, render func(i int) string) (shown int) {
	if n == 0 {
		return 0
	}
	b.WriteString(fenceOpen + "\n")
	shown = fill(b, n, room, render)
	b.WriteString(fenceClose + "\n")
	return shown
}

// renderHits lists hits up to room bytes, at least one, followed by counts. It returns how many it lists.
func renderHits(p *consolidate.Project, res transcript.Result, r grepArguments, room int) (text string, shown int) {
	var b strings.Builder
	shown = writeHits(&b, len(res.Hits), room, func(i int) string {
		before := ""
		if i > 0 {
			before = res.Hits[i-1].Session
		}
		return renderHit(p, res.Hits[i], before)
	})
	matches := fmt.Sprint(res.Matches)
	if res.AtLeast {
		matches = "at least " + matches
	}
	fmt.Fprintf(&b, "%d shown of %s found for %s in %d sessions, %s searched", shown, matches, r.what(), res.Sessions, size(res.Bytes))
	if len(res.Skipped) > 0 {
		fmt.Fprintf(&b, "; left out: %s", counts(res.Skipped))
	}
	for _, note := range res.Notes {
		b.WriteString("; " + note)
	}
	switch {
	case res.Next != "":
		fmt.Fprintf(&b, "; more: the same call with \"cursor\": %q", res.Next)
	case res.Matches > 0:
	case res.Sessions == 0 && r.Since+r.Until+r.Session != "":
		b.WriteString("; no session of this project is of that time: leave out since, until and session")
	case res.Sessions == 0:
		b.WriteString("; no session of this project was found: dream_status names the folders")
	default:
		b.WriteString("; " + r.advice())
	}
	return b.String(), shown
}

// advice suggests how to widen a search that found nothing.
func (r grepArguments) advice() string {
	pattern := strings.Join(append(r.Patterns, r.Pattern), " ")
	words := strings.Fields(pattern)
	var try []string
	if !r.Regex && strings.ContainsAny(pattern, `|*\^$+`) {
		try = append(try, `"regex": true, without which a pattern is text as it is`)
	}
	if r.CaseSensitive == nil && strings.ToLower(pattern) != pattern {
		try = append(try, "small letters, which match any case")
	}
	if r.Since+r.Until+r.Session != "" {
		try = append(try, "all sessions, without since, until and session")
	}
	if len(words) > 1 && r.Pattern != "" && !r.Regex {
		try = append(try, fmt.Sprintf("{\"query\": %q}, which takes any of the words", r.Pattern))
	}
	if r.Query != "" {
		try = append(try, "the words that would have been used then, in the language of the person")
	}
	if len(words) == 1 {
		try = append(try, "the root of the word, or another word for it")
	}
	if len(r.Speakers) == 0 {
		try = append(try, `"speakers": ["tool"], for what only a command printed`)
	}
	if len(try) == 0 {
		return "it was not said"
	}
	return "try " + strings.Join(try, "; or ")
}

// renderRanked lists the utterances that answer a question, the best first, each with an adjacent turn, up to room bytes.
func renderRanked(p *consolidate.Project, hits []transcript.RankedHit, res transcript.Result, r grepArguments, room int) string {
	var b strings.Builder
	shown := writeHits(&b, len(hits), room, func(i int) string {
		hit := renderHit(p, hits[i].Hit, "")
		if u := hits[i].Beside; u != nil {
			var beside strings.Builder
			indent(&beside, u.Text)
			hit += fmt.Sprintf(" [%s] %s\n  %s", u.ID, u.Speaker, strings.ReplaceAll(strings.TrimLeft(beside.String(), " "), "\n  ", "\n    "))
		}
		return hit
	})
	fmt.Fprintf(&b, "%d shown, the best first; %d utterances in %d sessions hold any of the words of %s", shown, res.Matches, res.Sessions, r.what())
	if res.AtLeast {
		b.WriteString("; stopped early: not all sessions were read")
	}
	if len(res.Skipped) > 0 {
		fmt.Fprintf(&b, "; left out: %s", counts(res.Skipped))
	}
	if shown == 0 {
		b.WriteString("; " + r.advice())
	}
	return b.String()
}

// renderHit renders a hit: a line, and its text indented, without blank lines. It omits the host and branch if the hit
// before is of the same session.
func renderHit(p *consolidate.Project, h transcript.Hit, before string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] %s %s", h.ID, h.Time.UTC().Format("2006-01-02T15:04:05Z"), h.Speaker)
	if host := p.Sessions.OtherHost(h.Host); host != "" && h.Session != before {
		b.WriteString(" " + host)
	}
	if h.Branch != "" && h.Branch != "HEAD" && h.Session != before {
		b.WriteString(" " + oneWord(h.Branch, 60))
	}
	if h.Origin != "" {
		b.WriteString(" (copied from " + oneWord(h.Origin, 40) + ")")
	}
	if h.More > 0 {
		fmt.Fprintf(&b, " (and %d more in this text)", h.More)
	}
	if h.Alike > 0 {
		fmt.Fprintf(&b, " (and %d more like it)", h.Alike)
	}
	b.WriteByte('\n')
	indent(&b, h.Before+h.Match+h.After)
	return b.String()
}

// renderTurns lists the turns around an utterance.
func renderTurns(p *consolidate.Project, turns []transcript.Utterance, id string) string {
	var b strings.Builder
	b.WriteString(fenceOpen + "\n")
	for _, u := range turns {
		fmt.Fprintf(&b, "[%s] %s %s", u.ID, u.Time.UTC().Format("2006-01-02T15:04:05Z"), u.Speaker)
		if u.ID == id {
			b.WriteString(" ← this one")
		}
		b.WriteByte('\n')
		indent(&b, u.Text)
	}
	fmt.Fprintf(&b, "%s\n%d turns", fenceClose, len(turns))
	if len(turns) > 0 {
		if host := p.Sessions.OtherHost(turns[0].Host); host != "" {
			b.WriteString(" of a session in " + host)
		}
	}
	return b.String()
}

func oneWord(s string, limit int) string {
	return short(strings.Join(strings.Fields(transcript.Visible(s)), " "), limit)
}
