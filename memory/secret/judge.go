package secret

import (
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
)

// maxJudged is how many bytes of a value are judged: what is random is so from its first bytes on.
const maxJudged = 256

// standIns are what people write where a credential belongs. Well-known examples are among them: the
// second half of AWS's secret key, the key of Azure's emulator, the JWT of every introduction.
var standIns = []string{
	"example", "placeholder", "your", "xxxx", "****", "....", "redacted", "changeme", "change-me", "change_me",
	"dummy", "sample", "abcdef", "123456", "654321", "qwerty", "replace", "insert", "notreal", "not-a-real", "not_a_real",
	"foobar", "todo", "removed", "masked", "hidden", "lorem", "deadbeef", "cafebabe",
	"eby8vdm02xnocqflquwjpllmetlcdxj1ouzft50us", "sflkxwrjsmekkf2qt4fwpmejf36pok6yjv",
}

// placeholder reports whether a value is written in place of a credential.
func placeholder(value string) bool {
	folded := strings.ToLower(value[:min(len(value), maxJudged)])
	for _, word := range standIns {
		if strings.Contains(folded, word) {
			return true
		}
	}
	return false
}

var uuid = lazy.New(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// evidence is how surely the words before a value make it the value of a name.
type evidence int

const (
	nearby   evidence = iota // words are in between
	spoken                   // "is VALUE", "VALUE" at once after the name, a line of its own
	labelled                 // "name: VALUE"
	assigned                 // "name=VALUE", or in quotes
)

// judgeValue reports whether the value of a name is a credential.
func judgeValue(value string, how strength, kind string, ev evidence) bool {
	if variable(value) || isPath(value) {
		return false
	}
	switch {
	case how == numeric:
		return isNumber(value) && judgeLogin(value, ev)
	case how == login:
		return judgeLogin(value, ev)
	case how == weak && kind == kindPassword:
		if ev == nearby || len(value) < 6 {
			return false
		}
		if ev < assigned {
			return scatter(value) >= passScatter && scrambled(value) || mixed(value) && !strings.ContainsAny(value, "/()[]")
		}
		return judgeLogin(value, ev)
	case how == weak, ev == nearby:
		return weakToken(value) || encodedLogin("", value)
	case strongToken(value):
		return true
	}
	return ev >= spoken && uuid.MatchString(value) || ev == assigned && mixed(value) && judgeLogin(value, ev)
}

// judgeLogin reports whether a value is a password that a person has made or was given.
func judgeLogin(value string, ev evidence) bool {
	const least, most = 6, 128
	if len(value) < least || len(value) > most {
		return false
	}
	if strings.ContainsAny(value, " \t") || ev == assigned && strings.Count(value, "-") >= minPhrase {
		return ev == assigned && passphrase(value)
	}
	if dummyPassword(value) {
		return false
	}
	letter, number := holds(value)
	switch {
	case ev == nearby:
		return len(value) > least && strings.IndexByte("#$%&@*(+-.", value[0]) < 0 && !strings.ContainsAny(value, "/()[]{}=:") && mixed(value) && !uuid.MatchString(value) ||
			letter && number && !strings.ContainsAny(value, "-_./:=()[]#") && classChanges(value) >= 3 && len(value) >= 8
	case ev == spoken || ev == labelled && !number:
		return scrambled(value) || mixed(value) && !strings.ContainsAny(value, "/()[]=") || !letter && ev == spoken && pinNumber.MatchString(value)
	case letter && number:
		return !uuid.MatchString(value) || ev == assigned
	case number:
		return isNumber(value)
	case letter:
		return ev == assigned && strings.ContainsAny(value, "!@#$%^&*+=?~") || scatter(value) >= 2*minScatter
	}
	return false
}

// pinNumber is a number of six to eight digits that is not a date.
var pinNumber = lazy.New(`^(?:[03-9]\d{5,7}|1\d{5,6}|2\d{5,6})$`)

// mixed reports whether a value has letters, digits and a sign that no word, name or version has.
func mixed(value string) bool {
	letter, number := holds(value)
	return letter && number && strings.ContainsAny(value, "!#$%^&*?+") && !strings.HasPrefix(value, "#")
}

// minPhrase is the number of words from which they are a passphrase. With hyphens they are one more.
const minPhrase = 3

// passphrase reports whether a value is a row of words that make no sentence.
func passphrase(value string) bool {
	words := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == '-' })
	return len(words) >= minPhrase && len(words) <= 12 && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz -") == "" && !strings.Contains(value, "battery staple") &&
		!slices.ContainsFunc(words, func(w string) bool { return len(w) < 3 || commonWords(w) || passwords(w) })
}

// commonWords are those of sentences and labels: a row of words with one of them is not a passphrase.
var commonWords = oneOf("the and for with your you this that are was not must have has enter again please repeat here from into when set new old " +
	"user name form field input reset forgot change confirm login value text type test key use only can will should its all any via see " +
	"phrase words backup word list each stored written support handling recover restore app page code error min max")

