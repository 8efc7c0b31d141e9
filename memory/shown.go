package memory

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	"dream-mcp/memory/secret"
)

// Shown returns the topic as it may be shown: every credential that is not allowed is masked, and every
// line keeps its number. Without a credential that is the topic itself.
func (t *Topic) Shown(allowed secret.Allowed) *Topic {
	v := t.view(allowed)
	if len(v.Spans) == 0 {
		return t
	}
	return ParseTopic([]byte(v.Text))
}

// view is looked for once: several rules ask, and a topic belongs to one directory.
func (t *Topic) view(allowed secret.Allowed) secret.View {
	if t.masked == nil {
		v := allowed.View(string(t.Bytes()))
		t.masked = &v
	}
	return *t.masked
}

// Shown returns the index as it may be shown, as Topic.Shown does.
func (x *Index) Shown(allowed secret.Allowed) *Index {
	v := allowed.View(string(x.Bytes()))
	if len(v.Spans) == 0 {
		return x
	}
	return ParseIndex([]byte(v.Text))
}

// shown returns the memory as it may be shown; nil of nil. A topic that is the same in another snapshot is
// looked at once for both.
func (s *Snapshot) shown(other *Snapshot) *Snapshot {
	if s == nil {
		return nil
	}
	shown := *s
	copied := false
	for n, t := range s.Topics {
		if other != nil && t.masked == nil && other.Topics[n] != nil && other.Topics[n].equal(t) {
			t.masked = other.Topics[n].masked
		}
		if masked := t.Shown(s.AllowSecrets); masked != t {
			if !copied {
				shown.Topics, copied = maps.Clone(s.Topics), true
			}
			shown.Topics[n] = masked
		}
	}
	if s.Index != nil {
		shown.Index = s.Index.Shown(s.AllowSecrets)
	}
	return &shown
}

// shownDiff makes a diff of two texts that may be shown. A credential in whose place another came is told
// from one that stayed: while the texts are compared, each value has its number behind its mask.
func shownDiff(before, after []byte, allowed secret.Allowed, diff func(before, after []byte) []byte) []byte {
	was, is := allowed.View(string(before)), allowed.View(string(after))
	if len(was.Spans)+len(is.Spans) == 0 {
		return diff(before, after)
	}
	mark := "\x00"
	for strings.Contains(was.Text+is.Text, mark) {
		mark += "\x00"
	}
	numbers := make(map[string]int)
	number := func(value string) string {
		if _, known := numbers[value]; !known {
			numbers[value] = len(numbers)
		}
		return fmt.Sprint(mark, numbers[value], mark)
	}
	d := diff([]byte(was.Marked(number)), []byte(is.Marked(number)))
	return regexp.MustCompile(mark+"[0-9]+"+mark).ReplaceAll(d, nil)
}
