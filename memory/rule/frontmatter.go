package rule

import (
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory"
)

func findOtherForm(v *view) []Finding {
	n := v.otherForm()
	if n == 0 {
		return nil
	}
	return []Finding{{
		Severity: Info, Message: fmt.Sprintf("%d of %d memories have frontmatter of another form, or none: "+
			"frontmatter is not asked for here", n, len(v.After.Topics)),
		Hint: "nothing is wrong if another tool writes them; Claude Code reads name, description and type",
	}}
}

// minOtherForm is how many memories a directory needs to have a form of its own.
const minOtherForm = 3

// otherForm returns how many memories have another form than Claude Code's, where most have; else 0.
func (v *view) otherForm() int {
	if v.others != nil {
		return *v.others
	}
	topics, n := v.After.Topics, 0
	if v.Before != nil {
		topics = v.Before.Topics
	}
	for _, t := range topics {
		if !t.HasFrontmatter() || !slices.Contains(memory.Types, t.Type()) {
			n++
		}
	}
	if n < minOtherForm || 2*n <= len(topics) {
		n = 0
	}
	v.others = &n
	return n
}

// Quotable returns the memories whose name or description needs quotes.
func Quotable(s *memory.Snapshot) (names []memory.Name) {
	v := Check{After: s}.view()
	if v.otherForm() > 0 {
		return nil
	}
	for _, n := range v.sortedNames() {
		if !isPage(n) && n.Writable() == nil && memory.ParseTopic(s.Topics[n].Bytes()).QuoteAll() {
			names = append(names, n)
		}
	}
	return names
}

// findBadFrontmatter returns one finding for a memory, with all that is wrong. It refuses only a new
// memory that hosts would not find by name, description and type.
func findBadFrontmatter(v *view, n memory.Name, t *memory.Topic) []Finding {
	if isPage(n) || v.otherForm() > 0 {
		return nil
	}
	form := "---, name: …, description: …, metadata:, \"  type: …\", ---, each in a line of its own"
	f := Finding{File: n.String(), Line: 1, Severity: Warning}
	if v.came(n) || v.Before == nil {
		f.Severity = Error
	}
	switch {
	case t.Syntax().Unclosed():
		f.subject, f.Message, f.Hint = "unclosed", "the frontmatter is not closed by a second \"---\", so no host sees it", "close it after its last key"
		return []Finding{f}
	case !t.HasFrontmatter():
		f.subject, f.Message, f.Hint = "none", "there is no frontmatter: name, description and type are missing", "begin the file with "+form
		return []Finding{f}
	}
	bad := badFrontmatter{topic: t, finding: f}
	for _, key := range []string{"name", "description"} {
		bad.checkText(v, n, key)
	}
	bad.checkType()
	if len(bad.missing) > 0 {
		missing := strings.Join(bad.missing, ", ")
		bad.report("missing "+missing, 1, "", "the frontmatter lacks "+missing, "the form is "+form)
	} else {
		bad.finding.Severity = Warning
	}
	if len(bad.wrong) == 0 {
		return nil
	}
	f = bad.finding
	f.Message, f.Hint = strings.Join(bad.wrong, "; "), strings.Join(slices.Compact(bad.hints), "; ")
	return []Finding{f}
}

// badFrontmatter collects what is wrong with the fields of a topic. The finding is at the first of them.
type badFrontmatter struct {
	topic   *memory.Topic
	finding Finding
	wrong   []string
	hints   []string
	missing []string // keys
}

func (b *badFrontmatter) report(subject string, line int, value, message, hint string) {
	if len(b.wrong) == 0 {
		b.finding.Line, b.finding.Column = line, columnIn(b.topic, line, value)
	}
	b.finding.subject += subject + " "
	b.wrong, b.hints = append(b.wrong, message), append(b.hints, hint)
}

// checkText checks a field that is a text.
func (b *badFrontmatter) checkText(v *view, n memory.Name, key string) {
	value, line, _ := b.topic.Field(key)
	if strings.TrimSpace(value) == "" {
		b.missing = append(b.missing, key)
	} else if syntax := b.topic.Syntax(); !syntax.InOneLine(key) {
		b.report(key, line, value, key+" runs over several lines or is not a text; hosts read one line", fmt.Sprintf("write %s: … in one line", key))
	} else if old, quoted := syntax.Quoted(key); old != quoted && !strings.Contains(b.finding.subject, "quote") {
		hint := "finalize_index {\"adopt\": true} puts it in quotes, in all memories"
		if v.written == n {
			hint = v.editCall(n, old, quoted)
		}
		b.report("quote "+key, line, value, key+" needs quotes: YAML does not read it as it is written", hint)
	}
}

func (b *badFrontmatter) checkType() {
	kind := b.topic.Type()
	if kind == "" {
		b.missing = append(b.missing, "type")
	} else if !slices.Contains(memory.Types, kind) {
		line := 1
		for _, key := range []string{"type", "metadata.type"} {
			if _, at, ok := b.topic.Field(key); ok {
				line = at
			}
		}
		b.report("type", line, kind, fmt.Sprintf("the type %.40q is none of %s", kind, strings.Join(memory.Types, ", ")),
			"type: feedback for how to work, user for who they are, project for work under way, reference for where to look")
	}
}
