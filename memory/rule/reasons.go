package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// The labels by which a memory says why it holds, and how to apply it. Hosts ask for the English ones,
// and nearly all have those, whatever the language of the rest: of 111 real feedback memories
// 107 say why, and 110 how to apply it.
var (
	whyLabel = label(`why|reasons?|rationale|为什么|原因|理由|이유|왜|なぜ|warum|grund|pourquoi|raison|por qué|motivo|razón`)
	howLabel = label(`how to apply|how|when to apply|apply|如何应用|如何使用|应用|适用|적용(?: 방법)?|適用|適用方法|anwendung|wie anwenden` +
		`|comment appliquer|application|cómo aplicar|aplicación`)
)

// label matches a line that is a heading of one of some words, begins with one and a colon, or has one in bold.
func label(words string) *lazy.Regexp {
	return lazy.New(`(?i)^[#>*_ \t-]*(?:` + words + `)[*_ ]*[:：]|^[#>*_ \t-]+(?:` + words + `)[*_ ]*$|(?:\*\*|__)(?:` + words + `)(?:[:：]|\*\*|__)`)
}

// givesReason matches words that announce a reason, in seven languages.
var givesReason = lazy.New(`(?i)\b(?:because|since|so that|otherwise|the reason|due to|weil|denn|damit|sonst` +
	`|parce que|puisque|sinon|à cause|porque|ya que|debido)\b|因为|因為|由于|由於|否则|だから|ので|ため|理由|때문|니까|이유`)

// givesNone matches such words where they point back, or name a time.
var givesNone = lazy.New(`(?i)\bbecause of (?:that|this|it|them|those|these)\b|\bsince (?:then|last|yesterday` +
	`|today|this morning|\w+day|v?\d\S*|[0-9a-f]{7,40})\b`)

// reasonIn returns the words by which a text announces a reason, or "".
func reasonIn(text string) string {
	return givesReason.FindString(givesNone.ReplaceAllString(text, ""))
}

func findNoReasons(v *view, n memory.Name, t *memory.Topic) []Finding {
	kind := t.Type()
	if n == v.written {
		return findLeftOutReason(v, n, t)
	}
	if isFolderIndex(n) || kind != memory.TypeFeedback || v.came(n) {
		return nil
	}
	var missing []string
	if !hasLine(t, whyLabel) {
		missing = append(missing, "**Why:**")
	}
	if !hasLine(t, howLabel) {
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

func hasLine(t *memory.Topic, label *lazy.Regexp) bool {
	for _, line := range t.ProseLines() {
		if label.MatchString(line) {
			return true
		}
	}
	return false
}

// findLeftOutReason finds that the words which a write cites give a reason, and the memory does not.
func findLeftOutReason(v *view, n memory.Name, t *memory.Topic) []Finding {
	if kind := t.Type(); kind != memory.TypeFeedback && kind != memory.TypeProject || reasonIn(t.Body()) != "" || hasLine(t, whyLabel) {
		return nil
	}
	for _, words := range v.Cited {
		if m := reasonIn(words); m != "" {
			return []Finding{{
				File: n.String(), subject: m,
				Message: fmt.Sprintf("the words that it cites give a reason (“%s …”), and the memory does not", strings.ToLower(m)),
				Hint:    "keep it: **Why:** with their reason, in short",
			}}
		}
	}
	return nil
}
