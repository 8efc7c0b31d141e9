package memory

import (
	"slices"
	"time"
)

// Carry takes over what merged topics say about where they come from: the oldest `created`, and the session in which
// each was first written. Of several sessions the topic names its own in originSessionId and the others in
// originSessionIds. A topic without frontmatter is left as it is.
func (t *Topic) Carry(from []*Topic) {
	if !t.HasFrontmatter() {
		return
	}
	t.masked = nil
	var created string
	var oldest time.Time
	var origins []string
	for _, o := range append([]*Topic{t}, from...) {
		value := o.either("created").value
		if at, ok := moment(value); ok && (oldest.IsZero() || at.Before(oldest)) {
			created, oldest = value, at
		}
		ids := []string{o.either("originSessionId").value}
		for _, key := range []string{"metadata.originSessionIds", "originSessionIds"} {
			if f := o.find(key); f != nil {
				ids = append(ids, f.items...)
			}
		}
		for _, id := range ids {
			if id != "" && !slices.Contains(origins, id) {
				origins = append(origins, id)
			}
		}
	}
	if created != "" && created != t.either("created").value {
		t.set("created", quoteScalar(created))
	}
	if len(origins) > 0 && t.either("originSessionId").value == "" {
		t.set("originSessionId", quoteScalar(origins[0]))
	}
	if len(origins) > 1 {
		t.set("originSessionIds", formatList(origins[1:]))
	}
}

// moment reads a time or a day.
func moment(value string) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at, true
	}
	return FirstDate(value)
}
