package listing

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/pasted"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/lazy"
)

// maxAnswer is how many words a short answer has. It says little without the sentence that it answers.
const maxAnswer = 5

// maxSentence bounds, in characters, the sentence that is shown beside it.
const maxSentence = 600

// isAnswer reports whether a text is so short that what was said before it must be shown. A command of the host is not
// an answer.
func isAnswer(text string) bool {
	return len(text) <= 400 && wordCount(text) <= maxAnswer && !command.MatchString(text)
}

var command = lazy.New(`^/[\w:-]+$`)

// isReply reports whether what was said before an utterance of the user must be shown: a short one, one that confirms
// or corrects, an answer to a dialog.
func isReply(u *cache.Said) bool {
	switch u.Manner {
	case said.Rejecting, said.Answering, said.Choosing:
		return true
	}
	return isAnswer(u.Text) || isReaction(u.Text)
}

// reactions are the words that begin a confirmation or a correction, in lower case.
var reactions = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		yes yep yeah y ok okay sure right correct exactly agreed perfect great good fine no nope n not wrong actually instead
		oui ouais non parfait exact exactement faux plutôt
		ja jep genau richtig nein falsch doch
		sí si vale correcto exacto perfecto sim não certo perfeito sì esatto
		да нет верно неверно правильно ага
		네 예 응 아니 아니요 아니오 맞아 맞아요 맞습니다 좋아 좋아요 그래 그건`) {
		words[word] = true
	}
	return words
}()

// unspacedReactions begin a confirmation or a correction where words are not parted by spaces.
var unspacedReactions = strings.Fields(`
	好 可以 同意 确认 確認 没错 沒錯 没问题 沒問題 对 對 是的 不 没有 沒有 别 別 错 錯 はい いいえ 違 そう いや`)

// judgement is how a confirmation or a correction begins that has no word of its own.
var judgement = lazy.New(`^(?i)(?:that|this)(?:['’]?s| is| was) (?:not |exactly |just |much )*(?:the|what|how|it|right|better|perfect|good|great|wrong)\b`)

// pointsBack is a short first clause that ends with what was spoken of: "don't know about that. …".
var pointsBack = lazy.New(`^(?i)(?:[\pL\pM'’]+ ){1,4}(?:that|this|it|those|them|das|dies|es|ça|eso|esto|isso|isto|questo|это)[.,;!\n]`)

// isReaction reports whether a text begins with a confirmation or a correction, or about what was said before.
func isReaction(text string) bool {
	if judgement.MatchString(text) || pointsBack.MatchString(text) {
		return true
	}
	text = strings.TrimLeftFunc(text[:min(len(text), 64)], func(r rune) bool { return !unicode.IsLetter(r) })
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	if end < 0 {
		end = len(text)
	}
	return reactions[strings.ToLower(text[:end])] || slices.ContainsFunc(unspacedReactions, func(begins string) bool { return strings.HasPrefix(text, begins) })
}

// wordCount counts the words of a text. Where they are not parted by spaces, two characters are one.
func wordCount(text string) int {
	words, row, within := 0, 0, false
	for _, r := range text {
		if pasted.Unspaced(r) {
			row++
			within = false
			continue
		}
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || within && strings.ContainsRune("'’-_./", r)
		if letter && !within {
			words++
		}
		within = letter
	}
	return words + (row+1)/2
}

var sentenceEnd = lazy.New(`[.!?…]+["'”’)\]*_]*\s+|[。！？]+[”’」』）]*`)

// lastSentence returns the last sentence of a text, after the last block of code.
func lastSentence(text string) string {
	last, fenced := "", false
	for line := range strings.Lines(text) {
		if pasted.Fence.MatchString(line) {
			fenced = !fenced
		} else if line = strings.TrimSpace(line); !fenced && line != "" && strings.ContainsFunc(line, unicode.IsLetter) {
			last = line
		}
	}
	begin := 0
	for _, at := range sentenceEnd.FindAllStringIndex(last, -1) {
		before, after := last[begin:at[0]], last[at[1]:]
		next, _ := utf8.DecodeRuneInString(after)
		if after != "" && !unicode.IsLower(next) && strings.ContainsFunc(before, unicode.IsLetter) && strings.ContainsFunc(after, unicode.IsLetter) {
			begin = at[1]
		}
	}
	last = last[begin:]
	if runes := []rune(last); len(runes) > maxSentence {
		last = "… " + string(runes[len(runes)-maxSentence:])
	}
	return last
}
