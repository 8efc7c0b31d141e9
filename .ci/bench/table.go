package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

func (b *bench) head() {
	fmt.Fprint(b.out, "| ms, and ratio to rg | matches said / by tools | grep -rn \\| tail | rg -n \\| tail |")
	for _, w := range ways {
		fmt.Fprintf(b.out, " %s |", w.name)
	}
	fmt.Fprint(b.out, "\n|---|---|---|---|", strings.Repeat("---|", len(ways)), "\n")
}

func (b *bench) row(c class, times map[string][]time.Duration, matches map[string]int) {
	name := c.name
	if c.regex {
		name += " `" + strings.ReplaceAll(c.text, "|", `\|`) + "`"
	} else {
		name += " `" + c.text + "`"
	}
	fmt.Fprintf(b.out, "| %s | %d / %d |", name, matches[later.name], matches[byTools.name])
	rg := median(times["rg"])
	for _, tool := range []string{"grep", "rg"} {
		fmt.Fprintf(b.out, " %s |", ms(median(times[tool])))
	}
	for _, w := range ways {
		m := median(times[w.name])
		fmt.Fprintf(b.out, " %s (%s) |", ratio(m, rg), ms(m))
	}
	fmt.Fprintln(b.out)
}

func median[T cmp.Ordered](all []T) (m T) {
	if len(all) == 0 {
		return m
	}
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func ms(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.0f", d.Seconds()*1e3)
}

func ratio(d, to time.Duration) string {
	if to == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(d)/float64(to))
}
