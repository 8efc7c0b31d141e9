package rule

import (
	"fmt"
	"strings"

	"dream-mcp/memory/lazy"
)

const months = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// writtenDate matches dates with the name of a month: 18 November 2026, Nov 18th, March 2026, in October.
var writtenDate = lazy.New(`\b(?i:(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?(Ma[yr]|(?i:` + months +
	`))\b\.?(?i: (\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (\d{4})\b)?`)

// isoDates writes a date with the name of a month as 2026-11-18, 2026-11 or 11-18. A month alone stays as it is.
func isoDates(text string) string {
	return writtenDate.ReplaceAllStringFunc(text, func(written string) string {
		m := writtenDate.FindStringSubmatch(written)
		day, year := m[1]+m[3], m[4]
		if m[1] != "" && m[3] != "" || day+year == "" {
			return written
		}
		if len(day) == 1 {
			day = "0" + day
		}
		month := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(m[2][:3]))/3 + 1
		return strings.Trim(fmt.Sprintf("%s-%02d-%s", year, month, day), "-")
	})
}

// asWritten returns a text with the dates that isoDates gave it as written has them.
func asWritten(text, written string) string {
	var out strings.Builder
	for _, date := range writtenDate.FindAllString(written, -1) {
		before, after, found := strings.Cut(text, isoDates(date))
		if found {
			out.WriteString(before + date)
			text = after
		}
	}
	return out.String() + text
}
