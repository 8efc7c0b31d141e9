package rule

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// A credential that nobody was given, in parts.
const inventedToken = "gh" + "p_" + "a8Jk2LmQ9xTz4Vb7NcRd1WfYh6PgSu3Xe5Zi"

func TestSecretRule(t *testing.T) {
	head := "---\nname: a\ndescription: b\ntype: user\n---\n"
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"in the text", "a.md", head + "x\nuse " + inventedToken + " here\n", []string{"error secret a.md:7"}},
		{"in the frontmatter", "a.md", "---\nname: a\ndescription: b\ntype: user\napi_token: " + inventedToken + "\n---\n", []string{"error secret a.md:5"}},
		{"in the name", "a.md", "\ufeff---\r\nname: " + inventedToken + "\r\ndescription: b\r\ntype: user\r\n---\r\n", []string{"error secret a.md:2"}},
		{"in an index line", "MEMORY.md", "# M\n- [A](a.md) — password: Hunter" + "2x!\n", []string{"error secret MEMORY.md:2"}},
		{"in a comment of the index", "MEMORY.md", "<!--\n" + inventedToken + "\n-->\n", []string{"error secret MEMORY.md:2"}},
		{"twice", "a.md", head + inventedToken + " " + inventedToken + "\n\n" + inventedToken,
			[]string{"error secret a.md:6", "error secret a.md:6", "error secret a.md:8"}},
		{"innocent", "a.md", head + "commit 4f0c2b7d9e1a3c5b7d9f0e2c4a6b8d0f1e3c5a7b, token: ${TOKEN}, password: see 1Password\n[secret: jwt]", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := snapshotOf(t, map[string]string{test.file: test.text})
			var found []Finding
			for _, f := range (Check{After: s, Changed: pathSet(t, test.file), Now: ruleTime}).Whole() {
				if f.Rule == "secret" {
					found = append(found, f)
				}
			}
			if got := show(found); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			for _, f := range found {
				if text := fmt.Sprintf("%+v", f); strings.Contains(text, inventedToken[4:]) || strings.Contains(text, "Hunter"+"2x") {
					t.Errorf("the finding holds the value: %s", text)
				}
			}
		})
	}
}

func TestSecretRuleNamesTheKey(t *testing.T) {
	s := snapshotOf(t, map[string]string{"a.md": memo("a", "user", "GITHUB_TOKEN="+inventedToken)})
	found := Check{After: s, Now: ruleTime}.Written(mustName(t, "a.md"))
	if len(found) != 1 || found[0].Severity != Error || !strings.Contains(found[0].Message, "github-token") ||
		!strings.Contains(found[0].Message, `"GITHUB_TOKEN"`) {
		t.Errorf("found %+v", found)
	}
	if Waivable("secret") || Waivable("invisible") {
		t.Error("the model could waive it")
	}
}

func TestSecretRuleOnOldText(t *testing.T) {
	index := "- [A](a.md) — " + inventedToken + "\n"
	s := snapshotOf(t, map[string]string{"MEMORY.md": index, "a.md": memo("a", "user", inventedToken)})
	want := []string{"warning secret MEMORY.md:1", "warning secret a.md:7"}
	if got := show(Standing(s, nil, ruleTime)); !slices.Equal(got, want) {
		t.Errorf("standing: got %q, want %q", got, want)
	}
	// A line above moves it, and another file is written: it is old text all the same.
	after := snapshotOf(t, map[string]string{"MEMORY.md": "# M\n" + index + "- [B](b.md)\n", "a.md": memo("a", "user", inventedToken), "b.md": memo("b", "user", "x")})
	check := Check{Before: s, After: after, Changed: pathSet(t, "b.md"), Now: ruleTime}
	want = []string{"warning secret MEMORY.md:2", "warning secret a.md:7"}
	if got := show(check.Whole()); !slices.Equal(got, want) {
		t.Errorf("untouched: got %q, want %q", got, want)
	}
	// An edit of another line of its file is not refused either; the same value in one more line is.
	check.Changed = pathSet(t, "a.md", "b.md")
	if got := show(check.Whole()); !slices.Equal(got, want) {
		t.Errorf("touched: got %q, want %q", got, want)
	}
	a := mustName(t, "a.md")
	check.Prior = s.Topics[a]
	check.After.Topics[a] = memory.ParseTopic([]byte(memo("a", "user", inventedToken+"\nAnother line.")))
	if got := show(check.Written(a)); got != nil {
		t.Errorf("written: got %q", got)
	}
	check.After.Topics[a] = memory.ParseTopic([]byte(memo("a", "user", inventedToken+"\n"+inventedToken)))
	if got := show(check.Written(a)); !slices.Equal(got, []string{"error secret a.md:8"}) {
		t.Errorf("written twice: got %q", got)
	}
}

func TestAllowSecrets(t *testing.T) {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(inventedToken)))
	for _, test := range []struct {
		allow []string
		want  int
	}{
		{nil, 1},
		{[]string{sum[:12]}, 0},
		{[]string{"0123456789ab", strings.ToUpper(sum)}, 0},
		{[]string{sum[:11]}, 1}, // too short to name one value
		{[]string{""}, 1},
		{[]string{sum + "0"}, 1},
	} {
		s := snapshotOf(t, map[string]string{"a.md": memo("a", "user", inventedToken)})
		s.AllowSecrets = test.allow
		if found := Standing(s, nil, ruleTime); len(found) != test.want {
			t.Errorf("%q: found %q", test.allow, show(found))
		}
		if found := (Check{After: s}).Written(mustName(t, "a.md")); len(found) != test.want {
			t.Errorf("%q, written: found %q", test.allow, show(found))
		}
	}
}

// Of more than are listed, an edit elsewhere is not refused, and one more credential is.
func TestOneSecretMore(t *testing.T) {
	a := mustName(t, "a.md")
	many := strings.Repeat(inventedToken+"\n", maxPlaces+3)
	s := snapshotOf(t, map[string]string{"a.md": memo("a", "user", many)})
	for body, want := range map[string]bool{many + "x": false, "x\n" + many[len(inventedToken)+1:]: false, many + inventedToken: true} {
		after := snapshotOf(t, map[string]string{"a.md": memo("a", "user", body)})
		c := Check{Before: s, After: after, Prior: s.Topics[a], Changed: pathSet(t, "a.md"), Now: ruleTime}
		for _, findings := range [][]Finding{c.Written(a), c.Whole()} {
			refused := slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == Error })
			if refused != want {
				t.Errorf("%d bytes: refused %v, want %v: %q", len(body), refused, want, show(findings))
			}
		}
	}
}

func TestManySecretsAreCounted(t *testing.T) {
	s := snapshotOf(t, map[string]string{"a.md": memo("a", "user", strings.Repeat(inventedToken+"\n", maxPlaces+7))})
	found := Standing(s, nil, ruleTime)
	if len(found) != maxPlaces+1 || !slices.ContainsFunc(found, func(f Finding) bool { return strings.Contains(f.Message, "7 more credentials") }) {
		t.Errorf("%d findings: %q", len(found), show(found))
	}
}
