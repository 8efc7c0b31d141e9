package listing

import (
	"strings"

	"dream-mcp/memory/lazy"
)

// maxTemplate bounds, in bytes, a text whose paths, hashes and IDs are looked for.
const maxTemplate = 8 << 10

// minTemplate is how many utterances in a row that differ in paths, hashes or IDs are collapsed: with two, a person
// may have named another path.
const minTemplate = 3

var (
	uuids  = lazy.New(`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	hashes = lazy.New(`\b[0-9a-f]{7,64}\b`)
	ids    = lazy.New(`\b[a-z]{2,8}_[0-9A-Za-z]{16,}\b`)
	paths  = lazy.New(`(^|[\s"'(\[=])((?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\s"'<>|]*[^\s"'<>|.,;:!?)\]]|[\w.-]+(?:/[\w.-]+)*/[\w.-]+\.[A-Za-z]\w*)`)

	// numbers within a path are content where they are versions or dates.
	numbers = lazy.New(`\bv?\d+(?:[.-]\d+)+\b|\bv\d+\b|\b\d{6,8}\b`)
)

// template returns a text with its paths, hashes and IDs replaced: of texts with the same template nothing else
// differs. A number is not a hash, and neither is a word.
func template(text string) string {
	if len(text) > maxTemplate {
		return text
	}
	text = uuids.ReplaceAllString(text, "\x01id")
	text = ids.ReplaceAllStringFunc(text, func(id string) string {
		_, rest, _ := strings.Cut(id, "_")
		if strings.ToLower(rest) != rest && strings.ToUpper(rest) != rest && strings.ContainsAny(rest, "0123456789") {
			return "\x01id"
		}
		return id
	})
	text = paths.ReplaceAllStringFunc(text, func(path string) string {
		if !strings.ContainsFunc(path, isASCIILetter) {
			return path // a date
		}
		before := ""
		if strings.ContainsAny(path[:1], " \t\n\"'([=") {
			before = path[:1]
		}
		return before + "\x01path " + strings.Join(numbers.FindAllString(path, -1), " ")
	})
	return hashes.ReplaceAllStringFunc(text, func(hash string) string {
		if !strings.ContainsAny(hash, "0123456789") || !strings.ContainsAny(hash, "abcdef") {
			return hash
		}
		return "\x01hash"
	})
}

func isASCIILetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }
