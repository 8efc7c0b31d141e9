package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/related"
)

// What the map shows at most.
const (
	maxMapLogs     = 12
	maxMapGuides   = 12
	maxMapFindings = 3_000 // bytes; the rest is counted
	maxPassageLine = 190   // characters of a passage
	maxPairLine    = 115   // characters of a passage of a pair
	maxRow         = 110   // characters of a description
	minRow         = 24
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
	head, lines, untouched := renderMap(p, m)
	text, err := mapPage(head, lines, untouched, r.Cursor)
	return answer{text: text}, err
}

// renderMap renders the map, what matters first. Its head changes from call to call, its lines do not, so that a page can
// begin where the last one ended. The lines from untouched on are shown if asked for.
func renderMap(p *consolidate.Project, m consolidate.Map) (head string, lines []string, untouched int) {
	var begin, b text
	begin.add(true, "Dream %s is open. Today is %s (%s). Lease until %s, renewed by every call.\n",
		m.Dream.ID, m.Now.Format("2006-01-02"), m.Now.Weekday(), m.Dream.Expires.UTC().Format("15:04:05Z"))
	begin.add(m.Dream.Unattended, "Nobody watches this dream: it may delete no user or feedback memory, nor cut one by half, and of the rest one in ten; "+
		"what other memories say too is not lost. What is refused is kept as a proposal for the person: go on with the rest.\n")
	begin.add(m.Resumed || len(m.Dream.Staged) > 0, "Staged so far: %s\n", cmp.Or(strings.Join(m.Dream.Staged, ", "), "nothing"))
	mapState(&b, p, m)
	b.add(!m.Prompted, "\n%s\n", strings.TrimSpace(consolidate.Brief()))
	mapChanged(&b, m)
	mapFindings(&b, m)
	var logs text
	mapLogs(&logs, m)
	rows, rest := mapTopics(m, 2*maxPage-2*begin.Len()-b.Len()-logs.Len()-2_400, maxPage-begin.Len()-b.Len()-logs.Len()-300)
	b.WriteString(rows)
	b.WriteString(logs.String())
	lines = strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	return begin.String(), append(lines, rest...), len(lines)
}

// mapState says in a few lines what there is.
func mapState(b *text, p *consolidate.Project, m consolidate.Map) {
	b.add(true, "Memory: %s: %s\n", m.MemoryDir, ops.Plural(len(m.Topics), "topic"))
	if s := m.IndexSize; m.Index == "" && s.Lines == 0 {
		b.add(true, "MEMORY.md: there is none\n")
	} else {
		b.add(true, "MEMORY.md %s: %d of %d lines, %d of %d bytes", cmp.Or(m.Index.Short(), "new"), s.Lines, s.MaxLines, s.Bytes, s.MaxBytes)
		b.add(len(m.Outline.Other) > 0, "; %s without a link", ops.Plural(len(m.Outline.Other), "line"))
		b.WriteByte('\n')
	}
	var folders []string
	for _, f := range m.Folders {
		folders = append(folders, fmt.Sprintf("%s (%s)", f.Path, f.Why))
	}
	b.add(len(folders) > 0, "Transcripts: %s\n", strings.Join(folders, "; "))
	var bytes int64
	for _, s := range m.Sessions {
		bytes += s.Size
	}
	b.add(true, "Last dream: %s. Since then: %s", m.Since, ops.Plural(len(m.Sessions), "session"))
	b.add(bytes > 0, ", %s", size(bytes))
	b.add(m.Listed > 0, "; what the user said in %d of them was listed to the end", m.Listed)
	b.add(len(m.Skipped) > 0, "; left out: %s", counts(m.Skipped))
	b.WriteByte('\n')
	var guides []string
	for _, g := range m.Guides[:min(len(m.Guides), maxMapGuides)] {
		guides = append(guides, fmt.Sprintf("%s (%s)", quoted(g.Path, 200), age(m.Now.Sub(g.ModTime))))
	}
	b.add(len(guides) > 0, "Project instructions, never to be edited: %s", strings.Join(guides, ", "))
	b.add(len(m.Guides) > maxMapGuides, " and %d more", len(m.Guides)-maxMapGuides)
	b.add(len(guides) > 0, "\n")
}

// mapChanged shows what somebody else changed beside what it touches, and before the first dream the nearest pairs.
func mapChanged(b *text, m consolidate.Map) {
	if m.First {
		b.add(len(m.Pairs) > 0, "\n## The %d nearest pairs that differ: do both hold?\n", len(m.Pairs))
		for _, p := range m.Pairs {
			b.add(true, "%s: %s\n  %s: %s\n", p.From.Where(), passage(p.From.Text, p.Shared, maxPairLine), p.Where(), passage(p.Text, p.Shared, maxPairLine))
		}
		return
	}
	b.add(true, "\n## Changed since the last dream, not by this server (%d)", len(m.Changed))
	b.add(len(m.Changed) > 0, ", each beside the passages that it touches")
	b.WriteByte('\n')
	for _, c := range m.Changed {
		b.add(true, "%s %s\n", c.Action, quoted(c.File, 200))
		line := 0
		for _, p := range c.Beside {
			b.add(p.From.Line != line, "  %d: %s\n", p.From.Line, passage(p.From.Text, p.Shared, maxPassageLine))
			line = p.From.Line
			b.add(true, "    → %s: %s\n", p.Where(), passage(p.Text, p.Shared, maxPassageLine))
		}
		for _, p := range c.Alone {
			b.add(true, "  %d: %s\n", p.Line, passage(p.Text, nil, maxPassageLine))
		}
		b.add(len(c.Touches) > 0, "  and touches: %s\n", quoted(strings.Join(c.Touches, ", "), 600))
	}
}

// passage renders a passage on one line of at most limit characters, around the first of the terms that it shares.
func passage(s string, shared []related.Term, limit int) string {
	s = oneLine(memory.OneLine(s))
	lower := strings.ToLower(s)
	if utf8.RuneCountInString(s) <= limit || len(lower) != len(s) {
		return short(s, limit)
	}
	first := len(s)
	for _, t := range shared[:min(len(shared), 3)] {
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
	return short(s, limit)
}

// mapTopics renders the rows of topics. If all fit into one page they are all shown; else those that the map is about and
// as many others as fit into room bytes, and the rest is counted and returned as lines.
func mapTopics(m consolidate.Map, room, page int) (shown string, rest []string) {
	var b text
	if len(m.Topics) == 0 {
		return "\n## Topics: none\n", nil
	}
	form := "file, age, sum: description; what MEMORY.md says, if that is something else"
	limit, all := maxRow, 0
	measure := func(room int) bool { // whether all rows fit, with shorter descriptions if need be
		for limit = maxRow; ; limit = limit * 3 / 4 {
			all = len(form) + 20
			for _, t := range m.Topics {
				all += len(topicRow(m, t, limit)) + 1
			}
			if all <= room || limit == 0 {
				return all <= room
			}
			if limit < minRow {
				limit = 0
			}
		}
	}
	if fits := measure(page); m.First && (!fits || limit == 0) {
		if names := mapNames(m); len(names) < max(page, room/2) {
			return names, nil
		}
	}
	if all > page && !measure(room) {
		limit = maxRow
	}
	b.add(true, "\n## Topics: %s\n", form)
	b.add(m.Limited, "the directory holds more files than were looked at\n")
	mapUses(&b, m)
	about := aboutMap(m)
	topics := slices.Clone(m.Topics)
	if all > room {
		slices.SortStableFunc(topics, func(a, b consolidate.Topic) int { return rowOrder(a, about) - rowOrder(b, about) })
	}
	var left []consolidate.Topic
	for i, t := range topics {
		row := topicRow(m, t, limit) + "\n"
		if b.Len()+len(row) > room && (i > 0 || room > 0) {
			left = topics[i:]
			break
		}
		b.WriteString(row)
	}
	for _, t := range left {
		rest = append(rest, topicRow(m, t, maxRow))
	}
	b.add(len(left) > 0, "not shown (%d): %s\n", len(left), quoted(bySection(left), 1_000))
	return b.String(), rest
}

// mapNames lists the topics by name and age: the first dream reads them all.
func mapNames(m consolidate.Map) string {
	var b text
	b.add(true, "\n## Topics with their age; read_memory {} shows them all, those beside each other that are near\n")
	var names []string
	for _, t := range m.Topics {
		names = append(names, fmt.Sprintf("%s %s", t.Name, age(m.Now.Sub(t.Written))))
	}
	b.add(true, "%s\n", strings.Join(names, ", "))
	for _, t := range m.Topics {
		b.add(t.Hook != "", "%s: %s; MEMORY.md: %s\n", t.Name, quoted(t.Description, maxRow), quoted(t.Hook, maxRow))
	}
	return b.String()
}

// topicRow returns the row of a topic, with a description of at most limit characters, or none.
func topicRow(m consolidate.Map, t consolidate.Topic, limit int) string {
	row := fmt.Sprintf("%s %s %s", t.Name, age(m.Now.Sub(t.Written)), t.Sum)
	if limit == 0 {
		return row
	}
	row += ": " + quoted(t.Description, limit)
	if t.Hook != "" {
		row += "; MEMORY.md: " + quoted(t.Hook, limit)
	}
	return row
}

// aboutMap returns the files that the other parts of a map are about.
func aboutMap(m consolidate.Map) map[string]bool {
	about := map[string]bool{}
	for _, f := range m.Findings {
		about[f.File] = true
	}
	for _, p := range m.Pairs {
		about[p.From.File], about[p.File] = true, true
	}
	for _, c := range m.Changed {
		about[c.File] = true
		for _, p := range c.Beside {
			about[p.File] = true
		}
	}
	return about
}

// Words in the name or the description of what is over, and of what is a log of a day.
var (
	overWords = lazy.New(`(?i)\b(?:superseded|deprecated|obsolete|replaced|completed|done|closed|resolved|plan|todo)\b`)
	logWords  = lazy.New(`(?i)(?:^|[^a-z])(?:session|log|journal|status|handoff|20\d\d-?\d\d-?\d\d)(?:[^a-z]|$)`)
)

// rowOrder is the place of a row if not all fit: what the map is about, what may be over, the rest, logs.
func rowOrder(t consolidate.Topic, about map[string]bool) int {
	switch name := t.Name.String(); {
	case about[name]:
		return 0
	case overWords.MatchString(t.Description + " " + t.Hook + " " + strings.NewReplacer("-", " ", "_", " ").Replace(name)):
		return 1
	case logWords.MatchString(name):
		return 3
	}
	return 2
}

// bySection counts topics by the section of the index that names them, or by their type.
func bySection(topics []consolidate.Topic) string {
	count := map[string]int{}
	for _, t := range topics {
		count[cmp.Or(t.Section, t.Type, "no type")]++
	}
	var parts []string
	for _, section := range slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%s %d", section, count[section]))
	}
	return strings.Join(parts, ", ")
}

// mapUses says which memories prompts call for, where memories are shown unasked.
func mapUses(b *text, m consolidate.Map) {
	var paths []string
	for _, t := range m.Topics {
		paths = append(paths, t.Name.String())
	}
	never, always := m.Uses.Extremes(paths)
	b.add(len(never) > 0, "in %d sessions that are shown memories unasked, never called for (rare is not useless): %s\n",
		m.Uses.Sessions, quoted(strings.Join(never, ", "), 300))
	b.add(len(always) > 0, "in %d sessions that are shown memories unasked, called for in at least half, to be first in the index: %s\n",
		m.Uses.Sessions, quoted(strings.Join(always, ", "), 300))
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

func mapFindings(b *text, m consolidate.Map) {
	b.add(true, "\n## Findings (%d)\n", len(m.Findings))
	lines := foldFindings(m.Findings)
	var shown text
	n := fill(&shown, len(lines), maxMapFindings, func(i int) string { return lines[i] + "\n" })
	if len(lines) > 0 {
		b.WriteString(shown.String())
	}
	b.add(n < len(lines), "… and %d lines more: `dream-mcp lint`\n", len(lines)-n)
	b.add(m.Checked.Known(), "drift: %s\n", m.Checked)
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

// mapPage returns a page of a map. The lines from untouched on are on pages of their own.
func mapPage(head string, lines []string, untouched int, cursor string) (string, error) {
	next := func(cursor string) string { return fmt.Sprintf(`dream_orient {"cursor": "%s"}`, cursor) }
	if number, _, _ := strings.Cut(cursor, "-"); untouched == len(lines) || number != "" && atLeast(number, untouched) {
		return linePage(head, lines, cursor, maxPage, next)
	}
	page, err := linePage(head, lines[:untouched], cursor, maxPage-100, next)
	if err == nil && !strings.Contains(page, " lines more: dream_orient") {
		page += fmt.Sprintf("\nThis was the map. The %d topics not shown: %s", len(lines)-untouched, next(fmt.Sprintf("%d-%s", untouched, linesDigest(lines[:untouched]))))
	}
	return page, err
}

func atLeast(number string, least int) bool {
	n, err := strconv.Atoi(number)
	return err == nil && n >= least
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
