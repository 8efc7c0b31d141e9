package rank

import (
	"strings"
	"unicode/utf8"
)

// A token is a word of the query, or a run of a dense script.
type token struct {
	text   string
	dense  bool
	quoted int  // 1 for the first phrase; 0 outside of quotes
	opens  bool // it begins a sentence
}

func tokenize(text string) []token {
	var tokens []token
	quoted, phrases, opens := 0, 0, true
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		dense := isDense(r)
		if !dense && !isWord(r) {
			switch {
			case strings.ContainsRune(`"“”«»「」„`, r):
				if quoted != 0 {
					quoted = 0
				} else if strings.ContainsAny(text[i+size:], `"”»«」“`) {
					phrases++
					quoted = phrases
				}
			case strings.ContainsRune(".?!:;\n", r):
				opens = true
			}
			i += size
			continue
		}
		start := i
		for i < len(text) {
			r, size = utf8.DecodeRuneInString(text[i:])
			if isDense(r) != dense || !dense && !isWord(r) && r != '_' {
				break
			}
			i += size
		}
		tokens = append(tokens, token{text: text[start:i], dense: dense, quoted: quoted, opens: opens})
		opens = false
	}
	return tokens
}
