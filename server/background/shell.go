package background

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory/lazy"
)

// readers are the commands that only read, with the options that make them do more. printf is not one of them: it can
// set variables, and with them run commands.
var readers = map[string][]string{
	"ls": nil, "cat": nil, "head": nil, "tail": nil, "wc": nil, "grep": nil, "egrep": nil, "fgrep": nil, "cut": nil, "tr": nil, "pwd": nil,
	"stat": nil, "du": nil, "df": nil, "basename": nil, "dirname": nil, "realpath": nil, "readlink": nil, "echo": nil,
	"true": nil, "false": nil, "diff": nil, "cmp": nil, "nl": nil, "which": nil, "uname": nil, "whoami": nil, "sha256sum": nil,
	"rg":   {"--pre", "--hostname-bin"},
	"find": {"-exec", "-ok", "-delete", "-fprint", "-fls"},
	"git":  {"--output", "--ext-diff", "--textconv", "--open-files-in-pager"},
}

// gitReaders are the subcommands of git that only read.
var gitReaders = []string{"log", "show", "diff", "status", "blame", "grep", "ls-files", "ls-tree", "rev-parse", "rev-list", "describe", "shortlog", "cat-file"}

// exactReaders are commands that only read as they are, and do more with other arguments.
var exactReaders = []string{
	"date", "date -u", "git branch", "git branch -a", "git branch -r", "git branch -v", "git branch -vv", "git branch --list", "git branch --show-current",
	"git remote", "git remote -v", "git stash list", "git worktree list", "git tag", "git tag -l",
}

// Options of sort and uniq that only read, and the scripts of sed that only print lines.
var (
	sortOption = lazy.New(`^-[bdfghinrRsuVz]*(k[0-9.,bdfghinrRV]*|t.?)?$`)
	uniqOption = lazy.New(`^-[cdDiu]+$`)
	sedPrint   = lazy.New(`^([0-9]+|\$)(,([0-9]+|\$))?p(; *([0-9]+|\$)(,([0-9]+|\$))?p)*$`)
)

// shellWord is a word of a command line.
type shellWord struct {
	text string // without its quotes
	// option is true if a shell may replace the word by names of files that begin with "-".
	option bool
}

// onlyReads reports whether a command line certainly changes nothing, in a POSIX shell, zsh and PowerShell.
func onlyReads(line string) bool {
	calls, ok := splitShell(line)
	return ok && len(calls) > 0 && !slices.ContainsFunc(calls, func(call []shellWord) bool { return !reads(call) })
}

// splitShell splits a command line into its commands. It fails if a shell may expand, assign or redirect anything, or run
// something in the background. Output may go to /dev/null, and to the other output.
func splitShell(line string) (calls [][]shellWord, ok bool) {
	if strings.ContainsAny(line, "‘’‚‛“”„‟") {
		return nil, false // quotes in PowerShell
	}
	var (
		call   []shellWord
		word   strings.Builder
		began  bool // a word, which may be empty
		quoted bool // the word has a quoted part
		option bool
	)
	endWord := func() {
		if began {
			call = append(call, shellWord{word.String(), option})
		}
		word.Reset()
		began, quoted, option = false, false, false
	}
	endCall := func() {
		if endWord(); len(call) > 0 {
			calls = append(calls, call)
		}
		call = nil
	}
	for line != "" {
		rest := line[1:]
		switch c := line[0]; c {
		case ' ', '\t':
			endWord()
		case '\n', ';':
			endCall()
		case '|':
			endCall()
			rest = strings.TrimPrefix(rest, "|")
		case '&', '>':
			if next, ok := strings.CutPrefix(rest, "&"); ok && c == '&' {
				endCall()
				rest = next
				break
			}
			if fd := word.String(); c == '>' && began && !quoted && strings.Trim(fd, "0123456789") == "" {
				if fd != "1" && fd != "2" {
					return nil, false
				}
				word.Reset()
				began = false
			}
			endWord()
			both := strings.TrimPrefix(rest, ">")
			if c == '&' && both == rest {
				return nil, false
			} else if c == '&' {
				rest = both
			}
			if rest, ok = harmlessTarget(rest, c == '>'); !ok {
				return nil, false
			}
		case '\'':
			text, after, closed := strings.Cut(rest, "'")
			if !closed || strings.HasSuffix(text, `\`) { // fish reads \' as a quote
				return nil, false
			}
			word.WriteString(text)
			began, quoted, rest = true, true, after
		case '"':
			text, after, ok := doubleQuoted(rest)
			if !ok {
				return nil, false
			}
			word.WriteString(text)
			began, quoted, rest = true, true, after
		case '<', '`', '$', '(', ')', '{', '}', '\\':
			return nil, false
		case '#':
			if !began {
				return nil, false // a comment, in which quotes are none
			}
			word.WriteByte(c)
		case '*', '?', '[':
			option = option || !began || strings.HasPrefix(word.String(), "-")
			began = true
			word.WriteByte(c)
		default:
			r, size := utf8.DecodeRuneInString(line)
			if !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar {
				return nil, false
			}
			began = true
			word.WriteRune(r)
			rest = line[size:]
		}
		line = rest
	}
	endCall()
	return calls, true
}

// harmlessTarget cuts from a line what comes after ">": /dev/null, or with both the other output.
func harmlessTarget(line string, other bool) (rest string, ok bool) {
	if other && (strings.HasPrefix(line, "&1") || strings.HasPrefix(line, "&2")) {
		rest, ok = line[2:], true
	} else {
		rest, ok = strings.CutPrefix(strings.TrimLeft(line, " \t"), "/dev/null")
	}
	return rest, ok && (rest == "" || strings.ContainsRune(" \t\n;|&", rune(rest[0])))
}

// doubleQuoted returns the text up to a double quote, and the line after it. It fails if a shell may expand something.
func doubleQuoted(line string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '"':
			return b.String(), line[i+1:], true
		case '$', '`':
			return "", "", false
		case '\\':
			if i++; i == len(line) || strings.ContainsRune("$`\"\n", rune(line[i])) {
				return "", "", false
			}
			if b.WriteByte(c); line[i] != c {
				b.WriteByte(line[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// reads reports whether one command certainly changes nothing.
func reads(call []shellWord) bool {
	words := make([]string, len(call))
	for i, word := range call {
		words[i] = word.text
	}
	name, args := words[0], words[1:]
	if name == "cd" && len(args) == 1 || slices.Contains(exactReaders, strings.Join(words, " ")) {
		return true
	}
	mayAdd := func() bool { // a shell may add options
		end := slices.Index(words, "--")
		if end < 0 || name == "find" {
			end = len(call)
		}
		return slices.ContainsFunc(call[:end], func(w shellWord) bool { return w.option })
	}
	switch name {
	case "sort":
		return !mayAdd() && !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") && !sortOption.MatchString(arg) })
	case "uniq": // its second file is written
		return !slices.ContainsFunc(args, func(arg string) bool { return !uniqOption.MatchString(arg) })
	case "sed":
		return !mayAdd() && len(args) > 1 && args[0] == "-n" && sedPrint.MatchString(args[1]) &&
			!slices.ContainsFunc(args[2:], func(arg string) bool { return strings.HasPrefix(arg, "-") })
	case "git":
		if len(args) > 0 && args[0] == "--no-pager" {
			args = args[1:]
		}
		if len(args) > 1 && args[0] == "-C" {
			args = args[2:]
		}
		if len(args) == 0 || !slices.Contains(gitReaders, args[0]) {
			return slices.Contains(exactReaders, strings.Join(append([]string{"git"}, args...), " "))
		}
	}
	more, known := readers[name]
	if !known || len(more) > 0 && mayAdd() {
		return false
	}
	return !slices.ContainsFunc(args, func(arg string) bool {
		option, _, _ := strings.Cut(arg, "=")
		abbreviated := strings.HasPrefix(option, "--") && len(option) > 3
		pager := name == "git" && args[0] == "grep" && len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, "O")
		return pager || slices.ContainsFunc(more, func(forbidden string) bool {
			return strings.HasPrefix(arg, forbidden) || abbreviated && strings.HasPrefix(forbidden, option)
		})
	})
}
