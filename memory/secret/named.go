package secret

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Bounds of a name and its value, in bytes.
const (
	maxName  = 64
	maxValue = 2048
)

// strength is how much a name says of its value.
type strength int

const (
	innocent strength = iota
	weak              // it may be a credential: "key"
	strong            // it is one, if it looks like one: "api key", "token", "secret"
	login             // it is one, made by a person: "password"
)

// nameAnchors returns what the names of credentials hold.
func nameAnchors() []anchor {
	var anchors []anchor
	for _, text := range []string{"key", "token", "secret", "pass", "pwd", "credential", "auth", "kennwort"} {
		anchors = append(anchors, anchor{text: text, fold: true, match: matchName})
	}
	for _, text := range foreignPasswords {
		anchors = append(anchors, anchor{text: text, match: matchForeign(text)})
	}
	return anchors
}

// foreignPasswords are words for a password that may be part of a word.
var foreignPasswords = []string{
	"비밀번호", "비번", "패스워드", "암호", "密码", "密碼", "口令", "パスワード", "暗証番号", "пароль", "Пароль",
	"contraseña", "Contraseña", "mot de passe", "Mot de passe", "senha", "Senha", "hasło", "Hasło",
}

// matchName finds the value of a name that says that it is a credential. A name is read once.
func matchName(s *scan, at int) (find, bool) {
	if at < s.named {
		return find{}, false
	}
	from := max(s.end, name.back(s.text, at, maxName))
	from = min(at, max(from, s.afterEscape(from)))
	to := at + name.count(s.text[at:], maxName)
	s.named = to
	if to-from > maxName || to < len(s.text) && name[s.text[to]] {
		return find{}, false
	}
	to = from + len(strings.TrimRight(s.text[from:to], "-_"))
	sep, ok := s.separator(from, to)
	if !ok {
		return find{}, false // most names: it is cheaper to look at what follows than at the name
	}
	how, kind := judgeName(s.text[from:to], wordBefore(s.text[s.end:from]))
	if how == innocent {
		return find{}, false
	}
	return s.valueOf(from, to, sep, how, kind)
}

func matchForeign(text string) func(s *scan, at int) (find, bool) {
	return func(s *scan, at int) (find, bool) {
		sep, ok := s.separator(at, at+len(text))
		if !ok {
			return find{}, false
		}
		return s.valueOf(at, at+len(text), sep, login, kindPassword)
	}
}

// afterEscape returns where a word begins that name.back has read into an escape: \u0022, \x1b, %22, \n.
func (s *scan) afterEscape(from int) int {
	if from == 0 {
		return from
	}
	sign, text := s.text[from-1], s.text[from:min(len(s.text), from+len(`U0001f600`))]
	if sign == '%' && hexa.count(text, 2) == 2 {
		return from + 2
	}
	if sign != '\\' || text == "" {
		return from
	}
	for _, e := range escapes {
		if text[0] == e.letter && hexa.count(text[1:], e.digits) == e.digits {
			return from + 1 + e.digits
		}
	}
	return from
}

// escapes are those of JSON, Go and most languages: a letter, and how many hexadecimal digits follow.
var escapes = []struct {
	letter byte
	digits int
}{{'n', 0}, {'r', 0}, {'t', 0}, {'x', 2}, {'u', 4}, {'U', 8}}

// name is what an identifier is made of.
var name = dashed

// wordBefore returns the word before a name in the same sentence: "api" of "api key".
func wordBefore(text string) string {
	text, ok := strings.CutSuffix(text, " ")
	if !ok {
		return ""
	}
	return text[alnum.back(text, len(text), maxName):]
}

// The words of names.
var (
	passwords = oneOf("password passwd passwort passphrase passcode pass pwd kennwort dbpass userpass keypass storepass mdp")
	keys      = oneOf("key apikey authkey secretkey accesskey privatekey masterkey accountkey licensekey signingkey encryptionkey appkey")
	// qualified make a "key" or an "auth" a credential.
	qualified = oneOf("api secret access private auth encryption signing master account service client app application admin deploy webhook hmac jwt session cookie shared storage license bearer rest sas personal subscription project")
	// public make a name innocent: what it names is not a secret, or not a value.
	public = oneOf("public pub publishable primary foreign partition sort cache idempotency page next prev continuation cancellation design translation i18n object row index group max min num count total input output prompt completion cached per bucket map dict host known site shortcut hot column table field unique composite natural surrogate lookup sync pagination cursor anon fingerprint ssh hotkey query route json yaml config")
	// trailing may follow the word that says what a value is.
	trailing = oneOf("value base val env prod production dev development staging stage live test testing old new current base64 b64 plain plaintext raw default here us eu main backup primary secondary")
)

