package signal

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	long := strings.Repeat("the upload begins and the rows are read one by one ", 60) // over 2,500 runes
	for _, test := range []struct {
		name, speaker, text string
		want                []Kind
	}{
		{"nothing", user, "", nil},
		{"several", user, "No, use the other one. From now on always ask first: see PLUM-12.", []Kind{Corrections, Preferences, References}},
		{"an opener before", user, "ok, and please don't touch it", []Kind{Corrections}},
		{"a list", user, "1. don't touch it\n- never commit it", []Kind{Corrections, Preferences}},
		{"a typographer's apostrophe", user, "don’t touch it", []Kind{Corrections}},
		{"no apostrophe", user, "dont touch it", []Kind{Corrections}},
		{"upper case with accents", user, "DÉSORMAIS demande avant", []Kind{Preferences}},
		{"no accents", user, "desormais demande avant", []Kind{Preferences}},
		{"an umlaut in two letters", user, "kuenftig bitte kurz", []Kind{Preferences}},
		{"to remember is not a correction", user, "don't forget the version", []Kind{Remember}},
		{"nor within it", user, "버전을 잊지 마", []Kind{Remember}},
		{"a question", user, "should we always use it?", nil},
		{"a request as a question", user, "could you always run the tests first?", []Kind{Preferences}},
		{"a question after a confirmation", user, "perfect, can you write the test?", []Kind{Confirmations}},
		{"within a word", user, "the never-ending no-op", nil},
		{"a part of a path", user, "open notes/turned out please", nil},
		{"a name in code", user, "call remember(this) and no.thing", nil},

		{"the assistant's", "assistant", "No, never. Perfect! Remember that. Ugh, don't.", nil},
		{"no speaker", "tool", "No, never. See https://wiki.kelp-docs.dev/a", nil},

		{"fenced", user, "look:\n```\nno, don't\n```\nwhat is it", nil},
		{"after a fence", user, "look:\n```\nx := 1\n```\nno, don't touch it", []Kind{Corrections}},
		{"quoted lines", user, "> no, don't touch it\n> never commit\nwho said so", nil},
		{"quoted words", user, `the dialog says "no, don't use it" and “never commit”`, nil},
		{"in backquotes", user, "what does `always use` do", nil},
		{"a log", user, "what now\n09:14:03 ERROR no, don't use it\n09:14:04 ERROR y", nil},
		{"between two logs", user, "what now\n09:14:03 ERROR x\nno, don't use it\n09:14:04 ERROR y", []Kind{Corrections}},
		{"before a log", user, "no, don't use it\n09:14:03 ERROR x\n09:14:04 ERROR y", []Kind{Corrections}},
		{"a trace", user, "TypeError: never use it\n    at run (src/a.js:1:2)\nwhat is that", nil},
		{"a long block", user, "see below\n" + strings.Repeat("never commit it\n", 24), nil},
		{"before what is long and pasted", user, "no, don't touch it\n" + strings.Repeat("09:14:03 ERROR x\n", 2000), []Kind{Corrections}},
		{"after what is long and fenced", user, "```\n" + strings.Repeat("always use it\n", 2000) + "```\nno, don't touch it", []Kind{Corrections}},
		{"a short block", user, "see below\n" + strings.Repeat("never commit it\n", 3), []Kind{Preferences}},

		{"the head of a long text", user, "no, don't touch it. " + long, nil},
		{"the tail of a long text", user, long + "\nno, don't touch it", nil},
		{"the middle of a long text", user, long + "\nno, don't touch it\n" + long, nil},
		{"a fence that ends in the middle", user, "```\n" + long + "\n```\n" + long + "\nno, don't touch it", nil},
		{"a fence that does not end", user, "```\n" + long + long + "\nno, don't touch it", nil},

		{"a URL", user, "(https://wiki.kelp-docs.dev/never/use?x=1).", []Kind{References}},
		{"a host with a path", user, "docs.kelp-docs.dev/never/use", []Kind{References}},
		{"a local URL", user, "http://localhost:8080/always", nil},
		{"tickets", user, "OAK-12 and #345", []Kind{References}},
		{"no tickets", user, "UTF-8, SHA-256, step #1, color #333", nil},
		{"upper case", user, "WHY DID YOU DELETE IT", []Kind{Corrections}},
		{"marks", user, "what???", []Kind{Frustration}},

		{"Chinese signs", user, "不对，应该用别的。以后都先问我！", []Kind{Corrections, Preferences}},
		{"Chinese, not 别 of another word", user, "特别是别的类别", nil},
		{"Korean, not 정했 within a word", user, "값을 수정했어", nil},
		{"Japanese quotation", user, "「今後は表示しない」と書いて", nil},
		{"Spanish signs", user, "¡No, así no! ¿siempre devuelve nil?", []Kind{Corrections}},
		{"French space before a sign", user, "parfait\u00a0!", []Kind{Confirmations}},
	} {
		if got := Of(test.speaker, test.text).Kinds(); !slices.Equal(got, test.want) && len(got)+len(test.want) > 0 {
			t.Errorf("%s: %q has %q, not %q", test.name, test.text, got, test.want)
		}
	}
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		kind          Kind
		speaker, text string
		want          string
	}{
		{Corrections, user, "hm, no, use the other", "no, use"},
		{Preferences, user, "It is slow. From now on ask.", "From now on"},
		{Preferences, user, "`x`\n\nune fois\nDÉSORMAIS oui", "DÉSORMAIS"},
		{References, user, "see (https://wiki.kelp-docs.dev/a_b), please", "https://wiki.kelp-docs.dev/a_b"},
		{Remember, user, "먼저 이걸 기억해 줘", "기억해 줘"},
		{Frustration, user, "what?!", "?!"},
		{Corrections, user, "use a instead of b and c instead of d", "use a instead of"},
		{Corrections, user, "fass das nicht an und nimm es nicht an", "fass das nicht an"},
		{Corrections, "assistant", "no, don't", ""},
		{"gladness", user, "no, don't", ""},
	} {
		from, to, ok := Find(test.kind, test.speaker, test.text)
		if ok != (test.want != "") || test.text[from:to] != test.want {
			t.Errorf("Find(%q, %q): %q, %t, not %q", test.kind, test.text, test.text[from:to], ok, test.want)
		}
	}
}

