package rule

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"dream-mcp/memory"
	"dream-mcp/memory/diff"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/text"
)

// proposedTitle bounds, in characters, the title of a proposed line that would be too long.
const proposedTitle = 60

func findDangling(v *view) []Finding {
	if v.After.Index == nil {
		return nil
	}
	var findings []Finding
	for _, e := range v.dangling() {
		findings = append(findings, Finding{
			File: memory.IndexFile, Line: e.Line, Column: e.Column, subject: e.Text + "\n" + e.File,
			Message: fmt.Sprintf("the index points to %q, which does not exist", e.File),
			Hint:    fmt.Sprintf("if what it says holds: write it to %[1]s; if not: finalize_index {\"remove\": [%[1]q], \"accept_loss\": [{\"file\": %[1]q, \"why\": \"…\"}]}", e.File),
		})
	}
	return findings
}

// dangling returns the entries that lead to nothing within the directory, nor to a file of the project.
func (v *view) dangling() []memory.Entry {
	if v.After.Limited {
		return nil // what was not looked at may be there
	}
	return slices.DeleteFunc(v.After.Index.Entries(), func(e memory.Entry) bool {
		return e.Outside || v.leads(memory.IndexName, ref{target: e.File}) || v.inProject(e.File)
	})
}

func findOrphans(v *view) []Finding {
	if v.noIndex() {
		return nil
	}
	var findings []Finding
	var full []string
	for _, n := range v.orphans() {
		line := ProposeEntry(n, v.After.Topics[n]).Line
		if v.After.Index != nil && !v.After.Index.HasRoom(line) {
			full = append(full, n.String())
			continue
		}
		f := Finding{File: n.String(), Message: "no line of the index names this memory", Hint: "finalize_index {\"adopt\": true} adds: " + line}
		if v.After.Topics[n].Description() == "" {
			f.Hint = fmt.Sprintf("finalize_index {\"upsert\": [{\"file\": %q, \"text\": …}]}; without a description no line is proposed", n.String())
		}
		findings = append(findings, f)
	}
	if full != nil {
		findings = append(findings, Finding{
			File: memory.IndexFile, Message: fmt.Sprintf("the index is full; %d memories are not in it: %s", len(full), phrase.Few(full, maxContent)), subject: "full",
			Hint: "shorten hooks, merge memories or remove lines; finalize_index {\"adopt\": true} then adds theirs",
		})
	}
	return findings
}

// orphans returns the topics that no index names, sorted.
func (v *view) orphans() []memory.Name {
	index := v.After.Index
	if index == nil {
		index = &memory.Index{}
	}
	folders := make(map[string][]*memory.Index)
	for n, t := range v.After.Topics {
		folder := path.Dir(n.String())
		if isFolderIndex(n) && folder != "." || isSecondIndex(n) && index.Mentions(n) {
			folders[folder] = append(folders[folder], memory.ParseIndex(t.Bytes()))
		}
	}
	inFolder := func(n memory.Name) bool {
		for folder := path.Dir(n.String()); ; folder = path.Dir(folder) {
			within, err := memory.ParseName(strings.TrimPrefix(n.String(), folder+"/"))
			if err == nil && slices.ContainsFunc(folders[folder], func(x *memory.Index) bool { return x.Mentions(within) || x.Mentions(n) }) {
				return true
			}
			if folder == "." {
				return false
			}
		}
	}
	var orphans []memory.Name
	for _, n := range v.sortedNames() {
		if isPage(n) && !isSecondIndex(n) || !n.IsTopic() || index.Mentions(n) || inFolder(n) {
			continue
		}
		orphans = append(orphans, n)
	}
	return orphans
}

// Proposal is a line of the index that is missing.
type Proposal struct {
	File  memory.Name
	Title string
	Hook  string
	Line  string // as FormatEntry writes it
}

// Propose returns a line for each topic that no index names, made of its name and description. Where there is no index
// that is a line for every topic: whether it should have one is for the caller to know.
func Propose(s *memory.Snapshot) (upserts []Proposal) {
	v := Check{After: s}.view()
	s = v.After // a line is cut, and a piece of a credential is known for one no more
	for _, n := range v.orphans() {
		upserts = append(upserts, ProposeEntry(n, s.Topics[n]))
	}
	return upserts
}

// proposedEntry is the length of a proposed line in characters. As many of them fit into an index as may be read.
const proposedEntry = 150

