package rule

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// pm2 and its twin say the same, and so does a third; alike shares some phrases with them.
const (
	pm2   = "---\nname: pm2-restart\ndescription: Restart PM2 with --update-env after changing the environment\nmetadata:\n  type: feedback\n---\nRun `pm2 restart app --update-env` after the change of a variable, because a plain restart keeps the old values of every process. The build server does the same.\n"
	twin2 = "---\nname: pm2-restart-pattern\ndescription: PM2 restart needs --update-env when the environment changes\nmetadata:\n  type: feedback\n---\nRun `pm2 restart app --update-env` after the change of a variable, because a plain restart keeps the old values of every process. Found in May.\n"
	twin3 = "---\nname: pm2-env\ndescription: --update-env, or PM2 restarts with the old environment\nmetadata:\n  type: project\n---\n`pm2 restart app --update-env` after the change of a variable: a plain restart keeps the old values of every process.\n"
	alike = "---\nname: pm2-logs\ndescription: Logs of PM2 are in /var/log\nmetadata:\n  type: project\n---\nRun `pm2 restart app --update-env` after the change of a variable, because the logs rotate. Logs are in /var/log/pm2, fourteen days of them, and the errors go to the channel core, where Mira answers.\n"
)

func TestNearDuplicate(t *testing.T) {
	type files = map[string]string
	other := memo("invoices", memory.TypeProject, "Each line of an invoice is rounded by itself, and the total is not rounded at all.")
	link := func(text, name string) string { return text + "\nSee [[" + name + "]].\n" }
	tests := []struct {
		name          string
		before, after files
		written       string
		want          []string
	}{
		{"a new one like one that stands", files{"a.md": pm2}, files{"a.md": pm2, "b.md": twin2}, "b.md", []string{"error b.md a.md"}},
		{"a new one that shares some phrases", files{"a.md": pm2}, files{"a.md": pm2, "b.md": alike}, "b.md", nil},
		{"the new one sorts first", files{"b.md": twin2}, files{"a.md": pm2, "b.md": twin2}, "a.md", []string{"error a.md b.md"}},
		{"a link lets it in", files{"a.md": pm2}, files{"a.md": pm2, "b.md": link(twin2, "a")}, "b.md", nil},
		{"so does a name", files{"a.md": pm2}, files{"a.md": pm2, "b.md": twin2 + "See also a.md.\n"}, "b.md", nil},
		{"three that stood", files{"a.md": pm2, "b.md": twin2, "c.md": twin3},
			files{"a.md": pm2, "b.md": twin2, "c.md": twin3, "d.md": other}, "d.md", nil},
		{"two new ones", files{"c.md": other}, files{"a.md": pm2, "b.md": twin2, "c.md": other}, "a.md", []string{"error a.md b.md"}},
		{"another subject", files{"a.md": pm2}, files{"a.md": pm2, "b.md": other}, "b.md", nil},
		{"the other one goes", files{"a.md": pm2}, files{"b.md": twin2}, "b.md", nil},
		{"an edit makes it like another", files{"a.md": pm2, "b.md": other}, files{"a.md": twin2, "b.md": pm2}, "a.md", nil},
		{"three", files{"a.md": pm2, "b.md": twin2}, files{"a.md": pm2, "b.md": twin2, "c.md": twin3}, "c.md", []string{"error c.md a.md"}},
		{"the index of a folder", files{"team/MEMORY.md": pm2}, files{"team/MEMORY.md": pm2, "b.md": twin2}, "b.md", nil},
		{"a new index of a folder", files{"a.md": pm2}, files{"a.md": pm2, "team/MEMORY.md": twin2}, "team/MEMORY.md", nil},
	}
	for _, test := range tests {
		c := Check{Before: snapshotOf(t, test.before), After: snapshotOf(t, test.after), Changed: pathSet(t, test.written), Now: ruleTime}
		var got []string
		for _, f := range only(c.Written(mustName(t, test.written)), "near-duplicate") {
			line := fmt.Sprintf("%s %s %s", f.Severity, f.File, f.subject)
			got = append(got, line)
			for _, said := range []string{fmt.Sprintf("%q", f.subject), "read_memory"} {
				if !strings.Contains(f.Message+f.Hint, said) {
					t.Errorf("%s: %q is not said: %+v", test.name, said, f)
				}
			}
			if !strings.Contains(f.Hint, "waive") {
				t.Errorf("%s: no waiver is offered: %+v", test.name, f)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	c := Check{Before: snapshotOf(t, files{"a.md": pm2}), After: snapshotOf(t, files{"a.md": pm2, "team/b.md": twin2}), Now: ruleTime}
	f := only(c.Written(mustName(t, "team/b.md")), "near-duplicate")
	if len(f) != 1 || !strings.Contains(f[0].Hint, "team/") {
		t.Errorf("nothing is said of the folder: %+v", f)
	}
	// Each was judged when it was written; two that came together are not judged again.
	c = Check{Before: snapshotOf(t, files{"c.md": other}), After: snapshotOf(t, files{"a.md": pm2, "b.md": pm2, "c.md": other}), Changed: pathSet(t, "a.md", "b.md"), Now: ruleTime}
	if f := only(c.Whole(), "near-duplicate"); len(f) > 0 {
		t.Errorf("judged again: %+v", f)
	}
}

// FuzzNearDuplicate holds the law that of two copies under different names the new one is refused if it says enough,
// once, and that a memory which shares no word with them is not.
func FuzzNearDuplicate(f *testing.F) {
	f.Add("Restart the worker by systemctl after each change of its unit file", "alpha beta")
	f.Add("提交信息一律使用中文书写因为团队周报直接引用提交信息", "\xff")
	f.Add("[[b]] [x](y.md) [[", "```")
	f.Fuzz(func(t *testing.T, text, odd string) {
		before := map[string]string{"kite.md": text, "qqq.md": "zzyzx qwrt plgh vbnm xkcd jjjj wwww"}
		after := map[string]string{"kite.md": text, "lamp.md": text, "qqq.md": before["qqq.md"]}
		c := Check{Before: snapshotOf(t, before), After: snapshotOf(t, after), Now: ruleTime}
		c.After.Topics[mustName(t, "odd.md")] = memory.ParseTopic([]byte(odd))
		found := only(c.Written(mustName(t, "lamp.md")), "near-duplicate")
		if len(found) > 1 || len(found) == 1 && (found[0].File != "lamp.md" || found[0].subject != "kite.md") {
			t.Fatalf("%+v", found)
		}
		if !slices.Equal(c.Whole(), c.Whole()) {
			t.Fatal("findings differ from one call to the next")
		}
	})
}

// thousand makes a memory of 1,000 topics of a realistic size: 1.8 KB of words that differ, some of
// them shared, links, code and dates.
func thousand(t testing.TB) *memory.Snapshot {
	r := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		k := int(3000 * r.Float64() * r.Float64())
		return string(rune('a'+k%26)) + string(rune('a'+k/26%26)) + string(rune('a'+k/676)) + "ation"[:k%6]
	}
	sentence := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = word()
		}
		return strings.Join(words, " ")
	}
	files := make(map[string]string)
	var index strings.Builder
	p := "project_first.md"
	for i := range 1000 {
		before := p
		p = fmt.Sprintf("project_%s_%s_%d.md", word(), word(), i)
		var body strings.Builder
		for range 12 {
			fmt.Fprintf(&body, "%s, since 2026-08-%02d, in `src/%s.go:12`. %s.\n\n", sentence(9), 1+r.IntN(28), word(), sentence(8))
		}
		fmt.Fprintf(&body, "See [[%s]] and [[%s]].\n\n", before, word())
		body.WriteString("**Why:** " + sentence(12) + "\n\n**How to apply:** " + sentence(10))
		files[p] = fmt.Sprintf("---\nname: %s\ndescription: %s\nmetadata:\n  type: project\n  modified: 2026-09-01T10:00:00Z\n---\n%s\n", p, sentence(10), body.String())
		fmt.Fprintf(&index, "- [Topic %d](%s) — what it is about\n", i, p)
	}
	files["MEMORY.md"] = index.String()
	return snapshotOf(t, files)
}

// Of 400 varied memories, written one after the other, at most one in 50 is refused.
func TestNearDuplicateOfManyTopics(t *testing.T) {
	all := thousand(t)
	names := memory.SortedNames(all.Topics)[:400]
	before := &memory.Snapshot{Topics: make(map[memory.Name]*memory.Topic)}
	refused := 0
	for i, n := range names {
		if i%20 == 0 || i > 390 { // the last, and some of the others
			after := &memory.Snapshot{Topics: maps.Clone(before.Topics)}
			after.Topics[n] = all.Topics[n]
			for _, f := range only(Check{Before: before, After: after, Now: ruleTime}.Written(n), "near-duplicate") {
				if f.Severity == Error {
					refused++
				}
			}
		}
		before.Topics[n] = all.Topics[n]
	}
	if refused > 0 {
		t.Errorf("%d of 29 are refused", refused)
	}
}
