package rule

import (
	"dream-mcp/memory"
	"fmt"
	"strings"
)

var reasonsRule = rule{
	doc: Doc{
		Name:     "reasons",
		Summary:  "a feedback memory, and a project memory that is being written, says why, and how to apply it: who reads it later can judge the case that was not foreseen",
		Severity: Info,
		Catches:  "a feedback memory without a **Why:** or a **How to apply:**",
		Leaves:   "\"Why:\" as a heading, in bold or plain, in seven languages; user and reference memories; project memories that stand, of which half have none",
		Bad:      "-- feedback_tests.md --\n---\nname: tests\ndescription: how tests are run\ntype: feedback\n---\nBy make.",
		Good:     "-- feedback_tests.md --\n---\nname: tests\ndescription: how tests are run\ntype: feedback\n---\nBy make.\n\n**Why:** CI does.\n\n## How to apply\n\nBefore each commit.",
	},
	topic: findNoReasons,
}

// The words by which a memory says why it holds, and how to apply it. Hosts ask for the English ones,
// and nearly all have those, whatever the language of the rest (CENSUS 3).
var (
	whyLabels = []string{"why", "reason", "reasons", "rationale", "为什么", "原因", "理由", "이유", "왜", "なぜ", "warum", "grund", "pourquoi", "raison", "por qué", "motivo", "razón"}
	howLabels = []string{"how to apply", "how", "when to apply", "apply", "如何应用", "如何使用", "应用", "适用", "적용", "적용 방법", "適用", "適用方法", "anwendung", "wie anwenden", "comment appliquer", "application", "cómo aplicar", "aplicación"}
)

func findNoReasons(v *view, n memory.Name, t *memory.Topic) []Finding {
	if kind := t.Type(); isFolderIndex(n) || kind != memory.TypeFeedback && (kind != memory.TypeProject || n != v.written) {
		return nil
	}
	why, how := false, false
	for _, line := range t.ProseLines() {
		why = why || holdsLabel(line, whyLabels)
		how = how || holdsLabel(line, howLabels)
	}
	var missing []string
	if !why {
		missing = append(missing, "**Why:**")
	}
	if !how {
		missing = append(missing, "**How to apply:**")
	}
	if missing == nil {
		return nil
	}
	return []Finding{{
		File: n.String(), subject: strings.Join(missing, " "),
		Message: fmt.Sprintf("a %s memory without %s", t.Type(), strings.Join(missing, " and ")),
		Hint:    "add them if somebody said them; never invent a reason",
	}}
}

// holdsLabel reports whether a line is a heading of one of the labels, begins with one and a colon, or
// holds one in bold.
func holdsLabel(line string, labels []string) bool {
	line = strings.ToLower(line)
	words := strings.TrimLeft(line, "#>*-_ \t")
	for _, label := range labels {
		rest, ok := strings.CutPrefix(words, label)
		if rest = strings.TrimLeft(rest, "*_ "); ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：") || rest == "" && words != line) {
			return true
		}
		for _, bold := range []string{"**", "__"} {
			for _, end := range []string{":", "：", bold} {
				if strings.Contains(line, bold+label+end) {
					return true
				}
			}
		}
	}
	return false
}