// oneOf reports whether a word is in a list. The set is made when it is first asked: a host's hook starts this program after
// every turn and asks nothing of it.
func oneOf(words string) func(word string) bool {
	set := sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for _, word := range strings.Fields(words) {
			set[word] = true
		}
		return set
	})
	return func(word string) bool { return set()[word] }
}

// judgeName reads a name's words: the last says what the value is, those before it which.
func judgeName(id, before string) (strength, string) {
	words := splitWords(id)
	for i, w := range words {
		words[i] = cmp.Or(strings.TrimRight(w, "0123456789"), w)
	}
	for len(words) > 1 && (trailing(words[len(words)-1]) || isNumber(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return innocent, ""
	}
	last, rest := words[len(words)-1], words[:len(words)-1]
	if before != "" {
		rest = append([]string{strings.ToLower(before)}, rest...)
	}
	if slices.ContainsFunc(rest, public) {
		return innocent, ""
	}
	has := func(w string) bool { return slices.Contains(rest, w) }
	switch {
	case passwords(last), strings.HasSuffix(last, "password"), strings.HasSuffix(last, "passwd"):
		if len(words) == 1 && (last == "pass" || last == "pwd") {
			return weak, kindPassword
		}
		return login, kindPassword
	case has("aws") && (last == "key" || last == "secret"), has("secret") && has("access") && last == "key", last == "secretaccesskey":
		return strong, kindAWSSecret
	case strings.HasSuffix(last, "secret"):
		return strong, kindSecret
	case strings.HasSuffix(last, "token"), strings.HasSuffix(last, "credential"):
		return strong, kindToken
	case last == "auth":
		return weak, kindToken
	case last == "accountkey", last == "key" && has("account"):
		return strong, kindAzure
	case keys(last) && last != "key", last == "key" && slices.ContainsFunc(rest, qualified):
		return strong, kindKey
	case last == "key":
		return weak, kindKey
	}
	return innocent, ""
}

// splitWords returns the words of an identifier in lower case: api, key of apiKey, API_KEY and api-key.
func splitWords(id string) []string {
	var words []string
	from := 0
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(id[from:to]))
		}
		from = to
	}
	for i := range len(id) {
		switch class := classOf(id[i]); {
		case class == 0:
			cut(i)
			from = i + 1
		case i > from && class == large && (classOf(id[i-1]) == small || i+1 < len(id) && classOf(id[i+1]) == small):
			cut(i)
		}
	}
	cut(len(id))
	return words
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// valueOf reads the value of a name.
func (s *scan) valueOf(from, to int, sep separator, how strength, kind string) (find, bool) {
	if sep.sign == "|" {
		s.column(from, how, kind)
	}
	value, start := s.value(sep)
	if value == "" {
		return find{}, false
	}
	quoted := isQuote(s.text[start-1])
	if sep.sign == "," && !quoted || sep.alone && !s.alone(start+len(value)) || !judgeValue(value, how, kind, quoted, sep.sign) {
		return find{}, false
	}
	key := strings.TrimLeft(s.text[from:to], "-")
	if random(key) {
		key = ""
	}
	return find{Span: Span{From: start, To: start + len(value), Kind: kind, Key: key}}, true
}

