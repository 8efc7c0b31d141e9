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
	"dream-mcp/consolidate/store"
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
	add := func(format string, args ...any) {
		lines = append(lines, strings.Split(fmt.Sprintf(format, args...), "\n")...)
	}
	head = fmt.Sprintf("Dream %s is open. Today is %s (%s). Lease until %s, renewed by every call.\n",
		m.Dream.ID, m.Now.Format("2006-01-02"), m.Now.Weekday(), m.Dream.Expires.UTC().Format("15:04:05Z"))
	if m.Dream.Unattended {
		head += "Nobody watches this dream: it may delete no user or feedback memory, nor cut one by half, and of the rest one in ten; " +
			"what other memories say too is not lost. " +
			"What is refused is kept as a proposal for the person: go on with the rest.\n"
	}
	if m.Resumed || len(m.Dream.Staged) > 0 {
		head += fmt.Sprintf("Staged so far: %s\n", orNone(m.Dream.Staged))
	}
	add("Memory: %s", m.MemoryDir)
	for _, f := range m.Folders {
		add("Transcripts: %s (%s)", f.Path, f.Why)
	}
	add("Last dream: %s", m.Since)
	if !m.Prompted {
		add("\n%s", strings.TrimSpace(consolidate.Brief()))
	}
	mapIndex(add, m)
	mapFindings(add, m)
	mapTopics(add, m)
	mapGuides(add, m)
	mapLogs(add, m)
	mapSessions(add, p, m)
	return head, lines
}

func orNone(files []string) string {
	if len(files) == 0 {
		return "nothing"
	}
	return strings.Join(files, ", ")
}

type adder func(format string, args ...any)

func mapIndex(add adder, m consolidate.Map) {
	if m.Index == "" && m.IndexSize.Lines == 0 {
		add("\n## MEMORY.md: there is none")
		return
	}
	s := m.IndexSize
	add("\n## MEMORY.md %s: %d of %d lines, %d of %d bytes", cmp.Or(m.Index.Short(), "new"), s.Lines, s.MaxLines, s.Bytes, s.MaxBytes)
	var sections []string
	for _, section := range m.Outline.Sections {
		sections = append(sections, fmt.Sprintf("%s (%d)", cmp.Or(quoted(section.Heading, 60), "above the first heading"), section.Links))
	}
	if len(sections) > 0 {
		add("sections, with their links: %s", quoted(strings.Join(sections, "; "), 1_000))
	}
	other := m.Outline.Other
	if len(other) == 0 {
		return
	}
	add("lines without a link (%d); remove takes one by its text:", len(other))
	for _, line := range other[:min(len(other), maxMapOther)] {
		add("  %d: %s", line.Line, quoted(line.Text, 150))
	}
	if more := len(other) - maxMapOther; more > 0 {
		add("  … and %d more", more)
	}
}

func mapTopics(add adder, m consolidate.Map) {
	add("\n## Topics (%d): file, type, bytes, age, sum: description; what MEMORY.md says, where it is something else", len(m.Topics))
	if m.Limited {
		add("the directory holds more files than were looked at")
	}
	for _, t := range m.Topics {
		line := fmt.Sprintf("%s %s %d %s %s: %s", t.Name, cmp.Or(quoted(t.Type, 40), "-"), t.Size, age(m.Now.Sub(t.Written)), t.Sum, quoted(t.Description, 200))
		if t.Hook != "" {
			line += "; MEMORY.md: " + quoted(t.Hook, 120)
		}
		add("%s", line)
	}
	mapUses(add, m)
}

