package secret

import (
	"cmp"
	stdbase64 "encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"

	"dream-mcp/memory/lazy"
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
	kindCard        = "card-number"
	kindCode        = "recovery-code"
)

var shapeless = []string{
	kindPrivateKey, kindURLPassword, kindBearer, kindBasic, kindAzure, kindPassword, kindToken, kindSecret, kindKey,
	kindAWSSecret, kindCookie, kindSignature, kindCard, kindCode,
}

// form is a credential by what is around it: in an address, a header, a command, a statement or after a label.
type form struct {
	anchors string // in any case, with | between them; one that begins with * may begin within a word
	kind    string
	expr    string // of what follows an anchor. Its last group is the value, the first may be a user's name; it may match several times
	ok      func(user, value string) bool
	reach   int    // how far it is read, in bytes; 0: maxForm
	needs   string // there is one of these characters
}

// Bounds, in bytes, of how far a form is read.
const (
	maxForm    = 1 << 10
	maxAddress = 256 // the part of an address before its host
	maxLabel   = 120
)

// A word of a command or a statement, in quotes or not.
const operand = "[\"'`]?([^\\s\"'`|;)]+)"

const decimals = "0123456789"

// forms are tried at their anchors. A command is followed up to its end by the first option that takes a password:
// after a user's name, in the same word as the option, or in the next.
var forms = []form{
	{anchors: "*://", kind: kindURLPassword, ok: urlPassword, reach: maxAddress, needs: "@",
		expr: "^([^\\s\"'`<>\\\\/?#|,;:@]{0,80}):([^\\s\"'`<>\\\\|,;]{1,120}?)@[\\w.\\[\\]-]+(?:[/:?#\\s\"'`)>,;]|$)"},
	{anchors: "*://", kind: kindURLPassword, expr: `^([\w-]{20,})@[\w.-]+`, ok: token, reach: maxAddress, needs: "@"},
	{anchors: "bearer ", kind: kindBearer, expr: `^([\w+/=.-]*[\w+=])`, ok: token},
	{anchors: "ssws ", kind: kindBearer, expr: `^([\w-]{30,})`, ok: token},
	{anchors: "basic ", kind: kindBasic, expr: `^([A-Za-z0-9+/]{8,}=*)`, ok: encodedLogin},
	{anchors: "*cookie:|*cookie =", kind: kindCookie, expr: "=([^=;\\s\"'`]{16,}=*)", ok: func(_, value string) bool { return strongToken(value) || uuid.MatchString(value) }},
	{anchors: "*sig=|*signature=", kind: kindSignature, expr: "^([^&\\s\"'`<>)\\]]{32,})", ok: signs},
	{anchors: "curl ", kind: kindBasic, expr: command(`(?:-u|--user|--proxy-user) +["']?[^:\s$/["']+:`), ok: loginPassword},
	{anchors: "http ", kind: kindBasic, expr: command(`(?:-a|--auth) +["']?[^:\s$/["']+:`), ok: loginPassword},
	{anchors: "smbclient ", kind: kindPassword, expr: command(`-U ?["']?[^\s%$"']+%`), ok: loginPassword},
	{anchors: "mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|7z |7za ", kind: kindPassword, expr: command(`-p`), ok: loginPassword},
	{anchors: "unrar |rar ", kind: kindPassword, expr: command(`-h?p`), ok: loginPassword},
	{anchors: "sshpass ", kind: kindPassword, expr: command(`-p ?`), ok: loginPassword},
	{anchors: "redis-cli ", kind: kindPassword, expr: command(`-a +`), ok: loginPassword},
	{anchors: "docker login |podman login |mongo|az login ", kind: kindPassword, expr: command(`-p +`), ok: loginPassword},
	{anchors: "ldap", kind: kindPassword, expr: command(`-w +`), ok: loginPassword},
	{anchors: "zip ", kind: kindPassword, expr: command(`-P +`), ok: loginPassword},
	{anchors: "htpasswd ", kind: kindPassword, expr: command(`-[a-zA-Z]*b[a-zA-Z]* +\S+ +\S+ +`), ok: loginPassword},
	{anchors: "*:$2y$|*:$2a$|*:$2b$|*:$$2y$$|*:$$2a$$|*:$$2b$$", kind: kindPassword, expr: `^(\d\d\$\$?[./A-Za-z0-9]{53})`, ok: isWritten, reach: maxLabel}, // a line of htpasswd
	{anchors: "*:$apr1$|*:$$apr1$$", kind: kindPassword, expr: `^([./A-Za-z0-9]{1,8}\$\$?[./A-Za-z0-9]{22})`, ok: isWritten, reach: maxLabel},
	{anchors: "convertto-securestring ", kind: kindPassword, expr: `^ *(?i:-string +)?["']([^"'\n]+)["']`, ok: loginPassword, reach: maxAddress},
	{anchors: "openssl ", kind: kindPassword, expr: command(`(?:-k +|-pass(?:in|out)? +pass:)`), ok: loginPassword},
	{anchors: "*freerdp ", kind: kindPassword, expr: command(`/p:`), ok: loginPassword},
	{anchors: "net use ", kind: kindPassword, expr: command(`/user:\S+ +`), ok: loginPassword},
	{anchors: "sqlplus ", kind: kindPassword, expr: "^ *[^\\s/\"']+/([^\\s@\"']+)@", ok: loginPassword},
	{anchors: "echo ", kind: kindPassword, expr: "^ *(?:-n +)?[\"']?([^\\s\"'|]+)[\"']? *\\| *sudo ", ok: loginPassword, reach: maxLabel, needs: "|"},
	{anchors: "vault login ", kind: kindToken, expr: `^` + operand, ok: token},
	{anchors: "*:5432:", kind: kindPassword, expr: `^([^:\s]+):[^:\s]+:(\S+)`, ok: loginPassword},
	{anchors: "identified by |requirepass |masterauth ", kind: kindPassword, expr: `^ *` + operand, ok: mixedPassword},
	{anchors: "secret 0 |*server community |*-sec.psk ", kind: kindPassword, expr: `^ *` + operand, ok: loginPassword},
	{anchors: "with password |with password =", kind: kindPassword, expr: `^ *N?'([^']+)'`, ok: loginPassword},
	{anchors: "enable secret ", kind: kindPassword, expr: `^(?:\d )?` + operand, ok: mixedPassword},
	{anchors: "wifi:", kind: kindPassword, expr: `^(?:[^;\n]*;)*?P:((?:\\.|[^;\n])+);`, ok: loginPassword},
	{anchors: "define(", kind: kindSecret, expr: `^ *'[A-Z_]*(?:PASSWORD|KEY|SALT|SECRET)', *'([^'\n]+)'`, ok: mixedPassword},
	{anchors: "*login(|*auth(|*auth=(", kind: kindPassword, expr: "^ *[\"'][^\"'\n]*[\"'], *[\"']([^\"'\n]+)[\"']", ok: mixedPassword},
	{anchors: "creds|credential|login|user|account|zugang", kind: kindPassword, ok: mixedPassword, reach: maxLabel, needs: "/",
		expr: "(?s)^[^\n]{0,40}(?:\n[^\n]{0,40})?[\\s:(]([\\w.@+-]+) / [\"'`]?([^\\s\"'`|;,]+)"},
	{anchors: "app password|app-specific password", kind: kindPassword, ok: isWritten, reach: maxLabel,
		expr: `^[^\n"]{0,40}?[: "]+((?:[a-z]{4}[ -]){3}[a-z]{4}|[a-z]{16})\b`},
	{anchors: "*base64:", kind: kindKey, expr: `^([A-Za-z0-9+/]{43}=)`, ok: isWritten},
	{anchors: "1/1", kind: kindToken, expr: `^(\d{14,15}:[0-9a-f]{32})`, ok: isWritten},
	{anchors: "private-lines:", kind: kindPrivateKey, expr: `(?s)^ *\d+\s*\n((?:[ \t]*[A-Za-z0-9+/=]{16,}[ \t\r]*\n?)+)`, ok: isWritten},
	{anchors: "seed phrase|recovery phrase|mnemonic", kind: kindSecret, ok: isPhrase,
		expr: `(?s)^[^\n:="]{0,60}[:="\s]+((?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8})`},
	{anchors: "*card|visa|amex", kind: kindCard, expr: `^[^\n]{0,40}?\b(\d(?:[ -]?\d){12,18})\b`, ok: paymentCard, reach: maxLabel, needs: decimals},
	{anchors: "license key|licence key|*license_key|product key|activation key|recovery key|serial", kind: kindCode, ok: isWritten, reach: maxLabel, needs: "-",
		expr: `\b((?:[A-Z0-9]{4,6}-){3,9}[A-Z0-9]{4,6})\b`},
	{anchors: "recovery code|backup code|scratch code", kind: kindCode, ok: isWritten, needs: decimals,
		expr: `(?s)^s?[^\n:]{0,40}?[:\s]+(` + code + `(?:[\s,]+` + code + `)*)\b`},
	{anchors: "alarm code|door code|gate code|entry code|safe code", kind: kindCode, expr: `^[^\n\d]{0,20}?[: ](\d{4,8}#|\d{4,8}\b)`, ok: isWritten, reach: maxLabel, needs: decimals},
}

