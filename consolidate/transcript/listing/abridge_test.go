package listing

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

const trace = `Traceback (most recent call last):
  File "app/main.py", line 12, in <module>
    run(settings)
  File "app/run.py", line 44, in run
    raise ValueError("no settings")
ValueError: no settings`

const consoleLog = `2026-11-18T09:00:01Z INFO  starting server on port 8080
2026-11-18T09:00:02Z INFO  connected to the database
2026-11-18T09:00:03Z WARN  the cache is cold
2026-11-18T09:00:04Z ERROR no route for /health`

// walk is so many lines as a tool prints them.
func walk(n int) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("iso.3.6.1.%d.0 = INTEGER: %d", i, i)
	}
	return strings.Join(lines, "\n")
}

func TestAbridged(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("mirror ", 200))
	fence := "```go\n" + strings.Repeat("x := 1\n", 84) + "```"
	tests := []struct{ name, text, want string }{
		{"a short text", "worklets go into their own files", "worklets go into their own files"},
		{"600 characters", long[:600], long[:600]},
		{"a long text", long, long[:398] + " … [855 characters left out] … " + long[len(long)-146:]},
		{"a fenced block", "see\n" + fence + "\nand fix it", "see\n[pasted: 84 lines]\nand fix it"},
		{"a short fenced block", "run\n```\nnpm ci\n```\nfirst", "run\n```\nnpm ci\n```\nfirst"},
		{"a fence that is not closed", "see\n```\nwhat I mean is this:\nno fence at all", "see\n```\nwhat I mean is this:\nno fence at all"},
		{"a stack trace", "it fails:\n" + trace + "\nplease look", "it fails:\n[pasted: 6 lines]\nplease look"},
		{"a log", consoleLog + "\n\nwhy is the cache cold?\n\n" + consoleLog, "[pasted: 4 lines]\nwhy is the cache cold?\n[pasted: 4 lines]"},
		{"a text within a log", consoleLog + "\nthis is the wrong port\n" + consoleLog, "[pasted: 4 lines]\nthis is the wrong port\n[pasted: 4 lines]"},
		{"words before a log, on its line", "this is my complaint: " + walk(7), "this is my complaint: …\n[pasted: 7 lines]"},
		{"words after a log, on its line", walk(7) + " 問題沒解, 請先釐清", "[pasted: 7 lines]\n… 問題沒解, 請先釐清"},
		{"words around a log, on its lines", "1) 결과를 확인해 주세요: [dev@mast ~] $ walk\n" + walk(7) + " 근본 원인 먼저 찾아줘",
			"1) 결과를 확인해 주세요: …\n[pasted: 8 lines]\n… 근본 원인 먼저 찾아줘"},
		{"words after a line that a program wrote for certain", consoleLog + " and the session shows no sign of having picked it up",
			"[pasted: 4 lines]\n… ERROR no route for /health and the session shows no sign of having picked it up"},
		{"a list with numbers", "1.产品的规格20种，\n2.颜色有3种，\n3.每种12件，\n4.价格69元，\n5.订金40%，\n6.交期30天，\n7.包邮", "1.产品的规格20种，\n2.颜色有3种，\n3.每种12件，\n4.价格69元，\n5.订金40%，\n6.交期30天，\n7.包邮"},
		{"JSON", "the answer was\n{\n  \"id\": 12,\n  \"items\": [\n    1,\n    2\n  ]\n}", "the answer was\n[pasted: 7 lines]"},
		{"JSON on a line", "the answer was\n{\"items\": [" + strings.Repeat("1, ", 200) + "2]}", "the answer was\n[pasted: 1 line]"},
		{"own text beside a paste is whole", long[:1300] + "\n" + fence, strings.TrimSpace(long[:1300]) + "\n[pasted: 84 lines]"},
		{"a list", "- use pnpm\n- never npm\n- commit small\n- write tests\n- no mocks\n- plain words\n- be brief",
			"- use pnpm\n- never npm\n- commit small\n- write tests\n- no mocks\n- plain words\n- be brief"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := abridged(test.text); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// FuzzAbridged: an abridged text is bounded and valid, and whatever a person wrote around what was pasted is in it
// whole.
func FuzzAbridged(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, "")
	}
	f.Add(uint64(1), "```\n~~~\n```")
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		if got := abridged(strings.ToValidUTF8(text, "?")); !utf8.ValidString(got) || utf8.RuneCountInString(got) > 100_000 {
			t.Errorf("%d characters of %q", utf8.RuneCountInString(got), text)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		var parts, own []string
		for n := range 1 + rng.IntN(6) {
			switch rng.IntN(3) {
			case 0:
				parts = append(parts, "```\n"+strings.Repeat("code()\n", 4+rng.IntN(90))+"```")
			case 1:
				parts = append(parts, []string{trace, consoleLog}[rng.IntN(2)])
			case 2:
				words := fmt.Sprintf("please keep the lamp number %s lit at night", strings.Repeat("very ", n))
				own = append(own, words)
				parts = append(parts, words)
			}
		}
		got := abridged(strings.Join(parts, "\n"))
		for _, words := range own {
			if !strings.Contains(got, words) {
				t.Errorf("%q is not in %q", words, got)
			}
		}
		if len(own) < len(parts) && !strings.Contains(got, "[pasted: ") {
			t.Errorf("nothing pasted in %q", got)
		}
	})
}

func TestAnswers(t *testing.T) {
	for text, want := range map[string]bool{
		"yes, exactly": true, "no, the other one": true, "네": true, "그래 이거야": true, "nein": true, "oui, c'est ça": true, "对，就是这个": true, "はい、それで": true, "👍": true, "2": true,
		"sí, la segunda":                   true,
		"worklets go into their own files": false, "把所有的音频处理代码放到单独的文件里": false, "워크릿은 항상 자기 파일에 따로 둔다": false,
	} {
		if got := isAnswer(text); got != want {
			t.Errorf("%q: an answer %v, want %v (%d words)", text, got, want, wordCount(text))
		}
	}
}

func TestLastSentence(t *testing.T) {
	for text, want := range map[string]string{
		"Done. Shall I use pnpm?":                "Shall I use pnpm?",
		"Done.\n\n```\nx. y\n```\n":              "Done.",
		"I found v1.2. in a.go. it is old":       "I found v1.2. in a.go. it is old",
		"已经完成。要用这个文件吗？":                          "要用这个文件吗？",
		"終わりました。次に進みますか？":                        "次に進みますか？",
		"다 했어요. 이 파일을 쓸까요?":                      "이 파일을 쓸까요?",
		"Both work.\n1. Keep it\n2. Drop it":     "2. Drop it",
		"":                                       "",
		"Use **pnpm**? \"Yes.\" Or is it *npm*?": "Or is it *npm*?",
	} {
		if got := lastSentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
