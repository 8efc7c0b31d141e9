package signal

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// folds are the spellings that mean the same: letters without their accents, punctuation of ASCII. The
// rules are folded too.
var folds = func() map[rune]string {
	m := map[rune]string{
		'ß': "ss", 'œ': "oe", 'æ': "ae", 'ä': "ae", 'ö': "oe", 'ü': "ue", '’': "'", '‘': "'",
		'\t': " ", '\r': " ", '\u00a0': " ", '\u202f': " ", '\u3000': " ",
		'，': ",", '、': ",", '；': ";", '：': ":", '（': "(", '）': ")", '—': ",", '–': ",", '。': "!", '！': "!", '？': "?", '…': "!",
		'¿': " ", '¡': " ", '“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`,
	}
	for to, from := range map[string]string{"a": "àâáãå", "c": "ç", "e": "éèêë", "i": "íìîï", "n": "ñ", "o": "óòôõ", "u": "úùû", "y": "ýÿ"} {
		for _, r := range from {
			m[r] = to
		}
	}
	return m
}()

// folded is a text in lower case, without accents and runs of spaces, with the place in the original of each of its
// bytes, and of its end.
type folded struct {
	text   string
	places []int
}

func fold(text string) folded {
	var b strings.Builder
	places := make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		r = unicode.ToLower(r)
		to, ok := folds[r]
		if !ok {
			to = string(r)
		}
		if to != " " || !strings.HasSuffix(b.String(), " ") {
			b.WriteString(to)
			for range len(to) {
				places = append(places, i)
			}
		}
		i += size
	}
	return folded{b.String(), append(places, len(text))}
}

// quoted is a quotation, and a quotation mark that begins none: an inch, or the end of one.
var quoted = regexp.MustCompile("[\\w[:^ascii:]]\"|\"[^\"]*\"|`[^`]*`|「[^」]*」|『[^』]*』|《[^》]*》")

// unquoted returns a folded text with its quotations blanked.
func unquoted(text string) string {
	if !strings.ContainsAny(text, "\"`「『《") {
		return text
	}
	return quoted.ReplaceAllStringFunc(text, func(s string) string {
		if len(s) <= 1+utf8.UTFMax && s[0] != '"' && s[0] != '`' && s[len(s)-1] == '"' {
			return s
		}
		return strings.Repeat("\x00", len(s))
	})
}

// span returns the part of the original that text[from:to] came from, without the spaces around it.
func (f folded) span(from, to int) (int, int) {
	for to > from && f.text[to-1] == ' ' {
		to--
	}
	return f.places[from], f.places[to]
}
