package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
)

// tag matches the beginning of a tag by which hosts mark what is theirs in a conversation, or models their turns: names of
// several words (system-reminder, ide_selection, antml:invoke), some of one word, and control tokens. Elements of HTML and
// types of programs are not among them.
var tag = lazy.New(`(?i)<(?:\s*/?[|｜]|\s*[/!?]?\s*([a-z][a-z0-9]*[-_:][a-z0-9][a-z0-9_.:-]*|(?:` +
	`system|sys|user|assistant|human|developer|model|agent|tools?|functions?|invoke|parameters?|results?|output|stdout|stderr|error|bash|command` +
	`|instructions?|reminder|important|notification|permissions|environment|context|prompt|rules?|policy|skills?|memory|memories|goal|tick` +
	`|task|message|event|hook|thinking|think|documents?|examples?|turn|inst|s)\b))|\[/?INST\b`)

// EscapeTags returns a text with a backslash in each tag of a host, so that nothing that is quoted is taken for what the host
// says, or ends what it is quoted in: <\system-reminder>, <\/system-reminder>, <\|im_start|>. EscapeTags of the result is the
// same again. Whatever shows text of others to a model passes it through here, unless the model must be able to repeat the text
// exactly, as that of a memory that it edits.
func EscapeTags(text string) string {
	if !strings.ContainsAny(text, "<[") {
		return text
	}
	var b strings.Builder
	at := 0
	for _, m := range tag.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 && m[2] == m[0]+1 && isType(text[:m[0]], text[m[2]:m[3]]) {
			continue
		}
		b.WriteString(text[at:m[0]+1] + `\`)
		at = m[0] + 1
	}
	return b.String() + text[at:]
}

// isType reports whether a name after "<" is that of a type, as in List<User>.
func isType(before, name string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, size := utf8.DecodeRuneInString(name)
	return (unicode.IsLetter(last) || unicode.IsDigit(last)) && unicode.IsUpper(first) && strings.ToLower(name[size:]) == name[size:] && !strings.ContainsAny(name, "-_:")
}
