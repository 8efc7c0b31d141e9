package recall

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/rank"
)

// maxChosen is how many memories a prompt or a tool may call for.
const maxChosen = 3

// Words of everyday work, in several languages: a prompt has them whatever it is about.
//
//go:embed words/work.txt
var workWords string

// everyday is what is left of the weight of such a word, and of a number of one or two digits.
const everyday = 0.3

// The score of a memory for a prompt. The numbers are a logistic regression over the first half of measure/testdata, rounded;
// above zero a memory is more likely to be called for than not.
const (
	bias      = -8.5
	ofPrompt  = 7    // times the share of the prompt's weight that the name and description hold
	ofHead    = 10   // times the share of the description's weight that the prompt holds
	inHead    = 4    // times the weight that the name and description hold
	inBody    = 4    // times the weight that the body alone holds
	eachTerm  = 0.7  // for each term that is held, up to mostTerms
	mostTerms = 6    //
	oneTerm   = -3.5 // times the weight of the heaviest term: one word is not enough
)

// ForPrompt returns the memories that the words of a prompt call for, the best first; mostly none.
func ForPrompt(prompt string, all []Memory) []*Memory {
	q, err := rank.Parse(prompt)
	if err != nil {
		return nil
	}
	heads, bodies := make([][]float64, len(all)), make([][]float64, len(all))
	m := q.Matcher()
	weights := weightsOf(q, m)
	holding := make([]float64, len(weights)) // memories, by term
	for i := range all {
		heads[i], bodies[i] = m.Match(all[i].head()), m.Match(all[i].Body)
		for t := range holding {
			holding[t] += math.Floor(max(heads[i][t], bodies[i][t]))
		}
	}
	total, n := 0.0, float64(len(all))
	for t := range weights {
		weights[t] *= math.Log(1+(n-holding[t]+0.5)/(holding[t]+0.5)) / math.Log(2+2*n)
		total += weights[t]
	}
	type scored struct {
		*Memory
		score float64
	}
	var chosen []scored
	for i := range all {
		head, body, best, terms := 0.0, 0.0, 0.0, 0.0
		for t, weight := range weights {
			head += heads[i][t] * weight
			body += max(0, bodies[i][t]-heads[i][t]) * weight
			best = max(best, heads[i][t]*weight)
			if max(heads[i][t], bodies[i][t]) > 0 {
				terms++
			}
		}
		if terms < 2 {
			continue
		}
		score := bias + ofPrompt*head/total + inHead*head + inBody*body + eachTerm*min(terms, mostTerms) + oneTerm*best
		if score > -ofHead { // else no description could lift it
			score += ofHead * share(all[i].Description, prompt)
		}
		if score > 0 {
			chosen = append(chosen, scored{&all[i], score})
		}
	}
	slices.SortStableFunc(chosen, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var best []*Memory
	for _, c := range chosen[:min(len(chosen), maxChosen)] {
		best = append(best, c.Memory)
	}
	return best
}

// weightsOf is what each term of q is worth whatever the memories are.
func weightsOf(q *rank.Query, m *rank.Matcher) []float64 {
	weights, work := q.Weights(), m.Match(workWords)
	for t, term := range q.Terms() {
		if work[t] == 1 || len(term) <= 2 && strings.Trim(term, "0123456789") == "" {
			weights[t] *= everyday
		}
	}
	return weights
}

// share is the share of the weight of a description that a prompt holds.
func share(description, prompt string) float64 {
	q, err := rank.Parse(description)
	if err != nil {
		return 0
	}
	m := q.Matcher()
	held, of := 0.0, 0.0
	matched := m.Match(prompt)
	for t, weight := range weightsOf(q, m) {
		held += weight * matched[t]
		of += weight
	}
	return held / of
}
