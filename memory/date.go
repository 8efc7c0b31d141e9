package memory

import "time"

// FirstDate returns the first ISO date of a text, as that day.
func FirstDate(text string) (time.Time, bool) {
	const size = len(time.DateOnly)
	for i := 0; i+size <= len(text); i++ {
		if text[i] != '1' && text[i] != '2' || text[i+4] != '-' {
			continue
		}
		if day, err := time.Parse(time.DateOnly, text[i:i+size]); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}
