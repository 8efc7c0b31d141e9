package settings

import (
	"encoding/json"
	"maps"
	"slices"

	"dream-mcp/consolidate/recall"
)

// recallLevels is the value of "recall" in config.json: a level for all hosts, under "", or levels by host. Hosts
// differ in their vendor, so a person agrees for each.
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

// chooseRecall chooses the level of the first layer that has one for the client or for all hosts.
func (r *resolver) chooseRecall() {
	for _, l := range r.layers {
		if levels, ok := l.values["recall"].(recallLevels); ok {
			r.recalls = append(r.recalls, recallSource{levels, l.from("recall")})
		}
	}
	r.Recall = r.RecallIn(r.Client)
}

// A recallSource is the levels of one layer.
type recallSource struct {
	levels recallLevels
	source string
}

// RecallIn returns what the model of a host is shown unasked.
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