// mapUses lists which topics were called for in sessions to which memories are shown unasked. Rare is not useless.
func mapUses(add adder, m consolidate.Map) {
	var paths []string
	for _, t := range m.Topics {
		paths = append(paths, t.Name.String())
	}
	never, always := m.Uses.Extremes(paths)
	for _, row := range []struct {
		what  string
		paths []string
	}{{"never called for (rare is not useless)", never}, {"called for in at least half, to be first in the index", always}} {
		if len(row.paths) > 0 {
			add("in %d sessions that are shown memories unasked, %s: %s", m.Uses.Sessions, row.what, quoted(strings.Join(row.paths, ", "), 600))
		}
	}
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
func mapGuides(add adder, m consolidate.Map) {
	if len(m.Guides) == 0 {
		return
	}
	add("\n## Project instructions, to reconcile with and never to edit (%d): path, bytes, age", len(m.Guides))
	for i, g := range m.Guides {
		if i == maxMapGuides {
			add("… and %d more", len(m.Guides)-i)
			break
		}
		add("%s %d %s", quoted(g.Path, 200), g.Size, age(m.Now.Sub(g.ModTime)))
	}
}

func mapFindings(add adder, m consolidate.Map) {
	add("\n## Findings (%d)", len(m.Findings))
	if m.Partial {
		add("the project holds more than was looked at: what memories name of it was compared in part, so findings of drift may be missing")
	}
	for _, line := range foldFindings(m.Findings) {
		add("%s", line)
	}
}

// mapLogs shows what the host noted down in the newest days: a dream looks there first.
func mapLogs(add adder, m consolidate.Map) {
	if len(m.Logs) == 0 {
		return
	}
	add("\n## Logs, newest first (%d): file, bytes, day; the last lines of the newest days. read_memory shows them whole, nothing writes them", len(m.Logs))
	add(fenceOpen)
	for i, l := range m.Logs {
		if i == maxMapLogs {
			add("… and %d more", len(m.Logs)-i)
			break
		}
		line := fmt.Sprintf("%s %d %s", quoted(l.Name.String(), 200), l.Size, l.Day)
		if l.Err != nil {
			line += ": can't be read"
		}
		if l.Before > 0 {
			line += fmt.Sprintf(" (%d lines before these)", l.Before)
		}
		if l.Tools > 0 {
			line += fmt.Sprintf(" (%d of tools left out)", l.Tools)
		}
		add("%s", line)
		if l.Excerpt != "" {
			for excerpt := range strings.SplitSeq(l.Excerpt, "\n") {
				add("  %s", quoted(excerpt, 400))
			}
		}
	}
	add(fenceClose)
}

func mapSessions(add adder, p *consolidate.Project, m consolidate.Map) {
	add("\n## Sessions since then, oldest first (%d)", len(m.Sessions))
	if m.Listed > 0 {
		add("what the user said in %d of them was listed to the end already", m.Listed)
	}
	sessions := m.Sessions
	if older := len(sessions) - maxMapSessions; older > 0 {
		add("… %d older ones", older)
		sessions = sessions[older:]
	}
	for _, s := range sessions {
		line := fmt.Sprintf("%s %s", s.Short(), s.Last.UTC().Format("2006-01-02 15:04"))
		if s.Size > 0 {
			line += " " + size(s.Size)
		}
		if host := p.Sessions.OtherHost(s.Host); host != "" {
			line += " " + host
		}
		if s.Branch != "" && s.Branch != "HEAD" {
			line += " " + quoted(s.Branch, 60)
		}
		if s.Current {
			line += " (this one)"
		}
		if s.Title != "" {
			line += ": " + s.Title
		} else if s.First != "" {
			line += ": “" + s.First + "”"
		}
		add("%s", quoted(line, 160))
	}
	if len(m.Skipped) > 0 {
		add("left out: %s", counts(m.Skipped))
	}
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
// it: with another digest, they have changed since. next returns the call for the next page.
func linePage(head string, lines []string, cursor string, room int, next func(cursor string) string) (string, error) {
	from := 0
	if cursor != "" {
		number, digest, _ := strings.Cut(cursor, "-")
		n, err := strconv.Atoi(number)
		if err != nil || n <= 0 || n > len(lines) || digest != linesDigest(lines[:n]) {
			return "", store.Refuse("this cursor does not fit what there is now", "call without cursor: it shows all from the beginning")
		}
		from = n
	}
	var b strings.Builder
	b.WriteString(head)
	to := from + fill(&b, len(lines)-from, room-120, func(i int) string { return lines[from+i] + "\n" })
	if to < len(lines) {
		fmt.Fprintf(&b, "… %d lines more: %s", len(lines)-to, next(fmt.Sprintf("%d-%s", to, linesDigest(lines[:to]))))
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func linesDigest(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:4])
}
