package reldate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// unit is what a phrase counts in.
type unit string

const (
	day     unit = "day"
	week    unit = "week"
	weekend unit = "weekend"
	month   unit = "month"
	quarter unit = "quarter"
	year    unit = "year"
	weekday unit = "weekday"
)

var units = []unit{day, week, weekend, month, quarter, year, weekday}

// when is a distance from an unknown day.
type when struct {
	unit     unit
	offset   int    // in units
	weekday  int    // from Monday, 0
	weekdays string // which of these: as phrases.txt has it
}

func (w when) on(anchor time.Time) string {
	y, m, d := anchor.Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	monday := today.AddDate(0, 0, -sinceMonday(today))
	switch w.unit {
	case week:
		return "the week of " + iso(monday.AddDate(0, 0, 7*w.offset))
	case weekend:
		return "the weekend of " + iso(monday.AddDate(0, 0, 7*w.offset+5))
	case month:
		return time.Date(y, m+time.Month(w.offset), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
	case quarter:
		first := time.Date(y, m+time.Month(3*w.offset), 1, 0, 0, 0, 0, time.UTC)
		return fmt.Sprintf("%04d-Q%d", first.Year(), (int(first.Month())+2)/3)
	case year:
		return fmt.Sprintf("%04d", y+w.offset)
	case weekday:
		first := w.dayOfWeek(today)
		w.weekdays = strings.Replace(w.weekdays, "?", "w1", 1)
		if next := w.dayOfWeek(today); !next.Equal(first) {
			return iso(first) + " or " + iso(next)
		}
		return iso(first)
	}
	return iso(today.AddDate(0, 0, w.offset))
}

// dayOfWeek returns the day with the name that the phrase has.
func (w when) dayOfWeek(today time.Time) time.Time {
	ahead := w.weekday - sinceMonday(today)
	switch w.weekdays {
	case "-":
		if ahead >= 0 {
			ahead -= 7
		}
	case "+", "?":
		if ahead <= 0 {
			ahead += 7
		}
	default:
		weeks, _ := strconv.Atoi(w.weekdays[1:])
		ahead += 7 * weeks
	}
	return today.AddDate(0, 0, ahead)
}

func sinceMonday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

func iso(t time.Time) string { return t.Format(time.DateOnly) }
