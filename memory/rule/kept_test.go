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

// A date is compared in any form, and quoted as it was written.
func TestLostAsWritten(t *testing.T) {
	n, _ := memory.ParseName("crane.md")
	merged := map[memory.Name]*memory.Topic{n: memory.ParseTopic([]byte("The ferry stays. In March 2026, and on 3 May 2026, Mareike greased the crane."))}
	into, _ := memory.ParseName("harbour.md")
	lost := Lost(merged, into, memory.ParseTopic([]byte("The ferry stays, since 2026-05-03.")), nil)
	if len(lost) != 1 || !strings.Contains(lost[0].Text, "March 2026") || !strings.Contains(lost[0].Text, "on 3 May 2026") {
		t.Errorf("got %+v", lost)
	}
}
