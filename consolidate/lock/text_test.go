package lock

import (
	"testing"
	"time"
)

func TestParseHost(t *testing.T) {
	at := time.UnixMilli(1_763_712_000_123)
	for text, want := range map[string]HostRecord{
		"":                           {},
		"\n":                         {},
		"4242":                       {PID: 4242},
		"4242\n":                     {PID: 4242},
		" 4242 node":                 {PID: 4242},
		"not a pid":                  {},
		"99999999999999999999":       {},
		"4294967297":                 {}, // 1, to a system that takes 32 bits of it
		"4242\n1763712000123":        {PID: 4242, twoLines: true, Stamp: Stamp{Time: at}},
		"4242\r\n1763712000123\r\n":  {PID: 4242, twoLines: true, Stamp: Stamp{Time: at}},
		"\n1763712000123":            {twoLines: true, Stamp: Stamp{Time: at}},
		"\n1763712000123.5":          {twoLines: true, Stamp: Stamp{Time: at.Add(500 * time.Microsecond)}},
		"\n1.763712000123e12\nmore":  {twoLines: true, Stamp: Stamp{Time: at}},
		"\n0":                        {twoLines: true, Stamp: Stamp{Time: time.UnixMilli(0)}},
		"4242\nyesterday":            {PID: 4242},
		"4242\nNaN":                  {PID: 4242},
		"4242\nInfinity":             {PID: 4242},
		"4242\n1e300":                {PID: 4242},
		"4242\n-1":                   {PID: 4242},
		"4242\n\n1763712000123":      {PID: 4242},
		"1763712000123":              {}, // the newer format without its first line
		"4242\n1763712000123\nmore…": {PID: 4242, twoLines: true, Stamp: Stamp{Time: at}},
	} {
		got := parseHost([]byte(text), time.Time{})
		if got.PID != want.PID || got.twoLines != want.twoLines || !got.Time.Equal(want.Time) {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
}

// What is written is read back as it was.
func FuzzHost(f *testing.F) {
	for _, text := range []string{"", "1", "7\n1763712000123", "\n1763712000123.456", "\n0.0005"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first := parseHost(text, time.Time{})
		again := parseHost(first.text(first.PID, first.Time), time.Time{})
		if again.PID != first.PID || again.twoLines != first.twoLines || !again.Time.Equal(first.Time) {
			t.Errorf("%q is %+v, and %q is %+v", text, first, first.text(first.PID, first.Time), again)
		}
	})
}