// column adds the values in the column of a table that has a name in its heading.
func (s *scan) column(from int, how strength, kind string) {
	const maxRows = 20
	first := max(0, from-maxAddress)
	begin := first + strings.LastIndexByte(s.text[first:from], '\n') + 1
	cell := strings.Count(s.text[begin:from], "|")
	for n, at := 0, begin; n < maxRows; n++ {
		length := strings.IndexByte(s.text[at:min(len(s.text), at+maxAddress)], '\n')
		if at += length + 1; length < 0 {
			return
		}
		row, _, _ := strings.Cut(s.text[at:min(len(s.text), at+maxAddress)], "\n")
		if rule := strings.Trim(row, "|-: \t\r") == ""; !strings.HasPrefix(row, "|") || rule != (n == 0) {
			return
		}
		cells := strings.SplitAfterN(row, "|", cell+2)
		if n == 0 || len(cells) <= cell {
			continue
		}
		value := strings.Trim(cells[cell], " `*|\t\r")
		start := at + len(strings.Join(cells[:cell], "")) + strings.Index(cells[cell], value)
		if value != "" && judgeValue(value, how, kind, false, "is") {
			s.finds = append(s.finds, find{Span: Span{From: start, To: start + len(value), Kind: kind}})
		}
	}
}

// alone reports whether a line ends at a place, quotes and emphasis aside.
func (s *scan) alone(at int) bool {
	at = skip(s.text, at, "\"'`* \r")
	return at == len(s.text) || s.text[at] == '\n'
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// separator parts a name and its value.
type separator struct {
	sign  string // "=", ":", "|", ",", " " of an option, or "is" for prose
	end   int
	alone bool // the value must be all of its line
	env   bool // it is in a line of a file of variables: the value ends at white space
}

// What in prose parts a name from its value, and what encloses a value beside quotes.
var (
	copulas = []string{" is now ", " is ", " is: ", " was ", " lautet ", " ist ", " est ", " es ", " è ", "는 ", "은 ", "是", "为", "為", "は", " — ", " – ", " - ", " → ", " -> "}
	escaped = []string{`\u0022`, "%22", "&quot;"}
	opening = append([]string{"「", "“", "«"}, escaped...)
	closing = append([]string{"](", "」", "”", "»", "…", "..."}, escaped...)
	// "password for the lab: …", "token (staging) is …"
	phrase = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?: ?\([^()\n]{1,40}\)| \S+(?: [^\s:=.,;|]{1,20}){1,4}?)(?: ?[:=][*_]{0,3}| is) `)
	})
	prepositions = oneOf("for of on to at in we für auf von от для pour de para")
	// "name": "API_KEY", "value": "…"
	valued = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^,?\s{0,8}["']?value["']?\s?[:=]`)
	})
)

// separator returns what follows a name, if it parts the name from a value.
func (s *scan) separator(from, to int) (separator, bool) {
	text := s.text
	end := to
	for _, quote := range escaped {
		if strings.HasPrefix(text[end:], quote) {
			end += len(quote)
		}
	}
	end = skip(text, end, "\"'`*]\\")
	for _, word := range copulas {
		if strings.HasPrefix(text[end:], word) {
			return separator{sign: "is", end: end + len(word)}, true
		}
	}
	spaced := skip(text, end, " \t")
	rest := text[spaced:min(len(text), spaced+maxAddress)]
	if rest == "" {
		return separator{}, false
	}
	for _, sign := range []string{":=", "?=", "+=", "：", "%3D", "%3A"} {
		if strings.HasPrefix(rest, sign) {
			return separator{sign: "=", end: spaced + len(sign)}, true
		}
	}
	switch quoted := from > 0 && isQuote(text[from-1]) && isQuote(text[to]); {
	case rest[0] == '=':
		next := skip(text, spaced, "=>")
		// What a name is compared with is a value only in quotes.
		env := spaced == to && next == to+1 && s.beginsLine(from)
		return separator{sign: "=", end: next, env: env}, !strings.HasPrefix(rest, "==") || beginsQuoted(text[next:])
	case rest[0] == ':' && s.alone(spaced+1):
		return separator{sign: "is", end: skip(text, spaced+1, " \r\n"), alone: true}, true
	case rest[0] == ':':
		sign := ":"
		if spaced == to && spaced+1 < len(text) && word[text[spaced+1]] {
			sign = "="
		}
		return separator{sign: sign, end: spaced + 1}, !strings.HasPrefix(rest, "::") && !strings.HasPrefix(rest, "://")
	case rest[0] == '|' && spaced > end:
		return separator{sign: "|", end: spaced + 1}, true
	case rest[0] == '>' && from > 0 && text[from-1] == '<':
		return separator{sign: "=", end: spaced + 1}, true
	case strings.HasPrefix(text[from:], "--") && spaced > end, s.login(from):
		return separator{sign: " ", end: spaced}, true
	default:
		if near := text[spaced:min(len(text), spaced+2*anchorSize*anchorSize)]; strings.Contains(near, "alue") {
			if m := valued().FindString(near); m != "" {
				return separator{sign: "=", end: spaced + len(m)}, true
			}
		}
		if s.alone(end) {
			return separator{sign: "is", end: skip(text, end, "\"'`* \r\n"), alone: true}, true
		}
		if word, _, _ := strings.Cut(rest, " "); rest[0] != '(' && !prepositions(word) {
		} else if m := phrase().FindString(text[end:min(len(text), end+maxAddress)]); m != "" {
			return separator{sign: "is", end: end + len(m)}, true
		}
		if rest[0] == ',' && quoted {
			return separator{sign: ",", end: spaced + 1}, true
		}
	}
	next, _, _ := strings.Cut(rest[:min(len(rest), maxName)], " ")
	return separator{sign: "is", end: spaced}, spaced > end && strings.ContainsAny(next, "0123456789")
}

