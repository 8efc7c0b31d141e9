package rule

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
)

// dated is a topic with a stamp; an empty one is left out.
func dated(description, modified, body string) string {
	if modified != "" {
		modified = "  modified: " + modified + "\n"
	}
	return "---\nname: a\ndescription: " + description + "\nmetadata:\n  type: project\n" + modified + "---\n" + body
}

const stampedInMay = "2026-05-06T10:00:00.000Z" // a Wednesday

func TestRelativeDateRule(t *testing.T) {
	yesterday := dated("x", stampedInMay, "We froze it yesterday.\n")
	yesterdayBelow := dated("x", stampedInMay, "# Log\n## 2026-04-02 frost\nA word.\n\nFroze it yesterday.\n")
	ended := "---\nname: a\ndescription: x\ntype: project\nended: 2026-04-02\n---\nFroze it yesterday.\n"
	for _, test := range []struct {
		name          string
		before, after string // the topic a.md; no before: it is new
		other         string // a topic that stood: old.md
		want          []string
	}{
		{"a new topic", "", dated("x", "", "Intro.\n\nWe froze it yesterday.\n"), "",
			[]string{`error 9 "yesterday" is most likely 2026-11-17, counted from today`}},
		{"its own stamp is no anchor for new text", "", yesterday, "", []string{`error 8 "yesterday" is most likely 2026-11-17, counted from today`}},
		{"the description", "", dated("since last week", "", "x\n"), "", []string{`info 3 "last week" is most likely the week of 2026-11-09, counted from today`}},
		{"what stands counts from the stamp before", yesterday, dated("x", "2026-11-18T09:00:00.000Z", "We froze it yesterday.\nMore.\n"), "",
			[]string{`info 8 "yesterday" is most likely 2026-05-05, counted from 2026-05-06, when the memory was written`}},
		{"reflowed, it stands", yesterday, dated("x", stampedInMay, "We froze\nit yesterday.\n"), "",
			[]string{`info 9 "yesterday" is most likely 2026-05-05, counted from 2026-05-06, when the memory was written`}},
		{"a new sentence in the same line", yesterday, dated("x", stampedInMay, "We froze it yesterday. Last night we thawed it.\n"), "",
			[]string{`error 8 "Last night" is most likely 2026-11-17, counted from today`,
				`info 8 "yesterday" is most likely 2026-05-05, counted from 2026-05-06, when the memory was written`}},
		{"two in a line", dated("x", stampedInMay, "We froze it yesterday. This morning it thawed.\n"),
			dated("x", stampedInMay, "We froze it yesterday. This morning it thawed.\n"), "",
			[]string{`info 8 "yesterday" is most likely 2026-05-05, counted from 2026-05-06, when the memory was written`}},
		{"said once more it is new", yesterday, dated("x", stampedInMay, "We froze it yesterday.\n\nWe froze it yesterday.\n"), "",
			[]string{`error 10 "yesterday" is most likely 2026-05-05, counted from 2026-05-06, when the memory was written`,
				`info 8 "yesterday" is most likely 2026-05-05, counted from 2026-05-06, when the memory was written`}},
		{"merged from another", dated("x", "", "x\n"), dated("x", "", "We froze it yesterday.\n"), yesterday,
			[]string{`error 7 "yesterday" is most likely 2026-05-05, counted from 2026-05-06, when the memory was written`}},
		{"a date in the paragraph", dated("x", "", "Log of 2026-05-06.\nDone. We froze it yesterday.\n"),
			dated("x", "", "Log of 2026-05-06.\nDone. We froze it yesterday.\n"), "", nil},
		{"of another paragraph it is none", dated("x", "", "2026-05-06.\n \nFroze it yesterday.\n"), dated("x", "", "2026-05-06.\n \nFroze it yesterday.\n"), "",
			[]string{`info 9 "yesterday" names no date, and nothing here says when it was written`}},
		{"a stamp from the future is none", dated("x", "2031-01-01", "Froze it yesterday.\n"), dated("x", "2031-01-01", "Froze it yesterday.\n"), "",
			[]string{`info 8 "yesterday" names no date, and nothing here says when it was written`}},
		{"unsure", "", dated("x", "", "Froze it a few days ago.\n"), "", []string{`info 7 "a few days ago" is perhaps about 2026-11-15, counted from today`}},
		{"without frontmatter", "", "\ufeffFroze it yesterday.", "", []string{`error 1 "yesterday" is most likely 2026-11-17, counted from today`}},
		{"a date in the heading", yesterdayBelow, yesterdayBelow, "", nil},
		{"new below a dated heading", "", yesterdayBelow, "", nil},
		{"a date that begins the item", "", dated("x", "", "- 2026-04-02: froze it yesterday.\n- 2026-05-01\n"), "", nil},
		{"a date that begins the item, and another sentence", "", dated("x", "", "- 2026-04-02: a log.\n  We froze it yesterday.\n"), "", nil},
		{"the day that a session ended", ended, ended, "",
			[]string{`info 7 "yesterday" is most likely 2026-04-01, counted from 2026-04-02, when the memory was written`}},
		{"a label above in the section", "", dated("x", "", "## Log\n\n**Date:** 2026-04-02\n\nWe froze it yesterday.\n"), "", nil},
		{"a label of another section", "", dated("x", "", "**Date:** 2026-04-02\n\n## Log\n\nWe froze it yesterday.\n"), "",
			[]string{`error 11 "yesterday" is most likely 2026-11-17, counted from today`}},
		{"a date further on in the paragraph", dated("x", "", "We froze it yesterday. The branch of the day is 2026-04-02.\n"),
			dated("x", "", "We froze it yesterday. The branch of the day is 2026-04-02.\n"), "",
			[]string{`info 7 "yesterday" names no date, and nothing here says when it was written`}},
		{"a longer time ago is an info", "", dated("x", "", "We froze it 20 days ago, and last month too.\n"), "",
			[]string{`info 7 "20 days ago" is most likely 2026-10-29, counted from today`}},
		{"rules, quotations, nowadays", "", dated("x", "", "Close this session with a commit. Today the pool has 12 workers. Asked \"what did we do yesterday in the shop, and why?\"\n\n> yesterday it rained\n"), "", nil},
		{"innocent", "", dated("the \"Today\" tab", "", "Frozen yesterday (2026-11-17). Use `today`. Every day the log of yesterday.\n"), "", nil},
		{"other fields are no text", "", "---\nname: yesterday\ndescription: x\ntype: user\nwhen: last week\n---\nx\n", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := map[string]string{"MEMORY.md": ""}, map[string]string{"MEMORY.md": "a.md", "a.md": test.after}
			if test.before != "" {
				before["a.md"] = test.before
			}
			if test.other != "" {
				before["old.md"] = test.other
			}
			c := Check{Before: snapshotOf(t, before), After: snapshotOf(t, after), Touched: touched(t, "a.md"), Now: ruleTime}
			for how, findings := range map[string][]Finding{"written": c.Written(mustName(t, "a.md")), "whole": c.Whole()} {
				var got []string
				for _, f := range findings {
					if f.Rule == "relative-date" {
						got = append(got, fmt.Sprintf("%s %d %s", f.Severity, f.Line, f.Message))
						checkHint(t, test.after, f)
					}
				}
				if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
					t.Errorf("%s: got  %q\nwant %q", how, got, test.want)
				}
			}
		})
	}
}

