package text

import "strings"

// stopDense are the words of dense scripts that bind or only ask, the longer ones first.
var stopDense = []string{
	"为什么", "為什麼", "什么时候", "什麼時候", "什么", "什麼", "怎么样", "怎么", "怎麼", "哪里", "哪裡", "哪儿", "哪个", "哪些", "多少", "可以",
	"时候", "我们", "我們", "他们", "谁", "誰", "吗", "嗎", "呢", "的", "了", "是",
	"ありました", "ありますか", "ましたか", "でしたか", "ますか", "ですか", "しました", "なぜ", "どこ", "いつ", "どの", "どう", "どんな", "いくつ", "何", "ました", "ます", "です",
	"무엇인가요", "무엇", "언제", "어디", "누가", "누구", "어떻게", "어떤", "얼마", "인가요", "했나요", "하나요", "나요", "까지", "에서", "으로", "습니다", "입니다",
}

// DenseRuns cuts a run of a dense script at the words that bind or only ask.
func DenseRuns(run string) []string {
	for _, s := range stopDense {
		run = strings.ReplaceAll(run, s, " ")
	}
	return strings.Fields(run)
}
