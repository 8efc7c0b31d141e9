//go:build linux

package consolidate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// chronicle is what processes said that they did, what the archives say that landed, and what the
// memory held before and after. Its laws are:
//
//  1. Exclusion: the spans in which processes of ours were seen within the lock are disjoint.
//  2. Claude Code: where it holds its lock, no dream of ours claims it, nor begins to land; and it
//     never finds its lock free during a dream of ours that lands. (Two Claude Codes may both
//     take it in one moment, and the one frees it under the other: such holds are left out.)
//  3. The chain: what changed a file (a change that landed, or a foreign edit that knows what it
//     displaced) leads from one content to another. From the first content of a file to its last these
//     changes are one trail: no content is left more often than it was reached. Two writes on one base
//     break it, and a content that no change led to.
//  4. Acknowledged: what a call was answered has landed, is among the changes that landed, on the base
//     that the call gave.
//  5. Kept: what a change replaced is whole in the archive; and what a foreign editor wrote it finds
//     again, or the archive has it.
type chronicle struct {
	processes   map[string][]event
	archives    []archived
	first, last map[string]string // sums by path

	edges, displaced int
}

// archived is what an archive says of what landed.
type archived struct {
	id      string
	changes []link
	maybe   []link            // landed or not: by the time it was looked at again, somebody had edited the file
	kept    map[string]string // the path of each content that was replaced, by its sum
}

// link is a change of a file from one content to another, "" for no file.
type link struct {
	path, from, to string
	base           string // what from should have been: a foreign edit may have come between
}

// sums returns the sums of the memory's files.
func (w *world) sums() map[string]string {
	sums := map[string]string{}
	for file, content := range w.files() {
		sums[file] = string(memory.SumOf([]byte(content)))
	}
	return sums
}

var topicName = regexp.MustCompile(`^---\nname: (\w+)\n`)

// pathOf says of which file a content is.
func pathOf(content []byte) string {
	if m := topicName.FindSubmatch(content); m != nil {
		return string(m[1]) + ".md"
	}
	return indexFile
}

// load reads the histories in folder and the archives of p.
func (h *chronicle) load(t *testing.T, p *Project, folder string) {
	h.processes = map[string][]event{}
	files, _ := filepath.Glob(filepath.Join(folder, "*-*-*"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var e event
			if strings.HasSuffix(file, ".temp") || json.Unmarshal(line, &e) != nil {
				continue
			}
			h.processes[filepath.Base(file)] = append(h.processes[filepath.Base(file)], e)
		}
	}
	ids, err := p.Store.Records.Look().Operations().IDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		a, err := p.Store.Records.Op(id)
		if err != nil {
			t.Fatalf("archive %s: %v", id, err)
		}
		if a.State == state.Landing {
			t.Errorf("archive %s is still landing", id)
		}
		if a.State == state.Landed {
			h.archives = append(h.archives, h.archived(t, p, a))
		}
	}
}

func (h *chronicle) archived(t *testing.T, p *Project, a ops.Op) archived {
	id := a.ID
	x := archived{id: id, kept: map[string]string{}}
	displaced := map[string]string{}
	for _, sum := range a.Displaced {
		content, err := p.Store.Records.Content(sum)
		if err != nil {
			t.Errorf("archive %s: %v", id, err)
		}
		displaced[pathOf(content)] = string(sum)
		x.kept[string(sum)] = pathOf(content)
		h.displaced++
	}
	source := func(path string, before memory.Sum) string {
		if sum, met := displaced[path]; met {
			return sum
		}
		if _, err := p.Store.Records.Content(before); err != nil {
			t.Errorf("archive %s: %s: %v", id, path, err)
		}
		x.kept[string(before)] = path
		return string(before)
	}
	for _, c := range a.Changes {
		x.changes = append(x.changes, link{c.Name.String(), source(c.Name.String(), c.Before), string(c.After), string(c.Before)})
		h.edges++
	}
	for _, c := range a.LeftAlone {
		x.maybe = append(x.maybe, link{c.Name.String(), source(c.Name.String(), c.Want), string(c.Lost), string(c.Want)})
	}
	return x
}

func (h *chronicle) violations() []string {
	return slices.Concat(h.exclusion(), h.host(), h.chains(), h.acknowledged(), h.foreign())
}

// section is a span in which a process was within the lock.
type section struct {
	who        string
	from, to   int64
	claimed    [2]int64 // between which two times it took Claude Code's lock
	marked     [2]int64 // between which two times it looked at that lock for the last time before it landed
	dream      bool
	hasClaimed bool
	hasMarked  bool
}