// TestRelativeDateOfFile holds what says when a file was written that does not say it itself.
func TestRelativeDateOfFile(t *testing.T) {
	files := map[string]string{"MEMORY.md": "a.md", "a.md": dated("x", "", "Froze it yesterday.\n"), "log-2026-03-04.md": dated("x", "", "Froze it yesterday.\n")}
	s := snapshotOf(t, files)
	s.ModTimes = map[memory.Name]time.Time{mustName(t, "a.md"): time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
		mustName(t, "log-2026-03-04.md"): time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}
	var got []string
	for _, f := range only(Standing(s, nil, ruleTime), "relative-date") {
		got = append(got, f.Message)
	}
	want := []string{`"yesterday" is most likely 2026-02-02, counted from 2026-02-03, the time of the file`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// checkHint checks that the edit of a hint can be made as it is, and that it takes the words away.
func checkHint(t *testing.T, file string, f Finding) {
	t.Helper()
	_, call, _ := strings.Cut(f.Hint, "write_memory ")
	var args struct {
		Path  string
		Edits []memory.Edit
	}
	if err := json.Unmarshal([]byte(call), &args); err != nil || args.Path != f.File || len(args.Edits) != 1 {
		t.Fatalf("hint %q: %v", f.Hint, err)
	}
	if _, err := memory.ApplyEdits([]byte(file), args.Edits, nil); err != nil {
		t.Errorf("hint %q: %v", f.Hint, err)
	}
}

func TestRelativeDateHint(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"Froze it yesterday.\n", `write_memory {"path": "a.md", "base": %q, "edits": [{"old": "yesterday", "new": "2026-11-17"}]}`},
		{"A `yesterday` filter; we froze it yesterday & left.\n",
			`write_memory {"path": "a.md", "base": %q, "edits": [{"old": "it yesterday &", "new": "it 2026-11-17 &"}]}`},
		{"`昨天`过滤器。昨天修复了。\n", `write_memory {"path": "a.md", "base": %q, "edits": [{"old": "` + "`昨天`过滤器。昨天修复了。" + `", "new": "` + "`昨天`过滤器。2026-11-17修复了。" + `"}]}`},
	} {
		s := snapshotOf(t, map[string]string{"a.md": dated("x", "", test.body)})
		c := Check{Before: snapshotOf(t, nil), After: s, Now: ruleTime}
		findings := only(c.Written(mustName(t, "a.md")), "relative-date")
		want := fmt.Sprintf(test.want, memory.SumOf(s.Topics[mustName(t, "a.md")].Bytes()).Short())
		if len(findings) != 1 || findings[0].Hint != want {
			t.Errorf("got %+v, want %s", findings, want)
		}
	}
}