// ProposeEntry makes a line of at most proposedEntry characters, where the file's name leaves room for it. t
// is the topic as it may be shown.
func ProposeEntry(n memory.Name, t *memory.Topic) Proposal { return entryUpTo(n, t, proposedEntry) }

func entryUpTo(n memory.Name, t *memory.Topic, limit int) Proposal {
	p := Proposal{File: n, Title: memory.OneLine(t.Title()), Hook: memory.OneLine(t.Description())}
	if p.Title == "" {
		p.Title = memory.StemOf(n.String())
	}
	p.Title = cutText(p.Title, proposedTitle)
	room := limit - len([]rune(memory.FormatEntry(p.Title, n, ""))) - len([]rune(memory.HookSeparator))
	p.Hook = cutText(p.Hook, room)
	p.Line = memory.FormatEntry(p.Title, n, p.Hook)
	return p
}

// Follow returns what becomes of a line of the index when its memory changes: the title and the hook that were derived
// from the old name and description are derived again; "" for what stays. The hook grows by at most room bytes. The
// topics are as they may be shown.
func Follow(e memory.Entry, n memory.Name, before, after *memory.Topic, room int) (title, hook string) {
	was, is := ProposeEntry(n, before), entryUpTo(n, after, max(proposedEntry, utf8.RuneCountInString(e.Text)))
	if e.Title == was.Title && is.Title != was.Title {
		title = is.Title
	}
	if IsDerived(e.Hook, before) && is.Hook != e.Hook {
		for hook = is.Hook; len(hook) > len(e.Hook)+max(room, 0); {
			hook = cutText(hook, utf8.RuneCountInString(hook)-1)
		}
	}
	return title, hook
}

// IsDerived reports whether a hook is the description of a memory, or the beginning of it.
func IsDerived(hook string, t *memory.Topic) bool {
	description := memory.OneLine(t.Description())
	start, cut := strings.CutSuffix(hook, "…")
	return strings.TrimRight(hook, ".") == strings.TrimRight(description, ".") || cut && start != "" && strings.HasPrefix(description, start)
}

// OwnLine returns what there is to look at where the index has a line about a memory that somebody wrote, and the
// memory changes: both texts, if the description is another now, or a word of the line is no longer in the memory. The
// topics are as they may be shown.
func OwnLine(hook string, n memory.Name, before, after *memory.Topic) (Finding, bool) {
	if hook == "" || IsDerived(hook, after) {
		return Finding{}, false
	}
	described := memory.OneLine(after.Description())
	renewed := described != memory.OneLine(before.Description())
	var gone []string
	uncovered := false
	had, covered := text.TermsOf(strings.Join(diff.LinesBeyond("", wholeText(before), wholeText(after)), "\n")), text.TermsOf(described+" "+n.String())
	has := sync.OnceValue(func() []string { return text.TermsOf(wholeText(after)) }) // half a second for a text of 1 MB
	in := func(terms []string, stem string) bool {
		_, found := slices.BinarySearch(terms, stem)
		return found
	}
	for word := range strings.FieldsSeq(hook) {
		word = strings.TrimFunc(word, func(r rune) bool { return !text.IsWord(r) })
		for _, stem := range text.TermsOf(word) {
			if in(had, stem) && !in(has(), stem) && !slices.Contains(gone, word) {
				gone = append(gone, word)
			}
			counts := utf8.RuneCountInString(stem) > 2 || strings.ContainsFunc(stem, unicode.IsNumber)
			uncovered = uncovered || counts && !in(covered, stem)
		}
	}
	if gone == nil && !(renewed && uncovered) {
		return Finding{}, false
	}
	hook = cutText(hook, longEntry/2)
	f := Finding{Rule: "index-entry", Severity: Warning, File: n.String(),
		Message: fmt.Sprintf("its line in MEMORY.md says %q; the description now says %q", hook, described)}
	if !renewed {
		f.Message = fmt.Sprintf("its line in MEMORY.md says %q", hook)
	}
	if gone != nil {
		f.Message += fmt.Sprintf("; the memory no longer says %q", strings.Join(gone, ", "))
	}
	f.Hint = fmt.Sprintf(`if the line is wrong: write_memory {"path": %q, "index": {"text": %s}}`, n, quoteJSON(toFind))
	return f, true
}

func wholeText(t *memory.Topic) string { return t.Title() + "\n" + t.Description() + "\n" + t.Body() }

// cutText returns at most limit characters of a text, cut after a word and marked with "…".
func cutText(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	if limit < 2 {
		return ""
	}
	cut := string(runes[:limit-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:.—-") + "…"
}
