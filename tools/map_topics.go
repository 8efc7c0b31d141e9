package tools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/memory/lazy"
)

// Descriptions in rows of topics have at most maxRow characters. Shorter ones than minRow are left out.
const (
	maxRow = 110
	minRow = 24
)

// mapTopics renders the rows of the topics that MEMORY.md does not name, or of which it says something else than their description; in a
// later dream only if the map is about them. All are on one page or on what is left of two, with shorter descriptions if need be. The
// others, and what does not fit, are counted and returned as lines.
func mapTopics(m consolidate.Map, room, page int) (shown string, rest []string) {
	if len(m.Topics) == 0 {
		return "\n## Topics: none\n", nil
	}
	about := m.About()
	var topics, others []consolidate.Topic
	for _, t := range m.Topics {
		if !t.Indexed || t.Hook != "" && (m.First || about[t.Name.String()]) {
			topics = append(topics, t)
		} else {
			others = append(others, t)
		}
	}
	important := func(a, b consolidate.Topic) int { return rowOrder(a, about) - rowOrder(b, about) }
	var b text
	b.add(true, "\n## Topics")
	b.add(len(topics) > 0, " of which MEMORY.md says something else than their description, or nothing: file, age, sum")
	b.add(true, "\n")
	b.add(m.Limited, "the directory holds more files than were looked at\n")
	row := func(t consolidate.Topic, limit int) string { return topicRow(m, t, limit) }
	limit := rowLimit(topics, page-b.Len(), row)
	if limit < 0 {
		limit = rowLimit(topics, room-b.Len(), row)
	}
	if limit < 0 {
		limit = maxRow
		slices.SortStableFunc(topics, important)
	}
	n := fill(&b, len(topics), room, func(i int) string { return row(topics[i], limit) })
	others = append(topics[n:len(topics):len(topics)], others...)
	slices.SortStableFunc(others, important)
	for _, t := range others {
		rest = append(rest, strings.TrimSuffix(topicRow(m, t, maxRow), "\n"))
	}
	b.add(len(rest) > 0, "not shown (%d): %s\n", len(rest), quoted(bySection(others), 1_000))
	return b.String(), rest
}

// rowLimit returns the longest descriptions with which all rows fit into room bytes: 0 if only without any, -1 if not at all.
func rowLimit(topics []consolidate.Topic, room int, row func(t consolidate.Topic, limit int) string) int {
	for limit := maxRow; ; limit = limit * 3 / 4 {
		if limit < minRow {
			limit = 0
		}
		all := 0
		for i := 0; i < len(topics) && all <= room; i++ {
			all += len(row(topics[i], limit))
		}
		switch {
		case all <= room:
			return limit
		case limit == 0:
			return -1
		}
	}
}

// topicRow returns the row of a topic, with a description of at most limit characters, or none. The first dream reads
// descriptions with the memories.
func topicRow(m consolidate.Map, t consolidate.Topic, limit int) string {
	var b text
	b.add(true, "%s %s %s", t.Name, age(m.Now.Sub(t.Written)), t.Sum)
	if limit > 0 {
		b.add(!m.First || t.Hook != "", ": %s", quoted(t.Description, limit))
		b.add(t.Hook != "", "; MEMORY.md: %s", quoted(t.Hook, limit))
	}
	b.WriteByte('\n')
	return b.String()
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
