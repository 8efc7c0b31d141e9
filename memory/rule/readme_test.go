package rule

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of rules in README.md")

// README.md lists the rules as their table has them, between two marks.
func TestReadme(t *testing.T) {
	const file, from, to = "README.md", "<!-- rules -->\n", "<!-- end of rules -->\n"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), from)
	_, after, ends := strings.Cut(rest, to)
	if !begins || !ends {
		t.Fatalf("%s has no marks %q and %q", file, from, to)
	}
	want := before + from + listed() + to + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(page, []byte(want)) {
		t.Errorf("%s differs from the table of rules; go test ./memory/rule -run Readme -update writes it", file)
	}
}

func listed() string {
	var b strings.Builder
	b.WriteString("| rule | worst | waivable | asks for |\n|---|---|---|---|\n")
	for _, d := range Docs() {
		waivable := ""
		if d.Waivable {
			waivable = "yes"
		}
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", d.Name, d.Name, d.Severity, waivable, escaped(d.Summary))
	}
	for _, d := range Docs() {
		fmt.Fprintf(&b, "\n### %s\n\nCatches: %s.\n\nLeaves alone: %s.\n", d.Name, escaped(d.Catches), escaped(d.Leaves))
	}
	return b.String()
}

func escaped(s string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(s)
}