// Old text gives an info, and a rule that reads leaves the file as it is.
func TestRelativeDateStanding(t *testing.T) {
	text := dated("x", stampedInMay, "Froze it yesterday.\n")
	s := snapshotOf(t, map[string]string{"MEMORY.md": "- [A](a.md)", "a.md": text})
	whole := Check{Before: s, After: s, Touched: touched(t, "a.md"), Now: ruleTime}.Whole()
	for how, findings := range map[string][]Finding{"standing": Standing(s, nil, ruleTime), "whole": whole} {
		if len(findings) != 1 || findings[0].Severity != Info || !strings.Contains(findings[0].Message, "2026-05-05") {
			t.Errorf("%s: %+v", how, findings)
		}
	}
	if got := string(s.Topics[mustName(t, "a.md")].Bytes()); got != text {
		t.Errorf("the text is now %q", got)
	}
	if !Waivable("relative-date") {
		t.Error("the rule can't be waived")
	}
}

// FuzzRelativeDate holds the laws that what a hint quotes is there, and that its line is one of the file.
func FuzzRelativeDate(f *testing.F) {
	f.Add("x", "We froze it yesterday.\n")
	f.Add("last week", "`today` today, today\r\n다음 주 昨天昨天")
	f.Fuzz(func(t *testing.T, description, body string) {
		topic := memory.ParseTopic([]byte(dated(description, "", body)))
		file := string(topic.Bytes())
		for _, d := range (&view{readings: make(map[*memory.Topic]reading)}).relativeDates(topic) {
			if old := d.quoted(topic, d.Text); !strings.Contains(d.text, old) {
				t.Fatalf("%q: %q is not there", file, old)
			}
			if d.line < 1 || d.line > strings.Count(file, "\n")+1 {
				t.Fatalf("%q: line %d", file, d.line)
			}
		}
	})
}

// BenchmarkRelativeDates reads 1,000 memories of the size that is usual, one in twenty of which
// has a hit: what the rule adds to a check of the whole.
func BenchmarkRelativeDates(b *testing.B) {
	files := make(map[string]string)
	for i := range 1000 {
		body := strings.Repeat("The retry budget is shared by all workers of one queue and refilled at a fixed rate. ", 22) + "\n"
		if i%20 == 0 {
			body += "It was raised last week.\n"
		}
		files[fmt.Sprintf("topic-%d.md", i)] = dated("x", stampedInMay, body)
	}
	s := snapshotOf(b, files)
	v := Check{Before: s, After: s, Now: time.Now()}.view()
	b.ResetTimer()
	for b.Loop() {
		found := 0
		for _, n := range v.sortedNames() {
			found += len(findRelativeDates(v, n, s.Topics[n]))
		}
		if found != 50 {
			b.Fatal(found)
		}
	}
}

// A date is offered to be written only where it is certain: not in quotations, not where several days are named, not counted from the
// time of a file. A name that ends in a day needs none.
func TestRelativeDateOffers(t *testing.T) {
	for _, test := range []struct {
		file, head, text string
		found, offered   bool
	}{
		{"a.md", "modified: 2026-05-06\n", "We froze deploys yesterday.", true, true},
		{"a.md", "modified: 2026-05-06\n", "A note that was right yesterday and isn't today is worse than none.", true, false},
		{"a.md", "modified: 2026-05-06\n", "She said \"we froze deploys yesterday\" and left.", false, false},
		{"a.md", "modified: 2026-05-06\n", "The report has a column “This week” that nobody reads.", false, false},
		{"a.md", "modified: 2026-05-06\n", "The release of 2026-05-20 is ready and tested by all of us. We froze deploys yesterday.", true, false},
		{"a.md", "", "We froze deploys yesterday.", true, false},
		{"standup_mar27.md", "", "We froze deploys yesterday.", false, false},
		{"log_06_14b.md", "", "We froze deploys yesterday.", false, false},
	} {
		s := snapshotOf(t, map[string]string{test.file: "---\nname: x\ndescription: what it is\ntype: project\n" + test.head + "---\n" + test.text + "\n"})
		for n := range s.Topics {
			s.ModTimes = map[memory.Name]time.Time{n: ruleTime.AddDate(0, -1, 0)}
		}
		found := only(Standing(s, nil, ruleTime), "relative-date")
		offered := len(found) > 0 && !strings.Contains(found[0].Hint, "…")
		if len(found) > 0 != test.found || offered != test.offered {
			t.Errorf("%s %q: %+v", test.file, test.text, found)
		}
	}
}
