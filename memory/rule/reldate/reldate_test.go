package reldate

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestDate holds the arithmetic at the edges of weeks, months and years.
func TestDate(t *testing.T) {
	for _, test := range []struct{ anchor, text, want string }{
		{"2026-11-18", "yesterday", "2026-11-17"},
		{"2026-01-01", "yesterday", "2025-12-31"},
		{"2028-03-01", "the day before yesterday", "2028-02-28"},
		{"2026-11-18", "10 days ago", "2026-11-08"},
		{"2026-03-31", "a month ago", "2026-02"},
		{"2026-01-15", "two months ago", "2025-11"},
		{"2026-11-18", "5 years ago", "2021"},
		{"2026-11-16", "last week", "the week of 2026-11-09"}, // a Monday
		{"2026-11-22", "last week", "the week of 2026-11-09"}, // a Sunday
		{"2026-11-22", "this weekend", "the weekend of 2026-11-21"},
		{"2027-01-01", "this week", "the week of 2026-12-28"},
		{"2026-12-31", "next month", "2027-01"},
		{"2026-02-01", "last quarter", "2025-Q4"},
		{"2026-12-01", "next quarter", "2027-Q1"},
		{"2026-11-18", "last Wednesday", "2026-11-11"}, // never today
		{"2026-11-18", "last Friday", "2026-11-13"},
		{"2026-11-18", "last Tuesday", "2026-11-17"},
		{"2026-11-18", "this Wednesday", "2026-11-25"},
		{"2026-11-22", "下周一", "2026-11-23"},
		{"2026-11-22", "上周日", "2026-11-15"},
		{"2026-11-18", "지난 금요일", "2026-11-13"},
		{"2026-11-18", "next Friday", "2026-11-20 or 2026-11-27"},
		{"2026-11-18", "next Monday", "2026-11-23"},
		{"2026-11-18", "viernes que viene", "2026-11-20 or 2026-11-27"},
		{"2026-11-18", "two weeks ago", "2026-11-04"},
		{"2026-11-18", "两周前", "2026-11-04"},
		{"2026-11-18", "vor zwei Wochen", "2026-11-04"},
		{"2026-11-18", "l'altro ieri", "2026-11-16"},
		{"2026-11-18", "la settimana scorsa", "the week of 2026-11-09"},
		{"2026-11-18", "tre giorni fa", "2026-11-15"},
		{"2026-11-18", "venerdì scorso", "2026-11-13"},
		{"2026-11-18", "ontem à noite", "2026-11-17"},
		{"2026-11-18", "na semana que vem", "the week of 2026-11-23"},
		{"2026-11-18", "há duas semanas", "2026-11-04"},
		{"2026-11-18", "sexta-feira passada", "2026-11-13"},
		{"2026-11-18", "позавчера", "2026-11-16"},
		{"2026-11-18", "на прошлой неделе", "the week of 2026-11-09"},
		{"2026-11-18", "в прошлую пятницу", "2026-11-13"},
		{"2026-11-18", "3 дня назад", "2026-11-15"},
		{"2026-11-18", "hôm qua", "2026-11-17"},
		{"2026-11-18", "tuần trước", "the week of 2026-11-09"},
		{"2026-11-18", "2 tuần trước", "2026-11-04"},
		{"2026-11-18", "thứ hai tuần sau", "2026-11-23"},
		{"2026-11-18", "chủ nhật tuần trước", "2026-11-15"},
		{"2026-11-18", "L'année dernière", "2025"},
	} {
		anchor, err := time.Parse(time.DateOnly, test.anchor)
		if err != nil {
			t.Fatal(err)
		}
		hits := Find(test.text)
		if len(hits) != 1 || hits[0].Date(anchor) != test.want || hits[0].Text != test.text {
			t.Errorf("%s on %s: got %+v, want %s", test.text, test.anchor, hits, test.want)
		}
	}
}

