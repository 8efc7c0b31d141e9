package memory

import (
	"dream-mcp/memory/secret"
)

// Shown returns the topic as it may be shown: every credential that is not allowed is masked, and every
// line keeps its number. Without a credential that is the topic itself.
func (t *Topic) Shown(allowed secret.Allowed) *Topic {
	v := t.View(allowed)
	if len(v.Spans) == 0 {
		return t
	}
	return ParseTopic([]byte(v.Text))
}

// View is looked for once: several rules ask, and a topic belongs to one directory.
func (t *Topic) View(allowed secret.Allowed) secret.View {
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
