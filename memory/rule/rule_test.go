package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
)

var ruleTime = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)

// memo is a topic with frontmatter.
func memo(name, kind, body string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: the fact that %s holds\nmetadata:\n  type: %s\n---\n%s\n", name, name, kind, body)
}

// snapshotOf makes a snapshot of paths and contents; MEMORY.md is the index.
func snapshotOf(t testing.TB, files map[string]string) *memory.Snapshot {
	t.Helper()
	s := &memory.Snapshot{Topics: make(map[memory.Name]*memory.Topic)}
	for p, text := range files {
		s.Put(mustName(t, p), []byte(text))
	}
	return s
}

func mustName(t testing.TB, s string) memory.Name {
	t.Helper()
	n, err := memory.ParseName(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// only returns the findings of some rules.
func only(findings []Finding, rules ...string) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return !slices.Contains(rules, f.Rule) })
}

// show writes findings as "severity rule file:line".
func show(findings []Finding) []string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %s:%d", f.Severity, f.Rule, f.File, f.Line))
	}
	return lines
}

func pathSet(t testing.TB, paths ...string) map[memory.Name]bool {
	names := make(map[memory.Name]bool)
	for _, p := range paths {
		names[mustName(t, p)] = true
	}
	return names
}

func TestStanding(t *testing.T) {
	good := memo("a", "project", "fact")
	tests := []struct {
		name  string
		files map[string]string
		other []memory.Other
		want  []string
	}{
		{"nothing", nil, nil, nil},
		{"in order", map[string]string{"MEMORY.md": "# M\n- [A](a.md) — x\n", "a.md": good}, nil, nil},

		{"name: what is no memory", map[string]string{"MEMORY.md": ""},
			[]memory.Other{{Path: "x:y.md", Why: "odd"}, {Path: "L.MD", Why: "a link"}, {Path: "n.txt", Why: "not Markdown"}},
			[]string{"warning name L.MD:0", "warning name x:y.md:0"}},
		{"name: can't be written", map[string]string{"MEMORY.md": "a/b/c.md x#y.md", "a/b/c.md": good, "x#y.md": good}, nil,
			[]string{"warning orphan x#y.md:0", "warning name x#y.md:0"}},
		{"name: twins", map[string]string{"MEMORY.md": "a.md A.md", "a.md": good, "A.md": good}, nil,
			[]string{"warning name A.md:0", "warning name a.md:0"}},

		{"frontmatter", map[string]string{"g1.md": memo("g1", "user", "the kitchen"), "g2.md": memo("g2", "user", "a printer"), "g3.md": memo("g3", "user", "two keys"), "g4.md": memo("g4", "user", "many rooms"),
			"quote.md": "---\nname: x\ndescription: deploys: by hand\ntype: user\n---\nx\n", "none.md": "x", "empty.md": "", "open.md": "---\nname: x\n", "lacks.md": "---\nname: x\ndescription: \"\"\n---\nx\n",
			"kind.md":   "---\nname: x\ndescription: y\nmetadata:\n  type: semantic\n---\nx\n",
			"block.md":  "---\nname: x\ntype: user\ndescription: |\n  y\n---\nx\n",
			"spread.md": "---\nname: x\n  y\ntype: user\ndescription: z\n---\nx\n"}, nil,
			[]string{"warning frontmatter block.md:4", "warning frontmatter empty.md:1", "warning frontmatter kind.md:5", "warning frontmatter lacks.md:1",
				"warning frontmatter none.md:1", "warning frontmatter open.md:1", "warning frontmatter quote.md:3", "warning frontmatter spread.md:2"}},
		{"frontmatter: another form", map[string]string{"a.md": "x", "b.md": "---\nkind: y\n---\ny\n", "c.md": "---\nname: c\ndescription: c is c\ntype: semantic\n---\nz\n", "d.md": good}, nil, []string{"info frontmatter :0"}},
		{"frontmatter: innocent", map[string]string{
			"crlf.md":        "\ufeff---\r\nname: x\r\ntype: user\r\ndescription: y\r\n---\r\nx\r\n",
			"yaml.md":        "---\nname: a \"b\"\ntype: user\ndescription: y (x):z#1, http://x.org\ntags: [a]\nlong: |\n  x\n---\nx\n",
			"team/MEMORY.md": "- no frontmatter\n", "bytes.md": "---\nname: \xff\ntype: user\ndescription: \xfe\n---\nx\n"}, nil, nil},

		{"limits: lines", map[string]string{"MEMORY.md": strings.Repeat("\n", 201)}, nil, []string{"warning index-limits MEMORY.md:0"}},
		{"limits: bytes", map[string]string{"MEMORY.md": "#" + strings.Repeat(" ", 25000)}, nil, []string{"warning index-limits MEMORY.md:0"}},
		{"limits: both at the brim", map[string]string{"MEMORY.md": strings.Repeat("\n", 199) + "#" + strings.Repeat(" ", 24799) + "\n<!--\n\n-->\n"}, nil, nil},

		{"entry: long", map[string]string{"MEMORY.md": "- [A](a.md) — " + strings.Repeat("한", 237) + "\n- [A](a.md) — " + strings.Repeat("한", 236) + "\n", "a.md": good}, nil, []string{"warning index-entry MEMORY.md:1", "warning index-entry MEMORY.md:2"}},
		{"entry: an introduction", map[string]string{"MEMORY.md": "# M\nOne line per memory.\nDetails are in the files.\n- [A](a.md) — x\n\n_(nothing else yet)_\n", "a.md": good}, nil, nil},
		{"entry: prose", map[string]string{"MEMORY.md": "# M\n- [A](a.md) — x\nOne.\nTwo.\nThree.\nFour.\nFive.\nSix.\n", "a.md": good}, nil, []string{"warning index-entry MEMORY.md:3"}},
		{"entry: twice", map[string]string{"MEMORY.md": "# M\n- [A](a.md) — x\n- [A](a.md) — x\n# Often\n- [A](a.md), [A](a.md)\n- see [A](a.md)\n", "a.md": good}, nil, []string{"warning index-entry MEMORY.md:3"}},
		{"entry: content", map[string]string{"MEMORY.md": "# M\n\ntext\n- [A](a.md) — x\n- point\n```\nx\n```\n| x |\n", "a.md": good},
			nil, []string{"warning index-entry MEMORY.md:3"}},
		{"entry: pointers of every kind", map[string]string{"MEMORY.md": "# M\n\n---\n- see `a`\n- [[nowhere]]\n| file | hook |\n|---|---|\n| a | x |\n<!-- text -->\na.md has it.\n- [B](../b.md)\n", "a.md": good}, nil, nil},

		{"dangling", map[string]string{"MEMORY.md": "- [A](a.md)\n- [B](gone.md), [A](a.md)\n", "a.md": good}, nil, []string{"warning dangling MEMORY.md:2"}},
		{"dangling: innocent", map[string]string{"MEMORY.md": "- [A](../b.md) [x](https://x.org/a.md) [l](logs/2026-01-01.md) [d](docs/) [c](c.txt) [big](big.md) [m](MEMORY.md) [u](cafe%CC%81.md)\n", "caf\u00e9.md": memo("u", "user", "x")},
			[]memory.Other{{Path: "big.md", Why: ""}}, nil},

		{"orphan", map[string]string{"MEMORY.md": "# M\n", "a.md": good, "team/b.md": good}, nil, []string{"warning orphan a.md:0", "warning orphan team/b.md:0"}},
		{"orphan: named elsewhere", map[string]string{"MEMORY.md": "see `a`, [[b]]\n", "a.md": good, "project_b.md": good,
			"team/MEMORY.md": "- [C](c.md)\n- [D](team/d.md)\n", "team/c.md": good, "team/d.md": good, "agents/x.md": good}, nil, nil},
		{"odd bytes", map[string]string{"MEMORY.md": "\ufeff# M\r\n\r\n- [A](a.md) \u2014 \xff\r\n- [B](b.md)\r\n- [E](e.md)", "a.md": "\ufeff" + strings.ReplaceAll(good, "\n", "\r\n"),
			"b.md": memo("b", "user", "\xff\x00"), "e.md": ""}, nil, []string{"warning frontmatter e.md:1", "warning invisible b.md:7"}},
		{"orphan: no index", map[string]string{"a.md": good}, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := snapshotOf(t, test.files)
			s.Other = test.other
			findings := Standing(s, nil, ruleTime)
			got := show(findings)
			slices.Sort(got)
			want := slices.Clone(test.want)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q\n%+v", got, want, findings)
			}
			for _, f := range findings {
				if f.Message == "" || f.Hint == "" {
					t.Errorf("no message or hint: %+v", f)
				}
			}
		})
	}
}