// The date is that of the anchor's own zone: 23:30 in Berlin is tomorrow in Tokyo, which does not matter.
func TestZone(t *testing.T) {
	late := time.Date(2026, 11, 18, 23, 30, 0, 0, time.FixedZone("", -5*3600))
	hits := Find("yesterday")
	if len(hits) != 1 || hits[0].Date(late) != "2026-11-17" {
		t.Errorf("got %+v", hits)
	}
	if got := hits[0].Date(late.UTC()); got != "2026-11-18" {
		t.Errorf("from the next day: %s", got)
	}
}

// TestMarkdown holds what is prose and what is not; in every text the words that count are in capitals.
func TestMarkdown(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"fixed YESTERDAY", 1},
		{"a `code\nover lines yesterday` b", 0},
		{"a ` lone backtick, fixed YESTERDAY", 1},
		{"a ` lone backtick\n\nfixed YESTERDAY with `x`", 1},
		{"``a ` yesterday`` b", 0},
		{"~~~sh\nyesterday\n~~~\nfixed YESTERDAY", 1},
		{"```\nyesterday", 0}, // never closed
		{"> ```\n> yesterday\n> ```\n> fixed yesterday\n\nfixed YESTERDAY", 1},
		{"````\n```\nyesterday\n````", 0},
		{"<!-- yesterday\ntoday --> fixed YESTERDAY", 1},
		{"<!-- never closed, fixed YESTERDAY", 1},
		{"<a title=yesterday>x</a>", 0},
		{"[yesterday](x.md) [[last week]] [x][yesterday]", 0},
		{"[x]: YESTERDAY", 1},
		{"[a [yesterday] b](x.md)", 0},
		{"see https://x.org/a-yesterday, fixed YESTERDAY", 1},
		{"path/yesterday.log yesterday.log last-week --since yesterday_utc", 0},
		{"{{yesterday}} $yesterday yesterday() fixed YESTERDAY", 1},
		{"x = today; today + 1; today - 7", 0},
		{"fixed\r\nYESTERDAY\r\n", 1},
		{"fixed THE DAY\nBEFORE YESTERDAY", 1},
		{"last\n\nweek", 0},
		{"**YESTERDAY**: fixed", 1},
		{"(YESTERDAY) fixed", 1},
		{"## 2026-11-17\n\nfixed YESTERDAY", 1}, // not the same sentence
		{"It was 2026-11-17. Fixed YESTERDAY.", 1},
		{"It was at 11.17 and v2.0.1. Fixed YESTERDAY.", 1},
		{"fixed yesterday, see\n`log-2026-11-17`", 0},
		{"| a | b |\n|---|---|\n| x | fixed YESTERDAY |", 1},
		{"\"yesterday\" 'last week' “today” «tomorrow» 「今天」", 0},
		{"it's YESTERDAY's", 1},
		{"\"" + strings.Repeat("long words said ", 4) + "yesterday\"", 0},
		{"She said \"it broke. It was fine yesterday. Look.\" and went; fixed YESTERDAY", 1},
		{"他说「昨天坏了。」就走了", 0},
		{"他说「昨天坏了。今天好了」", 0},
		{"a rule that is true yesterday and not today", 0},
		{"what the model could not do yesterday, it can do now", 0},
		{"`score_change` needs yesterday", 0},
		{"the 24\" screen broke. It failed YESTERDAY. Not \"the\" door", 1},
		{"last year (2025) and LAST MONTH", 1},
		{"last month (October)", 0},
		{"sections: today / yesterday / earlier", 0}, // a list of names
		{"it failed YESTERDAY and LAST WEEK", 2},
		{"it broke YESTERDAY, and LAST WEEK too", 2},
		{"- returns the rows created today", 0},
		{"the API returns 500 since YESTERDAY", 1},
	} {
		hits := Find(test.text)
		if len(hits) != test.want {
			t.Errorf("%q: got %+v, want %d", test.text, hits, test.want)
		}
		for _, h := range hits {
			if strings.ToUpper(h.Text) != h.Text {
				t.Errorf("%q: got %q", test.text, h.Text)
			}
		}
	}
}

