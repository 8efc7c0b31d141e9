package rule

import (
	"fmt"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// dated is a topic with a description.
func dated(description, body string) string {
	return "---\nname: a\ndescription: " + description + "\nmetadata:\n  type: project\n---\n" + body
}

func TestRelativeDate(t *testing.T) {
	const froze = "We froze it yesterday."
	for _, test := range []struct {
		name          string
		before, after string // the topic a.md; no before: it is new
		other         string // a topic that stood: old.md
		want          []string
	}{
		{"a new topic", "", dated("x", "Intro.\n\n"+froze+"\n"), "", []string{`9 "yesterday" is 2026-11-17, counted from today`}},
		{"the description", "", dated("down since yesterday", "x\n"), "", []string{`3 "yesterday" is 2026-11-17, counted from today`}},
		{"what stood", dated("x", froze), dated("x", froze+"\nMore.\n"), "", nil},
		{"reflowed, it stood", dated("x", froze), dated("x", "We froze\nit yesterday.\n"), "", nil},
		{"a new sentence in the same line", dated("x", froze), dated("x", froze+" Last night we thawed it.\n"), "",
			[]string{`7 "Last night" is 2026-11-17, counted from today`}},
		{"merged from another", dated("x", "x\n"), dated("x", froze), dated("x", "A log.\n"+froze), nil},
		{"a date in the paragraph", "", dated("x", "Log of 2026-05-06.\nDone. "+froze), "", nil},
		{"a date of another paragraph", "", dated("x", "2026-05-06.\n \n"+froze), "", []string{`9 "yesterday" is 2026-11-17, counted from today`}},
		{"a date in a heading above", "", dated("x", "# Log\n## 2026-04-02 frost\nA word.\n\n"+froze), "", nil},
		{"a longer time", "", dated("x", "It froze last week, and a few days ago.\n"), "", []string{`7 "last week" is the week of 2026-11-09, counted from today`}},
		{"a weekday", "", dated("x", "It thaws next Friday.\n"), "", []string{`7 "next Friday" is 2026-11-20 or 2026-11-27, counted from today`}},
		{"a day to come, a year", "", dated("x", "It thaws tomorrow, unlike last year.\n"), "", nil},
		{"another language", "", dated("x", "上周上线了。\n\nВчера упало.\n"), "", []string{`9 "Вчера" is 2026-11-17, counted from today`, `7 "上周" is the week of 2026-11-09, counted from today`}},
		{"without frontmatter", "", "\ufeff" + froze, "", []string{`1 "yesterday" is 2026-11-17, counted from today`}},
		{"rules, quotations, names", "", dated("the \"Yesterday\" tab", "Today the pool has 12 workers. Asked \"what did we do yesterday in the shop?\" See `yesterday.md`.\n\n> yesterday it rained\n"), "", nil},
		{"every day", "", dated("x", "Frozen yesterday (2026-11-17). Every day the log of yesterday.\n"), "", nil},
		{"a question", "", dated("x", "Does a library that I named yesterday still exist?\n"), "", nil},
		{"other fields", "", "---\nname: yesterday\ndescription: x\ntype: user\nwhen: yesterday\n---\nx\n", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := map[string]string{"MEMORY.md": ""}, map[string]string{"MEMORY.md": "a.md", "a.md": test.after}
			if test.before != "" {
				before["a.md"] = test.before
			}
			if test.other != "" {
				before["old.md"] = test.other
			}
			c := Check{Before: snapshotOf(t, before), After: snapshotOf(t, after), Changed: pathSet(t, "a.md"), Now: ruleTime}
			for how, findings := range map[string][]Finding{"written": c.Written(mustName(t, "a.md")), "whole": c.Whole()} {
				var got []string
				for _, f := range only(findings, "relative-date") {
					got = append(got, fmt.Sprintf("%d %s", f.Line, f.Message))
					if day := strings.Contains(f.Hint, "write 2026-11-17"); day != (f.Severity == Error) {
						t.Errorf("%+v", f)
					}
				}
				if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
					t.Errorf("%s: got  %q\nwant %q", how, got, test.want)
				}
			}
			if standing := only(Standing(c.After, nil, ruleTime), "relative-date"); len(standing) > 0 {
				t.Errorf("of what stands: %+v", standing)
			}
		})
	}
	s := snapshotOf(t, map[string]string{"log-2026-03-04.md": dated("x", froze)})
	if found := only(Check{Before: snapshotOf(t, nil), After: s, Now: ruleTime}.Whole(), "relative-date"); len(found) > 0 {
		t.Errorf("the file's name says the day: %+v", found)
	}
	if !Waivable("relative-date") {
		t.Error("the rule can't be waived")
	}
}

// FuzzRelativeDate holds the law that the line of a finding is one of the file, and has its words.
func FuzzRelativeDate(f *testing.F) {
	f.Add("x", "We froze it yesterday.\n")
	f.Add("last night", "`today` today, today\r\n어제 昨天昨天")
	f.Fuzz(func(t *testing.T, description, body string) {
		topic := memory.ParseTopic([]byte(dated(description, body)))
		s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{mustName(t, "a.md"): topic}}
		for _, found := range only(Check{Before: snapshotOf(t, nil), After: s, Now: ruleTime}.Whole(), "relative-date") {
			if found.Line < 1 || found.Line > strings.Count(string(topic.Bytes()), "\n")+1 {
				t.Fatalf("%q: line %d", topic.Bytes(), found.Line)
			}
		}
	})
}
