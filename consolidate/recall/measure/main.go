// Command measure prints how well package recall chooses memories for prompts, over two sets in testdata, which were written for this
// project: of what is shown, how much is right (precision); of the prompts that no memory answers, how many are met with
// silence; of the others, how many get one of their memories (found). Half of each set is held out: no number was tuned on it. The set
// of 218 memories was written, and committed, before it was measured first.
//
// A line of prompts is a language, the memories that answer ("-" for none) and the prompt, between tabs. With -misses it
// prints what goes wrong in the halves that may be looked at.
package main

import (
	"embed"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"dream-mcp/consolidate/recall"
	"dream-mcp/memory"
)

//go:embed testdata
var testdata embed.FS

// sets are the ends of the names of the files of a set.
var sets = []string{"48", "218"}

func main() {
	misses := flag.Bool("misses", false, "print what goes wrong in the halves that may be looked at")
	flag.Parse()
	for _, set := range sets {
		all, prompts, err := fixture(set)
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		tuned, held := measure(all, prompts, *misses, os.Stdout)
		fmt.Printf("%d memories\n%v\n%v\n", len(all), tuned, held)
	}
}

// fixture returns the memories and the prompts of a set.
func fixture(set string) (all []recall.Memory, prompts string, err error) {
	memories, err := testdata.ReadFile("testdata/memories" + set + ".txtar")
	if err != nil {
		return nil, "", err
	}
	lines, err := testdata.ReadFile("testdata/prompts" + set + ".txt")
	if err != nil {
		return nil, "", err
	}
	s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}}
	for _, f := range txtar.Parse(memories).Files {
		n, err := memory.ParseName(f.Name)
		if err != nil {
			return nil, "", err
		}
		if n.IsTopic() {
			s.Topics[n] = memory.ParseTopic(f.Data)
		}
	}
	return recall.Memories(s, nil), string(lines), nil
}

// A tally is what became of the prompts of one half.
type tally struct {
	name               string
	answered, found    int
	unanswered, silent int
	pushed, right      int
}

func (t tally) String() string {
	part := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	return fmt.Sprintf("%-9s precision %.3f (%d of %d pushed)   silence %.3f (%d of %d)   found %.3f (%d of %d)", t.name,
		part(t.right, t.pushed), t.right, t.pushed, part(t.silent, t.unanswered), t.silent, t.unanswered, part(t.found, t.answered), t.found, t.answered)
}

// measure asks for each prompt.
func measure(all []recall.Memory, prompts string, misses bool, out io.Writer) (tuned, held tally) {
	tuned.name, held.name = "tuned", "held out"
	for line := range strings.Lines(prompts) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		wanted, prompt := strings.Split(columns[1], ","), columns[2]
		t := &tuned
		if isHeld(prompt) {
			t = &held
		}
		chosen := recall.ForPrompt(prompt, all)
		right := 0
		var paths []string
		for _, m := range chosen {
			paths = append(paths, m.Path)
			if slices.Contains(wanted, m.Path) {
				right++
			}
		}
		t.pushed += len(chosen)
		t.right += right
		if columns[1] == "-" {
			t.unanswered++
			if len(chosen) == 0 {
				t.silent++
			}
		} else {
			t.answered++
			if right > 0 {
				t.found++
			}
		}
		if misses && t == &tuned && (right < len(chosen) || columns[1] != "-" && right == 0) {
			fmt.Fprintf(out, "%s\n\twanted %v, got %v\n", prompt, wanted, paths)
		}
	}
	return tuned, held
}

// isHeld reports whether a prompt was kept from whoever tuned the numbers: half of them, by chance.
func isHeld(prompt string) bool {
	h := fnv.New32a()
	h.Write([]byte(prompt))
	return h.Sum32()>>8%2 == 0
}
