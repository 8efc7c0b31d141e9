package tools

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule/reldate"
	"dream-mcp/memory/visible"
)

// answerBytes returns the size of an answer: a page, or more if the caller set limit or context.
func answerBytes(r grepArguments) int {
	if r.Limit > 0 || r.Context != nil {
		return maxAnswer - 2_000
	}
	return pageBytes
}

// writeHits writes n hits between fences, as many as fit into room bytes and at least one. It returns how many.
func writeHits(b *text, n, room int, render func(i int) string) (shown int) {
	if n == 0 {
		return 0
	}
	b.WriteString(fenceOpen + "\n")
	shown = fill(b, n, room, render)
	b.WriteString(fenceClose + "\n")
	return shown
}

// renderHits lists hits up to room bytes, at least one, followed by counts. The hits of each of several patterns are
// together. Where nothing was said, and no memory has it, it suggests how to widen the search.
func renderHits(p *consolidate.Project, res search.Result, r grepArguments, room int, remembered bool) string {
	var b text
	shown := writeHits(&b, len(res.Hits), room, func(i int) string {
		h, before, head := res.Hits[i], "", ""
		if i > 0 {
			before = res.Hits[i-1].Session
		}
		if len(r.Patterns) > 1 && (i == 0 || res.Hits[i-1].Pattern != h.Pattern) {
			head = quotedPattern(r.Patterns[h.Pattern]) + ":\n"
		}
		return head + renderHit(p, h, before)
	})
	b.add(true, "%d shown of %d found for %s in %s, %s searched", shown, res.Matches, r.what(), phrase.Plural(res.Sessions, "session"), size(res.Bytes))
	writeCounts(&b, res, r)
	writeSkipped(&b, p, res.Skipped)
	narrowed := r.Since+r.Until+r.Session != ""
	switch next := res.After(shown); {
	case next != "":
		b.add(true, "; more: the same call with \"cursor\": %q", next)
	case res.Matches > 0 || remembered:
	case res.Sessions > 0:
		b.add(true, "; %s", r.advice())
	default:
		b.add(narrowed, "; no session of this project is of that time: leave out since, until and session")
		b.add(!narrowed, "; no session of this project was found: dream_status names the folders")
	}
	return b.String()
}

// writeCounts says what each of several patterns found.
func writeCounts(b *text, res search.Result, r grepArguments) {
	more := ""
	shown := make([]int, len(res.Patterns))
	for _, h := range res.Hits {
		if len(shown) > 0 {
			shown[h.Pattern] += 1 + h.Alike
		}
	}
	for k, found := range res.Patterns {
		b.add(len(res.Patterns) > 1 && found.Matches > 0, "; %s %d", quotedPattern(r.Patterns[k]), found.Matches)
		if found.Matches > shown[k] && more == "" {
			more = r.Patterns[k]
		}
	}
	within, none := r.notWhole(res.Patterns)
	b.WriteString(within)
	b.add(none != "" && res.Matches > 0, "; none has %s", none)
	b.add(len(res.Patterns) > 1 && more != "", "; more of one: {\"patterns\": [%q]}", more)
}

func quotedPattern(pattern string) string { return strconv.Quote(quoted(pattern, 60)) }

// advice suggests how to widen a search that found nothing.
func (r grepArguments) advice() string {
	pattern := strings.Join(append(r.Patterns, r.Pattern), " ")
	words := strings.Fields(pattern)
	var try []string
	add := func(when bool, what string) {
		if when {
			try = append(try, what)
		}
	}
	add(!r.Regex && strings.ContainsAny(pattern, `|*\^$+`), `"regex": true, without which a pattern is text as it is`)
	add(r.CaseSensitive == nil && strings.ToLower(pattern) != pattern, "lower case, which ignores case")
	add(r.Since+r.Until+r.Session != "", "all sessions, without since, until and session")
	add(len(words) > 1 && r.Pattern != "" && !r.Regex, fmt.Sprintf("{\"query\": %q}, which takes any of the words", r.Pattern))
	add(r.Query != "", "the words that would have been used then, in the language of the person")
	add(len(words) == 1, "the root of the word, or another word for it")
	add(len(r.Speakers) == 0, `"speakers": ["tool"], for what only a command printed`)
	if len(try) == 0 {
		return "it was not said"
	}
	return "try " + strings.Join(try, "; or ")
}

