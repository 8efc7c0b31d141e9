package rank

import (
	_ "embed"
	"strings"
	"sync"

	"dream-mcp/memory/text"
)

// Words that a question has for its grammar more often than for its subject; they count less.
//
//go:embed words/light.txt
var lightWords string

// Words that people and programs use for one thing, separated by commas: first those of work on software, then
// those of everyday life. One word counts half for another.
//
//go:embed words/synonyms_en.txt
var synonyms string

// lightStems returns the stems that say little of what is asked.
func lightStems(l *text.Language) map[string]bool {
	light := map[string]bool{}
	for w := range strings.FieldsSeq(lightWords) {
		light[l.Stem(w)] = true
	}
	return light
}

// relatives are the synonyms, by group, as English stems.
var relatives = sync.OnceValue(func() [][]string {
	var groups [][]string
	for line := range strings.SplitSeq(synonyms, ",") {
		var group []string
		for w := range strings.FieldsSeq(line) {
			group = append(group, text.English().Stem(w))
		}
		groups = append(groups, group)
	}
	return groups
})
