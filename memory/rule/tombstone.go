package rule

import (
	"fmt"
	"strings"
	"unicode"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

func findTombstone(v *view, n memory.Name, t *memory.Topic) []Finding {
	mark, gone := tombstone(t)
	if !gone || isFolderIndex(n) {
		return nil
	}
	why := "its text is empty"
	line, column := 0, 0
	if mark != "" {
		why = fmt.Sprintf("%q", cutText(memory.OneLine(mark), 60))
		if at := strings.Index(string(t.Bytes()), mark); at >= 0 {
			line, column = position(string(t.Bytes()), at, 1, 1)
		}
	}
	return []Finding{{
		File: n.String(), Line: line, Column: column, subject: why, Message: "this memory marks what is gone: " + why,
		Hint: fmt.Sprintf("write_memory {\"path\": %q, \"delete\": true, \"base\": …} after what still holds was moved to another memory", n.String()),
	}}
}

var (
	markedGone = lazy.New(`^[\[(（【]?(?:(?:DEPRECATED|OBSOLETE|SUPERSEDED|ARCHIVED|PRUNED|TOMBSTONE)\b|(?i:pruned (?:during|in|by|on) |deprecated` +
		`|obsolete|superseded|archived)(?:[.:!\])]| *[—–-] | in favou?r of | by \[\[| by .?\S+\.md|$)|(?i:superseded by )|(?:旧版本` +
		`|舊版本|已归档|已歸檔|已废弃|已廢棄)(?:[:：。，)）\]】\s]|$))|(?i: [—–-] *\(?(?:superseded|deprecated|obsolete|archived)\W*$)`)
	movedAway = lazy.New("^(?i:(?:this (?:memory|file|note|topic) (?:is|was|has been|has) )?" +
		"(?:moved|merged|renamed|folded|consolidated|replaced|superseded|split)) (?i:to|into|by)\\b[^.]{0,40}?(?:\\[\\[|\\]\\(|\\S+\\.md)")
	// goneField is a field of the frontmatter that says it.
	goneField = lazy.New(`(?mi)^[ \t]*(?:status:[ \t]*["']?(?:superseded|obsolete|deprecated|archived)["']?` +
		`|(?:superseded[_-]by|replaced[_-]by):[ \t]*[^\s"'~\[{].*|(?:archived|superseded|deprecated|obsolete):[ \t]*true)[ \t]*\r?$`)
	// goneInPart is said in the same line where the memory is still needed.
	goneInPart = lazy.New(`(?i)\b(?:in part|part(?:ly|ial(?:ly)?)|only|except|still|corrected)\b|部分`)
	// successor names another memory; restated is a word of a text that says what is true instead.
	successor = lazy.New(`\[\[|\]\(|\w\.md\b`)
	restated  = lazy.New(`(?i)\b(?:now|instead|today|current(?:ly)?)\b`)
)

// shortText bounds, in bytes, a text below a mark that need not name what replaces it.
const shortText = 300

// tombstone returns the words by which a memory marks that it is gone; "" if its text is empty.
func tombstone(t *memory.Topic) (mark string, gone bool) {
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
		return "", true
	}
	if t.HasFrontmatter() {
		head := string(t.Bytes()[:len(t.Bytes())-len(t.Body())])
		if field := goneField.FindString(strings.ReplaceAll(head, ": null", ":")); field != "" {
			return strings.TrimSpace(field), true
		}
	}
	for _, text := range []string{t.Title(), t.Description(), first} {
		if !markedGone.MatchString(text) && !movedAway.MatchString(text) || goneInPart.MatchString(text) {
			continue
		}
		if successor.MatchString(text) || len(words) <= shortText && !restated.MatchString(words) {
			return text, true
		}
	}
	return "", false
}