// renderRanked lists the utterances that answer a question, the best first, each with an adjacent turn, up to room
// bytes.
func renderRanked(p *consolidate.Project, hits []search.RankedHit, res search.Result, r grepArguments, room int) string {
	var b text
	shown := writeHits(&b, len(hits), room, func(i int) string {
		hit := renderHit(p, hits[i].Hit, "")
		if u := hits[i].Beside; u != nil {
			var beside text
			indent(&beside, u.Text)
			hit += fmt.Sprintf(" [%s] %s\n  %s", u.ID, u.Speaker, strings.ReplaceAll(strings.TrimLeft(beside.String(), " "), "\n  ", "\n    "))
		}
		return hit
	})
	b.add(true, "%d shown, the best first; %d utterances in %d sessions hold any of the words of %s", shown, res.Matches, res.Sessions, r.what())
	writeSkipped(&b, p, res.Skipped)
	b.add(shown == 0, "; %s", r.advice())
	return b.String()
}

// writeSkipped says what was passed over, and names what could not be read.
func writeSkipped(b *text, p *consolidate.Project, skipped said.Skipped) {
	left := counts(skipped)
	b.add(left != "", "; left out: %s", left)
	for _, u := range consolidate.Unread(p.Transcripts.Unread()) {
		b.add(true, "; %s", u)
	}
}

// renderHit renders a hit: a line, and its text indented, without blank lines. It omits the host and branch if the hit
// before is of the same session.
func renderHit(p *consolidate.Project, h search.Hit, before string) string {
	var b text
	host, other := p.Sessions.OtherHost(h.Host).Unnamed(), h.Session != before
	at := h.Time.In(p.Store.Now().Location())
	b.add(true, "[%s] %s %s", h.ID, at.Format(time.RFC3339), h.Speaker)
	b.add(other && host != "", " %s", host)
	b.add(other && h.Branch != "" && h.Branch != "HEAD", " %s", oneWord(h.Branch, 60))
	b.add(h.Origin != "", " (copied from %s)", oneWord(h.Origin, 40))
	b.add(h.More > 0, " (and %d more in this text)", h.More)
	b.add(h.Alike > 0, " (and %d more like it", h.Alike)
	b.add(len(h.In) > 0, ", also in %s", strings.Join(h.In, ", "))
	b.add(h.Alike > 0, ")")
	b.WriteByte('\n')
	indent(&b, dated(h.Speaker, h.Before+h.Match+h.After, at))
	return b.String()
}

// dated returns what a person or the model said at a time with the dates of the days that it names by their distance.
func dated(speaker said.Speaker, text string, at time.Time) string {
	if speaker == said.Tool {
		return text
	}
	return reldate.Annotated(text, at)
}

// renderTurns shows the turns around utterances as a listing does, and says which IDs failed. What the caller has read
// in the listing is not repeated.
func renderTurns(p *consolidate.Project, turns []search.Turn, failed error) string {
	var b text
	before := ""
	b.add(true, "SESSION:LINE is the ID of a turn, ← one that was asked for.\n%s\n", fenceOpen)
	for _, u := range turns {
		at := u.Time.In(p.Store.Now().Location())
		colon := strings.LastIndexByte(u.ID, ':')
		head := u.ID[:colon] + at.Format(" "+time.DateOnly)
		if host := p.Sessions.OtherHost(u.Host).Unnamed(); host != "" {
			head += " " + host
		}
		b.add(head != before, "%s\n", head)
		before = head
		b.add(true, "%s %s", u.ID[colon:], at.Format("15:04"))
		b.add(u.Asked, " ←")
		if u.Listed {
			b.add(true, " %s, as listed\n", u.Speaker)
			continue
		}
		var said text
		indent(&said, u.Text)
		b.add(true, " %s: %s", u.Speaker, cmp.Or(strings.TrimPrefix(said.String(), "  "), "\n"))
	}
	b.WriteString(fenceClose)
	if failed != nil {
		b.add(true, "\nleft out: %s", strings.ReplaceAll(failed.Error(), "\n", "; "))
	}
	return b.String()
}

func oneWord(s string, limit int) string {
	return visible.OneLine(harmless(s), limit)
}
