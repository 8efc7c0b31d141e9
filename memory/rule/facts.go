package rule

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/text"
)

// A Fact is something that a merged memory says and the one that it was merged into does not: a number, a piece of code, a
// name, or the words around a negation or a condition.
type Fact struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// MaxMerged bounds the texts of one merge, in bytes: the time to compare them grows with their product.
const MaxMerged = 128 << 10

// Lost returns the facts of merged memories that the survivor lacks and that are in no accepted text, each once, in the order
// of the texts. The words are compared, not what they mean: what is said in other words is listed, and for the model to accept.
// What is within the words of a clause that is listed is not listed by itself.
func Lost(merged map[memory.Name]*memory.Topic, into memory.Name, survivor *memory.Topic, accepted ...string) []Fact {
	agreed := newHaystack(strings.Join(accepted, "\n"))
	has := newHaystack(textOf(survivor))
	for _, n := range append(sortedNames(merged), into) { // a merged memory need not be named
		has.skip[memory.SlugKey(memory.StemOf(n.String()))] = true
	}
	var lost []Fact
	seen := make(map[string]bool)
	lower := smallWords(survivor.Body())
	for _, t := range merged {
		maps.Copy(lower, smallWords(t.Body()))
	}
	for _, n := range sortedNames(merged) {
		t := merged[n]
		clauses := newHaystack("")
		missing := slices.DeleteFunc(factTokens("# "+t.Description()+"\n"+t.Body(), lower), func(f factToken) bool {
			key := factKey(f.text)
			if key == "" || seen[key] || has.says(f) || agreed.holds(key) {
				return true
			}
			seen[key] = true
			if f.kind == clauseToken {
				clauses.lower += " " + key
			}
			return false
		})
		for _, f := range missing {
			if f.kind == clauseToken || !clauses.holds(factKey(f.text)) {
				lost = append(lost, Fact{n.String(), f.of + f.text})
			}
		}
	}
	return lost
}

func textOf(t *memory.Topic) string { return t.Title() + "\n" + t.Description() + "\n" + t.Body() }

// factKey is what the texts of two facts that are the same have in common.
func factKey(text string) string {
	return strings.ToLower(strings.Trim(memory.OneLine(text), "`\"'“”… "))
}

type tokenKind int

const (
	codeToken tokenKind = iota
	numberToken
	nameToken
	clauseToken // the words around a negation or a condition
)

type factToken struct {
	kind     tokenKind
	text     string
	of       string   // the name before a short number
	sentence sentence // that a clause is from
}

// sentence is a sentence by its words.
type sentence struct {
	cues  [len(clauseCues)]bool // the kinds that it has
	stems map[string]bool
}

// clauseCues are negations and conditions, in seven languages.
var clauseCues = [...]*lazy.Regexp{
	lazy.New(`(?i)\b(?:not|never|no|none|nothing|nobody|without|neither|nor|cannot|\w+n['’]t|nicht|nie|niemals|kein\w*|ohne|weder|jamais|sans|aucune?|ne|nunca|sin|ning[uú]n\w*)\b|[不没沒無无勿别]|禁止|ない|なし|ません|않|없|말고|말 것|마라|못`),
	lazy.New(`(?i)\b(?:only|except|unless|until|till|provided|nur|außer|bis|sofern|sauf|seulement|jusqu\w*|solo|sólo|excepto|salvo|hasta)\b|只|仅|僅|除非|除了|直到|だけ|のみ|以外|限り|まで|경우에만|때만|제외|까지`),
}

var (
	numberShape = lazy.New(`[\pL\pN_#][\pL\pN_.,:/%+\-@]*`)
	quotedShape = lazy.New(`"[^"]{2,60}"|“[^”]{2,60}”|「[^」]{2,60}」|『[^』]{2,60}』`)
)

// germanWords are frequent words of a language that writes every noun with a capital letter.
var germanWords = lazy.New(`\b(?:der|die|das|und|nicht|ist|wird|mit|für|auf|wir|ein|eine)\b`)

// What a clause shows before its cue and after it, and of each how much.
var (
	clauseBefore = lazy.New(`(?:\S+\s+){0,2}\S*\s*$`)
	clauseAfter  = lazy.New(`^(?:\s*\S+){0,7}`)
)

