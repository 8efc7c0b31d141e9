package lock

import (
	"testing"
	"time"
)

func TestParseHost(t *testing.T) {
	at := time.UnixMilli(1_763_712_000_123)
	for text, want := range map[string]hostText{
		"":                           {},
		"\n":                         {},
		"4242":                       {pid: 4242},
		"4242\n":                     {pid: 4242},
		" 4242 node":                 {pid: 4242},
		"not a pid":                  {},
		"99999999999999999999":       {},
		"4294967297":                 {}, // 1, to a system that takes 32 bits of it
		"4242\n1763712000123":        {pid: 4242, twoLines: true, time: at},
		"4242\r\n1763712000123\r\n":  {pid: 4242, twoLines: true, time: at},
		"\n1763712000123":            {twoLines: true, time: at},
		"\n1763712000123.5":          {twoLines: true, time: at.Add(500 * time.Microsecond)},
		"\n1.763712000123e12\nmore":  {twoLines: true, time: at},
		"\n0":                        {twoLines: true, time: time.UnixMilli(0)},
		"4242\nyesterday":            {pid: 4242},
		"4242\nNaN":                  {pid: 4242},
		"4242\nInfinity":             {pid: 4242},
		"4242\n1e300":                {pid: 4242},
		"4242\n-1":                   {pid: 4242},
		"4242\n\n1763712000123":      {pid: 4242},
		"1763712000123":              {}, // the newer format without its first line
		"4242\n1763712000123\nmore…": {pid: 4242, twoLines: true, time: at},
	} {
		got := parseHost([]byte(text))
		if got.pid != want.pid || got.twoLines != want.twoLines || !got.time.Equal(want.time) {
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
		first := parseHost(text)
		again := parseHost(first.bytes())
		if again.pid != first.pid || again.twoLines != first.twoLines || !again.time.Equal(first.time) {
			t.Errorf("%q is %+v, and %q is %+v", text, first, first.bytes(), again)
		}
	})
}
