package reldate

import (
	"strings"
	"testing"
	"time"
)

var wednesday = time.Date(2026, 11, 18, 15, 4, 5, 0, time.UTC)

// Texts of 5 KB that hold no phrase: what nearly every memory is.
var plainTexts = map[string]string{
	"en": "The retry budget is shared by all workers of one queue and refilled at a fixed rate. ",
	"ko": "재시도 예산은 큐의 모든 작업자가 함께 쓰고 일정한 속도로 다시 채운다. ",
	"zh": "重试预算由一个队列的所有工作者共享，并以固定的速度补充。",
	"ja": "リトライの予算は一つのキューのすべてのワーカーが共有し、一定の速さで補充される。",
}

func BenchmarkFindNothing(b *testing.B) {
	for name, text := range plainTexts {
		text = strings.Repeat(text, 5<<10/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if hits := Find(text); hits != nil {
					b.Fatal(hits)
				}
			}
		})
	}
}

func BenchmarkFindOne(b *testing.B) {
	text := strings.Repeat(plainTexts["en"], 30) + "It broke yesterday. " + strings.Repeat(plainTexts["en"], 30)
	for b.Loop() {
		if hits := Find(text); len(hits) != 1 {
			b.Fatal(hits)
		}
	}
}

func BenchmarkVocabulary(b *testing.B) {
	for b.Loop() {
		parseVocabulary(phrasesText)
	}
}