func TestSet(t *testing.T) {
	if all := Set(1<<len(kinds) - 1); len(Kinds()) != 8 || !slices.Equal(all.Kinds(), Kinds()) {
		t.Errorf("all kinds are %q, of %q", all.Kinds(), Kinds())
	}
	s := setOf(Errors, Remember)
	if !s.Has(Errors) || !s.Has(Remember) || s.Has(Decisions) || s.Has("gladness") || Set(0).Has("") {
		t.Errorf("%q has the wrong kinds", s.Kinds())
	}
}

func TestCounts(t *testing.T) {
	var c Counts
	if c.String() != "" {
		t.Errorf("nothing counts %q", c.String())
	}
	c.Add(setOf(Corrections, References))
	c.Add(setOf(Corrections))
	c.Add(setOf(Errors, Preferences))
	if got, want := c.String(), "2 corrections, 1 preference, 1 error overcome, 1 reference"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if c.Of(Corrections) != 2 || c.Of("gladness") != 0 {
		t.Errorf("%d corrections, %d of no kind", c.Of(Corrections), c.Of("gladness"))
	}
}

// TestRules compiles every rule.
func TestRules(t *testing.T) {
	if len(rules()) < 500 {
		t.Errorf("%d words begin a rule", len(rules()))
	}
	for word, entries := range rules() {
		for _, e := range entries {
			if word == "" || strings.ContainsAny(e.prefix, "()|@") || e.section < 0 || e.expr().MatchString("") {
				t.Errorf("%q, %q, in section %d", word, e.expr(), e.section)
			}
		}
	}
}

