package listing

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Routine is said again and again, in nearly the same words: each clause of it recurs in other sessions. A page shows it at
// its end, and of what says the same only the first. Of the others their session says how many there are. A listing of one session
// shows them all, since nothing recurs in it.

const (
	minForm = 1 // words that a form needs, beside what is left open
	minSaid = 3 // utterances that make words or a form routine; of a form, sessions too: with two, the difference may be what matters
)

// A clause is a part of an utterance, as it is compared with others.
type clause struct {
	exact uint64 // of its words, in lower case
	form  uint64 // of its words, with names, paths and numbers left open; 0: too few words are left
	words int
	text  string // as it was typed
}

func (c clause) keys() []uint64 {
	if c.form == 0 {
		return []uint64{c.exact}
	}
	return []uint64{c.exact, c.form}
}

// A place is an utterance of a list.
type place struct{ session, at int }

// A phrase is what is known of the clauses with the same words or the same form.
type phrase struct {
	said, sessions int
	last           place // the utterance that said it last
	shown          *kept
}

// repeats knows what was said in a list.
type repeats map[uint64]*phrase

var seed = maphash.MakeSeed()

// note counts the clauses of an utterance.
func (r repeats) note(words []clause, at place) {
	for _, c := range words {
		for _, key := range c.keys() {
			p := r[key]
			if p == nil {
				p = &phrase{last: place{-1, -1}}
				r[key] = p
			}
			if p.last.session != at.session {
				p.sessions++
			}
			if p.last != at {
				p.said++
			}
			p.last = at
		}
	}
}

// routine reports whether the clauses of an utterance all recur.
func (r repeats) routine(words []clause) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(c clause) bool { return len(r.recurring(c)) == 0 })
}

// recurring returns what recurs of a clause: its words, its form, or nothing.
func (r repeats) recurring(c clause) (all []*phrase) {
	if p := r[c.exact]; p.said >= minSaid && p.sessions > 1 {
		all = append(all, p)
	}
	if p := r[c.form]; p != nil && p.said >= minSaid && p.sessions >= minSaid {
		all = append(all, p)
	}
	return all
}

// fingerprint returns a sum over the clauses of an utterance that does not depend on their order.
func fingerprint(words []clause) (sum uint64) {
	for _, c := range words {
		sum += cmp.Or(c.form, c.exact)
	}
	return sum
}

// first returns the utterance that shows the longest clause of an utterance that is routine, nil if not all are shown.
func (r repeats) first(words []clause) *kept {
	var first *kept
	longest := 0
	for _, c := range words {
		all := r.recurring(c)
		i := slices.IndexFunc(all, func(p *phrase) bool { return p.shown != nil })
		if i < 0 {
			return nil
		}
		if c.words > longest {
			first, longest = all[i].shown, c.words
		}
	}
	return first
}

// fold marks what recurs in the sessions from one on and in their segments, and folds all but the first of it.
func (l *List) fold(session int, segments []segment) {
	r := repeats{}
	for n := session; n < len(l.sessions); n++ {
		for at, k := range l.sessions[n].kept {
			r.note(k.words, place{n, at})
		}
	}
	same := map[uint64]*kept{} // by all that is said: the first
	for i := range segments {
		g := &segments[i]
		s := &l.sessions[g.session]
		for at := g.from; at < g.to; at++ {
			k := &s.kept[at]
			if k.recurs = r.routine(k.words); !k.recurs {
				g.single++
				continue
			}
			all := fingerprint(k.words)
			if first := r.first(k.words); first != nil && (!k.short || same[all] != nil) {
				k.first = cmp.Or(same[all], first)
				k.in = g.session
				k.first.like = append(k.first.like, k)
				continue
			}
			same[all] = k
			for _, c := range k.words {
				for _, p := range r.recurring(c) {
					if p.shown == nil {
						p.shown = k
					}
				}
			}
		}
	}
	for n := session; n < len(l.sessions); n++ {
		for at := range l.sessions[n].kept {
			k := &l.sessions[n].kept[at]
			for _, c := range k.words {
				if len(r.recurring(c)) > 0 {
					l.routine[c.exact] = true
				}
			}
			k.words = nil
		}
	}
}

// news returns a text without the clauses of it that recur in the list.
func (l *List) news(text string) string {
	if len(text) > maxTemplate {
		return text
	}
	all, _ := clausesOf(text)
	n := len(all)
	all = slices.DeleteFunc(all, func(c clause) bool { return l.routine[c.exact] })
	if len(all) == n {
		return text
	}
	var b strings.Builder
	for _, c := range all {
		b.WriteString(c.text + "\n")
	}
	return b.String()
}

// A line of what recurs names at most maxLike others. One that only counts them shows the numbers of at most maxNumbers.
const (
	maxLike    = 9
	maxNumbers = 6
)

