package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript"
)

// What the map lists at most; dream_orient's pages hold the rest of what is not cut here.
const (
	maxMapSessions = 60
	maxMapLogs     = 12
	maxMapGuides   = 20
	maxMapOther    = 6 // lines of the index without a link

)

type orientArguments struct {
	Force, Resume bool
	Cursor        string
}

func dreamOrient(ctx context.Context, p *consolidate.Project, r orientArguments) (answer, error) {
	if err := p.Begin(ctx, r.Force, r.Resume); err != nil {
		return answer{}, ifAgreed(err, func(ctx context.Context) (answer, error) {
			p.Gates.AskedFor()
			return dreamOrient(ctx, p, r)
		})
	}
	m, err := p.Map(ctx)
	if err != nil {
		return answer{}, err
	}
	head, lines := renderMap(p, m)
	text, err := mapPage(head, lines, r.Cursor)
	return answer{text: text}, err
}

// renderMap renders the map, what matters first. Its head changes from call to call, its lines do not,
// so that a page can begin where the last one ended.
func renderMap(p *consolidate.Project, m consolidate.Map) (head string, lines []string) {
	var begin, b text
	begin.add(true, "Dream %s is open. Today is %s (%s). Lease until %s, renewed by every call.\n",
		m.Dream.ID, m.Now.Format("2006-01-02"), m.Now.Weekday(), m.Dream.Expires.UTC().Format("15:04:05Z"))
	begin.add(m.Dream.Unattended, "Nobody watches this dream: it may delete no user or feedback memory, nor cut one by half, and of the rest one in ten; "+
		"what other memories say too is not lost. What is refused is kept as a proposal for the person: go on with the rest.\n")
	begin.add(m.Resumed || len(m.Dream.Staged) > 0, "Staged so far: %s\n", cmp.Or(strings.Join(m.Dream.Staged, ", "), "nothing"))
	b.add(true, "Memory: %s\n", m.MemoryDir)
	for _, f := range m.Folders {
		b.add(true, "Transcripts: %s (%s)\n", f.Path, f.Why)
	}
	b.add(true, "Last dream: %s\n", m.Since)
	b.add(!m.Prompted, "\n%s\n", strings.TrimSpace(consolidate.Brief()))
	mapIndex(&b, m)
	mapFindings(&b, m)
	mapTopics(&b, m)
	mapGuides(&b, m)
	mapLogs(&b, m)
	mapSessions(&b, p, m)
	return begin.String(), strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func mapIndex(b *text, m consolidate.Map) {
	s, other := m.IndexSize, m.Outline.Other
	if m.Index == "" && s.Lines == 0 {
		b.add(true, "\n## MEMORY.md: there is none\n")
		return
	}
	b.add(true, "\n## MEMORY.md %s: %d of %d lines, %d of %d bytes\n", cmp.Or(m.Index.Short(), "new"), s.Lines, s.MaxLines, s.Bytes, s.MaxBytes)
	var sections []string
	for _, section := range m.Outline.Sections {
		sections = append(sections, fmt.Sprintf("%s (%d)", cmp.Or(quoted(section.Heading, 60), "above the first heading"), section.Links))
	}
	b.add(len(sections) > 0, "sections, with their links: %s\n", quoted(strings.Join(sections, "; "), 1_000))
	b.add(len(other) > 0, "lines without a link (%d); remove takes one by its text:\n", len(other))
	for _, line := range other[:min(len(other), maxMapOther)] {
		b.add(true, "  %d: %s\n", line.Line, quoted(line.Text, 150))
	}
	b.add(len(other) > maxMapOther, "  … and %d more\n", len(other)-maxMapOther)
}

func mapTopics(b *text, m consolidate.Map) {
	b.add(true, "\n## Topics (%d): file, type, bytes, age, sum: description; what MEMORY.md says, where it is something else\n", len(m.Topics))
	b.add(m.Limited, "the directory holds more files than were looked at\n")
	var paths []string
	for _, t := range m.Topics {
		paths = append(paths, t.Name.String())
		b.add(true, "%s %s %d %s %s: %s", t.Name, cmp.Or(quoted(t.Type, 40), "-"), t.Size, age(m.Now.Sub(t.Written)), t.Sum, quoted(t.Description, 200))
		b.add(t.Hook != "", "; MEMORY.md: %s", quoted(t.Hook, 120))
		b.WriteByte('\n')
	}
	never, always := m.Uses.Extremes(paths) // in the sessions to which memories are shown unasked
	b.add(len(never) > 0, "in %d sessions that are shown memories unasked, never called for (rare is not useless): %s\n",
		m.Uses.Sessions, quoted(strings.Join(never, ", "), 600))
	b.add(len(always) > 0, "in %d sessions that are shown memories unasked, called for in at least half, to be first in the index: %s\n",
		m.Uses.Sessions, quoted(strings.Join(always, ", "), 600))
}

func age(d time.Duration) string {
	switch {
	case d < time.Hour:
		return "<1h"
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0fh", d.Hours())
	}
	return fmt.Sprintf("%.0fd", d.Hours()/24)
}

// mapGuides lists the project's instructions, with which a dream reconciles memories. Without any there is no section.
func mapGuides(b *text, m consolidate.Map) {
	b.add(len(m.Guides) > 0, "\n## Project instructions, to reconcile with and never to edit (%d): path, bytes, age\n", len(m.Guides))
	for _, g := range m.Guides[:min(len(m.Guides), maxMapGuides)] {
		b.add(true, "%s %d %s\n", quoted(g.Path, 200), g.Size, age(m.Now.Sub(g.ModTime)))
	}
	b.add(len(m.Guides) > maxMapGuides, "… and %d more\n", len(m.Guides)-maxMapGuides)
}

func mapFindings(b *text, m consolidate.Map) {
	b.add(true, "\n## Findings (%d)\n", len(m.Findings))
	b.add(m.Partial, "the project holds more than was looked at: what memories name of it was compared in part, so findings of drift may be missing\n")
	for _, line := range foldFindings(m.Findings) {
		b.add(true, "%s\n", line)
	}
}

// mapLogs shows what the host noted down in the newest days: a dream looks there first.
func mapLogs(b *text, m consolidate.Map) {
	if len(m.Logs) == 0 {
		return
	}
	b.add(true, "\n## Logs, newest first (%d): file, bytes, day; the last lines of the newest days. read_memory shows them whole, nothing writes them\n%s\n",
		len(m.Logs), fenceOpen)
	for _, l := range m.Logs[:min(len(m.Logs), maxMapLogs)] {
		b.add(true, "%s %d %s", quoted(l.Name.String(), 200), l.Size, l.Day)
		b.add(l.Err != nil, ": can't be read")
		b.add(l.Before > 0, " (%d lines before these)", l.Before)
		b.add(l.Tools > 0, " (%d of tools left out)", l.Tools)
		b.WriteByte('\n')
		for excerpt := range strings.Lines(l.Excerpt) {
			b.add(true, "  %s\n", quoted(strings.TrimSuffix(excerpt, "\n"), 400))
		}
	}
	b.add(len(m.Logs) > maxMapLogs, "… and %d more\n", len(m.Logs)-maxMapLogs)
	b.add(true, "%s\n", fenceClose)
}

func mapSessions(b *text, p *consolidate.Project, m consolidate.Map) {
	b.add(true, "\n## Sessions since then, oldest first (%d)\n", len(m.Sessions))
	b.add(m.Listed > 0, "what the user said in %d of them was listed to the end already\n", m.Listed)
	older := max(0, len(m.Sessions)-maxMapSessions)
	b.add(older > 0, "… %d older ones\n", older)
	for _, s := range m.Sessions[older:] {
		var line text
		line.add(true, "%s %s", s.Short(), s.Last.UTC().Format("2006-01-02 15:04"))
		line.add(s.Size > 0, " %s", size(s.Size))
		host := p.Sessions.OtherHost(s.Host)
		line.add(host != "", " %s", host)
		line.add(s.Branch != "" && s.Branch != "HEAD", " %s", quoted(s.Branch, 60))
		line.add(s.Current, " (this one)")
		line.add(s.Title != "", ": %s", s.Title)
		line.add(s.Title == "" && s.First != "", ": “%s”", s.First)
		b.add(true, "%s\n", quoted(line.String(), 160))
	}
	b.add(len(m.Skipped) > 0, "left out: %s\n", counts(m.Skipped))
}

// counts renders what was passed over.
func counts(skipped transcript.Skipped) string {
	var parts []string
	for reason, n := range skipped {
		parts = append(parts, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.0f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

func mapPage(head string, lines []string, cursor string) (string, error) {
	return linePage(head, lines, cursor, maxPage, func(cursor string) string { return fmt.Sprintf(`dream_orient {"cursor": "%s"}`, cursor) })
}

// linePage cuts the page of lines that begins at the cursor, which is the number of a line and a digest of the lines before
// it: with another digest, they have changed since. next returns the call for the next page. A quotation that goes on over
// several pages is closed on each and opened again on the next.
func linePage(head string, lines []string, cursor string, room int, next func(cursor string) string) (string, error) {
	from := 0
	if cursor != "" {
		number, digest, _ := strings.Cut(cursor, "-")
		n, err := strconv.Atoi(number)
		if err != nil || n <= 0 || n > len(lines) || digest != linesDigest(lines[:n]) {
			return "", ops.Refuse("this cursor does not fit what there is now", "call without cursor: it shows all from the beginning")
		}
		from = n
	}
	var b text
	b.WriteString(head)
	b.add(fenceIsOpen(lines[:from]), "%s\n", fenceOpen)
	to := from + fill(&b, len(lines)-from, room-120-len(fenceClose), func(i int) string { return lines[from+i] + "\n" })
	b.add(fenceIsOpen(lines[:to]), "%s\n", fenceClose)
	if to < len(lines) {
		fmt.Fprintf(&b, "… %d lines more: %s", len(lines)-to, next(fmt.Sprintf("%d-%s", to, linesDigest(lines[:to]))))
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func linesDigest(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:4])
}