// variable reports whether a value only names where the credential is, or is a piece of code.
func variable(value string) bool {
	value = value[:min(len(value), maxJudged)]
	switch first := value[0]; {
	case first == '{' || first == '<', strings.HasPrefix(value, "$2") || strings.HasPrefix(value, "$argon"):
		return true
	case first == '/' && scatter(value) > 2*minScatter: // base64, no path
	case strings.IndexByte("$%[(/~.&*@", first) >= 0 && !strings.ContainsAny(value[1:], "!#^+=") && strings.IndexByte(value[1:], '$') < 0:
		return true
	}
	return reference.MatchString(value) && (entropy(value) < minSigned || !signed(value))
}

// reference is a piece of what names where a credential is, or the beginning of a call or an index.
var reference = lazy.New(`^[\w.]+[(\[]|://|\$\{|\$\(|\{\{|ENC\[|process\.env|os\.environ|secrets\.|env\.|arn:aws|vault:|%[sv]`)

// minSigned is the entropy from which a value full of punctuation is not code.
const minSigned = 4.2

// signed reports whether a fifth of a value is punctuation that no name, number or path holds.
func signed(value string) bool {
	n := 0
	for i := range len(value) {
		if strings.IndexByte("!#$%^&*()+=?~@", value[i]) >= 0 {
			n++
		}
	}
	return 5*n >= len(value)
}

// isPath reports whether a value is the path or name of a file, a host, or a name in code: words joined by
// dots and slashes.
func isPath(value string) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return r == '.' || r == '/' })
	if len(parts) < 2 {
		return false
	}
	least := 8 // bytes of a part that differs from a word
	if strings.Contains(value, ".") && fileSuffixes(strings.ToLower(parts[len(parts)-1])) {
		least = 20 // a token may have a suffix too
	}
	return !slices.ContainsFunc(parts, func(part string) bool {
		return strings.ContainsAny(part, "=!#$%^&*+?~@") && least < 20 || len(part) >= least && scatter(part) >= 2*minScatter
	})
}

var fileSuffixes = oneOf("md mdx txt rst go py rb rs js ts jsx tsx mjs java kt swift php cs c h cpp sh sql " +
	"yml yaml json toml ini conf cfg env html css csv log pem crt key pub gz zip pdf png svg xml lock vue svelte tf")

// wordNumberWord is what people make of two words: Tulip-17-river.
var wordNumberWord = lazy.New(`^[A-Z][a-z]{3,}[-_.]\d{1,3}[-_.][a-z]{4,}[!?]?$`)

// scrambled reports whether a value in prose looks like a password and not like a word, a version or the
// number of a ticket: its letters, digits and signs alternate.
func scrambled(value string) bool {
	if wordNumberWord.MatchString(value) {
		return true
	}
	changes := classChanges(value)
	_, number := holds(value)
	if !number && !strings.ContainsAny(value, "!#$%^&*+=?~") {
		return scatter(value) >= 2*minScatter // capitals amid small letters
	}
	if strings.ContainsAny(value, "!#$%^&*+?~") {
		changes++
	}
	return !uuid.MatchString(value) && changes >= 2 && 8*changes >= len(value)
}

// commonPasswords are what a value is, but for digits and separators, that nobody calls a secret.
var commonPasswords = oneOf(`password passwd pass pwd secret changeme admin root postgres mysql redis mongo test tester testing
	user username guest example string none null true false undefined required optional hidden masked redacted
	utf sha scram-sha md argon argon2id argon2 bcrypt scrypt pbkdf base oauth hs rs es v step chapter section issue pr line lines char chars
	characters min max day days hour hours minute minutes px rabbitmq neo4j neo docker localhost demo hunter letmein welcome foo bar baz
	type http https ipv utf8 x pw mypass mypassword mypasswd mysecret password_here token rails django vagrant minioadmin sa ubuntu`)

// dummyPassword reports whether a value is a placeholder for a password, or one that everybody knows.
func dummyPassword(value string) bool {
	folded := strings.ToLower(value)
	core := strings.Trim(folded, "0123456789-_.:")
	return core == "" && strings.ContainsAny(value, "-.:_") || commonPasswords(core) || placeholder(value)
}

// strongToken reports whether what a name calls a token looks like one.
func strongToken(value string) bool {
	const least = 16
	if len(value) < least || strings.ContainsAny(value, " \t") || strings.HasPrefix(value, "sha256:") || strings.HasPrefix(value, "SHA256:") {
		return false
	}
	letter, number := holds(value)
	number = number || signed(value) || scatter(value) >= 2*minScatter // capitals amid small letters, as in no name
	return letter && number && !uuid.MatchString(value) && random(value)
}

// weakToken reports whether what may be no credential at all looks like one beyond doubt. A hash is none,
// nor a public key, which begins with MII.
func weakToken(value string) bool {
	const least, floor = 24, 3.6
	if len(value) < least || strings.HasPrefix(value, "MII") || hexa.run(value, 0) == len(value) ||
		dashed.run(value, 0) != len(value) && base64.run(value, 0) != len(value) {
		return false
	}
	return strongToken(value) && entropy(value[:min(len(value), maxJudged)]) >= floor && 2*scatter(value) >= 5*minScatter
}
