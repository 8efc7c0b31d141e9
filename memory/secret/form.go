package secret

import (
	stdbase64 "encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// The kinds that have no prefix of their own.
const (
	kindPrivateKey  = "private-key"
	kindURLPassword = "url-password"
	kindBearer      = "bearer-token"
	kindBasic       = "basic-auth"
	kindAzure       = "azure-key"
	kindPassword    = "password"
	kindToken       = "token"
	kindSecret      = "secret"
	kindKey         = "api-key"
	kindAWSSecret   = "aws-secret-key"
	kindCookie      = "cookie"
	kindSignature   = "signature"
)

var shapeless = []string{
	kindPrivateKey, kindURLPassword, kindBearer, kindBasic, kindAzure, kindPassword, kindToken, kindSecret, kindKey,
	kindAWSSecret, kindCookie, kindSignature,
}

// form is a credential by what is around it: in an address, a header or a command.
type form struct {
	anchor string // in any case
	within bool   // it may begin within a word
	kind   string
	expr   string // its last group is the value, the first may be a user's name
	ok     func(user, value string) bool
}

// maxForm bounds, in bytes, how far a form is read.
const maxForm = 1 << 10

// operand is a word of a command.
const operand = "([^\\s\"'`|;)]+)"

// forms are tried at their anchor. A command is followed up to its end by the first option that takes a password: after
// a user's name, in the same word as the option, or in the next.
var forms = []form{
	{"://", true, kindURLPassword, "^://([^\\s\"'`<>\\\\/?#|,;:@]*):([^\\s\"'`<>\\\\/?#|,;]*)@", loginPassword},
	{"bearer ", false, kindBearer, `^.{7}([\w+/=.-]*[\w+=])`, func(_, value string) bool { return strongToken(value) }},
	{"basic ", false, kindBasic, `^.{6}([A-Za-z0-9+/]{8,}=*)`, encodedLogin},
	{"cookie:", true, kindCookie, "=([^;\\s\"'`]{16,})", func(_, value string) bool { return strongToken(value) || uuid.MatchString(value) }},
	{"sig=", true, kindSignature, signature, signs},
	{"-signature=", true, kindSignature, signature, signs},
	{"curl ", false, kindBasic, command(` (?:-u|--user|--proxy-user) +["']?[^:\s$/["']+:`), loginPassword},
	{"http ", false, kindBasic, command(` (?:-a|--auth) +["']?[^:\s$/["']+:`), loginPassword},
	{"smbclient ", false, kindPassword, command(` -U ?["']?[^\s%$"']+%`), loginPassword},
	{"mysql", false, kindPassword, command(` -p["']?`), loginPassword},
	{"mariadb", false, kindPassword, command(` -p["']?`), loginPassword},
	{"7z ", false, kindPassword, command(` -p["']?`), loginPassword},
	{"sshpass ", false, kindPassword, command(` -p ?["']?`), loginPassword},
	{"redis-cli ", false, kindPassword, command(` -a +["']?`), loginPassword},
	{"docker login ", false, kindPassword, command(` -p +["']?`), loginPassword},
	{"podman login ", false, kindPassword, command(` -p +["']?`), loginPassword},
	{"mongo", false, kindPassword, command(` -p +["']?`), loginPassword},
	{"ldap", false, kindPassword, command(` -w +["']?`), loginPassword},
	{"zip ", false, kindPassword, command(` -P +["']?`), loginPassword},
}

const signature = "^[^=]*=([^&\\s\"'`<>)\\]]{32,})"

func command(option string) string { return "^[^\n|;]*?" + option + operand }

// signs reports whether a value is a signature by which an address works for anyone.
func signs(_, value string) bool { return random(value) && !variable(value) }

// loginPassword reports whether what follows a user's name and a colon is a password and not a placeholder.
// "postgres:postgres" and the like are not secrets.
func loginPassword(user, password string) bool {
	const least = 4
	return len(password) >= least && password != user && !variable(password) && !dummyPassword(password)
}

var printableLogin = regexp.MustCompile(`^([!-9;-~]*):([!-~]*)$`)

// encodedLogin reports whether a value is the base64 of a user's name, a colon and a password.
func encodedLogin(_, value string) bool {
	login, err := stdbase64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	m := printableLogin.FindStringSubmatch(string(login))
	return err == nil && m != nil && loginPassword(m[1], m[2])
}

func (f form) matcher() func(s *scan, at int) (next int) {
	expr := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(f.expr) })
	return func(s *scan, at int) (next int) {
		if !f.within && !s.begins(at) {
			return 0
		}
		text, _, _ := strings.Cut(s.near(at, maxForm), "\n")
		for _, m := range expr().FindAllStringSubmatchIndex(text, -1) {
			from, to, user := m[2], m[3], ""
			if expr().NumSubexp() == 2 {
				from, to, user = m[4], m[5], text[from:to]
			}
			if f.ok(user, text[from:to]) {
				s.finds = append(s.finds, find{Span: Span{From: at + from, To: at + to, Kind: f.kind}, shaped: true})
			}
		}
		return 0
	}
}

// formAnchors returns the anchors of all but shapes.
func formAnchors() []anchor {
	anchors := append(nameAnchors(), anchor{text: maskOpen, match: matchMask}, anchor{text: "-----BEGIN ", match: matchPrivateKey})
	for _, f := range forms {
		anchors = append(anchors, anchor{text: f.anchor, fold: true, match: f.matcher()})
	}
	return anchors
}

// matchPrivateKey finds a block of PEM or PGP that holds a private key, with line ends as they are or
// written as \n. A block that is not closed ends with its last line.
func matchPrivateKey(s *scan, at int) (next int) {
	const dashes, maxLabel, maxBlock, leastRun, maxGap = "-----", 60, 64 << 10, 32, 120
	label := at + len("-----BEGIN ")
	n := strings.Index(s.text[label:min(len(s.text), label+maxLabel)], dashes)
	if n < 0 || !strings.Contains(s.text[label:label+n], "PRIVATE KEY") {
		return 0
	}
	body := label + n + len(dashes)
	end, closed := min(len(s.text), body+maxBlock), false
	if n := strings.Index(s.text[body:end], dashes); n >= 0 {
		end, closed = body+n, strings.HasPrefix(s.text[body+n:], dashes+"END ")
	}
	last := 0 // the end of the last run that is part of a key
	for i := body; i < end; i++ {
		from := i
		i = base64.run(s.text[:end], i)
		if i-from >= leastRun && (last > 0 || !placeholder(s.text[from:i]) && entropy(s.text[from:min(i, from+maxJudged)]) >= minEntropy) {
			last = i
		}
		if !closed && i-max(last, body) > maxGap {
			break
		}
	}
	if last == 0 {
		return 0
	}
	if closed {
		last = end + len(dashes)
		if n := strings.Index(s.text[last:min(len(s.text), last+maxLabel)], dashes); n >= 0 {
			last += n + len(dashes)
		}
	}
	return s.shaped(at, last, kindPrivateKey)
}