func TestWhole(t *testing.T) {
	good := memo("a", "project", "fact")
	long := strings.Repeat("x", 301)
	index := "- [A](a.md) — x\n"
	tests := []struct {
		name          string
		before, after map[string]string
		touched       []string
		want          []string
	}{
		{"an old mess is a warning", map[string]string{"MEMORY.md": "- [G](gone.md)\n" + index + "- [A](a.md) " + long + "\n", "a.md": good, "o.md": "x"},
			map[string]string{"MEMORY.md": "# new line\n- [G](gone.md)\n" + index + "- [A](a.md) " + long + "\n", "a.md": good, "o.md": "x"}, []string{"a.md"},
			[]string{"warning dangling MEMORY.md:2", "warning frontmatter o.md:1", "info index-entry MEMORY.md:4", "info index-entry MEMORY.md:4"}},
		{"what stood in a touched file is a warning", map[string]string{"MEMORY.md": index + "o.md", "a.md": good, "o.md": "x"},
			map[string]string{"MEMORY.md": index, "a.md": good, "o.md": "y"}, []string{"o.md"},
			[]string{"warning orphan o.md:0", "warning frontmatter o.md:1"}},
		{"a line that was changed is an error", map[string]string{"MEMORY.md": "- [G](gone.md) — x\n"}, map[string]string{"MEMORY.md": "- [G](gone.md) — y\n"}, nil,
			[]string{"error dangling MEMORY.md:1", "error loss gone.md:0"}},
		{"a line without its file goes with the index", map[string]string{"MEMORY.md": "- [G](gone.md) — x\n"}, map[string]string{}, nil, []string{"error loss gone.md:0"}},
		{"one of two lines without their file goes", map[string]string{"MEMORY.md": "- [G](gone.md) — x\n- [G](gone.md) — y\n"},
			map[string]string{"MEMORY.md": "- [G](gone.md) — x\n"}, nil, []string{"error loss gone.md:0", "warning dangling MEMORY.md:1"}},
		{"a line whose file comes may change", map[string]string{"MEMORY.md": "- [A](a.md) — x\n"}, map[string]string{"MEMORY.md": index, "a.md": good}, []string{"a.md"}, nil},
		{"a line may get the name of another file", map[string]string{"MEMORY.md": "- [G](gone.md) — x\n", "a.md": good},
			map[string]string{"MEMORY.md": "## New\n* [G](a.md) — x\n", "a.md": good}, nil, nil},
		{"a second such line is an error", map[string]string{"MEMORY.md": "- [G](gone.md)\n"},
			map[string]string{"MEMORY.md": "- [G](gone.md)\n- [G](gone.md)\n"}, nil,
			[]string{"error dangling MEMORY.md:2", "warning dangling MEMORY.md:1"}},
		{"a line that stood, and the file went", map[string]string{"MEMORY.md": index, "a.md": good}, map[string]string{"MEMORY.md": index}, []string{"a.md"},
			[]string{"error dangling MEMORY.md:1"}},
		{"a file that stood, and its line went", map[string]string{"MEMORY.md": index, "a.md": good}, map[string]string{"MEMORY.md": "# M\n", "a.md": good}, nil,
			[]string{"warning orphan a.md:0"}},
		{"an index over the limits that is as it was", map[string]string{"MEMORY.md": strings.Repeat("\n", 202)}, map[string]string{"MEMORY.md": strings.Repeat("\n", 202)}, nil,
			[]string{"warning index-limits MEMORY.md:0"}},
		{"a shorter one", map[string]string{"MEMORY.md": strings.Repeat("\n", 202)}, map[string]string{"MEMORY.md": strings.Repeat("\n", 201)}, nil,
			[]string{"warning index-limits MEMORY.md:0"}},
		{"a longer one", map[string]string{"MEMORY.md": strings.Repeat("\n", 201)}, map[string]string{"MEMORY.md": strings.Repeat("\n", 202)}, nil,
			[]string{"error index-limits MEMORY.md:0"}},
		{"entries over 250", nil, map[string]string{"MEMORY.md": "- [A](a.md) " + long[:238] + "\n- [A](a.md) " + long[:239] + "\n- [A](a.md) " + long[:240] + "\n", "a.md": good}, nil,
			[]string{"warning index-entry MEMORY.md:2", "warning index-entry MEMORY.md:2", "warning index-entry MEMORY.md:3", "warning index-entry MEMORY.md:3"}},
		{"index rests", map[string]string{"a.md": good}, map[string]string{"a.md": good, "b.md": good}, []string{"b.md"}, nil},
		{"first topic of a new directory", nil, map[string]string{"a.md": good}, []string{"a.md"}, []string{"warning orphan a.md:0"}},
		{"the index must not vanish", map[string]string{"MEMORY.md": index, "a.md": good}, map[string]string{"a.md": good}, nil, []string{"warning orphan a.md:0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Check{Before: snapshotOf(t, test.before), After: snapshotOf(t, test.after), Changed: pathSet(t, test.touched...), Now: ruleTime}
			if got := show(c.Whole()); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestWritten(t *testing.T) {
	s := snapshotOf(t, map[string]string{"MEMORY.md": "", "a.md": "x", "A.md": memo("a", "user", "x"), "b.md": memo("b", "user", "x")})
	c := Check{Before: s, After: s, Now: ruleTime}
	for file, want := range map[string][]string{
		"a.md": {"error name a.md:0", "warning frontmatter a.md:1"}, // it stood
		"A.md": {"error name A.md:0"},
		"b.md": nil,
		"c.md": nil, // deleted
	} {
		if got := show(c.Written(mustName(t, file))); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

// Of a single write, rules that read one topic are asked about what it writes, before and after, and the others about
// all.
func TestOnly(t *testing.T) {
	before := map[string]string{"MEMORY.md": "- [G](gone.md)\n", "a.md": "x", "b.md": "x"}
	after := map[string]string{"MEMORY.md": "- [G](gone.md)\n", "a.md": "y", "b.md": "x"}
	c := Check{Before: snapshotOf(t, before), After: snapshotOf(t, after), Changed: pathSet(t, "a.md"), Only: pathSet(t, "a.md"), Now: ruleTime}
	want := []string{"warning dangling MEMORY.md:1", "warning frontmatter a.md:1", "info orphan a.md:0"} // not of b.md
	if got := show(c.Whole()); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestPropose(t *testing.T) {
	s := snapshotOf(t, map[string]string{
		"MEMORY.md": "- [G](gone.md)\n- [G](gone.md), [X](../x.md)\n- [A](a.md)\n",
		"a.md":      memo("a", "user", "x"),
		"b.md":      "no frontmatter",
		"c.md":      "---\nname: See [it]\ndescription: " + strings.Repeat("word ", 60) + "\n---\nx\n",
	})
	upserts := Propose(s)
	if len(upserts) != 2 || upserts[0].Line != "- [b](b.md)" || !strings.HasPrefix(upserts[1].Line, "- [See [it]](c.md) — word word") {
		t.Fatalf("upserts %+v", upserts)
	}
	if n := len([]rune(upserts[1].Line)); n > proposedEntry || n < proposedEntry-10 || !strings.HasSuffix(upserts[1].Line, "word…") {
		t.Errorf("%d characters: %q", n, upserts[1].Line)
	}
	// What is proposed is what the rules ask for.
	for _, p := range upserts {
		s.Index.Upsert(p.File, p.Title, p.Hook, "")
	}
	for _, f := range only(Standing(s, nil, ruleTime), "orphan", "index-entry", "index-limits") {
		t.Errorf("still %+v", f)
	}
}

// The hint of a secret gives no base: the new text is for the model to find.
func TestHintsGiveTheBase(t *testing.T) {
	s := snapshotOf(t, map[string]string{"a.md": "---\nname: a\ndescription: deploys\ntype: project\n---\nDB_PASSWORD=" + "k7Qm" + "2xVb9Lp4\n"})
	found := only(Standing(s, nil, ruleTime), "secret")
	if len(found) != 1 || !strings.Contains(found[0].Hint, `write_memory {"path": "a.md", "edits": `) {
		t.Errorf("%+v", found)
	}
}

func TestDanglingHint(t *testing.T) {
	s := snapshotOf(t, map[string]string{"MEMORY.md": "- [T](go_tests.md)\n- [Z](zebra.md)\n[[go-tests]]\n", "feedback_go_tests.md": memo("t", "feedback", "x")})
	var hints []string
	for _, f := range only(Standing(s, nil, ruleTime), "dangling") {
		hints = append(hints, f.Hint)
	}
	want := []string{
		`if what it says holds: write it to go_tests.md; if not: finalize_index {"remove": ["go_tests.md"], "accept_loss": [{"file": "go_tests.md", "why": "…"}]}`,
		`if what it says holds: write it to zebra.md; if not: finalize_index {"remove": ["zebra.md"], "accept_loss": [{"file": "zebra.md", "why": "…"}]}`,
	}
	if !slices.Equal(hints, want) {
		t.Errorf("got %q", hints)
	}
}

func TestNearest(t *testing.T) {
	names := memory.SortedNames(snapshotOf(t, map[string]string{"feedback_go_tests.md": "", "pm2-restart-patterns.md": "", "x.md": ""}).Topics)
	for file, want := range map[string]string{
		"feedback-go-tests.md":         "feedback_go_tests.md",
		"go_tests.md":                  "feedback_go_tests.md",
		"pm2-restart-pattern.md":       "pm2-restart-patterns.md",
		"zebra.md":                     "",
		"feedback_go_tetss.md":         "feedback_go_tests.md",
		"team/pm2_restrat_patterns.md": "pm2-restart-patterns.md",
		"x2.md":                        "",
	} {
		if got := memory.Nearest(file, names); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

func TestContentLines(t *testing.T) {
	for lines, want := range map[int]string{1: "MEMORY.md:2", 14: `12 below "M", 2 below "Done"`} {
		s := snapshotOf(t, map[string]string{"MEMORY.md": "# M\n" + strings.Repeat("- the tide\n", min(lines, 12)) + "# Done\n" + strings.Repeat("- the ebb\n", max(0, lines-12))})
		found := only(Standing(s, nil, ruleTime), "index-entry")
		if len(found) != 1 || !strings.HasSuffix(found[0].Message, ": "+want) {
			t.Errorf("%d lines: %+v", lines, found)
		}
	}
}

func TestRulesDocumentThemselves(t *testing.T) {
	seen := make(map[string]bool)
	for _, doc := range Docs() {
		if doc.Name == "" || doc.Summary == "" || doc.Severity.rank() < 0 || doc.Catches == "" || doc.Leaves == "" || seen[doc.Name] {
			t.Errorf("incomplete or twice: %+v", doc)
		}
		seen[doc.Name] = true
		if Waivable(doc.Name) != doc.Waivable {
			t.Errorf("%s: waivable is not what its row says", doc.Name)
		}
	}
	if Waivable("loss") || Waivable("nothing of that name") {
		t.Error("a loss, or what is no rule, could be waived")
	}
}

// BenchmarkWhole is a check of 1,000 topics of a realistic size: as they stand, where nothing changed, where
// an error is excused by what stood, and of one topic as it is written. The first three take some 100 ms of
// one core.
func BenchmarkWhole(b *testing.B) {
	before, after := thousand(b), thousand(b)
	n := memory.SortedNames(after.Topics)[500]
	b.Run("standing", func(b *testing.B) {
		for b.Loop() {
			Standing(before, nil, ruleTime)
		}
	})
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			Check{Before: before, After: after, Now: ruleTime}.Whole()
		}
	})
	after.Topics[memory.SortedNames(after.Topics)[1]] = memory.ParseTopic([]byte("no frontmatter"))
	before.Topics[memory.SortedNames(after.Topics)[1]] = memory.ParseTopic([]byte("no frontmatter, long ago"))
	b.Run("an error that stood", func(b *testing.B) {
		for b.Loop() {
			Check{Before: before, After: after, Changed: map[memory.Name]bool{n: true}, Now: ruleTime}.Whole()
		}
	})
	b.Run("written", func(b *testing.B) {
		for b.Loop() {
			Check{Before: before, After: after, Changed: map[memory.Name]bool{n: true}, Now: ruleTime}.Written(n)
		}
	})
}

// A finding is where its words are, counted in characters.
func TestColumns(t *testing.T) {
	s := snapshotOf(t, map[string]string{
		"MEMORY.md": "# M\n- 가 [A](a.md), [G](gone.md)\n",
		"a.md": "---\nname: a\ndescription: \"we froze it yesterday. Never use `npm i`. It is due 2026-05-04\"\ntype: project\nmodified: 2026-05-04\n---\n" +
			"배포 was frozen yesterday, see [[gone]].\nDB_PASSWORD=" + "k7Qm" + "2xVb9Lp4" +
			"\nma\u200bin\nThe key is valid until 2026-05-04.\n\n**Next steps**\n\nAlways use `npm i`.\n",
	})
	var got []string
	for _, f := range Lint(s, nil, ruleTime) {
		if f.Column > 0 {
			got = append(got, fmt.Sprintf("%s %d:%d", f.Rule, f.Line, f.Column))
		}
	}
	want := []string{
		"dangling 2:16", "secret 8:13", "invisible 9:3", "wiki-link 7:30",
	}
	if slices.Sort(got); !slices.Equal(got, sortedStrings(want)) {
		t.Errorf("got %q", got)
	}
}

func sortedStrings(s []string) []string { slices.Sort(s); return s }

// A finding has the column of what it is about, where the rule knows the place.
func TestColumnsInFrontmatter(t *testing.T) {
	s := snapshotOf(t, map[string]string{
		"MEMORY.md":     "# M\n- see [x](../x.md), and `named`\n",
		"feedback_a.md": "---\nname: a\ndescription: DEPRECATED, see [[named]]\ntype: user\n---\nSee [x](../x.md).\n",
		"named.md":      "---\nname: \"named\"\ndescription: \"" + strings.Repeat("n", 251) + "\"\nmetadata:\n  type: semantic\n---\nThe fact.\n",
	})
	var got []string
	for _, f := range only(Standing(s, nil, ruleTime), "description", "frontmatter") {
		got = append(got, fmt.Sprintf("%s %s:%d:%d", f.Rule, f.File, f.Line, f.Column))
	}
	want := []string{"description named.md:3:15", "frontmatter named.md:5:9"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