const clauseRunes = 60

// factTokens returns the facts of a text, in order.
func factTokens(body string, lower map[string]bool) []factToken {
	var tokens []factToken
	nouns := len(germanWords.FindAllString(body, 3)) == 3
	for line, code := range memory.Lines(body) {
		if line = strings.TrimSpace(line); code {
			if memory.FenceMark(line) == "" && strings.ContainsFunc(line, isWordRune) {
				tokens = append(tokens, factToken{kind: codeToken, text: line})
			}
			continue
		}
		for _, sentence := range text.Sentences(untitled(labels.ReplaceAllString(line, ""))) {
			tokens = append(tokens, sentenceTokens(sentence, nouns, lower)...)
		}
	}
	return tokens
}

// sentenceTokens returns the facts of one sentence. With nouns a capital letter does not mark a name; lower is as isName has it.
func sentenceTokens(text string, nouns bool, lower map[string]bool) (tokens []factToken) {
	var prose strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			prose.WriteString(part)
		} else if part = strings.TrimSpace(part); part != "" {
			tokens = append(tokens, factToken{kind: codeToken, text: part})
			prose.WriteByte(' ')
		}
	}
	plain := isoDates(prose.String())
	for _, quoted := range quotedShape.FindAllString(plain, -1) {
		_, open := utf8.DecodeRuneInString(quoted)
		_, end := utf8.DecodeLastRuneInString(quoted)
		tokens = append(tokens, factToken{kind: nameToken, text: quoted[open : len(quoted)-end]})
	}
	for _, wiki := range memory.ScanLine(plain).Wikis {
		name, _, _ := strings.Cut(wiki, "|")
		if name, _, _ = strings.Cut(name, "#"); isWikiName(name) {
			tokens = append(tokens, factToken{kind: nameToken, text: name})
		}
	}
	spaced := despaced(plain)
	for _, at := range numberShape.FindAllStringIndex(spaced, -1) {
		word := trimWord(spaced[at[0]:at[1]])
		switch {
		case strings.ContainsFunc(word, unicode.IsNumber):
			tokens = append(tokens, factToken{kind: numberToken, text: word, of: nameBefore(spaced[:at[0]], word)})
		case isName(word, nouns || begins(spaced, at[0]), lower):
			tokens = append(tokens, factToken{kind: nameToken, text: word})
		}
	}
	c := factToken{kind: clauseToken, sentence: readSentence(text)}
	from, to := len(plain), 0
	for cue, re := range clauseCues {
		at := re.FindStringIndex(plain)
		if c.sentence.cues[cue] = at != nil; at != nil {
			from, to = min(from, at[0]), max(to, at[1])
		}
	}
	if to > 0 {
		before, after := []rune(clauseBefore.FindString(plain[:from])), []rune(plain[from:to]+clauseAfter.FindString(plain[to:]))
		c.text = string(before[max(0, len(before)-clauseRunes/2):]) + string(after[:min(len(after), clauseRunes)])
		c.text = strings.Trim(memory.OneLine(c.text), ".,;:!?。！？*_#>- ")
		tokens = append(tokens, c)
	}
	return tokens
}

// spacedWords returns the words of a text with what holds them together: 10:30, a/b.go, x@example.test. Characters of scripts
// without spaces are left out, but not the numbers between them.
func spacedWords(text string) []string {
	words := numberShape.FindAllString(despaced(text), -1)
	for i, w := range words {
		words[i] = trimWord(w)
	}
	return words
}

func despaced(text string) string {
	return strings.Join(strings.FieldsFunc(text, memory.Unspaced), " ")
}

var nameAtEnd = lazy.New(`\p{Lu}\pL{2,} $`)

// nameBefore returns the name before a short number, which alone says little: "Postgres 15".
func nameBefore(text, number string) string {
	if len(number) > 3 {
		return ""
	}
	return nameAtEnd.FindString(text)
}

func trimWord(w string) string { return strings.TrimRight(w, ".,:/+-@_") }

// smallWords are the words of a text that it has in small letters.
func smallWords(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range spacedWords(text) {
		if strings.ToLower(w) == w {
			set[w] = true
		}
	}
	return set
}

