package logs

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dream-mcp/memory"
)

func TestDayOfLog(t *testing.T) {
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	changed := now.Add(-50 * time.Hour) // 2026-11-16
	for name, want := range map[string]string{
		"logs/2026/11/2026-11-18.md":       "2026-11-18",
		"logs/2026/11/17/3f2a-lamps.md":    "2026-11-17",
		"Logs/2026/11/2026-11-10.md":       "2026-11-10",
		"sessions/2026/11/2026-11-09.md":   "2026-11-09",
		"logs/2026/11/2026-11-19.md":       "2026-11-19", // another time zone's today
		"logs/9999/11/2026-11-18.md":       "2026-11-16", // not yet
		"logs/2026/13/45/x.md":             "2026-11-16", // never
		"logs/lamps.md":                    "2026-11-16",
		"logs/2026/11/2026-11-18-lamps.md": "2026-11-16",
	} {
		n, err := memory.ParseName(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := dayOf(memory.Found{Name: n, ModTime: changed}, now); got != want {
			t.Errorf("%s is of %s, want %s", name, got, want)
		}
	}
}

func TestLogExcerpt(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		before, tools    int
	}{
		{"empty", "", "", 0, 0},
		{"all fits", "> one\n\n< two\r\n", "> one\n< two", 0, 0},
		{"the last lines", "one one one\ntwo two two\nthree\n", "two two two\nthree", 1, 0},
		{"tools", "> one\n. Edit a.go\n. Edit b.go\n< two", "> one\n< two", 0, 2},
		{"dots without marks", "one\n. two\n", "one\n. two", 0, 0},
		{"one long line", "first\n" + strings.Repeat("é", 40), strings.Repeat("é", 9) + "…", 1, 0},
	} {
		var l Log
		l.excerpt(test.text, 20)
		if l.Excerpt != test.want || l.Tools != test.tools || l.Before != test.before || !utf8.ValidString(l.Excerpt) {
			t.Errorf("%s: %q, %d before, %d of tools", test.name, l.Excerpt, l.Before, l.Tools)
		}
	}
}
