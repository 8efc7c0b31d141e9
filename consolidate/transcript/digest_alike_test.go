package transcript

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestAlikeIsFolded: texts are alike when nothing tells them apart but case, digits and white space.
func TestAlikeIsFolded(t *testing.T) {
	blanks, digits := regexp.MustCompile(`[ \n\t\r]+`), regexp.MustCompile(`[0-9]+`)
	plain := func(text string) string {
		text = strings.Trim(blanks.ReplaceAllString(text, " "), " ")
		return strings.Map(unicode.ToLower, digits.ReplaceAllString(text, "0"))
	}
	letters := []rune("aA 0\t1\né\x00É日\uff11")
	sums := map[uint64]string{}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		text := ""
		for range rng.IntN(6) {
			text += string(letters[rng.IntN(len(letters))])
		}
		sum := alike(User, text)
		if other, ok := sums[sum]; ok && other != plain(text) {
			t.Fatalf("%q is like %q", text, other)
		}
		sums[sum] = plain(text)
		if alike(User, plain(text)) != sum {
			t.Fatalf("%q is not like %q", text, plain(text))
		}
		if alike(Assistant, text) == sum {
			t.Fatalf("%q is alike from two speakers", text)
		}
	}
}