func (h *chronicle) sections() (all []section) {
	for _, who := range slices.Sorted(maps.Keys(h.processes)) {
		var s *section
		close := func() {
			if s != nil {
				all = append(all, *s)
			}
			s = nil
		}
		for _, e := range h.processes[who] {
			step, isStep := strings.CutPrefix(e.What, "step ")
			switch {
			case step == "record" || step == "recover":
				close()
				s = &section{who: who, from: e.At, to: e.At}
			case s == nil || !isStep && e.What != "held":
				close()
				continue
			}
			s.to = e.At
			switch step {
			case "host":
				s.dream, s.claimed[0] = true, e.At
			case "claimed":
				s.hasClaimed, s.claimed[1] = true, e.At
			case "plan":
				s.marked[0] = e.At
			case "mark":
				s.hasMarked, s.marked[1] = true, e.At
			}
		}
		close()
	}
	slices.SortFunc(all, func(a, b section) int { return int(a.from - b.from) })
	return all
}

func (h *chronicle) exclusion() (bad []string) {
	var last section
	for _, s := range h.sections() {
		if s.from <= last.to {
			bad = append(bad, fmt.Sprintf("exclusion: %s was within the lock at %d, while %s was from %d to %d", s.who, s.from, last.who, last.from, last.to))
		}
		if s.to > last.to {
			last = s
		}
	}
	return bad
}

func (h *chronicle) host() (bad []string) {
	sections := h.sections()
	for who, events := range h.processes {
		if !strings.HasPrefix(who, "host") {
			continue
		}
		for i, e := range events {
			switch e.What {
			case "free":
				for _, s := range sections {
					if s.hasClaimed && s.hasMarked && s.claimed[1] < e.Since && e.At < s.marked[0] {
						bad = append(bad, fmt.Sprintf("host: %s found its lock free at %d, while %s dreamed", who, e.At, s.who))
					}
				}
			case "verified":
				until := e.At
				for _, later := range events[i+1:] {
					if later.What == "released" && later.Op == e.Op {
						until = later.At
					}
				}
				if h.besideAnother(who, e.At, until) {
					continue
				}
				for _, s := range sections {
					if s.hasClaimed && e.At < s.claimed[0] && s.claimed[1] < until {
						bad = append(bad, fmt.Sprintf("host: %s began a dream at %d, while %s held Claude Code's lock from %d to %d", s.who, s.claimed[1], who, e.At, until))
					}
					if s.dream && s.hasMarked && e.At < s.marked[0] && s.marked[1] < until {
						bad = append(bad, fmt.Sprintf("host: the dream of %s began to land at %d, while %s held Claude Code's lock from %d to %d", s.who, s.marked[1], who, e.At, until))
					}
				}
			}
		}
	}
	return bad
}

// besideAnother reports whether a Claude Code but who was between its look at its lock and its giving
// it back in a span.
func (h *chronicle) besideAnother(who string, from, to int64) bool {
	for other, events := range h.processes {
		if other == who || !strings.HasPrefix(other, "host") {
			continue
		}
		for i, e := range events {
			if e.What != "free" {
				continue
			}
			last := e.At
			for _, later := range events[i:] {
				if later.Op == e.Op {
					last = later.At
				}
			}
			if e.Since < to && from < last {
				return true
			}
		}
	}
	return false
}

// chains balances, for each shared file and the index, how often each content was reached and left.
func (h *chronicle) chains() (bad []string) {
	type state struct{ path, sum string }
	balance := map[state]int{}
	step := func(l link) {
		balance[state{l.path, l.from}]--
		balance[state{l.path, l.to}]++
	}
	paths := append(slices.Clone(sharedFiles), indexFile)
	for _, path := range paths {
		step(link{path: path, from: h.last[path], to: h.first[path]}) // the outside: it gives the first and takes the last
	}
	var maybe []link
	for _, a := range h.archives {
		for _, l := range a.changes {
			step(l)
		}
		maybe = append(maybe, a.maybe...)
	}
	for _, events := range h.processes {
		for _, e := range events {
			if e.What == "edited" {
				step(link{path: e.Path, from: e.From, to: e.To})
			}
		}
	}
	// What may have landed did where something went on from it. A file may have been deleted by one of several: by
	// one that found it as it was then, if there is such a one.
	landed := func(found bool) bool {
		i := slices.IndexFunc(maybe, func(l link) bool {
			return balance[state{l.path, l.to}] < 0 && (!found || balance[state{l.path, l.from}] > 0)
		})
		if i >= 0 {
			step(maybe[i])
			maybe = slices.Delete(maybe, i, i+1)
		}
		return i >= 0
	}
	for landed(true) || landed(false) {
	}
	for s, n := range balance {
		if n < 0 && slices.Contains(paths, s.path) {
			bad = append(bad, fmt.Sprintf("chain: the content %q of %s was left %d times more often than it was reached: %s", memory.Sum(s.sum).Short(), s.path, -n, h.ways(s.path, s.sum)))
		}
	}
	return bad
}

