package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory/lazy"
)

const months = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// writtenDate matches a date with the name of a month at the beginning of a text: 18 November 2026, Nov 18th, March
// 2026, October.
var writtenDate = lazy.New(`^(?i:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(Ma[yr]|(?i:` + months +
	`))\b\.?(?i: (\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (\d{4})\b)?`)

// monthStarts are the first letters of the months.
const monthStarts = "janfebmaraprmayjunjulaugsepoctnovdec"

// maxDate is more than any date has bytes, with what ends it.
const maxDate = 32

// dateLen returns the length of the date with a day or a year that a text begins with, 0 where it begins with none.
func dateLen(text string) int {
	if !isDigit(text[0]) && (len(text) < 3 || !strings.Contains(monthStarts, strings.ToLower(text[:3]))) {
		return 0 // most words
	}
	date := writtenDate.FindString(text[:min(len(text), maxDate)])
	if isoDate(date) == date {
		return 0
	}
	return len(date)
}

// isoDate writes a date with the name of a month as 2026-11-18, 2026-11 or 11-18. A month alone stays as it is, and so
// does what is not a date.
func isoDate(text string) string {
	m := writtenDate.FindStringSubmatch(text)
	if m == nil || m[0] != text || m[1] != "" && m[3] != "" || m[1]+m[3]+m[4] == "" {
		return text
	}
	day := m[1] + m[3]
	if len(day) == 1 {
		day = "0" + day
	}
	month := strings.Index(monthStarts, strings.ToLower(m[2][:3]))/3 + 1
	return strings.Trim(fmt.Sprintf("%s-%02d-%s", m[4], month, day), "-")
}
