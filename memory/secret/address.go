package secret

import (
	stdbase64 "encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// maxAddress bounds the part of an address, and of a command, in which a password is looked for.
const maxAddress = 512

// matchURL finds the password of scheme://user:password@host.
func matchURL(s *scan, at int) (find, bool) {
	if at == 0 || !alnum[s.text[at-1]] {
		return find{}, false
	}
	from := at + len("://")
	authority := s.text[from:min(len(s.text), from+maxAddress)]
	if end := strings.IndexAny(authority, " \t\r\n\"'`<>\\/?#|,;"); end >= 0 {
		authority = authority[:end]
	}
	login := strings.LastIndexByte(authority, '@')
	if login < 0 {
		return find{}, false
	}
	user, password, ok := strings.Cut(authority[:login], ":")
	if !ok || strings.Contains(user, "@") || user == "" && strings.Contains(password, ":") || !loginPassword(user, password) {
		return find{}, false
	}
	// What is before it may be a credential too: so the scan does not go on from here.
	return find{Span: Span{From: from + len(user) + 1, To: from + login, Kind: kindURLPassword}, shaped: true}, true
}

// loginPassword reports whether what follows a user's name and a colon is a password and not a placeholder.
// "postgres:postgres" and the like are not secrets.
func loginPassword(user, password string) bool {
	const least = 4
	return len(password) >= least && password != user && !variable(password) && !namesCredential(password) && !dummyPassword(password)
}

// matchBearer finds what follows "Bearer".
func matchBearer(s *scan, at int) (find, bool) {
	if !s.begins(at) {
		return find{}, false
	}
	from := at + len("bearer ")
	end := from + padded.count(s.text[from:], maxValue)
	value := strings.TrimRight(s.text[from:end], ".-/")
	if !strongToken(value) {
		return find{}, false
	}
	return shaped(from, from+len(value), kindBearer)
}

// matchBasic finds what follows "Basic" and is the base64 of a user's name, a colon and a password.
func matchBasic(s *scan, at int) (find, bool) {
	const least = 8
	if !s.begins(at) {
		return find{}, false
	}
	from := at + len("basic ")
	end := from + base64.count(s.text[from:], maxAddress)
	if end-from < least {
		return find{}, false
	}
	login, err := stdbase64.RawStdEncoding.DecodeString(strings.TrimRight(s.text[from:end], "="))
	if err != nil {
		return find{}, false
	}
	user, password, ok := strings.Cut(string(login), ":")
	if !ok || !printable(user) || !printable(password) || !loginPassword(user, password) {
		return find{}, false
	}
	return shaped(from, end, kindBasic)
}

func printable(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// passwordOf has, of each command that takes a password, the expression that finds it, in order of the
// ways to give it: after a user's name, in the same word as the option, or in the next.
var passwordOf = map[string]string{
	"curl ": userOption("-u|--user|--proxy-user"), "http ": userOption("-a|--auth"), "smbclient ": ` -U ?["']?[^\s%$"']+%` + operand,
	"mysql": ` -p["']?` + operand, "mariadb": ` -p["']?` + operand, "7z ": ` -p["']?` + operand, "sshpass ": ` -p ?["']?` + operand,
	"redis-cli ": ` -a +["']?` + operand, "docker login ": ` -p +["']?` + operand, "podman login ": ` -p +["']?` + operand,
	"mongo": ` -p +["']?` + operand, "ldap": ` -w +["']?` + operand, "zip ": ` -P +["']?` + operand,
}

const operand = "([^\\s\"'`|;)]+)"

func userOption(names string) string { return ` (?:` + names + `) +["']?[^:\s$/["']+:` + operand }

// matchCommand finds the password among the words of a command.
func matchCommand(expr string) func(s *scan, at int) (find, bool) {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[^\n|;]*?" + expr) })
	kind := kindPassword
	if strings.Contains(expr, ":"+operand) {
		kind = kindBasic
	}
	return func(s *scan, at int) (find, bool) {
		m := compiled().FindStringSubmatchIndex(s.text[at:min(len(s.text), at+maxAddress)])
		if m == nil || !s.begins(at) || m[3] == maxAddress || !loginPassword("", s.text[at+m[2]:at+m[3]]) {
			return find{}, false
		}
		return find{Span: Span{From: at + m[2], To: at + m[3], Kind: kind}}, true
	}
}

var cookieValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("=([^;\\s\"'`]{16,})") })

// matchCookie finds the values of the header Cookie or Set-Cookie.
func matchCookie(s *scan, at int) (find, bool) {
	from := at + len("cookie:")
	line, _, _ := strings.Cut(s.text[from:min(len(s.text), from+maxValue)], "\n")
	for _, m := range cookieValue().FindAllStringSubmatchIndex(line, -1) {
		if value := line[m[2]:m[3]]; strongToken(value) || isUUID(value) {
			s.finds = append(s.finds, find{Span: Span{From: from + m[2], To: from + m[3], Kind: kindCookie}})
		}
	}
	return find{}, false
}

// matchSignature finds the signature of an address that is allowed to whoever has it.
func matchSignature(s *scan, at int) (find, bool) {
	const least = 32
	begin := dashed.back(s.text, at, least)
	if begin == 0 || strings.IndexByte("?&;", s.text[begin-1]) < 0 {
		return find{}, false
	}
	from := at + strings.IndexByte(s.text[at:], '=') + 1
	n := strings.IndexAny(s.text[from:min(len(s.text), from+maxAddress)]+" ", "& \t\r\n\"'`<>)]")
	if value := s.text[from : from+n]; n < least || !random(value) || variable(value) {
		return find{}, false
	}
	return find{Span: Span{From: from, To: from + n, Kind: kindSignature}}, true
}
