package memory

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory/secret"
)

// The four types of memory.
const (
	TypeUser      = "user"
	TypeFeedback  = "feedback"
	TypeProject   = "project"
	TypeReference = "reference"
)

// Types are those that a topic may have.
var Types = []string{TypeUser, TypeFeedback, TypeProject, TypeReference}

const ByteOrderMark = "\ufeff"

// Topic is one memory file, read line by line: real frontmatter is not always YAML, and what is parsed and printed
// again loses order, quoting and spaces. Only a value in quotes, in brackets or of several lines is read as YAML. Bytes
// returns what was parsed, byte for byte, until Stamp changes a line.
type Topic struct {
	frontmatter
	bom    string
	body   string
	masked *secret.View // nil: not looked for yet
}

// ParseTopic reads a topic. Every sequence of bytes is one.
func ParseTopic(data []byte) *Topic {
	t := &Topic{body: string(data)}
	if rest, ok := strings.CutPrefix(t.body, ByteOrderMark); ok {
		t.bom, t.body = ByteOrderMark, rest
	}
	t.head, t.body, t.unclosed = cutFrontmatter(t.body)
	t.fields = parseFields(t.head)
	return t
}

// Bytes returns the file.
func (t *Topic) Bytes() []byte {
	return []byte(t.bom + strings.Join(t.head, "") + t.body)
}

// Equal reports whether two topics have the same bytes.
func (t *Topic) Equal(o *Topic) bool {
	return t.bom == o.bom && t.body == o.body && slices.Equal(t.head, o.head)
}

// HasFrontmatter reports whether the file begins with frontmatter that is also closed.
func (m *frontmatter) HasFrontmatter() bool { return len(m.head) > 0 }

// Field returns a value of the frontmatter, without quotes, and the line (from 1) of its key.
// The key of a nested field is dotted: "metadata.type". Of several lines of the same key the first
// counts. A text that runs over several lines is joined with spaces.
func (m *frontmatter) Field(key string) (value string, line int, ok bool) {
	if f := m.find(key); f != nil {
		return f.value, f.line + 1, true
	}
	return "", 0, false
}

func (m *frontmatter) find(key string) *field {
	for i := range m.fields {
		if m.fields[i].key == key {
			return &m.fields[i]
		}
	}
	return nil
}

// either returns a field of metadata, or of the older form's top level; a zero one where neither says anything.
func (m *frontmatter) either(key string) field {
	for _, key := range []string{"metadata." + key, key} {
		if f := m.find(key); f != nil && f.value != "" {
			return *f
		}
	}
	return field{}
}

// Title returns the field "name", or "".
func (m *frontmatter) Title() string { return m.value("name") }

// Description returns the field "description", or "".
func (m *frontmatter) Description() string { return m.value("description") }

// Type returns the type as the newest form has it, in metadata, or else the older form's at the
// top level, or "". What follows a "#" is a comment.
func (m *frontmatter) Type() string {
	kind, _, _ := strings.Cut(m.either("type").value, " #")
	return strings.TrimSpace(kind)
}

func (m *frontmatter) value(key string) string {
	value, _, _ := m.Field(key)
	return strings.TrimSpace(value)
}

// Sources returns what the topic says it was learned from, as `session-id:line`, the newest last.
func (m *frontmatter) Sources() []string { return m.either("sources").items }

// Body returns the text after the frontmatter. Without frontmatter, or where it is unclosed, that is the
// whole text but for a byte order mark.
func (t *Topic) Body() string { return t.body }

// BodyLine returns the number of the body's first line.
func (t *Topic) BodyLine() int { return len(t.head) + 1 }

// Edit replaces one passage of a text.
type Edit struct{ Old, New string }

// ApplyEdits applies the edits one after the other, each to what the one before has left. An old text is
// looked for in the text as it is shown (secret.Allowed.Show) and must occur there exactly once. Where it holds
// a mark, or a part of one, all that the mark stands for is replaced. Its line ends match "\r\n" too; unless it holds
// one itself, those of the new text are written as the text around has them. The error says which edit
// failed, counted from 1, and how often its old text occurs; nothing is applied then.
func ApplyEdits(data []byte, edits []Edit, allowed secret.Allowed) ([]byte, error) {
	text := string(data)
	for i, edit := range edits {
		if edit.Old == "" {
			return nil, fmt.Errorf("edit %d of %d: the old text is empty", i+1, len(edits))
		}
		shown := allowed.Show(text)
		old := allowed.Show(edit.Old).Text // who knows the value by another way may quote it
		start, n := Occurrences(shown.Text, old)
		if n != 1 {
			also := ""
			if n == 0 && len(shown.Spans) > 0 {
				also = "; the file holds credentials, which are found as they are shown: [secret: …]"
			}
			return nil, fmt.Errorf("edit %d of %d: the old text %.80q occurs %d times, and must occur once%s", i+1, len(edits), old, n, also)
		}
		from, to := shown.Real(start, start+len(old))
		replacement := edit.New
		if !strings.Contains(edit.Old, "\r") && endsInCRLF(text[from:]) {
			replacement = strings.ReplaceAll(strings.ReplaceAll(replacement, "\r\n", "\n"), "\n", "\r\n")
		}
		text = text[:from] + replacement + text[to:]
	}
	return []byte(text), nil
}

// Occurrences returns where old begins first and how often it occurs, overlaps included: "aa" could be
// either of two places in "aaa".
func Occurrences(text, old string) (first, n int) {
	first = strings.Index(text, old)
	for at := first; at >= 0; n++ {
		next := strings.Index(text[at+1:], old)
		if next < 0 {
			return first, n + 1
		}
		at += 1 + next
	}
	return first, n
}

// endsInCRLF reports whether the first line of text ends in "\r\n".
func endsInCRLF(text string) bool {
	line, _, found := strings.Cut(text, "\n")
	return found && strings.HasSuffix(line, "\r")
}

// EachText calls f with the description and the body, and the line and the column that each begins in. The column
// is 0 where the description is not written as it reads.
func (t *Topic) EachText(f func(text string, line, column int)) {
	if d := t.find("description"); d != nil {
		written, column := t.head[d.line][d.from:d.to], utf8.RuneCountInString(t.head[d.line][:d.from])+1
		switch {
		case d.kind != scalar || d.value != written && d.value != written[1:len(written)-1]:
			column = 0
		case d.value != written:
			column++
		}
		f(d.value, d.line+1, column)
	}
	f(t.body, t.BodyLine(), 1)
}

// ProseLines yields the lines of a topic's body outside fenced code, with their number in the file.
func (t *Topic) ProseLines() func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		number := len(t.head)
		for line, code := range Lines(t.body) {
			if number++; !code && !yield(number, line) {
				return
			}
		}
	}
}

// Lines yields the lines of a text without their ends, and whether each belongs to a fenced block.
func Lines(text string) func(yield func(line string, code bool) bool) {
	return func(yield func(string, bool) bool) {
		open := "" // the mark of the block that is not closed yet
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSuffix(line, "\r")
			code := open != ""
			if code && closesFence(line, open) {
				open = ""
			} else if !code {
				open = FenceMark(line)
				code = open != ""
			}
			if !yield(line, code) {
				return
			}
		}
	}
}
