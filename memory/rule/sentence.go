package rule

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/rule/prose"
	"dream-mcp/memory/text"
)

// sentence is a sentence, a heading, or a line of code.
type sentence struct {
	text          string
	code, heading bool
}

var marker = lazy.New(`^\s*(?:[-*+]|\d+[.)])\s+`)

// labels begin the lines of a memory that give a reason and a use, as Claude Code asks for them. They say nothing.
var labels = lazy.New(`(?i)^\W*\*\*(why|how to apply):?\*\*:?`)

// sentencesOf cuts a text into sentences. Lines of a paragraph belong together.
func sentencesOf(body string) (all []sentence) {
	var prose strings.Builder
	flush := func() {
		for _, s := range text.Sentences(prose.String()) {
			s = labels.ReplaceAllString(marker.ReplaceAllString(s, ""), "")
			all = append(all, sentence{text: strings.TrimSpace(s), heading: strings.HasPrefix(s, "#")})
		}
		prose.Reset()
	}
	for line, code := range memory.Lines(body) {
		switch {
		case !code:
			prose.WriteString(line + "\n")
		case memory.FenceMark(strings.TrimSpace(line)) == "":
			flush()
			all = append(all, sentence{text: strings.TrimSpace(line), code: true})
		}
	}
	flush()
	return all
}

// word is a word of a sentence.
type word struct {
	from, to int
	term     string
	exact    bool // it must be there: a number and what it counts, code, a name, a negation or a condition
}

func (w word) isExact() bool { return w.exact }

// reader reads the words of texts that are compared.
type reader struct {
	language *text.Language
	lower    map[string]bool   // words that are there in lower case: their capital does not make a name
	stems    map[string]string // by word
}

// newReader returns a reader of texts in the language of a sample of them.
func newReader(sample string) *reader {
	r := &reader{text.LanguageOf(strings.Fields(strings.ToLower(sample))), map[string]bool{}, map[string]string{}}
	text.EachWord(sample, func(start, end int, _ bool) {
		if w := sample[start:end]; w == strings.ToLower(w) {
			r.lower[w] = true
		}
	})
	return r
}

// Words that turn a sentence, and words that only bind or are of the moment in which it was said, as one term each; and
// units. Those of the moment are not looked for: a memory says "since 2026-11-05" of what was "back since yesterday".
const (
	negation  = "¬"
	condition = "?"
	moment    = "now"
)

var cues = sync.OnceValue(func() map[string]string {
	terms := map[string]string{}
	for term, words := range map[string]string{
		negation: `not never no none nothing nobody without neither nor cannot nicht nie niemals kein keine keinen keinem keiner ohne weder
			jamais sans aucun aucune ne pas nunca sin ningún ninguno ninguna não sem non mai senza niet geen nooit zonder
			не нет никогда без ни нельзя لا لم لن ليس ليست بدون غير 不 没 沒 無 无 勿 别 非 않 없 못 말`,
		condition: `only except unless until till provided nur außer bis sofern sauf seulement jusque solo sólo excepto salvo hasta
			только кроме пока فقط إلا حتى 只 仅 僅 除 限`,
		moment: `today yesterday tomorrow now again back still since already currently user said says wants want
			heute gestern morgen jetzt wieder noch seit schon hoy ayer mañana ahora otra desde ya aujourd hier demain maintenant
			encore depuis déjà сегодня вчера завтра сейчас снова уже
			always each every per because otherwise instead then therefore immer jede jeder jedes weil sonst statt dann siempre cada
			porque luego entonces toujours chaque donc puis sinon alors`,
		"h":   "h hour hours hora horas heure heures stunde stunden",
		"min": "min minute minutes minuto minutos minuten",
	} {
		for w := range strings.FieldsSeq(words) {
			terms[w] = term
		}
	}
	return terms
})

// Characters that bind: other words say the same without them.
const binding = "的了是在和与與及也就都要会會将將把被这這那个個有为為于於은는이가을를에의로와과도만다요하고지한할함"

var (
	quotedOrCode  = lazy.New("`[^`]*`|\\[\\[[^\\[\\]]*\\]\\]|\"[^\"]{2,60}\"|“[^”]{2,60}”|「[^」]{2,60}」")
	denseNot      = lazy.New(`ない|なし|ません`)
	startsWithDay = lazy.New(`^\d{4}-\d\d-\d\d`)
)

// pathSigns make the words beside them exact.
const pathSigns = "/@_"

// A spot is where a word is in a sentence, and what is before it.
type spot struct {
	sentence
	from, to int
	last     int  // the end of the word before; -1: there is none
	counts   bool // the word before is a number
}

// named are words before a number that is a name: the word after it is not what it counts.
var named = prose.Set(`page line port version step phase chapter section room pier quay gate item rule issue ticket release build
	node rack slot table figure seite zeile schritt kapitel zimmer página línea puerto ligne étape`)

// A part of the day after a word for this day is of the moment, too.
var (
	thisDay  = prose.Set(`this today heute esta hoy ce cette`)
	dayParts = prose.Set(`morning noon afternoon evening night morgen früh vormittag mittag nachmittag abend mañana tarde noche matin soir nuit`)
)

// read returns the words of a sentence that say something.
func (r *reader) read(s sentence) (words []word) {
	spans := quotedOrCode.FindAllStringIndex(s.text, -1)
	at := spot{sentence: s, last: -1}
	before := "" // the last word
	r.each(s.text, func(from, to int) {
		at.from, at.to = from, to
		one := word{from: from, to: to, term: r.term(s.text, from, to)}
		literal := s.code || slices.ContainsFunc(spans, func(at []int) bool { return at[0] <= from && to <= at[1] })
		first, _ := utf8.DecodeRuneInString(s.text[from:to])
		says := true
		switch {
		case (one.term == moment || thisDay[before] && dayParts[strings.ToLower(s.text[from:to])]) && !literal:
			says = false
		case text.IsDense(first):
			one.exact = literal || !strings.Contains(binding, s.text[from:to])
			says = one.exact
		default:
			one.exact = literal || r.isExact(at, one.term)
			says = one.exact || !r.isSmall(at) && utf8.RuneCountInString(s.text[from:to]) > 1
		}
		if says {
			words = append(words, one)
		}
		if !text.IsDense(first) || one.term == moment {
			at.last, at.counts = to, one.term != moment && at.isNumber() && !at.isInIdentifier() && !named[before]
			before = strings.ToLower(s.text[from:to])
		}
	})
	return words
}

// isExact reports whether a word must be there: it turns the sentence, is a number or what that counts, a name, or of a
// path.
func (r *reader) isExact(at spot, term string) bool {
	if term == negation || term == condition || at.isNumber() {
		return true
	}
	counted := at.counts && strings.TrimLeft(at.text[at.last:at.from], " ") == ""
	first, _ := utf8.DecodeRuneInString(at.text[at.from:])
	return !r.isSmall(at) && (counted || at.isInPath() || unicode.Is(unicode.Lo, first) || r.isName(at, term))
}

func (r *reader) isSmall(at spot) bool {
	lower := strings.ToLower(at.text[at.from:at.to])
	return r.language.Stops(lower) || text.English().Stops(lower)
}

func (at spot) isNumber() bool { return strings.ContainsFunc(at.text[at.from:at.to], unicode.IsNumber) }

// isInIdentifier reports whether the word ends one such as E-219.
func (at spot) isInIdentifier() bool {
	before, joined := strings.CutSuffix(at.text[:at.from], "-")
	last, _ := utf8.DecodeLastRuneInString(before)
	return joined && unicode.IsLetter(last)
}