// code is one of a list of codes that each work once.
const code = `(?:[0-9a-z]{4,6}-[0-9a-z]{4,6}|\d{4} \d{4}|\d{6,10})`

func command(option string) string { return "^(?:|[^\n|;]*? )" + option + operand }

// signs reports whether a value is a signature by which an address works for anyone.
func signs(_, value string) bool { return random(value) && !variable(value) }

// loginPassword reports whether what follows a user's name and a colon is a password and not a placeholder.
// "postgres:postgres" and the like are not secrets.
func loginPassword(user, password string) bool {
	const least = 4
	return len(password) >= least && password != user && !variable(password) && !dummyPassword(password)
}

// urlPassword is loginPassword for an address, in which a port and a path may stand before an @.
func urlPassword(user, password string) bool {
	return !strings.HasPrefix(password, "/") && !port.MatchString(password) && loginPassword(user, password)
}

var port = lazy.New(`^\d{1,5}(?:[/?#]|$)`)

// mixedPassword is loginPassword for what may be another word: it has a sign, or its letters and digits alternate.
func mixedPassword(user, value string) bool {
	return loginPassword(user, value) && !isPath(value) && judgeLogin(value, spoken)
}

// isWritten reports whether a value is neither a placeholder nor words of a sentence.
func isWritten(_, value string) bool {
	_, number := holds(value)
	return !placeholder(value) && (number || isPhrase("", value))
}

