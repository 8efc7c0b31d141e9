// Package rule judges a memory: what a dream writes, what it would leave, and what is there.
//
// A rule reads topics, the index and, for two of them, the files of the project. It changes nothing and
// opens nothing else. Errors refuse; what only may be wrong is a warning or an info. What a finding quotes
// may be shown: credentials are masked.
package rule

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"dream-mcp/memory"
)

// Severity says what a finding means for who caused it.
type Severity string

// An error refuses a write or a landing, a warning is reported, an info is worth a look.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

var severities = []Severity{Error, Warning, Info}

func (s Severity) rank() int { return slices.Index(severities, s) }

func (s Severity) less() Severity { return severities[min(s.rank()+1, len(severities)-1)] }

// Finding is what a rule has to say about a line.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`   // from 1; 0: the file as a whole
	Column   int      `json:"column,omitempty"` // from 1, in characters; 0: the line as a whole
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"` // what to do, where possible the next call

	Unlisted bool `json:"-"` // the memory has no line in the index, which is full

	subject string // what it is about, wherever that is now: a line's text, a key
}

// Places names where findings are: each file once, with its lines, as in "a.md:3,7 b.md".
func Places(findings []Finding) string {
	var files []string
	lines := make(map[string]string)
	for _, f := range findings {
		if _, known := lines[f.File]; !known {
			files = append(files, f.File)
			lines[f.File] = ""
		}
		if line := fmt.Sprintf(",%d", f.Line); f.Line > 0 && !strings.HasSuffix(lines[f.File], line) {
			lines[f.File] += line
		}
	}
	for i, file := range files {
		if lines[file] != "" {
			files[i] += ":" + lines[file][1:]
		}
	}
	return strings.Join(files, " ")
}

// IsAbout reports whether f is in a file, or compares another with it or links to it.
func (f Finding) IsAbout(file string) bool { return f.File == file || f.subject == file }

// key returns what two findings about the same thing have in common, whatever its line is now.
func (f Finding) key() Finding { return Finding{Rule: f.Rule, File: f.File, subject: f.subject} }

// position returns the line and the column of a place of a text that begins in this line and column. A column of 0
// is unknown.
func position(text string, at, line, column int) (int, int) {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	runes := utf8.RuneCountInString(text[start:at])
	switch {
	case start > 0:
		return line + strings.Count(text[:start], "\n"), runes + 1
	case column > 0:
		column += runes
	}
	return line, column
}

// maxPlaces bounds the findings of a rule on one file; a last one counts the rest.
const maxPlaces = 20

// report sorts findings, errors first, then by file, line and rule, and counts those beyond maxPlaces.
func report(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.rank(), b.Severity.rank()),
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
		)
	})
	seen, last := make(map[Finding]int), make(map[Finding]int) // by rule and file: how many, and where the last one is
	var reported []Finding
	for _, f := range findings {
		of := Finding{Rule: f.Rule, File: f.File}
		seen[of]++
		more, many := seen[of]-maxPlaces, ruleOf(f.Rule).many
		if more <= 1 || many == "" {
			last[of] = len(reported)
			reported = append(reported, f)
		}
		if more > 0 && many != "" {
			reported[last[of]].Message = fmt.Sprintf("%d more %s follow in this file", more, many)
		}
	}
	return reported
}

// isFolderIndex reports whether n is the index of a folder, such as team/MEMORY.md, or a page for people. It is edited
// like a topic but is not one: Claude Code shares team/ with a repository's members.
func isFolderIndex(n memory.Name) bool {
	base := strings.ToLower(path.Base(n.String()))
	return base == "readme.md" || strings.Contains(n.String(), "/") && (base == strings.ToLower(memory.IndexFile) || base == "index.md")
}

// isPage reports whether n is a page for people, an index of a folder or of a second tier, or a skill that is kept
// here: it has not the form of a memory. It is as safe from loss as one.
func isPage(n memory.Name) bool {
	return isFolderIndex(n) || isSecondIndex(n) || slices.Contains(pages, strings.ToLower(path.Base(n.String())))
}

// pages are the names of what is written for people, or for a model as instructions.
var pages = []string{"skill.md", "install.md", "claude.md", "agents.md", "gemini.md", "changelog.md", "contributing.md", "license.md"}

// isSecondIndex reports whether n is a second tier of the index, such as MEMORY-archive.md. The index links to it, and
// it to memories.
func isSecondIndex(n memory.Name) bool {
	base, ok := strings.CutPrefix(path.Base(n.String()), strings.TrimSuffix(memory.IndexFile, ".md"))
	return ok && strings.IndexAny(base, "-_") == 0
}