// isInPath reports whether a sign beside the word makes it a part of a path or an identifier.
func (at spot) isInPath() bool {
	return at.from > 0 && strings.IndexByte(pathSigns, at.text[at.from-1]) >= 0 ||
		at.to < len(at.text) && strings.IndexByte(pathSigns, at.text[at.to]) >= 0
}

// isName reports whether the capitals of a word make it a name: one within it, or the first where no sentence begins.
func (r *reader) isName(at spot, term string) bool {
	w := at.text[at.from:at.to]
	first, size := utf8.DecodeRuneInString(w)
	if strings.ContainsFunc(w[size:], unicode.IsUpper) && strings.ToUpper(w) != w {
		return true
	}
	label := strings.HasPrefix(at.text[at.to:], ":") && !strings.HasPrefix(at.text[at.to:], "://")
	begins := at.last < 0 || at.heading || strings.ContainsAny(at.text[at.last:at.from], ".:!?;")
	return unicode.IsUpper(first) && !label && !r.lower[strings.ToLower(w)] && !r.language.Nouns && !at.heading &&
		!(begins && text.IsEveryday(term))
}

// each calls do with each word of a text. A date, and the numbers of a time or a version, are one word. Of Han and
// Hangul each character is one, of other dense scripts two neighbouring ones are.
func (r *reader) each(s string, do func(from, to int)) {
	from, to := -1, -1
	flush := func() {
		if from >= 0 {
			do(from, to)
		}
		from = -1
	}
	text.EachWord(s, func(start, end int, dense bool) {
		if from >= 0 && start < to { // of a date
			return
		}
		if date := dateLen(s[start:]); date > 0 {
			flush()
			from, to = start, start+date
			return
		}
		if !dense && from >= 0 && start == to+1 && strings.IndexByte(".-:/,", s[to]) >= 0 && isDigit(s[to-1]) && isDigit(s[start]) {
			to = end
			return
		}
		flush()
		if !dense {
			from, to = start, end
			return
		}
		for _, at := range denseNot.FindAllStringIndex(s[start:end], -1) {
			do(start+at[0], start+at[1])
		}
		for i, c := range s[start:end] {
			size := utf8.RuneLen(c)
			next, more := utf8.DecodeRuneInString(s[start+i+size : end])
			switch {
			case unicode.Is(unicode.Hiragana, c):
			case unicode.In(c, unicode.Han, unicode.Hangul):
				do(start+i, start+i+size)
			case more > 0 && !unicode.In(next, unicode.Hiragana, unicode.Han):
				do(start+i, start+i+size+more)
			}
		}
	})
	flush()
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// term returns what the word s[from:to] has in common with the forms of the same.
func (r *reader) term(s string, from, to int) string {
	w := s[from:to]
	lower := strings.ToLower(w)
	switch {
	case cues()[lower] != "":
		return cues()[lower]
	case w[0] >= utf8.RuneSelf && denseNot.MatchString(w), lower == "t" && strings.ContainsAny(s[max(0, from-3):from], "'’"),
		lower == "n" && strings.ContainsAny(s[to:min(to+3, len(s))], "'’"):
		return negation
	case strings.ContainsFunc(w, unicode.IsNumber):
		return strings.ToLower(isoDate(w))
	}
	stem, known := r.stems[lower]
	if !known {
		stem = r.language.Stem(lower)
		r.stems[lower] = stem
	}
	return stem
}

// terms returns where a text has which terms, counted in words.
func (r *reader) terms(s string) map[string][]int {
	at, n := map[string][]int{}, 0
	r.each(s, func(from, to int) {
		term := r.term(s, from, to)
		at[term] = append(at[term], n)
		if len(term) >= len(time.DateOnly) && isDigit(term[0]) && startsWithDay.MatchString(term) { // a date has its month and its day
			for _, part := range []string{term[:10], term[:7], term[5:10]} {
				at[part] = append(at[part], n)
			}
		}
		n++
	})
	return at
}
