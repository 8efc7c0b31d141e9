// Command measure prints how often package signal is right, by kind and by language, on four files of
// labelled texts: labelled.tsv, on which the rules were tuned; heldout.tsv, which was written before the
// first rule and is never tuned on; unforeseen.tsv, written after the rules, in turns of phrase that they
// were not made for; and messages.tsv, whole messages of which most have no signal. With -v it lists what is
// missed and what is false.
//
//	go run ./consolidate/transcript/signal/measure
//
// All texts are invented by the authors of the rules, so the first two files show only that nothing
// broke. On messages.tsv the precision was 0.74 before ten rules were corrected for it. On messages of
// real people three in four were right.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"dream-mcp/consolidate/transcript/signal"
)

//go:embed testdata/*.tsv
var testdata embed.FS

// files are what is measured, in this order.
var files = []string{"labelled", "heldout", "unforeseen", "messages"}

func main() {
	verbose := flag.Bool("v", false, "list every sentence that is judged wrongly")
	flag.Parse()
	if err := run(os.Stdout, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, verbose bool) error {
	for _, name := range files {
		sentences, err := read(name)
		if err != nil {
			return err
		}
		innocent := 0
		for _, s := range sentences {
			if s.kinds == nil {
				innocent++
			}
		}
		fmt.Fprintf(w, "%s: %d sentences, %d of them without a signal\n\n", name, len(sentences), innocent)
		judge(sentences).print(w)
		if verbose {
			mistakes(w, sentences)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// A sentence is one labelled line.
type sentence struct {
	language, speaker, text string
	kinds                   []signal.Kind
}

// read parses a file of labelled sentences.
func read(name string) ([]sentence, error) {
	content, err := testdata.ReadFile("testdata/" + name + ".tsv")
	if err != nil {
		return nil, err
	}
	var all []sentence
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s, line %d: %d fields, not 4", name, number, len(fields))
		}
		s := sentence{language: fields[0], speaker: fields[1], text: strings.ReplaceAll(fields[3], `\n`, "\n")}
		if fields[2] != "-" {
			for kind := range strings.SplitSeq(fields[2], ",") {
				if !slices.Contains(signal.Kinds(), signal.Kind(kind)) {
					return nil, fmt.Errorf("%s, line %d: no kind is named %q", name, number, kind)
				}
				s.kinds = append(s.kinds, signal.Kind(kind))
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// A tally counts what was found rightly, found wrongly, and missed.
type tally struct{ right, wrong, missed int }

func (t *tally) add(o tally) {
	t.right += o.right
	t.wrong += o.wrong
	t.missed += o.missed
}

// precision is the share of what was found that is right; without any, 1.
func (t tally) precision() float64 { return share(t.right, t.wrong) }

// recall is the share of what is there that was found; without any, 1.
func (t tally) recall() float64 { return share(t.right, t.missed) }

func share(n, rest int) float64 {
	if n+rest == 0 {
		return 1
	}
	return float64(n) / float64(n+rest)
}

// A verdict is the tallies of a file by kind and language.
type verdict map[signal.Kind]map[string]tally

// judge compares what is found in the sentences with their labels.
func judge(sentences []sentence) verdict {
	v := verdict{}
	for _, s := range sentences {
		found := signal.Of(s.speaker, s.text)
		for _, kind := range signal.Kinds() {
			if v[kind] == nil {
				v[kind] = map[string]tally{}
			}
			t := v[kind][s.language]
			switch has, labelled := found.Has(kind), slices.Contains(s.kinds, kind); {
			case has && labelled:
				t.right++
			case has:
				t.wrong++
			case labelled:
				t.missed++
			}
			v[kind][s.language] = t
		}
	}
	return v
}

// sum adds the tallies of one kind (all: "") and one language (all: "").
func (v verdict) sum(kind signal.Kind, language string) (sum tally) {
	for k, languages := range v {
		for l, t := range languages {
			if (kind == "" || k == kind) && (language == "" || l == language) {
				sum.add(t)
			}
		}
	}
	return sum
}

// languages are those of the package, as the files name them.
var languages = []string{"en", "zh", "ko", "ja", "de", "fr", "es"}

// print writes a table: precision/recall in percent, and how often a kind is there.
func (v verdict) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "precision/recall\t")
	for _, language := range languages {
		fmt.Fprint(t, language, "\t")
	}
	fmt.Fprintln(t, "all\tlabelled\t")
	for _, kind := range append(signal.Kinds(), "") {
		fmt.Fprint(t, string(kind), "\t")
		for _, language := range append(languages, "") {
			sum := v.sum(kind, language)
			fmt.Fprintf(t, "%.0f/%.0f\t", 100*sum.precision(), 100*sum.recall())
		}
		sum := v.sum(kind, "")
		fmt.Fprintf(t, "%d\t\n", sum.right+sum.missed)
	}
	t.Flush()
}

// mistakes lists what is missed and what is false.
func mistakes(w io.Writer, sentences []sentence) {
	for _, s := range sentences {
		found := signal.Of(s.speaker, s.text)
		for _, kind := range signal.Kinds() {
			switch has, labelled := found.Has(kind), slices.Contains(s.kinds, kind); {
			case has && !labelled:
				from, to, _ := signal.Find(kind, s.speaker, s.text)
				fmt.Fprintf(w, "false %s in %s: %q, for %q\n", kind, s.language, s.text, s.text[from:to])
			case labelled && !has:
				fmt.Fprintf(w, "missed %s in %s: %q\n", kind, s.language, s.text)
			}
		}
	}
}
