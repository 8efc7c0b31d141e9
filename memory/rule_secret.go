package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"dream-mcp/memory/secret"
)

// minAllowed is how many hex digits of a SHA-256 name a value: as many as a sum has.
const minAllowed = 12

// maxPlaces bounds the findings of a rule on one file; a last one counts the rest.
const maxPlaces = 20

// secretRule has no switch for the model: what it takes for a false alarm may be a secret all the same.
// The person names a value that is none, by its SHA-256, so that the settings don't hold it either:
// printf %s VALUE | sha256sum | cut -c1-12 (Snapshot.AllowSecrets).
var secretRule = rule{
	doc: RuleDoc{
		Name:     "secret",
		Summary:  "no memory holds a credential, in its frontmatter, its text, or its line of the index; a false alarm is silenced by a person, in the settings",
		Severity: Error,
		Catches:  "tokens of forges, clouds and model vendors, private keys, JWTs, the password in scheme://user:password@host, DB_PASSWORD=… and \"the password is …\"",
		Leaves:   "hashes, UUIDs, images, lock files; ${TOKEN}, <token>, YOUR_API_KEY, xxxx and the examples of documentation; [secret: …]; public keys",
		Bad:      "DB_PASSWORD=" + "k7Qm" + "2xVb9Lp4",
		Good:     "DB_PASSWORD stands in the vault; locally DB_PASSWORD=${DB_PASSWORD}, in commit 4f0c2b7d9e1a3c5b7d9f0e2c4a6b8d0f1e3c5a7b",
	},
	topic: func(v *view, n Name, t *Topic) []Finding { return findSecrets(v, n.path, t.Bytes()) },
	whole: func(v *view) []Finding {
		if v.after.Index == nil {
			return nil
		}
		return findSecrets(v, IndexFile, v.after.Index.Bytes())
	},
}

func findSecrets(v *view, file string, data []byte) []Finding {
	text := string(data)
	var findings []Finding
	more, line, at := 0, 1, 0
	for _, span := range secret.Find(text) {
		value := text[span.From:span.To]
		sum := sha256.Sum256([]byte(value))
		if allowed(v.after.AllowSecrets, hex.EncodeToString(sum[:])) {
			continue
		}
		if len(findings) == maxPlaces {
			more++
			continue
		}
		line += strings.Count(text[at:span.From], "\n")
		at = span.From
		f := Finding{
			File: file, Line: line, subject: fmt.Sprintf("%s %x", span.Kind, sum),
			Message: fmt.Sprintf("this line holds a credential (%s)", span.Kind),
			Hint: "write where it is kept, such as the name of the variable or the vault, and never its value; " +
				"if it is no secret, only the person can say so: allow_secrets in the settings takes the first 12 digits of its SHA-256",
		}
		if span.Key != "" {
			f.Message = fmt.Sprintf("this line holds a credential (%s), the value of %.40q", span.Kind, span.Key)
		}
		findings = append(findings, f)
	}
	return andMore(findings, more, "credentials")
}

// andMore adds a finding that counts those beyond maxPlaces.
func andMore(findings []Finding, more int, what string) []Finding {
	if more == 0 {
		return findings
	}
	last := findings[len(findings)-1]
	last.subject = "more"
	last.Message = fmt.Sprintf("%d more %s follow in this file", more, what)
	return append(findings, last)
}

// allowed reports whether one of the prefixes, of at least minAllowed hex digits, is one of the sum.
func allowed(prefixes []string, sum string) bool {
	for _, prefix := range prefixes {
		if len(prefix) >= minAllowed && strings.HasPrefix(sum, strings.ToLower(prefix)) {
			return true
		}
	}
	return false
}
