package related

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// memories returns invented memories of about 900 bytes, with words as unevenly spread as in prose.
func memories(n int) []Document {
	rng := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(rng, 1.1, 8, 30_000)
	sentence := func() string {
		var b strings.Builder
		for range 12 {
			w := words.Uint64()
			fmt.Fprintf(&b, "%c%c%s%d ", 'a'+w%26, 'a'+w/26%26, strings.Repeat("o", int(w%5)), w/676)
		}
		return strings.TrimSpace(b.String()) + ".\n\n"
	}
	docs := make([]Document, n)
	for i := range docs {
		docs[i] = Document{File: fmt.Sprintf("memory_%d.md", i), Description: strings.TrimSpace(sentence()), DescribedAt: 2, BodyAt: 5}
		for range 12 {
			docs[i].Body += sentence()
		}
	}
	return docs
}

func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		docs := memories(n)
		x := New(docs)
		b.Run(fmt.Sprintf("New/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				New(docs)
			}
		})
		b.Run(fmt.Sprintf("About/%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				x.About(docs[i%n].Body[:150], nil)
				i++
			}
		})
		b.Run(fmt.Sprintf("Order/%d", n), func(b *testing.B) {
			for b.Loop() {
				x.Order(24_500, func(string) int { return 1_000 })
			}
		})
	}
}
