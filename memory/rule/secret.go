package rule

import (
	"bytes"
	"fmt"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/secret"
)

// The rule "secret" has no switch for the model: what it takes for a false alarm may be a secret all the same.
// The person names a value that is none, by its SHA-256, so that the settings don't hold it either:
// printf %s VALUE | sha256sum | cut -c1-12 (Snapshot.AllowSecrets).
func findSecretsIn(v *view, n memory.Name, t *memory.Topic) []Finding {
	var before []byte
	if v.Before != nil && v.Before.Topics[n] != nil {
		before = v.Before.Topics[n].Bytes()
	}
	return findSecrets(n.String(), string(t.Bytes()), t.View(v.After.AllowSecrets), func(value, shown string) string {
		if v.Before != nil && !bytes.Contains(before, []byte(value)) {
			return ""
		}
		return ": " + v.editCall(n, shown, toFind)
	})
}

func findSecretsInIndex(v *view) []Finding {
	if v.After.Index == nil {
		return nil
	}
	text := string(v.After.Index.Bytes())
	return findSecrets(memory.IndexFile, text, v.After.AllowSecrets.View(text), func(string, string) string {
		return ": finalize_index rewrites its line, by upsert or remove"
	})
}

// findSecrets returns a finding for each credential; remove says how to remove one that is in the file, by what is
// shown in its place.
func findSecrets(file, text string, seen secret.View, remove func(value, shown string) string) (found []Finding) {
	for n, span := range seen.Spans {
		line, column := position(text, span.From, 1, 1)
		value := text[span.From:span.To]
		f := Finding{
			File: file, Line: line, Column: column, subject: fmt.Sprintf("%s %s", span.Kind, memory.SumOf([]byte(value))),
			Message: fmt.Sprintf("this line holds a credential (%s)", span.Kind),
		}
		if span.Key != "" {
			f.Message = fmt.Sprintf("this line holds a credential (%s), the value of %.40q", span.Kind, span.Key)
		}
		if span.Kind == secret.Forgotten {
			f.Message, f.Hint = "this line holds a text that the person wanted forgotten", "leave it out"
			found = append(found, f)
			continue
		}
		how := ""
		if old := shownOnce(seen, span, strings.Count(value, "\n")); old != "" && n < maxOffered {
			how = remove(value, old)
		}
		f.Hint = "say where it is kept instead" + how + "; a false alarm only the person can silence (allow_secrets in the settings)"
		found = append(found, f)
	}
	return found
}

// maxOffered bounds the credentials of a file for which a hint offers an edit, and maxEdit its bytes: each is looked
// for in the whole file.
const (
	maxOffered = 100
	maxEdit    = 160
)

// shownOnce returns the mask of a credential, or its line, if that occurs once in the text as it is shown; else "". The
// line ends of a mask need not be named.
func shownOnce(seen secret.View, span secret.Span, lineEnds int) string {
	from, to := seen.Shown(span.From, span.To)
	to -= lineEnds
	start, end := strings.LastIndexByte(seen.Text[:from], '\n')+1, len(seen.Text)
	if n := strings.IndexByte(seen.Text[to:], '\n'); n >= 0 {
		end = to + n
	}
	for _, old := range []string{seen.Text[from:to], seen.Text[start:end]} {
		if _, times := memory.Occurrences(seen.Text, old); times == 1 && len(old) <= maxEdit {
			return old
		}
	}
	return ""
}