// ways says which changes led to a content and which away from it.
func (h *chronicle) ways(path, sum string) string {
	var b strings.Builder
	tell := func(who string, l link) {
		if l.path == path && (l.from == sum || l.to == sum) {
			fmt.Fprintf(&b, "\n\t%s: %q → %q", who, memory.Sum(l.from).Short(), memory.Sum(l.to).Short())
		}
	}
	for _, a := range h.archives {
		for _, l := range a.changes {
			tell(a.id, l)
		}
		for _, l := range a.maybe {
			tell(a.id+", perhaps", l)
		}
	}
	for who, events := range h.processes {
		for _, e := range events {
			if e.What == "edited" {
				tell(who, link{path: e.Path, from: e.From, to: e.To})
			}
		}
	}
	return b.String()
}

func (h *chronicle) acknowledged() (bad []string) {
	byID := map[string]archived{}
	for _, a := range h.archives {
		byID[a.id] = a
	}
	for who, events := range h.processes {
		for _, e := range events {
			want, bases := e.Staged, e.Bases
			switch e.What {
			case "acknowledged write":
				want, bases = map[string]string{e.Path: e.To}, map[string][]string{e.Path: {e.From}}
			case "acknowledged dream", "acknowledged undo":
			default:
				continue
			}
			if e.ID == "" {
				continue // nothing was to be changed
			}
			a, landed := byID[e.ID]
			if !landed {
				bad = append(bad, fmt.Sprintf("acknowledged: %s was told that %s has landed", who, e.ID))
				continue
			}
			for path, sum := range want {
				if slices.Contains(e.Left, path) {
					continue
				}
				i := slices.IndexFunc(a.changes, func(l link) bool { return l.path == path })
				switch {
				case i < 0 && sum == "": // made and deleted in one dream
				case i < 0 || !strings.HasPrefix(a.changes[i].to, sum) || sum == "" && a.changes[i].to != "":
					bad = append(bad, fmt.Sprintf("acknowledged: %s was told that %q of %s has landed with %s, which has %+v", who, sum, path, e.ID, a.changes))
				case bases != nil && !slices.ContainsFunc(bases[path], func(base string) bool { return base == memory.Sum(a.changes[i].base).Short() }):
					bad = append(bad, fmt.Sprintf("acknowledged: %s wrote %s over %q, and %s replaced %q", who, path, bases[path], e.ID, a.changes[i].base))
				}
			}
		}
	}
	return bad
}

// foreign looks for what the editors of loose files wrote, each of which has one, who may be one process after
// another. What was written in place while one of ours replaced the file may have gone to the file that was: that
// is not promised.
func (h *chronicle) foreign() (bad []string) {
	kept := map[string]bool{}
	for _, a := range h.archives {
		for sum := range a.kept {
			kept[sum] = true
		}
	}
	edits := map[string][]event{} // by path
	for _, events := range h.processes {
		for _, e := range events {
			if e.What == "replaced" || e.What == "rewritten" {
				edits[e.Path] = append(edits[e.Path], e)
			}
		}
	}
	sections := h.sections()
	for path, events := range edits {
		slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.At, b.At) })
		for i, e := range events {
			found := h.last[path]
			if i+1 < len(events) {
				found = events[i+1].From
			}
			excused := e.What == "rewritten" && slices.ContainsFunc(sections, func(s section) bool {
				return s.from < e.At && e.Since < s.to
			})
			if found != e.To && !kept[e.To] && !excused {
				bad = append(bad, fmt.Sprintf("kept: what somebody wrote to %s at %d is neither there nor in an archive", path, e.At))
			}
		}
	}
	return bad
}

// counts says how often each event happened.
func (h *chronicle) counts() map[string]int {
	n := map[string]int{}
	for _, events := range h.processes {
		for _, e := range events {
			n[e.What]++
			switch e.What {
			case "replaced", "rewritten":
				n["edited"]++
			case "step recover":
				n["recovered"]++
			}
		}
	}
	return n
}

// overlaps counts the pairs of calls of ours that were under way at once.
func (h *chronicle) overlaps() (pairs int) {
	type bound struct {
		at   int64
		open int
	}
	var bounds []bound
	for _, events := range h.processes {
		began := int64(0)
		for _, e := range events {
			if e.What == "call" {
				began = e.At
			} else if began != 0 && !strings.HasPrefix(e.What, "step ") && e.What != "held" {
				bounds = append(bounds, bound{began, 1}, bound{e.At, -1})
				began = 0
			}
		}
	}
	slices.SortFunc(bounds, func(a, b bound) int { return int(a.at - b.at) })
	open := 0
	for _, b := range bounds {
		if b.open > 0 {
			pairs += open
		}
		open += b.open
	}
	return pairs
}
