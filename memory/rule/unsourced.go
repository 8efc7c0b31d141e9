package rule

import (
	"strings"

	"dream-mcp/memory"
)

func findUnsourced(v *view, n memory.Name, t *memory.Topic) []Finding {
	if v.Before == nil || v.Before.Topics[n] != nil || v.OwnWords == nil {
		return nil
	}
	kind := t.Type()
	if kind != memory.TypeUser && kind != memory.TypeFeedback {
		return nil
	}
	for _, source := range t.Sources() {
		if v.OwnWords[source] {
			return nil
		}
	}
	text := memory.OneLine(t.Body())
	for o, was := range v.Before.Topics {
		if text != "" && v.After.Topics[o] == nil && memory.OneLine(was.Body()) == text {
			return nil // it has moved
		}
	}
	message := "a new memory of type " + kind + " without evidence"
	if sources := t.Sources(); len(sources) > 0 {
		message = "a new memory of type " + kind + ", and none of its sources are words of the user: " + strings.Join(sources, ", ")
	}
	return []Finding{{
		File: n.String(), Message: message,
		Hint: `find where the user said it (grep_transcripts {"pattern": "…", "speakers": ["user"]}) and write it with "evidence": ["ID"]; ` +
			`if the user never said it, it may not deserve a memory`,
	}}
}
