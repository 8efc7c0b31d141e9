package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/consolidate/transcript/rank"
	"dream-mcp/memory/near"
	"dream-mcp/memory/text"
)

// maxChosen is the number of memories that a prompt or a tool may call for.
const maxChosen = 3

// everyday is the factor of the weight of such a word, and of a number of one or two digits.
const everyday = 0.6

// The weights of the score of a memory for a prompt: a logistic regression over the tuned halves of measure/testdata,
// rounded. The best memory is shown if its score is above 0, others if theirs is above another, since they are right
// less often.
const (
	bias      = -9.4
	ofPrompt  = 3.2  // times the share of the prompt's weight that the name and description hold
	ofSubject = 2.9  // times the share of the name's weight that the prompt holds, or of the first words of the description
	inHead    = 3.3  // times the weight that the name and description hold
	inBody    = 3.0  // times the weight that the body alone holds
	eachTerm  = 1.25 // for each term that is held, up to mostTerms
	another   = 2.5

	mostTerms = 6
)

// ForPrompt returns the memories that a prompt calls for, the best first. Mostly there are none.
func ForPrompt(prompt string, all []Memory) []*Memory {
	q, err := rank.Parse(prompt)
	if err != nil {
		return nil
	}
	m := q.Matcher()
	heads, bodies, holding := match(m, q, all)
	if meant := corrected(prompt, q.Terms(), holding, all); meant != prompt {
		if q, err = rank.Parse(meant); err != nil {
			return nil
		}
		prompt, m = meant, q.Matcher()
		heads, bodies, holding = match(m, q, all)
	}
	weights := weightsOf(q, m)
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
		head, body, terms := 0.0, 0.0, 0.0
		for t, weight := range weights {
			head += heads[i][t] * weight
			body += max(0, bodies[i][t]-heads[i][t]) * weight
			if max(heads[i][t], bodies[i][t]) > 0 {
				terms++
			}
		}
		score := bias + ofPrompt*head/total + inHead*head + inBody*body + eachTerm*min(terms, mostTerms)
		if terms > 1 && score > -ofSubject { // else no subject could lift it
			score += ofSubject * max(share(all[i].name(), prompt), share(all[i].lead(), prompt))
		}
		if terms > 1 && score > 0 {
			chosen = append(chosen, scored{&all[i], score})
		}
	}
	slices.SortStableFunc(chosen, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var best []*Memory
	for i, c := range chosen[:min(len(chosen), maxChosen)] {
		if i == 0 || c.score > another {
			best = append(best, c.Memory)
		}
	}
	return best
}

// match returns how much of each term of q the heads and bodies of memories hold, and how many memories hold a term.
func match(m *rank.Matcher, q *rank.Query, all []Memory) (heads, bodies [][]float64, holding []float64) {
	holding = make([]float64, len(q.Terms()))
	for i := range all {
		head, body := m.Match(all[i].head()), m.Match(all[i].Body)
		heads, bodies = append(heads, head), append(bodies, body)
		for t := range holding {
			holding[t] += math.Floor(max(head[t], body[t]))
		}
	}
	return heads, bodies, holding
}

// minTypo is the length in bytes of the shortest word that is corrected. A shorter word is near to too many others.
const minTypo = 5

// corrected returns a prompt in which each term that no memory has is replaced by the word of a name or description
// that differs by one letter, if there is one.
func corrected(prompt string, terms []string, holding []float64, all []Memory) string {
	var unknown []string
	for t, term := range terms {
		if holding[t] == 0 && len(term) >= minTypo {
			unknown = append(unknown, term)
		}
	}
	for i := range all {
		for word := range strings.FieldsFuncSeq(all[i].head(), func(r rune) bool { return !unicode.IsLetter(r) }) {
			for _, term := range unknown {
				if len(word) >= minTypo && word[0]|0x20 == term[0]|0x20 && near.Distance(strings.ToLower(term), strings.ToLower(word), 2) == 1 {
					prompt = strings.ReplaceAll(prompt, term, word)
				}
			}
		}
	}
	return prompt
}

// weightsOf returns the weight of each term of q, whatever the memories are.
func weightsOf(q *rank.Query, m *rank.Matcher) []float64 {
	weights, work := q.Weights(), m.Match(text.Everyday)
	for t, term := range q.Terms() {
		if work[t] == 1 || len(term) <= 2 && strings.Trim(term, "0123456789") == "" {
			weights[t] *= everyday
		}
	}
	return weights
}

// share returns the share of the weight of a text that a prompt has.
func share(text, prompt string) float64 {
	q, err := rank.Parse(text)
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
