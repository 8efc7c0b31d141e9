package rule

import (
	"strings"
	"testing"

	"dream-mcp/memory"
)

func TestKeptIn(t *testing.T) {
	const reviews = "Keep pull requests under 300 lines.\n\n**Why:** a review of more is not read.\n\n**How to apply:** split by concern; run `make lint` first.\n"
	tests := []struct {
		name   string
		text   string
		others []string
		want   bool
	}{
		{"the same", reviews, []string{reviews}, true},
		{"between other things", reviews, []string{"Writes Go.\n\n" + reviews + "\nDeploys on Mondays.\n"}, true},
		{"wrapped anew, marks changed, order changed", reviews,
			[]string{"- Split by concern;\n  run `make lint` first.\n- keep pull requests\nunder 300 lines (a review of\nmore is not read: why?)\n- how to apply that is said above\n"}, true},
		{"over two memories", reviews, []string{"Keep pull requests under 300 lines. Why: a review of more is not read.", "How to apply: split by concern; run `make lint` first."}, true},
		{"joined with others", "Deploys need the green light of Ada.", []string{"Deploys to production, which run from the build host since the move to the " +
			"new cluster and take about nine minutes, need the green light of Ada or, when she is away, of Bruno."}, true},
		{"one fact left out", reviews, []string{"Keep pull requests under 300 lines. Why: a review of more is not read."}, false},
		{"another number", reviews, []string{strings.Replace(reviews, "300", "500", 1)}, false},
		{"its number stands elsewhere", "Of every service the newest 12 releases stay on the disk of the build host.",
			[]string{"Of every service the newest releases stay on the disk of the build host.\n" +
				strings.Repeat("Something else stands here. ", 20) + "12 eggs."}, false},
		{"another command", reviews, []string{strings.Replace(reviews, "make lint", "make test", 1)}, false},
		{"nowhere", reviews, nil, false},
		{"something else", reviews, []string{"Maintains the billing service, writes Go and reads more than 300 pages."}, false},
		{"the words, strewn about", "Never deploy on Fridays without the green light of Ada.",
			[]string{"Never say no.\n" + strings.Repeat("Something else stands here in between. ", 20) + "Deploy early.\n" +
				strings.Repeat("And much of that too. ", 20) + "The light is green. " + strings.Repeat("And more of it. ", 20) + "On Fridays there is cake without sugar."}, false},
		{"no spaces", "部署只在星期一进行。金曜日は休み。배포는 월요일에만 한다.", []string{"杂项。部署只在星期一进行。\n金曜日は休み。그리고 배포는 월요일에만 한다."}, true},
		{"no spaces, something else", "部署只在星期一进行。", []string{"测试用数据库每晚重置。"}, false},
		{"other letters", "Les déploiements se font LUNDI.", []string{"les déploiements se font lundi"}, true},
		{"no words", " \n---\n", nil, true},
		{"denied", "Releases are not to be announced in the channel of the whole team before noon.",
			[]string{"Releases are to be announced in the channel of the whole team before noon."}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := keptIn(test.text, test.others...); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// What is whole in another text is kept there; where no word of it is, nothing is kept.
func FuzzKeptIn(f *testing.F) {
	f.Add("Keep it under 300 lines.", "before", "after\n")
	f.Add("a a a a a a a a a a b b b b b b b b b b c c c c c c c c c c c", "x", "")
	f.Add("部署`x`。é\u0301 \xff", "`", "`")
	f.Add("`a. b` c; d", "- ", "e")
	f.Fuzz(func(t *testing.T, text, before, after string) {
		if !keptIn(text, before+"\n\n"+text+"\n\n"+after) {
			t.Errorf("%q is not kept between %q and %q", text, before, after)
		}
	})
}

// keptIn reports whether texts keep another.
func keptIn(text string, others ...string) bool {
	r := newReader(text + "\n" + strings.Join(others, "\n"))
	c := r.claim(text)
	for _, o := range others {
		c.find(r.terms(o))
	}
	return c.share() >= keptWords
}

// An unattended dream's deletions, cuts and changes of type, by what the memory holds before and after.
func TestForbidden(t *testing.T) {
	const say = "Keep pull requests under 300 lines. A review of more is not read."
	ten := func(without int) map[string]string {
		files := map[string]string{"f.md": memo("f", "feedback", say)}
		for i := range 20 - without {
			name := string(rune('a'+i)) + "0"
			files[name+".md"] = memo(name, "project", "fact "+name)
		}
		return files
	}
	with := func(files map[string]string, more ...string) map[string]string {
		for i := 0; i < len(more); i += 2 {
			if files[more[i]] = more[i+1]; more[i+1] == "" {
				delete(files, more[i])
			}
		}
		return files
	}
	one := func(path, text string) map[string]string { return map[string]string{path: text} }
	tests := []struct {
		name          string
		before, after map[string]string
		want          string // the files that are named, with spaces between
	}{
		{"a feedback memory deleted", ten(0), with(ten(0), "f.md", ""), "f.md"},
		{"merged into another of feedback", ten(0), with(ten(0), "f.md", "", "g.md", memo("g", "user", "More.\n"+say)), ""},
		{"renamed", ten(0), with(ten(0), "f.md", "", "g.md", memo("g", "feedback", say)), ""},
		{"merged into a project's", ten(0), with(ten(0), "f.md", "", "g.md", memo("g", "project", say)), "f.md"},
		{"half merged", ten(0), with(ten(0), "f.md", "", "g.md", memo("g", "feedback", "Keep pull requests under 300 lines.")), "f.md"},
		{"its type changed", ten(0), with(ten(0), "f.md", memo("f", "project", say)), "f.md"},
		{"its type lost", ten(0), with(ten(0), "f.md", say), "f.md"},
		{"from feedback to user", ten(0), with(ten(0), "f.md", memo("f", "user", say)), ""},
		{"cut by half", ten(0), with(ten(0), "f.md", memo("f", "feedback", "Keep pull requests")), "f.md"},
		{"emptied", ten(0), with(ten(0), "f.md", memo("f", "feedback", "")), "f.md"},
		{"cut, the rest moved", ten(0), with(ten(0), "f.md", memo("f", "feedback", "Keep pull requests under 300 lines."), "g.md", memo("g", "feedback", "A review of more is not read.")), ""},
		{"corrected", ten(0), with(ten(0), "f.md", memo("f", "feedback", strings.Replace(say, "300", "500", 1))), ""},
		{"replaced by as much of something else", ten(0), with(ten(0), "f.md", memo("f", "feedback", strings.Repeat("blah ", 20))), "f.md"},
		{"a short one emptied", one("user_a.md", memo("a", "user", "Ada.")), one("user_a.md", memo("a", "user", "")), "user_a.md"},
		{"a type by name alone", one("feedback_a.md", "Ada."), map[string]string{}, "feedback_a.md"},
		{"a type in capitals", one("a.md", memo("a", "Feedback", "Ada.")), map[string]string{}, "a.md"},
		{"shared, kept in private", one("team/f.md", memo("f", "feedback", say)), one("f.md", memo("f", "feedback", say)), "team/f.md"},
		{"private, kept in shared", one("f.md", memo("f", "feedback", say)), one("team/f.md", memo("f", "feedback", say)), ""},

		{"two of twenty", ten(0), ten(2), ""},
		{"three of twenty", ten(0), ten(3), "r0.md s0.md t0.md"},
		{"three of twenty, two of them merged", ten(0), with(ten(3), "a0.md", memo("a0", "project", "fact a0\nfact s0\nfact t0")), ""},
		{"one of three", map[string]string{"a.md": memo("a", "project", "x"), "b.md": memo("b", "project", "y")}, one("a.md", memo("a", "project", "x")), ""},
		{"both of two emptied", map[string]string{"a.md": memo("a", "project", "the port is 80"), "b.md": memo("b", "project", "the host is b")},
			map[string]string{"a.md": memo("a", "project", "x"), "b.md": memo("b", "project", "y")}, "a.md b.md"},
		{"one deleted, one written over", map[string]string{"a.md": memo("a", "project", "the port is 80"), "b.md": memo("b", "project", "the host is b")},
			one("b.md", memo("b", "project", "nothing")), "a.md b.md"},
		{"both rewritten", map[string]string{"a.md": memo("a", "project", "the port is 80"), "b.md": memo("b", "project", "the host is b")},
			map[string]string{"a.md": memo("a", "project", "the port is 81 now"), "b.md": memo("b", "project", "the host is c")}, ""},
		{"all of two", map[string]string{"a.md": memo("a", "project", "x"), "b.md": memo("b", "project", "y")}, map[string]string{}, "a.md b.md"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Check{Before: snapshotOf(t, test.before), After: snapshotOf(t, test.after), Unattended: true, Now: ruleTime}
			c.Accepted = make(map[memory.Name]string)
			for p := range test.before {
				c.Accepted[mustName(t, p)] = "it does not help"
			}
			var got []string
			for _, f := range c.Whole() {
				if f.Rule == "loss" {
					got = append(got, f.File)
					if f.Severity != Error || f.Hint == "" || len(c.Forbidden(mustName(t, f.File))) != 1 {
						t.Errorf("%+v", f)
					}
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			c.Unattended = false
			for _, f := range c.Whole() {
				if f.Rule == "loss" {
					t.Errorf("accepted, and yet %+v", f)
				}
			}
		})
	}
}

// A date is compared in any form, and quoted as it was written.
func TestLostAsWritten(t *testing.T) {
	n, _ := memory.ParseName("crane.md")
	merged := map[memory.Name]*memory.Topic{n: memory.ParseTopic([]byte("The ferry stays. In March 2026, and on 3 May 2026, Mareike greased the crane."))}
	into, _ := memory.ParseName("harbour.md")
	lost := Lost(merged, into, memory.ParseTopic([]byte("The ferry stays, since 2026-05-03.")))
	if len(lost) != 1 || !strings.Contains(lost[0].Text, "March 2026") || !strings.Contains(lost[0].Text, "on 3 May 2026") {
		t.Errorf("got %+v", lost)
	}
}
