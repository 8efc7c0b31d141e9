package related

import (
	"slices"

	"dream-mcp/memory/lazy"
)

// A value is a number in a text, and the words beside it.
type value struct {
	number string
	beside []int32 // terms
}

// nearValue is how many words on each side of a number are beside it. On real memories 2 to 5 are as good.
const nearValue = 3

var (
	wordOrNumber = lazy.New(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{1,2}|\d+(?:[.,:]\d+)*|[\p{L}_][\p{L}\p{N}_-]*`)
	number       = lazy.New(`^\d`)
)

// valuesOf returns the values in a text.
func (x *Index) valuesOf(s string) (values []value) {
	words := wordOrNumber.FindAllString(s, -1)
	for i, w := range words {
		if !number.MatchString(w) {
			continue
		}
		v := value{number: w}
		for _, other := range words[max(0, i-nearValue):min(len(words), i+nearValue+1)] {
			if terms, _ := x.lookUp(other); !number.MatchString(other) {
				v.beside = append(v.beside, terms...)
			}
		}
		v.beside = each(v.beside)
		values = append(values, v)
	}
	return values
}

// otherValue returns how many words are beside a value of one text and beside another value of the other, at most; 0 if
// none.
func otherValue(values []value, others func() []value) (most int) {
	if len(values) == 0 {
		return 0
	}
	for _, o := range others() {
		for _, v := range values {
			if v.number == o.number {
				continue
			}
			n := 0
			for _, t := range v.beside {
				if _, also := slices.BinarySearch(o.beside, t); also {
					n++
				}
			}
			most = max(most, n)
		}
	}
	return most
}
