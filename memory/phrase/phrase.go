// Package phrase writes counts, durations and lists as English phrases.
package phrase

import (
	"fmt"
	"strings"
	"time"
)

// Ago returns how long before now t was, rounded.
func Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "in the future (is the clock right?)"
	case d < time.Minute:
		return "just now"
	}
	return Lasted(d) + " ago"
}

// Lasted returns a duration in its largest unit up to days, such as "2 hours".
func Lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return Plural(int(d.Seconds()), "second")
	case d < time.Hour:
		return Plural(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return Plural(int(d.Hours()), "hour")
	}
	return Plural(int(d.Hours()/24), "day")
}

// Plural returns a count and a noun, such as "2 memories".
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay"): // memory, but not day
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Few joins at most so many names, and counts the rest.
func Few[T any](names []T, most int) string {
	var shown []string
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, fmt.Sprint(n))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
