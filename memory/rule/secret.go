package rule

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory"
	"dream-mcp/memory/secret"
)

// The rule "secret" has no switch for the model: what it takes for a false alarm may be a secret all the same.
// The person names a value that is none, by its SHA-256, so that the settings don't hold it either:
// printf %s VALUE | sha256sum | cut -c1-12 (Snapshot.AllowSecrets).
func findSecretsIn(v *view, n memory.Name, t *memory.Topic) []Finding {
	var before []byte
	if v.before != nil && v.before.Topics[n] != nil {
		before = v.before.Topics[n].Bytes()
	}
	data, seen := t.Bytes(), t.View(v.after.AllowSecrets)
	findings := findSecrets(n.String(), data, seen, func(value, shown string) string {
		if v.before != nil && !bytes.Contains(before, []byte(value)) {
			return ""
		}
		return ": " + v.editCall(n, quoteJSON(shown), toFind)
	})
	if len(findings) > maxPlaces && before != nil && !slices.ContainsFunc(seen.Spans[maxPlaces:], func(s secret.Span) bool {
		return bytes.Count(data, data[s.From:s.To]) > bytes.Count(before, data[s.From:s.To])
	}) {
		findings[maxPlaces].Severity = Warning // none of those that are only counted is new
	}
	return findings
}

func findSecretsInIndex(v *view) []Finding {
	if v.after.Index == nil {
		return nil
	}
	data := v.after.Index.Bytes()
	return findSecrets(memory.IndexFile, data, v.after.AllowSecrets.View(string(data)), func(string, string) string {
		return ": finalize_index rewrites its line, by upsert or remove"
	})
}

// findSecrets returns a finding for each credential; remove says how to remove one that is in the file, by what is shown
// in its place.
func findSecrets(file string, data []byte, seen secret.View, remove func(value, shown string) string) []Finding {
	var found places
	for _, span := range seen.Spans {
		if found.full() {
			continue
		}
		line, column := position(string(data), span.From, 1, 1)
		value := string(data[span.From:span.To])
		from, to := seen.Shown(span.From, span.To)
		to -= strings.Count(value, "\n") // the line ends of a mask need not be named
		from, to = widened(seen.Text, seen.Text, from, to)
		f := Finding{
			File: file, Line: line, Column: column, subject: fmt.Sprintf("%s %s", span.Kind, memory.SumOf([]byte(value))),
			Message: fmt.Sprintf("this line holds a credential (%s)", span.Kind),
			Hint:    "say where it is kept instead" + remove(value, seen.Text[from:to]) + "; a false alarm only the person can silence (allow_secrets in the settings)",
		}
		if span.Key != "" {
			f.Message = fmt.Sprintf("this line holds a credential (%s), the value of %.40q", span.Kind, span.Key)
		}
		found.add(f)
	}
	return found.all("credentials")
}
