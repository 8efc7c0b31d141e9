package hostlock

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	at := time.UnixMilli(1_763_712_000_123)
	for text, want := range map[string]Text{
		"":                           {},
		"\n":                         {},
		"4242":                       {PID: 4242},
		"4242\n":                     {PID: 4242},
		" 4242 node":                 {PID: 4242},
		"not a pid":                  {},
		"99999999999999999999":       {},
		"4294967297":                 {}, // 1, to a system that takes 32 bits of it
		"4242\n1763712000123":        {PID: 4242, TwoLines: true, Time: at},
		"4242\r\n1763712000123\r\n":  {PID: 4242, TwoLines: true, Time: at},
		"\n1763712000123":            {TwoLines: true, Time: at},
		"\n1763712000123.5":          {TwoLines: true, Time: at.Add(500 * time.Microsecond)},
		"\n1.763712000123e12\nmore":  {TwoLines: true, Time: at},
		"\n0":                        {TwoLines: true, Time: time.UnixMilli(0)},
		"4242\nyesterday":            {PID: 4242},
		"4242\nNaN":                  {PID: 4242},
		"4242\nInfinity":             {PID: 4242},
		"4242\n1e300":                {PID: 4242},
		"4242\n-1":                   {PID: 4242},
		"4242\n\n1763712000123":      {PID: 4242},
		"1763712000123":              {}, // the newer format without its first line
		"4242\n1763712000123\nmore…": {PID: 4242, TwoLines: true, Time: at},
	} {
		got := Parse([]byte(text))
		if got.PID != want.PID || got.TwoLines != want.TwoLines || !got.Time.Equal(want.Time) {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

// What is written is read back as it was.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "1", "7\n1763712000123", "\n1763712000123.456", "\n0.0005"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first := Parse(text)
		again := Parse(first.Bytes())
		if again.PID != first.PID || again.TwoLines != first.TwoLines || !again.Time.Equal(first.Time) {
			t.Errorf("%q is %+v, and %q is %+v", text, first, first.Bytes(), again)
		}
	})
}
