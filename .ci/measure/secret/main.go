// Package measure prints how often package secret is right, on the labelled set beside it: for each kind
// of credential the precision and the recall.
//
// It promises the same numbers for the same code. It does not promise that text elsewhere holds the same
// share of each kind: the set is made of what is hard, credentials and innocent text both.
package measure

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"dream-mcp/memory/secret"
)

// Print writes the measure; verbose says what was missed and what was a false alarm too.
func Print(w io.Writer, verbose bool) error {
	if err := measure().print(w, verbose); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, "\nsurroundings of an earlier set"); err != nil {
		return err
	}
	if err := measureEarlier().print(w, verbose); err != nil {
		return err
	}
	for _, held := range []bool{false, true} {
		r := measureFresh(held)
		half := "the half that the rule was made on"
		if held {
			half = "the half that is held out"
		}
		fmt.Fprintf(w, "\nfresh kinds, %s: %d of %d found, %d innocent lines of %d masked\n", half, r.found, r.secrets, r.masked, r.innocent)
		if verbose && !held {
			fmt.Fprintln(w, strings.Join(r.misjudgings, "\n"))
		}
	}
	return nil
}

// freshResult counts the samples of a half of the fresh set.
type freshResult struct {
	secrets, found   int
	innocent, masked int
	misjudgings      []string
}

// maxBeside is how much, in bytes, may be masked beside a credential of the fresh set.
const maxBeside = 80

// measureFresh masks every sample. A credential is found when all of it is masked, whatever its kind, and little beside
// it.
func measureFresh(held bool) freshResult {
	var r freshResult
	for _, s := range fresh(held) {
		r.secrets++
		if covered(s) {
			r.found++
		} else {
			r.misjudgings = append(r.misjudgings, fmt.Sprintf("missed %s in %q: %q", s.kind, s.text, secret.Allowed(nil).Mask(s.text)))
		}
	}
	for _, s := range innocents(held) {
		r.innocent++
		if masked := secret.Allowed(nil).Mask(s.text); masked != s.text {
			r.masked++
			r.misjudgings = append(r.misjudgings, fmt.Sprintf("wrong in %q: %q", s.text, masked))
		}
	}
	return r
}

// vendor is the beginning of a credential that names who issued it, and is not a secret.
var vendor = regexp.MustCompile(`^[a-z]+[_-]$`)

// covered reports whether every line of a credential is masked, and little else.
func covered(s sample) bool {
	at, beside := s.from, 0
	for _, span := range secret.Find(s.text) {
		if span.To <= s.from || span.From >= s.to {
			beside += span.To - span.From
			continue
		}
		if between := s.text[min(at, span.From):span.From]; strings.TrimSpace(between) != "" && (at > s.from || !vendor.MatchString(between)) {
			return false
		}
		beside += max(0, s.from-span.From) + max(0, span.To-s.to)
		at = span.To
	}
	return at >= s.to && beside <= maxBeside
}

// anyKind is the kind of a sample that is found whatever kind is reported.
const anyKind = "any"

// sample is a text and where its credential is; the kind of a trap is "".
type sample struct {
	text     string
	from, to int
	kind     string
}

// count is what became of the samples of a kind.
type count struct{ found, missed, wrong int }

func (c count) precision() float64 { return share(c.found, c.wrong) }
func (c count) recall() float64    { return share(c.found, c.missed) }

func share(good, bad int) float64 {
	if good+bad == 0 {
		return 1
	}
	return float64(good) / float64(good+bad)
}

// result holds the counts of each kind, of all, and each sample that was judged wrongly.
type result struct {
	kinds       map[string]*count
	all         count
	secrets     int
	traps       int
	misjudgings []string
}

// measure asks Find about every sample. A credential is found when a span of its kind covers it and no
// more than its quotes beside it; every other span is wrong.
func measure() *result {
	return measureSet(append(credentials(), traps()...))
}

// measureEarlier is measure of the set that was held out before the fresh one was written.
func measureEarlier() *result { return measureSet(append(heldOut(), heldOutTraps()...)) }

// measureSet asks Find about every sample of a set.
func measureSet(set []sample) *result {
	r := &result{kinds: make(map[string]*count)}
	for _, s := range set {
		if s.kind == "" {
			r.traps++
		} else {
			r.secrets++
		}
		found := false
		for _, span := range secret.Find(s.text) {
			if s.kind != "" && (s.kind == anyKind || span.Kind == s.kind) && span.From <= s.from && span.To >= s.to && span.To-span.From <= s.to-s.from+2 {
				found = true
				continue
			}
			r.of(span.Kind).wrong++
			r.all.wrong++
			r.misjudgings = append(r.misjudgings, fmt.Sprintf("wrong %s %q in %q", span.Kind, s.text[span.From:span.To], s.text))
		}
		switch {
		case found:
			r.of(s.kind).found++
			r.all.found++
		case s.kind != "":
			r.of(s.kind).missed++
			r.all.missed++
			r.misjudgings = append(r.misjudgings, fmt.Sprintf("missed %s in %q", s.kind, s.text))
		}
	}
	return r
}

func (r *result) of(kind string) *count {
	if r.kinds[kind] == nil {
		r.kinds[kind] = new(count)
	}
	return r.kinds[kind]
}

func (r *result) print(w io.Writer, verbose bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kind\tfound\tmissed\twrong\tprecision\trecall")
	row := func(kind string, c count) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.3f\t%.3f\n", kind, c.found, c.missed, c.wrong, c.precision(), c.recall())
	}
	kinds := slices.Sorted(maps.Keys(r.kinds))
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(r.kinds[b].found, r.kinds[a].found) })
	for _, kind := range kinds {
		row(kind, *r.kinds[kind])
	}
	row("all", r.all)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d credentials, %d traps\n", r.secrets, r.traps)
	if !verbose {
		return nil
	}
	for _, m := range r.misjudgings {
		if _, err := fmt.Fprintln(w, m); err != nil {
			return err
		}
	}
	return nil
}
