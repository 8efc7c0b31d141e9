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

// isoDate writes a date with the name of a month as 2026-11-18, 2026-11 or 11-18. A month alone stays as it is, and so does what
// is not a date.
func isoDate(text string) string {
	m := writtenDate.FindStringSubmatch(text)
	if m == nil || m[0] != text || m[1] != "" && m[3] != "" || m[1]+m[3]+m[4] == "" {
		return text
	}
	day := m[1] + m[3]
	if len(day) == 1 {
		day = "0" + day
	}
	month := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(m[2][:3]))/3 + 1
	return strings.Trim(fmt.Sprintf("%s-%02d-%s", m[4], month, day), "-")
}
