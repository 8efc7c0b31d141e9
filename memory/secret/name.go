package secret

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
)

// maxName bounds, in bytes, a name.
const maxName = 64

// strength is how much a name says of its value.
type strength int

const (
	innocent strength = iota
	weak              // it may be a credential: "key"
	strong            // it is one, if it looks like one: "api key", "token", "secret"
	login             // it is one, made by a person: "password"
	numeric           // it is one, of digits alone: "pin"
)

// nameAnchors returns what the names of credentials hold.
func nameAnchors() []anchor {
	var anchors []anchor
	for _, text := range []string{"key", "token", "secret", "pass", "pwd", "pw:", "pw=", "pw ", "pin=", "pin:", "pin ", "credential",
		"auth", "kennwort", "psk", "_pat", "_pw", "salt", "pepper", "seed", "cookie", "sessid", "jsessionid"} {
		anchors = append(anchors, anchor{text: text, fold: true, match: matchName})
	}
	for _, text := range foreignPasswords {
		anchors = append(anchors, anchor{text: text, match: matchForeign(text)})
	}
	return anchors
}

// foreignPasswords are words for a password that may be part of a word. Where upper case is not ASCII, or begins
// another word, both are listed.
var foreignPasswords = strings.Split("비밀번호|비번|패스워드|암호|密码|密碼|口令|パスワード|暗証番号|пароль|Пароль|пароля|паролю|парола|Парола|лозинк|Лозинк|"+
	"contraseña|Contraseña|contrasenya|clave|Clave|mot de passe|Mot de passe|senha|Senha|palavra-passe|palavra passe|parola|Parola|parolă|"+
	"hasło|Hasło|haslo|heslo|Heslo|geslo|Geslo|lozinka|Lozinka|jelsz|Jelsz|salasan|Salasan|lösenord|Lösenord|kodeord|Kodeord|"+
	"adgangskode|Adgangskode|passord|Passord|wachtwoord|Wachtwoord|lykilorð|slaptažod|Slaptažod|parool|Parool|şifre|Şifre|sifre|Sifre|"+
	"mật khẩu|Mật khẩu|kata sandi|Kata sandi|sandi |κωδικός|Κωδικός|κωδικό |סיסמה|סיסמא|סיסמת|كلمة المرور|كلمة السر|كلمة مرور|كلمة سر|"+
	"الرقم السري|رمز عبور|گذرواژه|पासवर्ड|कूटशब्द|পাসওয়ার্ড|รหัสผ่าน", "|")

// matchName finds the value of a name that says that it is a credential. A name is read once.
func matchName(s *scan, at int) (next int) {
	if at < s.named {
		return 0
	}
	from := max(s.end, name.back(s.text, at, maxName))
	from = min(at, max(from, s.afterEscape(from)))
	to := at + name.count(s.text[at:], maxName)
	s.named = to
	if to-from > maxName || to < len(s.text) && name[s.text[to]] {
		return 0
	}
	sign, start := s.separator(from, to)
	if sign == "" && !s.followed(to) {
		return 0 // most names: it is cheaper to look at what follows than at the name
	}
	how, kind := judgeName(s.text[from:to], wordBefore(s.text[s.end:from]))
	if how == innocent {
		return 0
	}
	if sign == "" || !s.valueOf(from, to, sign, start, how, kind) {
		s.prose(from, to, how, kind)
	}
	return 0
}

// spaced reports whether a letter is of a script with spaces between words: Latin, Greek or Cyrillic.
func spaced(r rune) bool { return r < 0x530 || 0x1e00 <= r && r < 0x2000 }

func matchForeign(text string) func(s *scan, at int) (next int) {
	last, _ := utf8.DecodeLastRuneInString(text)
	return func(s *scan, at int) (next int) {
		to := at + len(text)
		for to < len(s.text) && to-at < maxName { // its case
			r, size := utf8.DecodeRuneInString(s.text[to:])
			if !unicode.IsLetter(r) || !spaced(r) || !spaced(last) {
				break
			}
			to += size
		}
		if sign, start := s.separator(at, to); sign == "" || !s.valueOf(at, to, sign, start, login, kindPassword) {
			s.prose(at, to, login, kindPassword)
		}
		return 0
	}
}

// escape is one of JSON, Go and most languages, or of an address.
const escape = `(?:\\(?:[nrt]|x[[:xdigit:]]{2}|u[[:xdigit:]]{4}|U[[:xdigit:]]{8})|%[[:xdigit:]]{2})`

var escapeFirst, escapeLast = lazy.New("^" + escape), lazy.New(escape + "$")

