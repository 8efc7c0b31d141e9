package rule

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// A memory is a copy where another has so many percent of its bytes in the same sentences, and it has at least
// minCopied bytes.
const (
	copiedShare = 85
	minCopied   = 120
	// Sentences that more memories hold are a form that is filled in.
	maxHolders = 20
)

// findCopies reports the memories that another holds too, wholly or nearly so, each once: the shorter one, or of two
// that are of one size the later one in the order of names. Those that came with the change were judged when they were
// written.
func findCopies(v *view) (findings []Finding) {
	var names []memory.Name
	for _, n := range v.sortedNames() {
		if !isFolderIndex(n) {
			names = append(names, n)
		}
	}
	seed := maphash.MakeSeed()
	sizes, holders := make([]int, len(names)), make(map[uint64][]int)
	sentences := make([]map[uint64]int, len(names)) // their bytes
	for i, n := range names {
		sentences[i] = map[uint64]int{}
		eachPiece(v.After.Topics[n].Body(), func(piece string) {
			key := maphash.String(seed, piece)
			if _, again := sentences[i][key]; !again {
				holders[key] = append(holders[key], i)
			}
			sentences[i][key] += len(piece)
			sizes[i] += len(piece)
		})
	}
	for i, n := range names {
		if v.came(n) || sizes[i] < minCopied {
			continue
		}
		shared := map[int]int{}
		for key, size := range sentences[i] {
			if all := holders[key]; len(all) <= maxHolders {
				for _, j := range all {
					shared[j] += size
				}
			}
		}
		best := -1
		for _, j := range slices.SortedFunc(maps.Keys(shared), func(a, b int) int { return cmp.Or(shared[b]-shared[a], a-b) }) {
			longer := sizes[j] > sizes[i] || sizes[j] == sizes[i] && j < i
			if longer && 100*shared[j] >= copiedShare*sizes[i] && (shared[j] == sizes[i] || !v.nameEachOther(n, names[j])) {
				best = j
				break
			}
		}
		if best >= 0 {
			findings = append(findings, v.copyOf(n, names[best], 100*shared[best]/sizes[i]))
		}
	}
	return findings
}

// eachPiece calls do with each sentence and line of a text, but for spaces and its mark.
func eachPiece(body string, do func(piece string)) {
	for line := range strings.Lines(body) {
		for piece := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(line), "。", "。. "), ". ") {
			if piece = strings.Trim(piece, " \t#>-*.|"); piece != "" {
				do(piece)
			}
		}
	}
}

// copyOf reports that another memory has so many percent of n.
func (v *view) copyOf(n, other memory.Name, share int) Finding {
	f := Finding{
		File: n.String(), Severity: Warning, subject: other.String(),
		Message: fmt.Sprintf("%q holds %d %% of it, word for word", other.String(), share),
		Hint: fmt.Sprintf("to keep both, name one in the other: [[%s]]; else read_memory {\"paths\": [%q, %q]}, then write_memory {\"path\": %q, …, \"replaces\": "+
			"[{\"path\": %q, \"base\": …}]}", memory.StemOf(other.String()), n.String(), other.String(), other.String(), n.String()),
	}
	if memory.OneLine(v.After.Topics[n].Body()) == memory.OneLine(v.After.Topics[other].Body()) {
		f.Message = fmt.Sprintf("%q holds the same text", other.String())
	}
	return f
}
