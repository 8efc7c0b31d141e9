package landing

import (
	"bytes"
	"slices"
)

// maxMergeLines bounds the table of mergeLines; an index has 250 lines at most in the census (CENSUS 3).
const maxMergeLines = 2000

// mergeLines applies to ours the changes, by whole lines, that lead from base to theirs. It reports
// false where ours changed the same lines, or the texts are too long. Lines that ours has put beside
// the changed ones are no obstacle: each new entry of an index stands beside the one before.
func mergeLines(base, ours, theirs []byte) ([]byte, bool) {
	b, o, t := bytes.SplitAfter(base, []byte("\n")), bytes.SplitAfter(ours, []byte("\n")), bytes.SplitAfter(theirs, []byte("\n"))
	if max(len(b), len(o), len(t)) > maxMergeLines {
		return nil, false
	}
	inOurs, inTheirs := matchLines(b, o), matchLines(b, t)
	var out [][]byte
	i, io, it := 0, 0, 0 // next line of each that is not merged yet
	for {
		// The next line of base that both keep ends the chunk before it.
		j := i
		for j < len(b) && (inOurs[j] < 0 || inTheirs[j] < 0) {
			j++
		}
		eo, et := len(o), len(t)
		if j < len(b) {
			eo, et = inOurs[j], inTheirs[j]
		}
		baseChunk, ourChunk, theirChunk := b[i:j], o[io:eo], t[it:et]
		switch {
		case equalLines(baseChunk, theirChunk):
			out = append(out, ourChunk...)
		case equalLines(baseChunk, ourChunk), equalLines(ourChunk, theirChunk):
			out = append(out, theirChunk...)
		case kept(inOurs[i:j]):
			out = append(out, replaceLines(ourChunk, inOurs[i:j], io, theirChunk)...)
		default:
			return nil, false
		}
		if j == len(b) {
			return bytes.Join(out, nil), true
		}
		out = append(out, b[j])
		i, io, it = j+1, eo+1, et+1
	}
}

// kept reports whether every line has a match.
func kept(match []int) bool { return !slices.Contains(match, -1) }

// replaceLines puts lines in the place of those that match names, counted from first; where it names
// none, at the end.
func replaceLines(chunk [][]byte, match []int, first int, lines [][]byte) [][]byte {
	var out [][]byte
	for k, line := range chunk {
		switch {
		case !slices.Contains(match, first+k):
			out = append(out, line)
		case first+k == match[0]:
			out = append(out, lines...)
		}
	}
	if len(match) == 0 {
		out = append(out, lines...)
	}
	return out
}

// matchLines returns for each line of a the line of b that it is in a longest common subsequence, or -1.
func matchLines(a, b [][]byte) []int {
	// length[i][j] is that of the longest common subsequence of a[i:] and b[j:].
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if bytes.Equal(a[i], b[j]) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	match := make([]int, len(a))
	i, j := 0, 0
	for i < len(a) {
		switch {
		case j == len(b) || length[i+1][j] == length[i][j]:
			match[i] = -1
			i++
		case bytes.Equal(a[i], b[j]):
			match[i] = j
			i, j = i+1, j+1
		default:
			j++
		}
	}
	return match
}

func equalLines(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