// likeThis says where else something was said, each with the numbers in its words if they are others, or how often and on how
// many days; or that only parts of it were.
func (l *List) likeThis(first *kept) string {
	switch {
	case len(first.like) == 0 && first.recurs:
		return " [in parts]"
	case len(first.like) == 0:
		return ""
	}
	if len(first.like) <= maxLike {
		said := " [also "
		for i, k := range first.like {
			if i == 0 || k.in != first.like[i-1].in {
				said += strings.Repeat(", ", min(i, 1)) + l.sessions[k.in].Short()
			} else {
				said += " "
			}
			said += ":" + k.id()
			if k.numbers != "" && k.numbers != first.numbers {
				said += " (" + k.numbers + ")"
			}
		}
		return said + "]"
	}
	days, numbers := map[string]bool{}, []string{}
	for _, k := range slices.Concat(first.like, []*kept{first}) {
		days[k.time.In(l.query.Zone).Format(time.DateOnly)] = true
		if k.numbers != "" && !slices.Contains(numbers, k.numbers) {
			numbers = append(numbers, k.numbers)
		}
	}
	on := "one day"
	if len(days) > 1 {
		on = fmt.Sprintf("%d days", len(days))
	}
	said := fmt.Sprintf(" [%d times on %s", 1+len(first.like), on)
	if more := len(numbers) - maxNumbers; more > 0 {
		numbers = append(numbers[:maxNumbers], fmt.Sprintf("%d more", more))
	}
	if len(numbers) > 1 {
		said += ", with the numbers " + strings.Join(numbers, "; ")
	}
	return said + "]"
}

// wordsOf returns the clauses of what a user typed, without what was pasted, and some of the numbers in it. A short answer
// means little without the sentence that it answers: that counts as a clause, too.
func wordsOf(text, before string) ([]clause, string) {
	if len(text) > maxTemplate {
		return []clause{{exact: maphash.String(seed, text), words: 1}}, ""
	}
	own := text
	if strings.Contains(text, "\n") {
		own = ""
		for _, p := range split(text) {
			own += p.text + "\n"
		}
	}
	all, numbers := clausesOf(own)
	if len(all) > 0 && before != "" && isAnswer(text) {
		answered, _ := clausesOf(lastSentence(before))
		for _, c := range answered {
			c.words, c.text = 0, ""
			all = append(all, c)
		}
	}
	return all, numbers
}

// wideMarks end a clause where a script has no spaces.
var wideMarks = strings.NewReplacer("。", "。 ", "！", "！ ", "？", "？ ", "；", "； ", "，", "， ", "、", "、 ", "：", "： ", "\n", " \n ")

// clausesOf returns the clauses of a text and some of the numbers in it.
func clausesOf(text string) (all []clause, numbers string) {
	var exact, form, typed strings.Builder
	words, ordinary := 0, 0
	var found []string
	end := func(question bool) {
		if words > 0 {
			if question {
				exact.WriteByte('?')
				form.WriteByte('?')
			}
			c := clause{exact: maphash.String(seed, "="+exact.String()), words: words, text: typed.String()}
			if ordinary >= minForm {
				c.form = maphash.String(seed, form.String())
			}
			all = append(all, c)
		}
		exact.Reset()
		form.Reset()
		typed.Reset()
		words, ordinary = 0, 0
	}
	for token := range strings.FieldsFuncSeq(wideMarks.Replace(text), func(r rune) bool { return r != '\n' && unicode.IsSpace(r) }) {
		word := strings.TrimFunc(token, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '/' })
		if token[0] == '(' || word == "" {
			end(false)
		}
		if word == "" {
			continue
		}
		words++
		typed.WriteString(token + " ")
		lower := strings.ToLower(word)
		exact.WriteString(lower + " ")
		if isOpen(word) {
			form.WriteString("# ")
			if isNumber(word) && len(found) < 3 {
				found = append(found, word)
			}
		} else {
			ordinary++
			form.WriteString(lower + " ")
		}
		if last := token[strings.LastIndex(token, word)+len(word):]; strings.ContainsAny(last, ".;:!?,…。！？；，、：)") {
			end(strings.ContainsAny(last, "?？"))
		}
	}
	end(false)
	return all, strings.Join(found, ",")
}

// isOpen reports whether a word is a name of code, a path, a hash or a number.
func isOpen(word string) bool {
	var before rune
	upper := 0
	for i, r := range word {
		switch {
		case unicode.IsDigit(r), strings.ContainsRune(`/\_@`, r), r == '.' && i > 0, r == ':' && i > 0:
			return true
		case unicode.IsUpper(r):
			if unicode.IsLower(before) {
				return true
			}
			upper++
		case unicode.IsLower(r) && upper > 1:
			return true
		}
		before = r
	}
	return false
}

// hashLength is the number of characters of a short commit hash. Some have digits alone.
const hashLength = 7

// isNumber reports whether a word is a number, perhaps with a unit, but not a hash.
func isNumber(word string) bool {
	return len(word) <= 10 && (len(word) < hashLength || strings.Trim(word, "0123456789") != "") && unicode.IsDigit(rune(word[0])) && strings.Trim(strings.TrimLeft(word, "0123456789.,:-"), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%") == ""
}
