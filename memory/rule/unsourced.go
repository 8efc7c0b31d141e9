package rule

import (
	"dream-mcp/memory"
	"strings"
)

var unsourcedRule = rule{
	doc: Doc{
		Name:     "unsourced",
		Summary:  "a new user or feedback memory without evidence of the user's own words",
		Severity: Warning,
		Catches:  "a new feedback memory that was written without evidence, or with what the assistant or a tool said as its only evidence",
		Leaves:   "a memory of another type; one that stood; one that only got another name; one of whose sources are the user's words",
		Bad:      "-- before/old.md --\n---\nname: Old\ndescription: an old fact\ntype: project\n---\nA fact.\n-- style.md --\n---\nname: Style\ndescription: how they like code\ntype: feedback\n---\nNo comments that repeat the code.",
		Good: "-- before/old.md --\n---\nname: Old\ndescription: an old fact\ntype: project\n---\nA fact.\n-- style.md --\n---\nname: Style\ndescription: how they like code\nmetadata:\n" +
			"  type: feedback\n  sources: [\"00000002-1111-4222-8333-444444444442:7\"]\n---\nNo comments that repeat the code.",
	},
	topic: findUnsourced,
}

func findUnsourced(v *view, n memory.Name, t *memory.Topic) []Finding {
	if v.before == nil || v.before.Topics[n] != nil || v.ownWords == nil {
		return nil
	}
	kind := t.Type()
	if kind != memory.TypeUser && kind != memory.TypeFeedback {
		return nil
	}
	for _, source := range t.Sources() {
		if v.ownWords[source] {
			return nil
		}
	}
	text := memory.OneLine(t.Body())
	for o, was := range v.before.Topics {
		if text != "" && v.after.Topics[o] == nil && memory.OneLine(was.Body()) == text {
			return nil // it has moved
		}
	}
	message := "a new memory of type " + kind + " without evidence"
	if sources := t.Sources(); len(sources) > 0 {
		message = "a new memory of type " + kind + ", and none of its sources are words of the user: " + strings.Join(sources, ", ")
	}
	return []Finding{{
		File: n.String(), Message: message,
		Hint: `find where the user said it (grep_transcripts {"pattern": "…", "speakers": ["user"]}) and write it with "evidence": ["ID"]; if the user never said it, it may not deserve a memory`,
	}}
}
