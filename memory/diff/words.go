package diff

import (
	"regexp"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Pair finds, in each run of deleted lines that added lines follow, the lines that replace a similar one, and sets
// their Words. The order of the lines is kept: a pair never crosses another.
func Pair(lines []Line) {
	for i := 0; i < len(lines); {
		mid := i + count(lines[i:], Deleted)
		end := mid + count(lines[mid:], Added)
		pairRun(lines[i:mid], lines[mid:end])
		i = max(end, i+1)
	}
}

func count(lines []Line, op rune) int {
	for i, l := range lines {
		if l.Op != op {
			return i
		}
	}
	return len(lines)
}

// maxPaired bounds the lines of a run that are compared with each other, maxWords the words of a line.
const (
	maxPaired = 50
	maxWords  = 1000
)

// pairRun pairs each deleted line with the first added line that is similar to it and not yet taken.
func pairRun(deleted, added []Line) {
	if len(deleted) > maxPaired || len(added) > maxPaired {
		return
	}
	next := 0
	for i := range deleted {
		for j := next; j < len(added); j++ {
			old, new, similar := words(deleted[i].Text, added[j].Text)
			if similar {
				deleted[i].Words, added[j].Words = old, new
				next = j + 1
				break
			}
		}
	}
}

// token matches a word, or one character of a script that is written without spaces.
var token = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s+|(?:[^\P{L}\p{Han}\p{Hiragana}\p{Katakana}]|[\p{M}\p{N}_])+|.`)
})

// words compares two lines word by word. They are similar if at least half of the letters of the shorter one are in
// words that both have.
func words(before, after string) (old, new []Word, similar bool) {
	x, y := token().FindAllString(before, -1), token().FindAllString(after, -1)
	if len(x) > maxWords || len(y) > maxWords || strings.Contains(before+after, "\n") {
		return nil, nil, false
	}
	same, at := 0, 0
	end := lcs.Diff{Start: len(x), End: len(x), ReplStart: len(y), ReplEnd: len(y)}
	for _, d := range append(lcs.DiffLines(x, y), end) {
		kept := strings.Join(x[at:d.Start], "")
		same += letters(kept)
		old = appendWord(appendWord(old, kept, false), strings.Join(x[d.Start:d.End], ""), true)
		new = appendWord(appendWord(new, kept, false), strings.Join(y[d.ReplStart:d.ReplEnd], ""), true)
		at = d.End
	}
	return joined(old), joined(new), 2*same >= min(letters(before), letters(after))
}

// joined makes white space between two changed words one change with them.
func joined(words []Word) (all []Word) {
	for i, w := range words {
		between := i > 0 && i < len(words)-1 && !w.Changed && strings.TrimSpace(w.Text) == ""
		all = appendWord(all, w.Text, w.Changed || between)
	}
	return all
}

func appendWord(all []Word, text string, changed bool) []Word {
	switch n := len(all) - 1; {
	case text == "":
		return all
	case n >= 0 && all[n].Changed == changed:
		all[n].Text += text
		return all
	}
	return append(all, Word{text, changed})
}

// letters returns the length of a text without its spaces.
func letters(s string) int { return len(strings.Join(strings.Fields(s), "")) }
