package rule

import (
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// finer are the rules on how a memory is written, of which none refuses.
var finer = []string{"description", "type-prefix", "reasons", "outside-link", "unlinked"}

func TestFinerRules(t *testing.T) {
	type files = map[string]string
	about := func(description string) files {
		return files{"deploy_staging.md": "---\nname: Deploy staging\ndescription: " + description + "\ntype: project\n---\nx\n"}
	}
	kind := func(file, form string) files {
		return files{file: "---\nname: x\ndescription: the fact that stands here\n" + form + "\n---\n**Why:** x **How to apply:** y\n"}
	}
	body := func(text string) files {
		return files{"feedback_x.md": memo("x", memory.TypeFeedback, text)}
	}
	const both = "**Why:** x\n**How to apply:** y\n"
	index := func(text string) files {
		return files{"MEMORY.md": text, "deploy.md": memo("d", memory.TypeProject, "x"), "project_rota.md": memo("r", memory.TypeProject, "y")}
	}
	tests := []struct {
		name  string
		files files
		want  []string
	}{
		{"150 characters", about(strings.Repeat("한", 150)), nil},
		{"151 characters", about(strings.Repeat("한", 151)), []string{"warning description deploy_staging.md:3"}},
		{"the name again", about("Deploy, staging"), []string{"warning description deploy_staging.md:3"}},
		{"notes about the name", about("\"Notes about deploy_staging\""), []string{"warning description deploy_staging.md:3"}},
		{"one word more", about("Staging: deploy by hand"), nil},
		{"none", about(""), nil},
		{"no words", about("—"), nil},
		{"not a letter", about("\xff"), nil},

		{"feedback of type project", kind("feedback_x.md", "type: project"), []string{"warning type-prefix feedback_x.md:4"}},
		{"user-x of type feedback", kind("user-x.md", "metadata:\n  type: feedback"), []string{"warning type-prefix user-x.md:5"}},
		{"in a folder", kind("team/user_x.md", "type: reference"), []string{"warning type-prefix team/user_x.md:4"}},
		{"as it should be", kind("feedback_x.md", "type: feedback"), nil},
		{"no type", kind("feedback_x.md", "tags: x"), nil},
		{"another tool's type", kind("feedback_x.md", "type: semantic"), nil},
		{"a name that is a type", kind("feedback.md", "type: project"), nil},
		{"a word that begins so", kind("users_x.md", "type: project"), nil},

		{"no reasons", body("x"), []string{"info reasons feedback_x.md:0"}},
		{"in code", body("```\n" + both + "```"), []string{"info reasons feedback_x.md:0"}},
		{"a word of a sentence", body("Ask why it is, and how to apply it."), []string{"info reasons feedback_x.md:0"}},
		{"why alone", body("**Why:** x"), []string{"info reasons feedback_x.md:0"}},
		{"both", body(both), nil},
		{"in one line", body("Use x. **Why:** y. **How to apply:** z."), nil},
		{"headings", body("## Why\nx\n### How to apply\ny"), nil},
		{"plain", body("Why: x\n- how to apply: y"), nil},
		{"bold without a colon", body("**Why** x\n__How to apply__: y"), nil},
		{"Chinese", body("**为什么：** x\n**如何应用：** y"), nil},
		{"Korean", body("**이유:** x\n**적용 방법:** y"), nil},
		{"German", body("**Warum:** x\n**Anwendung:** y"), nil},
		{"a project memory that stands", files{"project_x.md": memo("x", memory.TypeProject, "x")}, nil},

		{"out of the directory", body(both + "[a](../x.md) [b](/etc/x) [c](~/y.md)"),
			[]string{"info outside-link feedback_x.md:9", "info outside-link feedback_x.md:9", "info outside-link feedback_x.md:9"}},
		{"within, and elsewhere", body(both + "[a](feedback_x.md) [b](https://x.org/../y) `[c](../z.md)` [d](logs/x.md) [e](mailto:a@example.org)"), nil},
		{"the index leads out", index("- [D](deploy.md) [R](project_rota.md)\n- [C](../../CLAUDE.md) [u](https://x.org)\n"),
			[]string{"info outside-link MEMORY.md:2"}},

		{"in backticks and in prose", index("# M\nSee `deploy`.\nAsk project_rota about it.\n"), []string{"info unlinked MEMORY.md:2"}},
		{"links of every kind", index("- [D](deploy.md)\n[[rota]]\n"), nil},
		{"a table", index("| file | hook |\n|---|---|\n| deploy | x |\n| `project_rota.md` | y |\n"), nil},
		{"in prose, and linked to below", index("See `deploy` and project_rota.\n\n- [D](deploy.md)\n- [R](project_rota.md)\n"), nil},
		{"an orphan", index("- [D](deploy.md)\n"), nil},
	}
	for _, test := range tests {
		got := only(Standing(snapshotOf(t, test.files), nil, ruleTime), finer...)
		if !slices.Equal(show(got), test.want) {
			t.Errorf("%s: got %q, want %q\n%+v", test.name, show(got), test.want, got)
		}
		for _, f := range got {
			if f.Hint == "" || strings.Contains(f.Message, "%!") {
				t.Errorf("%s: %+v", test.name, f)
			}
		}
	}
	if f := only(Standing(snapshotOf(t, index("# M\nSee `deploy`.\nAsk project_rota about it.\n")), nil, ruleTime),
		"unlinked"); !strings.Contains(f[0].Message, "deploy.md (line 2), project_rota.md (line 3)") {
		t.Errorf("%+v", f)
	}
	s := snapshotOf(t, map[string]string{"project_x.md": memo("x", memory.TypeProject, "x")})
	for _, test := range []struct {
		cited string
		want  int
	}{
		{"", 0}, {"keep them short", 0}, {"keep them short, because nobody reads the rest", 1}, {"짧게 써, 아무도 안 읽기 때문에", 1}, {"太长了，因为没人看", 1},
		{"tell me if a report looks thin because of that", 0}, {"still red since c0ef1fb, it was green since Monday", 0}, {"since nobody reads the rest", 1},
	} {
		c := Check{Before: snapshotOf(t, nil), After: s, Now: ruleTime, Cited: []string{test.cited}}
		if f := only(c.Written(mustName(t, "project_x.md")), "reasons"); len(f) != test.want {
			t.Errorf("written with %q: %+v", test.cited, f)
		}
	}
	s = snapshotOf(t, map[string]string{"feedback_x.md": memo("x", memory.TypeFeedback, "x, since nobody reads more")})
	c := Check{Before: snapshotOf(t, nil), After: s, Now: ruleTime, Cited: []string{"because nobody reads more"}}
	if f := only(c.Written(mustName(t, "feedback_x.md")), "reasons"); len(f) != 0 {
		t.Errorf("written with its reason: %+v", f)
	}
}

// FuzzFinerRules holds that no rule on form ever refuses, that findings do not change from one look to the
// next, and that each is silent where what it looks for is not there.
func FuzzFinerRules(f *testing.F) {
	f.Add("---\nname: a\ndescription: b\ntype: user\n---\n[x](../y)\n**Why:**", "See `feedback_a`\n| a |\n")
	f.Add("---\ndescription: \xff\ntype: feedback\n---\n# Why\n# How", "- [A](feedback_a.md)")
	f.Fuzz(func(t *testing.T, text, index string) {
		s := snapshotOf(t, map[string]string{"feedback_a.md": text, "MEMORY.md": index})
		topic := s.Topics[mustName(t, "feedback_a.md")]
		c := Check{Before: snapshotOf(t, nil), After: s, Touched: touched(t, "feedback_a.md"), Now: ruleTime}
		found := only(c.Whole(), finer...)
		if !slices.Equal(found, only(c.Whole(), finer...)) {
			t.Fatal("findings differ from one look to the next")
		}
		for _, f := range found {
			absent := map[string]bool{
				"description":  topic.Description() == "",
				"type-prefix":  topic.Type() == "" || topic.Type() == memory.TypeFeedback,
				"reasons":      topic.Type() != memory.TypeFeedback,
				"outside-link": !strings.Contains(text+index, "]("),
				"unlinked":     !strings.Contains(strings.ToLower(index), "feedback"),
			}[f.Rule]
			if f.Severity == Error || absent {
				t.Fatalf("%+v", f)
			}
		}
	})
}
