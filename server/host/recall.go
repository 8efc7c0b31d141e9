package host

import (
	"encoding/json"
	"maps"
	"slices"

	"dream-mcp/consolidate/recall"
)

// recallLevels are what config.json's "recall" says: one level for all hosts, under "", or a level for each host that it names. What a person
// agreed to for one host, they did not agree to for another: each has its own vendor.
type recallLevels map[string]string

func (r *recallLevels) UnmarshalJSON(data []byte) error {
	var level string
	if json.Unmarshal(data, &level) == nil {
		*r = recallLevels{"": level}
		return nil
	}
	return json.Unmarshal(data, (*map[string]string)(r))
}

func (r recallLevels) valid() bool {
	return !slices.ContainsFunc(slices.Collect(maps.Values(r)), func(level string) bool { return !slices.Contains(recall.Levels, level) })
}

// chooseRecall takes the strongest layer that says something of the client, or of all hosts.
func (r *resolver) chooseRecall() error {
	for _, l := range r.layers {
		if levels, ok := l.values["recall"].(recallLevels); ok {
			r.recalls = append(r.recalls, recallSource{levels, l.from("recall")})
		}
	}
	r.Recall = r.RecallIn(r.Client)
	return nil
}

// A recallSource is what one layer says.
type recallSource struct {
	levels recallLevels
	source string
}

// RecallIn returns what the model of a host is shown unasked, and where that is set.
func (s Setup) RecallIn(client string) Setting {
	for _, said := range s.recalls {
		for _, key := range []string{client, ""} {
			if level, ok := said.levels[key]; ok {
				return Setting{level, said.source}
			}
		}
	}
	return Setting{recall.Off, "default"}
}
