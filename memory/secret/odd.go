package secret

import (
	stdbase64 "encoding/base64"
	"strings"
)

// The kinds that are not a plain prefix and a body.
const (
	kindPrivateKey  = "private-key"
	kindURLPassword = "url-password"
	kindJWT         = "jwt"
	kindBearer      = "bearer-token"
	kindBasic       = "basic-auth"
	kindAzure       = "azure-key"
	kindDiscord     = "discord-token"
	kindTelegram    = "telegram-token"
	kindTerraform   = "terraform-token"
	kindPassword    = "password"
	kindToken       = "token"
	kindSecret      = "secret"
	kindKey         = "api-key"
	kindAWSSecret   = "aws-secret-key"
	kindCookie      = "cookie"
	kindSignature   = "signature"
)

var odd = []string{
	kindPrivateKey, kindURLPassword, kindJWT, kindBearer, kindBasic, kindAzure, kindDiscord, kindTelegram,
	kindTerraform, kindPassword, kindToken, kindSecret, kindKey, kindAWSSecret, kindCookie, kindSignature,
}

// oddAnchors returns what the credentials hold that need more than a prefix and a body.
func oddAnchors() []anchor {
	anchors := []anchor{
		{text: maskOpen, match: matchMask},
		{text: "-----BEGIN ", match: matchPrivateKey},
		{text: "://", match: matchURL},
		{text: "eyJ", match: matchJWT},
		{text: "bearer ", fold: true, match: matchBearer},
		{text: "basic ", fold: true, match: matchBasic},
		{text: "cookie:", fold: true, match: matchCookie},
		{text: "sig=", match: matchSignature},
		{text: "-signature=", fold: true, match: matchSignature},
		{text: ":AA", match: matchTelegram},
		{text: ".atlasv1.", match: matchAround(kindTerraform, 14, 60)},
		{text: "JQQJ99", match: matchAround(kindAzure, 52, 26)},
	}
	for command, expr := range passwordOf {
		anchors = append(anchors, anchor{text: command, match: matchCommand(expr)})
	}
	for c := '0'; c <= '9'; c++ {
		anchors = append(anchors, anchor{text: string(c) + "Q~", match: matchEntra})
	}
	// The token of a bot begins with its number, digits in base64: three letters hold the first two.
	for n := range 90 {
		digits := []byte{byte('1' + n/10), byte('0' + n%10), '0'}
		head := stdbase64.StdEncoding.EncodeToString(digits)[:3]
		anchors = append(anchors, anchor{text: head, match: matchDiscord})
	}
	return append(anchors, nameAnchors()...)
}

func shaped(from, to int, kind string) (find, bool) {
	return find{Span: Span{From: from, To: to, Kind: kind}, shaped: true}, true
}

// matchAround returns what finds a credential by what is within it, exactly so many letters and
// digits after its beginning, and at least so many bytes before its end.
func matchAround(kind string, before, after int) func(s *scan, at int) (find, bool) {
	return func(s *scan, at int) (find, bool) {
		from := at - before
		if from < s.end || alnum.back(s.text, at, before) != from || !s.begins(from) || !random(s.text[from:at]) {
			return find{}, false
		}
		to := dotted.run(s.text, at)
		if to-at < after {
			return find{}, false
		}
		return shaped(from, to, kind)
	}
}

// matchEntra finds a client secret of Azure's directory: three letters, a digit, Q~, and 31 to 34 more.
func matchEntra(s *scan, at int) (find, bool) {
	const before, after = 3, 31
	tilde := at + len("0Q")
	from, to := at-before, dotted.run(s.text, tilde+1)
	if from < s.end || dotted.back(s.text, at, before) != from || !s.begins(from) || to-tilde-1 < after || !random(s.text[tilde+1:to]) {
		return find{}, false
	}
	return shaped(from, to, kindAzure)
}

// matchDiscord finds the token of a bot: its number in base64, six letters of time, 27 and more of sum.
func matchDiscord(s *scan, at int) (find, bool) {
	const number, time, sum, most = 23, 6, 27, 64
	if !s.begins(at) {
		return find{}, false
	}
	end := at + alnum.count(s.text[at:], most)
	digits, err := stdbase64.RawStdEncoding.DecodeString(s.text[at:end])
	if err != nil || len(digits) < number*3/4 || strings.Trim(string(digits), "0123456789") != "" {
		return find{}, false
	}
	for _, least := range []int{time, sum} {
		if end == len(s.text) || s.text[end] != '.' {
			return find{}, false
		}
		n := dashed.count(s.text[end+1:], most)
		if n < least || least == time && n != time {
			return find{}, false
		}
		end += 1 + n
	}
	return shaped(at, end, kindDiscord)
}

// matchTelegram finds the token of a bot: its number, a colon, and 35 letters of which two are AA.
func matchTelegram(s *scan, at int) (find, bool) {
	const least, most, body, mostBody = 8, 10, 35, 64
	from := digits.back(s.text, at, most+1)
	n := dashed.count(s.text[at+1:], mostBody)
	if at-from < least || at-from > most || from < s.end || !s.begins(from) || n < body || !random(s.text[at+1:at+1+n]) {
		return find{}, false
	}
	return shaped(from, at+1+n, kindTelegram)
}

// matchJWT finds a signed token: a header that is JSON, a payload that is an object, a signature.
func matchJWT(s *scan, at int) (find, bool) {
	const signature, jwtParts = 20, 3
	if !s.begins(at) || at < s.jwt {
		return find{}, false
	}
	to := dotted.run(s.text, at)
	s.jwt = to
	token := strings.TrimRight(s.text[at:to], ".-")
	parts := strings.SplitN(token, ".", jwtParts)
	if len(parts) < jwtParts || len(parts[2]) < signature || !strings.HasPrefix(parts[1], "eyJ") || placeholder(parts[2]) {
		return find{}, false
	}
	header, err := stdbase64.RawURLEncoding.DecodeString(parts[0])
	if err != nil || !strings.Contains(string(header), `"alg"`) {
		return find{}, false
	}
	return shaped(at, at+len(token), kindJWT)
}

// matchPrivateKey finds a block of PEM or PGP that holds a private key, with line ends as they are or
// written as \n. A block that is not closed ends with its last line.
func matchPrivateKey(s *scan, at int) (find, bool) {
	const dashes, maxLabel, maxBlock, leastRun, maxGap = "-----", 60, 64 << 10, 32, 120
	label := at + len("-----BEGIN ")
	n := strings.Index(s.text[label:min(len(s.text), label+maxLabel)], dashes)
	if n < 0 || !strings.Contains(s.text[label:label+n], "PRIVATE KEY") {
		return find{}, false
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
		return find{}, false
	}
	if closed {
		last = end + len(dashes)
		if n := strings.Index(s.text[last:min(len(s.text), last+maxLabel)], dashes); n >= 0 {
			last += n + len(dashes)
		}
	} else {
		last = base64.run(s.text, last)
	}
	return shaped(at, last, kindPrivateKey)
}
