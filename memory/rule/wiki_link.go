package rule

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"dream-mcp/memory"
)

func findLooseLinks(v *view, n memory.Name, t *memory.Topic) []Finding {
	if v.After.Limited {
		return nil // what was not looked at may be there
	}
	var found []Finding
	seen := make(map[string]bool)
	for _, r := range refsIn(t) {
		if r.outside || seen[r.target] || v.leads(n, r) {
			continue
		}
		seen[r.target] = true
		found = append(found, Finding{
			File: n.String(), Line: r.line, Column: r.column, subject: r.target,
			Message: fmt.Sprintf("%s leads to no memory", r.text),
			Hint:    "this is not an error: the memory may be written later; else remove the brackets",
		})
	}
	return found
}

// ref is a link in the text of a memory.
type ref struct {
	line    int // of the file, from 1
	column  int
	text    string
	target  string // of [[target|text]] as written, of [text](target) decoded
	wiki    bool
	outside bool // a path that leaves the directory
}

// refsIn returns the links of a memory's text, in order: what is in code is not one.
func refsIn(t *memory.Topic) (refs []ref) {
	for line, text := range t.ProseLines() {
		s := memory.ScanLine(text)
		for _, wiki := range s.Wikis {
			target, _, _ := strings.Cut(wiki, "|")
			target, _, _ = strings.Cut(target, "#")
			if isWikiName(target) {
				refs = append(refs, ref{line: line, column: columnOf(text, "[["+wiki+"]]"), text: "[[" + wiki + "]]", target: target, wiki: true})
			}
		}
		for _, l := range s.Links {
			if !l.Nowhere && !memory.IsURL(l.File) {
				refs = append(refs, ref{line: line, column: columnOf(text, text[l.From:l.To]), text: text[l.From:l.To], target: l.File, outside: l.Outside})
			}
		}
	}
	return refs
}

// LinksTo returns a finding for each link to a memory that was merged into another, with the link to that one.
func LinksTo(s *memory.Snapshot, merged memory.Name, t *memory.Topic, into memory.Name) []Finding {
	v := Check{After: s}.view()
	was := Check{After: &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{merged: t}}}.view()
	var findings []Finding
	for _, n := range v.sortedNames() {
		for _, r := range refsIn(v.After.Topics[n]) {
			if n == into || r.outside || v.leads(n, r) || !was.leads(n, r) {
				continue
			}
			target := into.String()
			if r.wiki {
				target = strings.TrimSuffix(target, ".md")
				if topic := s.Topics[into]; topic != nil {
					name, _, _ := topic.Field("name")
					target = cmp.Or(name, target)
				}
			}
			findings = append(findings, Finding{
				Rule: WikiLink, Severity: Warning, File: n.String(), Line: r.line, Column: r.column,
				Message: fmt.Sprintf("%s leads to %q, which is merged into %q", r.text, merged.String(), into.String()),
				Hint:    v.editCall(n, r.text, strings.Replace(r.text, r.target, target, 1)),
			})
		}
	}
	return findings
}

// columnOf returns the column, from 1, in which words begin in a line, 0 where they do not.
func columnOf(line, words string) int {
	i := strings.Index(line, words)
	if i < 0 {
		return 0
	}
	return columnAt(line, i)
}

// columnIn returns the column in which words begin in a line of a memory, 0 where they do not.
func columnIn(t *memory.Topic, line int, words string) int {
	return columnOf(strings.SplitN(string(t.Bytes()), "\n", line+1)[line-1], words)
}

// isWikiName reports whether what is in double brackets may be the name of a memory, and is not a
// shell's test, no number, and no row of a matrix.
func isWikiName(s string) bool {
	return s != "" && len(s) <= memory.MaxNameBytes && s[0] != ' ' && s[0] != '\t' &&
		strings.IndexFunc(s, unicode.IsLetter) >= 0 && !strings.ContainsAny(s, "$\"=<>{}`;*&\\")
}

// leads reports whether a link of memory n leads anywhere.
func (v *view) leads(n memory.Name, r ref) bool {
	if !r.wiki {
		if !strings.HasSuffix(r.target, ".md") {
			return true // no memory is meant
		}
		for _, file := range []string{r.target, memory.CleanPath(path.Join(path.Dir(n.String()), r.target))} {
			if v.keys()["f"+file] || isLogPath(file) {
				return true
			}
		}
		return false
	}
	if isLogPath(r.target + ".md") {
		return true
	}
	return slices.ContainsFunc(memory.WikiKeys(r.target), func(key string) bool { return v.keys()[key] })
}

// keys returns every key under which a link may name what is there: a memory by its file or its title, the index, and
// what else lies there.
func (v *view) keys() map[string]bool {
	if v.linkKeys != nil {
		return v.linkKeys
	}
	v.linkKeys = make(map[string]bool, 8*len(v.After.Topics))
	files := []string{memory.IndexFile}
	for _, o := range v.After.Other {
		files = append(files, o.Path)
	}
	for _, file := range files {
		v.linkKeys["f"+memory.CleanPath(file)] = true
		v.linkKeys["w"+memory.SlugKey(file)] = true
	}
	for n, t := range v.After.Topics {
		for _, key := range memory.RefKeys(n.String()) {
			v.linkKeys[key] = true
		}
		if t.Title() != "" {
			v.linkKeys["w"+memory.SlugKey(t.Title())] = true
		}
	}
	return v.linkKeys
}

// isLogPath reports whether a file lies where hosts keep what a snapshot does not hold.
func isLogPath(file string) bool {
	n, err := memory.ParseName(file)
	return err == nil && strings.Contains(n.String(), "/") && !n.IsTopic()
}
