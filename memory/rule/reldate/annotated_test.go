package reldate

import (
	"testing"
	"time"
)

// A phrase that surely names another day has its date after it; all else is as it was.
func TestAnnotated(t *testing.T) {
	wednesday := time.Date(2026, 11, 18, 23, 30, 0, 0, time.FixedZone("", 3600))
	for text, want := range map[string]string{
		"wait until tomorrow, then ship":       "wait until tomorrow (2026-11-19), then ship",
		"the rest comes the week after next":   "the rest comes the week after next (the week of 2026-11-30)",
		"bis übernächsten Montag bleibt es so": "bis übernächsten Montag (2026-11-30) bleibt es so",
		"下下周一再上线":                              "下下周一 (2026-11-30)再上线",
		"下周一再上线":                               "下周一 (2026-11-23)再上线",
		"다다음 주 월요일까지 기다려":                      "다다음 주 월요일 (2026-11-30)까지 기다려",
		"再来週の月曜日に出す":                           "再来週の月曜日 (2026-11-30)に出す",
		"demain soir on déploie avec Anna":     "demain soir (2026-11-19) on déploie avec Anna",
		"el próximo lunes lo hacemos":          "el próximo lunes (2026-11-23) lo hacemos",
		"the test round is in ten days":        "the test round is in ten days (2026-11-28)",
		"Pat's last day was on Monday":         "Pat's last day was on Monday (2026-11-16)",
		"the retest is in 2 weeks, in town":    "the retest is in 2 weeks (2026-12-02), in town",
		"it is done in ten days":               "it is done in ten days",
		"run it today, it passed":              "run it today, it passed",
		"the last session was better":          "the last session was better",
		"it broke a few days ago":              "it broke a few days ago",
		"in the column `yesterday`":            "in the column `yesterday`",
		"next friday, or the one after":        "next friday (2026-11-20 or 2026-11-27), or the one after",
	} {
		if got := Annotated(text, wednesday); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