// beginsLine reports whether a place begins a line of a file of variables.
func (s *scan) beginsLine(at int) bool {
	before := strings.TrimSuffix(s.text[max(0, at-maxName):at], "export ")
	return before == "" || before[len(before)-1] == '\n'
}

// login reports whether a name follows "login NAME", as in a netrc.
func (s *scan) login(at int) bool {
	words := strings.Fields(s.text[max(0, at-2*maxName):at])
	return len(words) > 1 && words[len(words)-2] == "login"
}

func beginsQuoted(text string) bool {
	text = strings.TrimLeft(text[:min(len(text), maxName)], " ")
	return text != "" && isQuote(text[0])
}

// skip returns where the bytes of a set end that begin at a place; hostile runs are cut.
func skip(text string, at int, set string) int {
	const most = 16
	end := min(len(text), at+most)
	for at < end && strings.IndexByte(set, text[at]) >= 0 {
		at++
	}
	return at
}

// bareEnd are the bytes at which a value without quotes ends.
const bareEnd = " \t\r\n\"'`<>,;|\x00"

// opened returns where a value begins, after spaces, emphasis and an opening mark that is not a quote.
func (s *scan) opened(sep separator) int {
	at := skip(s.text, sep.end, " \t*")
	if sep.sign == "is" {
		at = skip(s.text, at, "(")
	}
	for _, mark := range opening {
		if strings.HasPrefix(s.text[at:], mark) {
			return at + len(mark)
		}
	}
	return skip(s.text, at, "\\")
}

// value returns the value after a separator, spaces, emphasis and an opening quote, and where it begins.
func (s *scan) value(sep separator) (value string, start int) {
	at := s.opened(sep)
	if at == len(s.text) {
		return "", 0
	}
	if quote := s.text[at]; isQuote(quote) {
		at++
		line := s.text[at:min(len(s.text), at+maxValue)]
		end := strings.IndexAny(line, string(quote)+"\n")
		if end < 0 || line[end] == '\n' {
			return "", 0
		}
		value = strings.TrimSuffix(line[:end], "\\")
	} else {
		if s.bare <= at {
			n := strings.IndexAny(s.text[at:], bareEnd)
			if n < 0 {
				n = len(s.text) - at
			}
			s.bare = at + n
		}
		end := s.bare
		if sep.env {
			end = max(end, at+strings.IndexAny(s.text[at:min(len(s.text), at+maxValue)]+"\n", " \t\r\n"))
		}
		if end-at > maxValue {
			return "", 0
		}
		value = s.text[at:end]
		for _, stop := range closing {
			value, _, _ = strings.Cut(value, stop)
		}
		value = strings.TrimRight(value, ".:)]}*_\\;,\r")
		value = value[:queryEnd(value)]
		if sep.sign == "is" {
			value = strings.TrimRight(value, "?!")
		}
	}
	value, _, _ = strings.Cut(value, strings.TrimSpace(maskOpen))
	return value, at
}

// queryEnd returns where a value ends in the query of an address: at the name of the next.
func queryEnd(value string) int {
	for i := 0; i < min(len(value), maxJudged); i++ {
		if value[i] == '&' {
			if next := name.run(value, i+1); next > i+1 && next < len(value) && value[next] == '=' {
				return i
			}
		}
	}
	return len(value)
}
