package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/left"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/related"
	"dream-mcp/memory/visible"
)

// What the map shows at most.
const (
	maxMapLogs     = 12
	maxMapGuides   = 12
	maxMapChanged  = 8_000 // bytes; the rest is named
	maxMapFindings = 3_000 // bytes; the rest is counted
	maxPassageLine = 190   // characters of a passage that is touched
	maxPairLine    = 115   // characters of one of a pair, or of what touches
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
	m, err := p.Map(ctx, r.Cursor != "")
	if err != nil {
		return answer{}, err
	}
	head, lines := renderMap(m)
	text, err := linePage(head, lines, r.Cursor, maxPage, func(cursor string) string { return fmt.Sprintf(`dream_orient {"cursor": "%s"}`, cursor) })
	return answer{text: text}, err
}

// renderMap renders the map, what matters first. Its head changes from call to call, its lines do not, so that a page
// can begin where the last one ended.
func renderMap(m consolidate.Map) (head string, lines []string) {
	var begin, b text
	begin.add(true, "Dream %s is open. Today is %s (%s).\n", m.Dream.ID, m.Now.Format("2006-01-02"), m.Now.Weekday())
	begin.add(m.Dream.Unattended, "Nobody watches this dream: it ")
	begin.add(m.Dream.Asked, "A person watches this dream in a terminal and decides at its end what lands. It ")
	begin.add(m.Dream.Unattended || m.Dream.Asked, "may delete no user or feedback memory, nor cut one by half, and of the rest one in ten; "+
		"what other memories say too is not lost. What is refused is kept as a proposal for the person: go on with the rest.\n")
	begin.add(m.Resumed || len(m.Dream.Staged) > 0, "Staged so far: %s\n", cmp.Or(strings.Join(m.Dream.Staged, ", "), "nothing"))
	begin.add(m.ReadTo != memory.Name{}, "All memories were read to %s: read_memory {\"cursor\": %q} goes on there.\n", m.ReadTo, m.ReadTo)
	begin.add(m.Listed > 0, "What the user said in %s was listed to the end.\n", phrase.Plural(m.Listed, "new session"))
	mapState(&b, m)
	b.add(!m.Prompted, "\n%s\n", strings.TrimSpace(consolidate.Brief()))
	b.add(slices.ContainsFunc(m.Topics, func(n memory.Name) bool { return n.TopFolder() == "team" }), "\n%s", consolidate.Team())
	mapChanged(&b, m)
	mapPassed(&b, m)
	mapPairs(&b, "Perhaps in another project too. If both say the same and it holds everywhere, propose it: write_memory with an edit that adds "+
		"\"scope: person\" to its metadata, alone; the person is asked", m.Alike)
	mapFindings(&b, m)
	mapLogs(&b, m)
	return begin.String(), strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// mapState says in a few lines what there is.
func mapState(b *text, m consolidate.Map) {
	b.WriteString("Memory: ")
	b.add(!m.Prompted, "%s: ", m.MemoryDir)
	b.WriteString(phrase.Plural(len(m.Topics), "topic"))
	b.add(m.Size > 0, ", %s", size(m.Size))
	b.add(m.Limited, "; the directory holds more files than were looked at")
	b.WriteByte('\n')
	if s := m.IndexSize; m.Index == "" && s.Lines == 0 {
		b.add(true, "MEMORY.md: there is none\n")
	} else {
		b.add(true, "MEMORY.md %s: %d of %d lines, %d of %d bytes", cmp.Or(m.Index.Short(), "new"), s.Lines, s.MaxLines, s.Bytes, s.MaxBytes)
		b.add(m.Unlinked > 0, "; %s without a link", phrase.Plural(m.Unlinked, "line"))
		b.WriteByte('\n')
	}
	var bytes int64
	for _, s := range m.Sessions {
		bytes += s.Size
	}
	switch {
	case !m.First:
		b.add(true, "First dream: no. Last dream: %s. Since then: ", m.Since)
	case m.Dreamed:
		b.add(true, "First dream: no, but what the last one left is not known. Last dream: %s. Since then: ", m.Since)
	case m.Since.Time.IsZero():
		b.add(true, "First dream: yes. So far: ")
	default:
		b.add(true, "First dream: yes; that of %s was the host's own. Since then: ", m.Since)
	}
	b.WriteString(phrase.Plural(len(m.Sessions), "session"))
	b.add(bytes > 0, ", %s", size(bytes))
	left := counts(m.Skipped)
	b.add(left != "", "; left out: %s", left)
	b.WriteByte('\n')
	for _, u := range m.Unread {
		b.add(true, "%s\n", u)
	}
	var guides []string
	for _, g := range m.Guides[:min(len(m.Guides), maxMapGuides)] {
		guides = append(guides, fmt.Sprintf("%s (%s)", quoted(g.Path, 200), phrase.Ago(m.Now, g.ModTime)))
	}
	b.add(len(guides) > 0, "Project instructions, never to be edited: %s", strings.Join(guides, ", "))
	b.add(len(m.Guides) > maxMapGuides, " and %d more", len(m.Guides)-maxMapGuides)
	b.add(len(guides) > 0, "\n")
}

// mapChanged shows what somebody else changed beside what it touches.
func mapChanged(b *text, m consolidate.Map) {
	if len(m.Changed) == 0 {
		b.add(!m.First, "\nNothing in the memory changed since the last dream, but by this server.\n")
		return
	}
	b.add(true, "\n## Changed since the last dream, not by this server (%d), each beside the passages that it touches\n", len(m.Changed))
	var shown text
	n := fill(&shown, len(m.Changed), maxMapChanged, func(i int) string { return changedPart(m.Changed[i]) })
	b.WriteString(shown.String())
	var names []string
	for _, c := range m.Changed[n:] {
		names = append(names, c.Action+" "+c.File)
	}
	b.add(len(names) > 0, "… and %d more: %s\n", len(names), quoted(strings.Join(names, ", "), 1_000))
}

// maxPassed is the number of passages with a day that has come.
const maxPassed = 8

// mapPassed shows the passages with a day that has come since the last dream.
func mapPassed(b *text, m consolidate.Map) {
	b.add(len(m.Passed) > 0, "\n## Days that were ahead at the last dream, and have come: what came of them?\n")
	for _, p := range m.Passed[:min(len(m.Passed), maxPassed)] {
		b.add(true, "%s: %s\n", p.Where(), passage(p.Text, nil, maxPassageLine))
	}
	b.add(len(m.Passed) > maxPassed, "… and %d more\n", len(m.Passed)-maxPassed)
}

// mapPairs shows passages side by side.
func mapPairs(b *text, head string, pairs []related.Pair) {
	b.add(len(pairs) > 0, "\n## %s\n", head)
	for _, p := range pairs {
		b.add(true, "%s: %s\n  %s: %s\n", p.From.Where(), passage(p.From.Text, p.Shared, maxPairLine), quoted(p.Where(), 200), passage(p.Text, p.Shared, maxPairLine))
	}
}

// changedPart renders what somebody else changed.
func changedPart(c left.Changed) string {
	var b text
	b.add(true, "%s %s\n", c.Action, quoted(c.File, 200))
	line := 0
	for _, p := range c.Beside {
		b.add(p.From.Line != line, "  %d: %s\n", p.From.Line, passage(p.From.Text, p.Shared, maxPairLine))
		line = p.From.Line
		b.add(true, "    → %s: %s\n", p.Where(), passage(p.Text, p.Shared[:min(len(p.Shared), 3)], maxPassageLine))
	}
	for _, p := range c.Alone {
		b.add(true, "  %d: %s\n", p.Line, passage(p.Text, nil, maxPassageLine))
	}
	return b.String()
}

// passage renders a passage on one line of at most limit characters, around the first of the terms that it shares.
func passage(s string, shared []related.Term, limit int) string {
	s = oneLine(memory.OneLine(s))
	lower := strings.ToLower(s)
	if utf8.RuneCountInString(s) <= limit || len(lower) != len(s) {
		return visible.Short(s, limit)
	}
	first := len(s)
	for _, t := range shared {
		if i := strings.Index(lower, t.Text); i >= 0 {
			first = min(first, i)
		}
	}
	if from := first - limit/3; first < len(s) && from > 0 {
		for from > 0 && s[from-1] != ' ' {
			from--
		}
		s = "…" + s[from:]
	}
	return visible.Short(s, limit)
}

func mapFindings(b *text, m consolidate.Map) {
	b.add(len(m.Findings) > 0, "\n## Findings (%d)", len(m.Findings))
	b.WriteByte('\n')
	lines := foldFindings(m.Findings)
	var shown text
	n := fill(&shown, len(lines), maxMapFindings, func(i int) string { return lines[i] + "\n" })
	b.WriteString(shown.String())
	b.add(n < len(lines), "… and %d lines more: `dream-mcp lint`\n", len(lines)-n)
	b.add(m.Checked.Known() && len(m.Topics) > 0, "drift: %s\n", quoted(m.Checked.String(), 1_000))
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
		b.add(l.Err != nil, ": cannot be read")
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

// counts renders what was passed over. What could not be read is named elsewhere.
func counts(skipped said.Skipped) string {
	var parts []string
	for reason, n := range skipped {
		if reason != said.Unreadable {
			parts = append(parts, fmt.Sprintf("%d %s", n, reason))
		}
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
