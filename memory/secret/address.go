package secret

import (
	stdbase64 "encoding/base64"
	"strings"
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
	// What stands before it may be a credential too: so this is no place to go on from.
	return find{Span: Span{From: from + len(user) + 1, To: from + login, Kind: kindURLPassword}, shaped: true}, true
}

// loginPassword reports whether what follows a user's name and a colon is a password that is told.
// "postgres:postgres" and the like are no secret of anybody.
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

// matchCurl finds the password in curl -u user:password.
func matchCurl(s *scan, at int) (find, bool) {
	command := s.text[at:min(len(s.text), at+maxAddress)]
	if end := strings.IndexByte(command, '\n'); end >= 0 {
		command = command[:end]
	}
	for _, flag := range []string{" -u ", " --user "} {
		i := strings.Index(command, flag)
		if i < 0 {
			continue
		}
		login := i + len(flag)
		login += len(command[login:]) - len(strings.TrimLeft(command[login:], `"'`))
		end := strings.IndexAny(command[login:], " \t\r\"'`|;)")
		if end < 0 && len(command) == maxAddress {
			continue
		}
		if end < 0 {
			end = len(command) - login
		}
		user, password, ok := strings.Cut(command[login:login+end], ":")
		if !ok || user == "" || strings.ContainsAny(user, "$/[") || !loginPassword(user, password) {
			continue
		}
		from := at + login + len(user) + 1
		return find{Span: Span{From: from, To: from + len(password), Kind: kindBasic}}, true
	}
	return find{}, false
}