// haystack is a text in which facts are looked for.
type haystack struct {
	text      string          // as it is, spaces collapsed
	lower     string          // in lower case, dates as isoDates writes them
	words     map[string]bool // as spacedWords has them, in lower case
	sentences []sentence
	skip      map[string]bool // names that need not be there
}

func newHaystack(body string) *haystack {
	h := &haystack{text: memory.OneLine(body), words: make(map[string]bool), skip: make(map[string]bool)}
	h.lower = strings.ToLower(isoDates(h.text))
	for _, w := range spacedWords(strings.ReplaceAll(h.lower, "`", " ")) {
		h.words[w] = true
	}
	for line := range strings.Lines(body) {
		for _, sentence := range text.Sentences(line) {
			h.sentences = append(h.sentences, readSentence(sentence))
		}
	}
	return h
}

// keptClause is the percentage of the words of a sentence with a negation or a condition that must be together in one sentence with
// such a word.
const keptClause = 60

// says reports whether the text holds a fact.
func (h *haystack) says(f factToken) bool {
	switch f.kind {
	case codeToken:
		return strings.Contains(h.text, memory.OneLine(f.text))
	case numberToken:
		number := strings.ToLower(f.text)
		return h.words[number] || writtenDay.MatchString(number) && h.holdsDay(number)
	case nameToken:
		return h.skip[memory.SlugKey(memory.StemOf(f.text))] || h.holdsName(f.text)
	}
	return slices.ContainsFunc(h.sentences, f.sentence.isIn)
}

// writtenDay matches a day without its year, and a month of a year.
var writtenDay = lazy.New(`^(?:\d\d-\d\d|\d{4}-\d\d)$`)

// holdsDay reports whether a date of the text has the day or the month.
func (h *haystack) holdsDay(day string) bool {
	for w := range h.words {
		if strings.Contains("-"+w, "-"+day) {
			return true
		}
	}
	return false
}

// isIn reports whether another sentence has the same kinds of cues, and most of the words.
func (s sentence) isIn(other sentence) bool {
	for cue := range s.cues {
		if s.cues[cue] && !other.cues[cue] {
			return false
		}
	}
	return 100*common(s.stems, other.stems) >= keptClause*len(s.stems)
}

func readSentence(text string) sentence {
	s := sentence{stems: stems(text)}
	for cue, re := range clauseCues {
		s.cues[cue] = re.MatchString(text)
	}
	return s
}

// holdsName reports whether a name is in the text, in the plural too, or each of the words that a slash joins.
func (h *haystack) holdsName(name string) bool {
	one := strings.TrimSuffix(name, "s")
	if h.holds(name) || h.holds(one) || h.holds(name+"s") {
		return true
	}
	a, b, joined := strings.Cut(name, "/")
	return joined && !strings.ContainsAny(name, "._@") && (h.holds(a) || ordinary[a]) && (h.holds(b) || ordinary[b])
}

// holds reports whether a name is in the text as whole words.
func (h *haystack) holds(name string) bool {
	name = strings.ToLower(memory.OneLine(name))
	for at := 0; ; {
		i := strings.Index(h.lower[at:], name)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(h.lower[:at+i])
		after, _ := utf8.DecodeRuneInString(h.lower[at+i+len(name):])
		if !joins(before) && !joins(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(h.lower[at+i:])
		at += i + size
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// joins reports whether a character makes what is beside it part of a longer word or number.
func joins(r rune) bool {
	return (isWordRune(r) || r == '_') && r != utf8.RuneError && !memory.Unspaced(r)
}

// stems returns the words of a text, cut so that forms of one word are the same.
func stems(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range memory.WordsOf(text) {
		if r := []rune(w); len(r) > 5 {
			w = string(r[:5])
		}
		set[w] = true
	}
	return set
}

// Related reports whether two texts have a word in common: of four letters, a number, or two characters of a script without spaces.
func Related(a, b string) bool {
	in, characters := stems(b), 0
	for w := range stems(a) {
		r, _ := utf8.DecodeRuneInString(w)
		switch {
		case !in[w]:
		case memory.Unspaced(r):
			characters++
		case utf8.RuneCountInString(w) > 3 || strings.ContainsFunc(w, unicode.IsNumber):
			return true
		}
	}
	return characters > 1
}