// Words that look like a phrase and are others.
func TestBoundaries(t *testing.T) {
	for text, want := range map[string]string{
		"다음 주기": "", "다음 주": "다음 주", "다음 주에는": "다음 주", "다음주까지": "다음주", "지난 주문": "", "이어제": "", "오늘의발견": "", "내일모레": "",
		"下周期": "", "下周": "下周", "昨天晚上": "昨天晚上", "以后天天": "", "大前天": "大前天", "早上周五": "", "上月球": "",
		"今日の発見": "", "今日は雨": "", "明日香は": "", "再来週に": "再来週", "一昨日は": "一昨日",
		"lastweek": "", "last weeks": "", "yesterdays": "", "Last Week": "Last Week", "midlast week": "",
		"übermorgen": "übermorgen", "ÜBERMORGEN": "ÜBERMORGEN", "avant-hier": "avant-hier", "hierher": "", "hier ist es": "",
		"mañana": "mañana", "por la mañana": "", "pasado mañana": "pasado mañana", "aujourd’hui": "", "l'équipe a décidé aujourd’hui": "",
		"today the user has to click": "", "we decided today": "", "next Friday": "next Friday", "a few days ago": "", "close this session": "", "fixed this session": "", "the rules are checked this session": "", "if it failed this session, stop": "",
		"Next session: ship it": "", "Next session should ship it": "", "yesterday's notes are a lens": "", "yesterday's run was lost": "yesterday", "gestern's Lauf": "gestern",
		"1234 days ago": "", "12 days ago": "12 days ago", "v3 days ago": "", "3 天前": "3 天前",
	} {
		got := ""
		if hits := Find(text); len(hits) > 0 {
			got = hits[0].Text
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	text := "One, e.g. this. Fixed it\nyesterday, v. 2. Three.\n- 昨天修复。然后"
	hits := Find(text)
	if len(hits) != 2 || hits[0].Sentence != "Fixed it\nyesterday, v. 2. Three." || hits[1].Sentence != "- 昨天修复。" {
		t.Errorf("got %+v", hits)
	}
}

// Text made to be slow takes a time that grows with its length and no faster: else this would not end today.
func TestHostile(t *testing.T) {
	for _, unit := range []string{
		"[", "](", "[](", "`", "` `` ``` ", "<!--", "<a", "\\", "://", "yesterday ", "every day yesterday ", "어제 ", "一", "\"yesterday", "| yesterday ", "a ", "昨天", "\xff", "- ", "[[", "://x ", "\n| yesterday |", "x ``` ", "\n```\n", "\nyesterday", "yesterday. ", "e.g. yesterday ",
	} {
		text := strings.Repeat(unit, 1<<18/len(unit)+1)
		if hits := Find(text); len(hits) > maxHits {
			t.Errorf("%q: %d hits", unit, len(hits))
		}
	}
}

// FuzzFind holds the laws: nothing panics; spans are in order, on the boundaries of runes, and hold what
// the hit says; the sentence holds the words; the same text gives the same hits.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"", "fixed yesterday", "`a` [b](c) \"today\" | last week |", "다음 주 화요일에 3일 전", "昨天晚上，三天前", "来週の金曜日は", "vor zwei Wochen z. B. gestern",
		"il y a 3 jours d’hier", "hace una semana", "a\r\n\r\ntoday\n- x", "```\ntoday\n```", "<!-- --> ://x today-7", "\xff\xfe昨\xe5天", "L'année dernière İ ſ K",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hits := Find(text)
		last := 0
		for _, h := range hits {
			if h.From < last || h.To <= h.From || h.To > len(text) || text[h.From:h.To] != h.Text || h.Date(wednesday) == "" {
				t.Fatalf("%q: %+v after %d", text, h, last)
			}
			if !utf8.RuneStart(text[h.From]) || h.To < len(text) && !utf8.RuneStart(text[h.To]) && utf8.ValidString(text) {
				t.Fatalf("%q: %+v cuts a rune", text, h)
			}
			if !strings.Contains(h.Sentence, h.Text) {
				t.Fatalf("%q: the sentence %q without %q", text, h.Sentence, h.Text)
			}
			last = h.To
		}
		if again := Find(text); !reflect.DeepEqual(again, hits) {
			t.Fatalf("%q: %+v, then %+v", text, hits, again)
		}
	})
}