func token(_, value string) bool { return strongToken(value) }

// isPhrase reports whether none of the words of a value joins others to a sentence.
func isPhrase(_, value string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' || r == '-' }), commonWords)
}

// paymentCard reports whether a value is the number of a payment card. Numbers for tests do not count.
func paymentCard(_, value string) bool {
	value = strings.NewReplacer(" ", "", "-", "").Replace(value)
	sum := 0
	for i := range len(value) {
		n := int(value[len(value)-1-i] - '0')
		if i%2 == 1 {
			n = 2*n/10 + 2*n%10
		}
		sum += n
	}
	return sum%10 == 0 && strings.IndexByte("23456", value[0]) >= 0 && entropy(value) >= minCard
}

// minCard is the entropy from which a number is not one of those for tests, 4242 4242 4242 4242.
const minCard = 2.4

var printableLogin = lazy.New(`^([!-9;-~]*):([!-~]*)$`)

// encodedLogin reports whether a value is the base64 of a user's name, a colon and a password.
func encodedLogin(_, value string) bool {
	login, err := stdbase64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	m := printableLogin.FindStringSubmatch(string(login))
	return err == nil && m != nil && loginPassword(m[1], m[2])
}

func (f form) matcher(skip int, within bool) func(s *scan, at int) (next int) {
	expr := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(f.expr) })
	lines := strings.HasPrefix(f.expr, "(?s)")
	return func(s *scan, at int) (next int) {
		if !within && !s.begins(at) {
			return 0
		}
		at += skip
		text := s.near(at, cmp.Or(f.reach, maxForm))
		if !lines {
			text, _, _ = strings.Cut(text, "\n")
		}
		if f.needs != "" && !strings.ContainsAny(text, f.needs) {
			return 0
		}
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
		for text := range strings.SplitSeq(f.anchors, "|") {
			text, within := strings.CutPrefix(text, "*")
			anchors = append(anchors, anchor{text: text, fold: true, match: f.matcher(len(text), within)})
		}
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
