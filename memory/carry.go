package memory

import (
	"slices"
	"time"
)

// Carry takes over what merged topics say about where they come from: the oldest `created`, and the session in which each was
// first written. Of several sessions the topic names its own in originSessionId and the others in originSessionIds. A topic
// without frontmatter is left as it is.
func (t *Topic) Carry(from []*Topic) {
	if !t.HasFrontmatter() {
		return
	}
	t.masked = nil
	var created string
	var oldest time.Time
	var origins []string
	for _, o := range append([]*Topic{t}, from...) {
		if value := o.either("created"); value != "" {
			if at, ok := moment(value); ok && (oldest.IsZero() || at.Before(oldest)) {
				created, oldest = value, at
			}
		}
		origins = append(origins, o.either("originSessionId"))
		for _, key := range []string{"metadata.originSessionIds", "originSessionIds"} {
			if f := o.field(key); f != nil {
				origins = append(origins, f.items...)
			}
		}
	}
	if created != "" && created != t.either("created") {
		t.set("created", quoteScalar(created))
	}
	origins = slices.DeleteFunc(origins, func(id string) bool { return id == "" })
	if len(origins) == 0 {
		return
	}
	if t.either("originSessionId") == "" {
		t.set("originSessionId", quoteScalar(origins[0]))
	}
	var others []string
	for _, id := range origins[1:] {
		if id != origins[0] && !slices.Contains(others, id) {
			others = append(others, id)
		}
	}
	if len(others) > 0 {
		t.set("originSessionIds", formatList(others))
	}
}

// either returns a field of metadata, or of the older form's top level.
func (m *frontmatter) either(key string) string {
	if value := m.Value("metadata." + key); value != "" {
		return value
	}
	return m.Value(key)
}

// moment reads a time or a day.
func moment(value string) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at, true
	}
	return FirstDate(value)
}
