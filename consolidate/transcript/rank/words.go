package rank

import (
	_ "embed"
)

// The lists of words are files in the folder words, in lower case.

// The words that bind or only ask, by language: a question has them and its answer does not. What an apostrophe
// cuts off (s, t, d, l) is among them.
var (
	//go:embed words/stop_en.txt
	stopEnglish string
	//go:embed words/stop_de.txt
	stopGerman string
	//go:embed words/stop_fr.txt
	stopFrench string
	//go:embed words/stop_es.txt
	stopSpanish string
	//go:embed words/stop_pt.txt
	stopPortuguese string
	//go:embed words/stop_it.txt
	stopItalian string
	//go:embed words/stop_nl.txt
	stopDutch string
	//go:embed words/stop_ru.txt
	stopRussian string
)

// Words that a question has for its grammar more often than for its subject; they count less.
//
//go:embed words/light.txt
var lightWords string

// What an English question's "did" asks for, and its answer says: the first form and the others, separated
// by commas. The stemmer knows the regular ones.
var (
	//go:embed words/irregular_en.txt
	irregularEnglish string
	//go:embed words/irregular_de.txt
	irregularGerman string
)

// Words that people and programs use for one thing, separated by commas: first those of work on software, then
// those of everyday life. One word counts half for another.
//
//go:embed words/synonyms_en.txt
var synonyms string

// What a question in a script without spaces has besides its subject, the longer ones first.
var stopDense = []string{
	"为什么", "為什麼", "什么时候", "什麼時候", "什么", "什麼", "怎么样", "怎么", "怎麼", "哪里", "哪裡", "哪儿", "哪个", "哪些", "多少", "可以",
	"时候", "我们", "我們", "他们", "谁", "誰", "吗", "嗎", "呢", "的", "了", "是",
	"ありました", "ありますか", "ましたか", "でしたか", "ますか", "ですか", "しました", "なぜ", "どこ", "いつ", "どの", "どう", "どんな", "いくつ", "何", "ました", "ます", "です",
	"무엇인가요", "무엇", "언제", "어디", "누가", "누구", "어떻게", "어떤", "얼마", "인가요", "했나요", "하나요", "나요", "까지", "에서", "으로", "습니다", "입니다",
}
