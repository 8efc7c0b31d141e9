package rule

import "dream-mcp/memory"

// reading is what the rules have found out about one topic, by rule: it depends on the topic alone, and
// is found out once for all that ask.
type reading map[string]any

// read returns what find says of a topic under a key, asking it once.
func read[T any](v *view, t *memory.Topic, key string, find func() T) T {
	r := v.readings[t]
	if known, ok := r[key]; ok {
		return known.(T)
	}
	if r == nil {
		r = make(reading)
		v.readings[t] = r
	}
	found := find()
	r[key] = found
	return found
}

// share lets what is the same in two views be read once for both.
func (v *view) share(with *view) {
	with.readings, with.exact.readings = v.readings, v.readings
	for n, t := range v.After.Topics {
		if b := with.After.Topics[n]; b != nil && b != t && b.Equal(t) && v.readings[t] != nil {
			v.readings[b] = v.readings[t]
		}
	}
}
