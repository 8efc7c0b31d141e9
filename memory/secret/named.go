package secret

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Bounds of what stands behind a name, in bytes.
const (
	maxName  = 64
	maxValue = 2048
)

// strength is how much a name says of the value behind it.
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

// foreignPasswords are words for a password that need not stand alone as a word.
var foreignPasswords = []string{
	"비밀번호", "비번", "패스워드", "암호", "密码", "密碼", "口令", "パスワード", "暗証番号", "пароль", "Пароль",
	"contraseña", "Contraseña", "mot de passe", "Mot de passe", "senha", "Senha", "hasło", "Hasło",
}

// matchName finds the value behind a name that says that it is a credential. A name is read once.
func matchName(s *scan, at int) (find, bool) {
	if at < s.named {
		return find{}, false
	}
	from := max(s.end, name.back(s.text, at, maxName))
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
	return s.behind(from, to, sep, how, kind)
}

func matchForeign(text string) func(s *scan, at int) (find, bool) {
	return func(s *scan, at int) (find, bool) {
		sep, ok := s.separator(at, at+len(text))
		if !ok {
			return find{}, false
		}
		return s.behind(at, at+len(text), sep, login, kindPassword)
	}
}

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
	// public make a name innocent: what it names is no secret, or no value.
	public = oneOf("public pub publishable primary foreign partition sort cache idempotency page next prev continuation cancellation design translation i18n object row index group max min num count total input output prompt completion cached per bucket map dict host known site shortcut hot column table field unique composite natural surrogate lookup sync pagination cursor anon fingerprint ssh hotkey query route json yaml config")
	// trailing may follow the word that says what a value is.
	trailing = oneOf("value base val env prod production dev development staging stage live test testing old new current base64 b64 plain plaintext raw default here us eu main backup primary secondary")
)

// oneOf tells the words of a list from others. It is made when it is first asked: a host's hook starts this program after
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

// behind reads the value behind a name and a separator.
func (s *scan) behind(from, to int, sep separator, how strength, kind string) (find, bool) {
	value, start := s.value(sep.end, sep.sign == "is")
	if value == "" {
		return find{}, false
	}
	quoted := isQuote(s.text[start-1])
	if sep.sign == "," && !quoted || !judgeValue(value, how, kind, quoted, sep.sign) {
		return find{}, false
	}
	key := strings.TrimLeft(s.text[from:to], "-")
	if random(key) {
		key = ""
	}
	return find{Span: Span{From: start, To: start + len(value), Kind: kind, Key: key}}, true
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// separator parts a name and its value.
type separator struct {
	sign string // "=", ":", "|", ",", " " behind an option, or "is" for the words of prose
	end  int
}

// copulas say in prose what "=" says in code.
var copulas = []string{" is ", " is: ", " was ", " lautet ", " ist ", " est ", " es ", "는 ", "은 ", "是", "为", "為", "は"}

// separator returns what stands behind a name, if it parts the name from a value.
func (s *scan) separator(from, to int) (separator, bool) {
	text := s.text
	end := skip(text, to, "\"'`*]\\")
	for _, word := range copulas {
		if strings.HasPrefix(text[end:], word) {
			return separator{"is", end + len(word)}, true
		}
	}
	spaced := skip(text, end, " \t")
	rest := text[spaced:]
	if rest == "" {
		return separator{}, false
	}
	for _, sign := range []string{":=", "?=", "+=", "：", "→"} {
		if strings.HasPrefix(rest, sign) {
			return separator{"=", spaced + len(sign)}, true
		}
	}
	switch quoted := from > 0 && isQuote(text[from-1]) && isQuote(text[to]); {
	case rest[0] == '=':
		next := skip(text, spaced, "=>")
		// What a name is compared with is a value only in quotes.
		return separator{"=", next}, !strings.HasPrefix(rest, "==") || beginsQuoted(text[next:])
	case rest[0] == ':':
		return separator{":", spaced + 1}, !strings.HasPrefix(rest, "::") && !strings.HasPrefix(rest, "://")
	case rest[0] == '|' && spaced > end:
		return separator{"|", spaced + 1}, true
	case rest[0] == ',' && quoted:
		return separator{",", spaced + 1}, true
	case rest[0] == '>' && from > 0 && text[from-1] == '<':
		return separator{"=", spaced + 1}, true
	case spaced > end && strings.HasPrefix(text[from:], "--"):
		return separator{" ", spaced}, true
	}
	return separator{}, false
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

// value returns the value at a place, behind spaces, emphasis and an opening quote, and where it begins.
func (s *scan) value(at int, prose bool) (value string, start int) {
	at = skip(s.text, at, " \t*\\")
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
		if s.bare-at > maxValue {
			return "", 0
		}
		value = strings.TrimRight(s.text[at:s.bare], ".:)]}*_\\")
		value = value[:queryEnd(value)]
		if prose {
			value = strings.TrimRight(value, "?!")
		}
	}
	if i := strings.Index(value, strings.TrimSpace(maskOpen)); i >= 0 {
		value = value[:i]
	}
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
