package memory

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"dream-mcp/memory/lazy"
)

// Limits of one line of the index. A longer one is not read as a link: nobody has written it by hand,
// and reading it must not take long.
const (
	maxScannedLine = 16 << 10
	maxLinkTarget  = 1 << 10
)

// HookSeparator is between link and hook in 93 % of real entries.
const HookSeparator = " — "

// Entry is one link of the index to a file.
type Entry struct {
	Line    int    // from 1
	Column  int    // of the link, from 1
	File    string // the target: decoded, without its anchor, a clean slash path; as written where Outside
	Title   string // the label, without emphasis
	Hook    string // what the line says about the file, "" where it says nothing
	Section string // the heading above it, "" before the first
	Text    string // the whole line, without its ending
	Outside bool   // a URL, or a path that leaves the directory
}

// FormatEntry returns the line of the index for a file, without a line end:
//
//   - [Title](file.md) — hook
//
// Without a title the file's name is one. Runs of white space become one space, and what would
// break the link is escaped.
func FormatEntry(title string, file Name, hook string) string {
	return entryLine("- ", title, file, hook)
}

func entryLine(marker, title string, file Name, hook string) string {
	line := marker + "[" + formatLabel(title, file) + "](" + notInTarget.ReplaceAllStringFunc(file.String(), url.PathEscape) + ")"
	if hook = OneLine(hook); hook != "" {
		line += HookSeparator + closeNoComment(hook)
	}
	return line
}

// closeNoComment keeps a text from ending a comment that was left open further up.
func closeNoComment(s string) string { return strings.ReplaceAll(s, "-->", `--\>`) }

// formatLabel returns a title as it may stand between brackets.
func formatLabel(title string, file Name) string {
	if title = OneLine(title); title == "" {
		title = StemOf(file.String())
	}
	// Plain where that reads back; a stray bracket or backtick would swallow the link.
	if s := ScanLine("[" + title + "](x)"); len(s.Links) == 1 && s.Links[0].From == 0 && !strings.ContainsAny(title, "`\\") {
		return closeNoComment(title)
	}
	return closeNoComment(strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, "`", "\\`").Replace(title))
}

// notInTarget is what cannot stand in the target of a link; names in any script stay readable.
var notInTarget = lazy.New("[\\pZ\\pC()<>\\[\\]%#?\"'\\\\*`|]")

// OneLine returns a text with every run of white space as one space, and none at its ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// StemOf returns the last part of a path without its ".md".
func StemOf(file string) string { return strings.TrimSuffix(path.Base(file), ".md") }

// link is one link in a line, and where it is there.
type link struct {
	From, To int // the whole: "[label](target)"
	label    int // its end: line[from+1 : label]
	File     string
	Outside  bool
	Nowhere  bool // an anchor within the index or an empty target: it points to no file
}

// Scan is what a line of Markdown refers to.
type Scan struct {
	Links []link
	Wikis []string // the insides of [[…]]
	codes []string // the insides of `…` outside the titles of links
}

// ScanLine finds links, wiki links and code spans in one pass. A link in a code span is none, nor
// is an image.
func ScanLine(line string) Scan {
	var s Scan
	if len(line) > maxScannedLine {
		line = line[:maxScannedLine]
	}
	var open []int   // brackets that are not closed yet
	var codeAt []int // where each of s.codes begins
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '`':
			run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			if end := ClosingRun(line, i+run, run); end >= 0 {
				s.codes, codeAt = append(s.codes, strings.TrimSpace(line[i+run:end])), append(codeAt, i)
				i = end + run - 1
			} else {
				i += run - 1
			}
		case '[':
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			if i+1 < len(line) && line[i+1] == '(' {
				if target, end := cutTarget(line, i+2); end > 0 {
					if from == 0 || line[from-1] != '!' {
						l := link{From: from, To: end, label: i}
						l.readTarget(target)
						s.Links = append(s.Links, l)
						n, _ := slices.BinarySearch(codeAt, from)
						s.codes, codeAt = s.codes[:n], codeAt[:n]
					}
					i = end - 1
					continue
				}
			}
			if from > 0 && line[from-1] == '[' && i+1 < len(line) && line[i+1] == ']' && len(open) > 0 && !strings.HasPrefix(line[i+2:], "(") {
				s.Wikis = append(s.Wikis, line[from+1:i])
				open = open[:len(open)-1]
				i++
			}
		}
	}
	return s
}

// ClosingRun returns where the next run of exactly n backticks begins, or -1.
func ClosingRun(line string, at, n int) int {
	for i := at; i < len(line); i++ {
		if line[i] != '`' {
			continue
		}
		run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// cutTarget returns what is in the parentheses that open just before at, without a title, and
// the offset past the closing one; 0 where none closes. Unescaped spaces are allowed: models write them.
func cutTarget(line string, at int) (target string, end int) {
	depth := 0
	for i := at; i < len(line) && i-at <= maxLinkTarget; i++ {
		switch line[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth >= 0 {
				continue
			}
			target = strings.TrimSpace(line[at:i])
			if inner, ok := strings.CutPrefix(target, "<"); ok {
				if inner, _, ok = strings.Cut(inner, ">"); ok {
					return inner, i + 1
				}
			}
			return strings.TrimSpace(targetTitle.ReplaceAllString(target, "")), i + 1
		}
	}
	return "", 0
}

// targetTitle is the title that may follow a target.
var targetTitle = lazy.New(`(?s) (?:".*"|'.*')$`)

// readTarget decodes a link's target and says where it leads.
func (l *link) readTarget(target string) {
	target = unescapeMarkdown(target)
	if IsURL(target) {
		l.File, l.Outside = target, true
		return
	}
	target, _, _ = strings.Cut(target, "#")
	if decoded, err := url.PathUnescape(target); err == nil && utf8.ValidString(decoded) {
		target = decoded
	}
	if target == "" {
		l.Nowhere = true
		return
	}
	l.File = CleanPath(target)
	l.Outside = path.IsAbs(l.File) || l.File == ".." || strings.HasPrefix(l.File, "../") || l.File[0] == '~'
}

// CleanPath returns the one spelling under which a file of the memory is known: accents composed,
// "./" gone.
func CleanPath(file string) string { return path.Clean(norm.NFC.String(file)) }

// scheme begins a target that is an address ("https:", "mailto:"), or a drive.
var scheme = lazy.New(`^[A-Za-z0-9+.-]+:`)

// IsURL reports whether a target has a scheme.
func IsURL(target string) bool { return scheme.MatchString(target) }

// escaped is a backslash before ASCII punctuation.
var escaped = lazy.New("\\\\([!-/:-@\\[-`{-~])")

// unescapeMarkdown takes off the backslashes before ASCII punctuation.
func unescapeMarkdown(s string) string { return escaped.ReplaceAllString(s, "$1") }

// titleOf returns a label as its reader sees it.
func titleOf(label string) string {
	label = strings.TrimSpace(label)
	for _, mark := range []string{"**", "__", "`", "*"} {
		if inner, ok := strings.CutPrefix(label, mark); ok && len(inner) > len(mark) && strings.HasSuffix(inner, mark) {
			label = strings.TrimSuffix(inner, mark)
		}
	}
	return unescapeMarkdown(label)
}
