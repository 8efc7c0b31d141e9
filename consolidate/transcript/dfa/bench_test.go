package dfa

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// transcript is a megabyte of what tools might have said: tests, code, logs, prose.
func transcript() string {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		fmt.Fprintf(&text, "ok  \tlighthouse/gallery\t0.%03ds\tcoverage: \"71.4%%\" of statements in ./gallery\n", i%1000)
		fmt.Fprintf(&text, "func (l *Lantern) Turn%d(ctx context.Context, speed int) (degrees float64, err error) {\n\treturn l.Lens.Rotate(ctx, speed*%d)\n}\n", i, i)
		text.WriteString("Then the step fails with an error, so I look at the lens again: MAX_RETRIES is 3. – Die Größe stimmt, データベース移行 too.\n")
		fmt.Fprintf(&text, "2026-11-18T09:14:%02d INFO 10.0.0.%d connection refused, retry in %d ms\n", i%60, i%256, i)
	}
	return text.String()
}

// BenchmarkMatch: whole texts, of a megabyte and of some lines, in which nothing matches, beside regexp.
func BenchmarkMatch(b *testing.B) {
	long := transcript()
	for _, expression := range []string{
		`\w{18,}\s+\w{18,}`, `[A-Z]{3,}_[A-Z]{3,}_[A-Z]{3,}`, `(?i)error.{0,40}timeout`, `\b(?:timeout|deadline|stale)\b`, `\w+-\d+-resolved`,
		`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}:\d{4,5}\b`, `\p{Greek}{3}`,
	} {
		re := regexp.MustCompile(expression)
		for name, match := range map[string]func(string) bool{"dfa": New(re).Match, "regexp": re.MatchString} {
			for _, size := range []int{len(long), 2000, 200} {
				text := long[:size]
				b.Run(fmt.Sprint(expression, "/", size, "/", name), func(b *testing.B) {
					b.SetBytes(int64(len(text)))
					for b.Loop() {
						if match(text) {
							b.Fatal("matches")
						}
					}
				})
			}
		}
	}
}

// BenchmarkLanes: four parts of a text at once, beside one.
func BenchmarkLanes(b *testing.B) {
	text := transcript()
	m := newMachine(New(regexp.MustCompile(`\w{18,}\s+\w{18,}`)).program, limits{maxTable, maxKeys})
	nowhere := func(int, int) int { return stop }
	for name, to := range map[string][lanes]int{"four": {}, "one": {}} {
		var from [lanes]int
		for lane := range lanes {
			from[lane], to[lane] = len(text), len(text)
			if name == "four" {
				from[lane], to[lane] = lane*(len(text)/lanes), (lane+1)*(len(text)/lanes)
			}
		}
		if name == "one" {
			from[0] = 0
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for lane := range lanes {
					m.at[lane] = m.row(begin)
				}
				if !pass(m, text, &m.bytes, from, to, nowhere) {
					b.Fatal("matches")
				}
			}
		})
	}
}
