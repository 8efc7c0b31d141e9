package rule

import (
	"dream-mcp/memory"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

var tombstoneRule = rule{
	doc: Doc{
		Name:     "tombstone",
		Summary:  "a memory says something: one that only says that it is deprecated, merged or moved can go",
		Severity: Warning,
		Catches:  "a description or text that begins with DEPRECATED, OBSOLETE, SUPERSEDED or ARCHIVED, or with \"merged into [[x]]\"; an empty text",
		Leaves:   "\"Deprecated endpoints are removed in May\"; \"Merged into main\"; a line further down that is marked",
		Bad:      "DEPRECATED: see [[deploy]].",
		Good:     "Deprecated endpoints of the shop are removed in May.\n\nMerged into main by Mira. The old flag is DEPRECATED.",
	},
	topic: func(v *view, n memory.Name, t *memory.Topic) []Finding {
		why := tombstone(t)
		if why == "" || isFolderIndex(n) {
			return nil
		}
		return []Finding{{
			File: n.String(), subject: why, Message: "this memory marks what is gone: " + why,
			Hint: fmt.Sprintf("write_memory {\"path\": %q, \"delete\": true, \"base\": …} after what still holds was moved to another memory", n.String()),
		}}
	},
}

var (
	markedGone = regexp.MustCompile(`^(?:(?:\[|\()?(?:DEPRECATED|OBSOLETE|SUPERSEDED|ARCHIVED|TOMBSTONE)\b|(?i:deprecated|obsolete|superseded|archived)(?:[.:!\])]| *[—–-] | in favou?r of | by \[\[| by .?\S+\.md|$))`)
	movedAway  = regexp.MustCompile("^(?i:(?:this (?:memory|file|note|topic) (?:is|was|has been|has) )?(?:moved|merged|renamed|folded|consolidated|replaced|superseded|split)) (?i:to|into|by)\\b[^.]{0,40}?(?:\\[\\[|\\]\\(|\\S+\\.md)")
)

// tombstone says by which words a memory marks that it is gone, or "".
func tombstone(t *memory.Topic) string {
	first := ""
	words := strings.TrimSpace(t.Body())
	for _, line := range t.ProseLines() {
		line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("#>*_~-⚠️🪦", r) })
		if line == "" || line == t.Title() {
			continue
		}
		first = line
		break
	}
	if words == "" && t.HasFrontmatter() {
		return "its text is empty"
	}
	for _, text := range []string{t.Title(), t.Description(), first} {
		if m := markedGone.FindString(text) + movedAway.FindString(text); m != "" {
			return fmt.Sprintf("%q", cutText(memory.OneLine(text), 60))
		}
	}
	return ""
}