// A table of rules shows what the signs mean.
func TestSigns(t *testing.T) {
	for _, test := range []struct{ rule, matches, not string }{
		{"no (way|go|)", "no go", "nono"},
		{"don't @do", "dont add", "don't adder"},
		{"keep... instead", "keep this instead", "keep. instead"},
		{"stop *ing", "stop adding", "stop it"},
		{"redis*$", "rediscover", "redis one"},
		{"für (uns|alle)", "fuer uns", "für keinen"},
		{"不...是", "不对而是", "不对。是"},
	} {
		all := table{}
		all.add("[class do]\nadd\ndrop\n[corrections]\n" + test.rule)
		matches := func(text string) bool {
			text = fold(text).text
			for word, entries := range all {
				for _, e := range entries {
					if strings.HasPrefix(text, word) && strings.HasPrefix(text, e.prefix) && e.expr().MatchString(text) {
						return true
					}
				}
			}
			return false
		}
		if !matches(test.matches) || matches(test.not) {
			t.Errorf("%q matches %q: %t, %q: %t", test.rule, test.matches, matches(test.matches), test.not, matches(test.not))
		}
	}
}

// The time grows with the length of a text and no faster, whatever the rules make of it: else this would not end.
func TestHostile(t *testing.T) {
	for _, unit := range []string{
		"si no ", "wenn das nicht ", "why not ", "bau das ", "use the ", "i've told ", "不是", "的", "はが", "라고", "always ", "<no ", "don’t ", "\"", "“no ",
		"wir lassen ", "je je ", "a.b/", "#1", "((((", "keep ", "el el ", "???", "`",
	} {
		text := strings.Repeat(unit, 1<<18)
		Of(user, text)
		Of("assistant", text)
	}
}

// FuzzOf holds the laws: Find finds what Of has, within the text and on rune boundaries.
func FuzzOf(f *testing.F) {
	for _, text := range []string{
		"no, don't", "从现在开始 用", "앞으로는 하지 마", "今後は必ず", "\xff\xfeno \xc3", "```\n", "\"no", "“", "don’t use it", "HTTPS://X.Y/\xe2\x80",
		"#12345", "OAK-1", "a.io/x", "???", strings.Repeat("不", 3000), "DÉS\xc3", "keep", "nicht ", "\u202f!",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, speaker := range []string{user, "assistant"} {
			found := Of(speaker, text)
			for _, kind := range Kinds() {
				from, to, ok := Find(kind, speaker, text)
				if ok != found.Has(kind) {
					t.Errorf("%q, %s: Find %t, Of %t", text, kind, ok, found.Has(kind))
				}
				if !ok {
					continue
				}
				if from < 0 || from >= to || to > len(text) {
					t.Fatalf("%q, %s: from %d to %d", text, kind, from, to)
				}
				if utf8.ValidString(text) && !utf8.ValidString(text[from:to]) {
					t.Errorf("%q, %s: %q is cut", text, kind, text[from:to])
				}
			}
		}
	})
}

// BenchmarkOf: typical messages, most of them without a signal.
func BenchmarkOf(b *testing.B) {
	messages := map[string]string{
		"english": "the dashboard shows no data for the last hour even though the collector is running, check it",
		"chinese": "帮我写一个脚本，把日志按日期归档，保留最近七天，然后在测试环境里跑一遍看看结果",
		"korean":  "로그를 날짜별로 보관하는 스크립트를 만들어 주고 테스트 환경에서 한 번 돌려 봐",
		"german":  "Der Nutzer darf fremde Bestellungen nicht sehen, bau eine Prüfung in den Handler ein",
		"pasted":  strings.Repeat("2026-03-02T10:11:12Z INFO worker: took 12ms for 40 rows of the table\n", 2000),
		"signals": "No, don't touch the schema. From now on always ask first, and remember that PLUM-12 is open.",
	}
	for _, name := range []string{"english", "chinese", "korean", "german", "pasted", "signals"} {
		b.Run(name, func(b *testing.B) {
			text := messages[name]
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Of(user, text)
			}
		})
	}
}