// afterEscape returns where a word begins that name.back has read into an escape: \u0022, \x1b, %22, \n.
func (s *scan) afterEscape(from int) int {
	if from > 0 && (s.text[from-1] == '\\' || s.text[from-1] == '%') {
		return max(from, from-1+len(escapeFirst.FindString(s.near(from-1, len(`\U0001f600`)))))
	}
	return from
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
	passwords = oneOf("password passwd passwort passphrase passcode pass pwd pw kennwort dbpass userpass keypass storepass mdp psk")
	keys      = oneOf("key apikey authkey secretkey accesskey privatekey masterkey accountkey licensekey signingkey encryptionkey appkey")
	// qualified make a "key" or an "auth" a credential.
	qualified = oneOf("api secret access private auth encryption signing master account service client app application admin " +
		"deploy webhook hmac jwt session cookie shared storage license bearer rest sas personal subscription project " +
		"validation decryption machine wallet deployer deploy totp otp mfa registration")
	// public make a name innocent: what it names is not a secret, or not a value.
	public = oneOf("public pub publishable primary foreign partition sort cache idempotency page next prev continuation " +
		"cancellation design translation i18n object row index group max min num count total input output prompt completion cached " +
		"per bucket map dict host known site shortcut hot column table field unique composite natural surrogate lookup sync " +
		"pagination cursor anon fingerprint hotkey query route json yaml config")
	// trailing may follow the word that says what a value is.
	trailing = oneOf("value base val env prod production dev development staging stage live test testing old new current base64 " +
		"b64 plain plaintext raw default here us eu main backup primary secondary")
)

// oneOf reports whether a word is in a list. The set is made when it is first asked: a host's hook starts this program
// after every turn and asks nothing of it.
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

// A reading is what the last word of a name says of the value, with words before it.
type reading struct {
	last func(word string) bool
	with func(before []string) bool // nil: whatever is before it
	how  strength
	kind string
}

// readings are in the order in which they are tried.
var readings = []reading{
	{oneOf("key"), all("ssh"), innocent, ""},
	{oneOf("pin"), nil, numeric, kindPassword},
	{passwords, nil, login, kindPassword},
	{ends("password passwd"), nil, login, kindPassword},
	{oneOf("key secret"), all("aws"), strong, kindAWSSecret},
	{oneOf("key"), all("secret access"), strong, kindAWSSecret},
	{oneOf("secretaccesskey"), nil, strong, kindAWSSecret},
	{oneOf("pat"), func(before []string) bool { return len(before) > 0 }, strong, kindSecret},
	{oneOf("salt pepper"), nil, strong, kindSecret},
	{oneOf("cookie"), all("erlang"), strong, kindSecret},
	{oneOf("seed"), isQualified, strong, kindSecret},
	{oneOf("sessid phpsessid jsessionid"), nil, weak, kindCookie},
	{ends("secret"), nil, strong, kindSecret},
	{ends("token credential"), nil, strong, kindToken},
	{oneOf("auth"), nil, weak, kindToken},
	{oneOf("accountkey"), nil, strong, kindAzure},
	{oneOf("key"), all("account"), strong, kindAzure},
	{oneOf("key"), isQualified, strong, kindKey},
	{oneOf("key"), nil, weak, kindKey},
	{keys, nil, strong, kindKey},
}

func isQualified(before []string) bool { return slices.ContainsFunc(before, qualified) }

// all reports whether each of some words is before the last one.
func all(words string) func(before []string) bool {
	list := strings.Fields(words)
	return func(before []string) bool {
		return !slices.ContainsFunc(list, func(w string) bool { return !slices.Contains(before, w) })
	}
}

// ends reports whether a word ends with one of some words.
func ends(words string) func(word string) bool {
	list := strings.Fields(words)
	return func(word string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return strings.HasSuffix(word, w) })
	}
}

// judgeName reads a name's words: the last says what the value is, those before it which.
func judgeName(id, before string) (strength, string) {
	words := telling(id)
	if len(words) == 0 {
		return innocent, ""
	}
	last, rest := words[len(words)-1], words[:len(words)-1]
	if before != "" {
		rest = append([]string{strings.ToLower(before)}, rest...)
	}
	switch {
	case slices.ContainsFunc(rest, public) || strings.EqualFold(id, "1password"):
		return innocent, ""
	case last == "pass" && len(words) == 1:
		return weak, kindPassword
	}
	for _, r := range readings {
		if r.last(last) && (r.with == nil || r.with(rest)) {
			return r.how, r.kind
		}
	}
	return innocent, ""
}

// telling returns the words of a name without numbers at their ends, and without the last ones that do not say what the
// value is.
func telling(id string) []string {
	words := splitWords(id)
	for i, w := range words {
		words[i] = cmp.Or(strings.TrimRight(w, "0123456789"), w)
	}
	for len(words) > 1 && (trailing(words[len(words)-1]) || isNumber(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return words
}

// joint is where two words meet without a sign: api and Key of apiKey, API and Key of APIKey.
var joint = lazy.New(`([a-z])([A-Z])|([A-Z0-9])([A-Z][a-z])`)

// splitWords returns the words of an identifier in lower case: api, key of apiKey, API_KEY and api-key.
func splitWords(id string) []string {
	id = strings.ToLower(joint.ReplaceAllString(id, "${1}${3}_${2}${4}"))
	return strings.FieldsFunc(id, func(r rune) bool { return r >= utf8.RuneSelf || classOf(byte(r)) == 0 })
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }
