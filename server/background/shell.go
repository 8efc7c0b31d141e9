package background

import (
	"slices"
	"strings"

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

// formReaders matches commands that only read in these forms, and do more in others.
var formReaders = lazy.New(`^(?:date(?: -u)?|cd [^ ]+|sort(?: -[bdfghinrRsuVz]*(?:k[0-9.,bdfghinrRV]+|t[^ ]?)?| [^- ][^ ]*)*|uniq(?: -[cdDiu]+)*|sed -n [0-9$,p;]+(?: [^- ][^ ]*)+|` +
	`git (?:branch(?: -[arv]+| --list| --show-current)?|remote(?: -v)?|stash list|worktree list|tag(?: -l)?))$`)

// The parts of a command line that every shell reads in the same way, and in which none expands to an option, assigns
// or runs anything: a word without signs or in one kind of quotes, and output that goes to /dev/null or to the other
// output.
const (
	single = `'(?:[^'\\]|\\[^'\\])*'`
	double = "\"(?:[^\"$`\\\\]|\\\\[^\"$`\\\\\n])*\""
	word   = `(?:(?:--?[\w-]+=)?(?:` + single + `|` + double + `)|[\w./][\w./:,@%+=~^*?-]*|[:,@%+~-][\w./:,@%+=~^-]*)`
	output = `(?:2>&1|[12&]?> ?/dev/null)`
	joint  = `(?:\|\|?|&&|;|\n)`
	call   = word + `(?:[ \t]+(?:` + output + `|` + word + `))*`
)

var (
	plainLine  = lazy.New(`^\s*` + call + `(?:[ \t]*` + joint + `\s*` + call + `)*[ \t;\n]*$`)
	plainParts = lazy.New(output + `|` + joint + `|` + word)
	plainText  = lazy.New(`^[ -~\t\n\p{L}\p{N}]*$`)
)

// onlyReads reports whether a command line certainly changes nothing, in a POSIX shell, zsh, fish and PowerShell.
func onlyReads(line string) bool {
	if !plainText.MatchString(line) || !plainLine.MatchString(line) {
		return false
	}
	var words []string
	for _, part := range append(plainParts.FindAllString(line, -1), ";") {
		switch {
		case strings.Trim(part, "|&;\n") == "":
			if len(words) > 0 && !reads(words) {
				return false
			}
			words = nil
		case strings.HasSuffix(part, "'"), strings.HasSuffix(part, `"`):
			at := strings.IndexAny(part, `'"`)
			words = append(words, part[:at]+part[at+1:len(part)-1])
		case !strings.Contains(part, ">"):
			words = append(words, part)
		}
	}
	return true
}

// reads reports whether one command certainly changes nothing.
func reads(words []string) bool {
	if words[0] == "git" {
		if len(words) > 1 && words[1] == "--no-pager" {
			words = slices.Delete(words, 1, 2)
		}
		if len(words) > 2 && words[1] == "-C" {
			words = slices.Delete(words, 1, 3)
		}
	}
	if !strings.Contains(words[0], " ") && formReaders.MatchString(strings.Join(words, " ")) {
		return true
	}
	name, args := words[0], words[1:]
	more, known := readers[name]
	if !known || name == "git" && (len(args) == 0 || !slices.Contains(gitReaders, args[0])) {
		return false
	}
	return !slices.ContainsFunc(args, func(arg string) bool {
		option, _, _ := strings.Cut(arg, "=")
		abbreviated := strings.HasPrefix(option, "--") && len(option) > 3
		pager := name == "git" && len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, "O")
		return pager || slices.ContainsFunc(more, func(forbidden string) bool {
			return strings.HasPrefix(arg, forbidden) || abbreviated && strings.HasPrefix(forbidden, option)
		})
	})
}
