package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
)

// Files lists the files that an operation changed.
type Files struct {
	Created []string `json:"created"`
	Updated []string `json:"updated"`
	Deleted []string `json:"deleted"`

	Renamed map[string]string `json:"renamed,omitempty"` // the new name by the old one, which the lists leave out
}

// FilesOf lists the files of changes, of which renamed has those that only have a new name.
func FilesOf(changes []state.Change, renamed map[string]string) Files {
	f := Files{Created: []string{}, Updated: []string{}, Deleted: []string{}, Renamed: renamed}
	names := f.All()
	for _, c := range changes {
		if slices.Contains(names, c.Name.String()) {
			continue
		}
		list := map[string]*[]string{"created": &f.Created, "updated": &f.Updated, "deleted": &f.Deleted}[c.Action()]
		*list = append(*list, c.Name.String())
	}
	return f
}

// All returns the files, those with a new name also by the old one.
func (f Files) All() []string {
	return slices.Concat(f.Created, f.Updated, f.Deleted, slices.Collect(maps.Keys(f.Renamed)), slices.Collect(maps.Values(f.Renamed)))
}

// Decisions describes the merges, the waived rules and the accepted losses with their reasons, and what the person must
// decide.
func (i Op) Decisions() string {
	var waived []string
	for _, w := range i.Waived {
		waived = append(waived, fmt.Sprintf("%s for %s (%s)", w.Rule, w.File, w.Why))
	}
	return sentence("Merged:", i.merges(), "; ") + sentence("Waived:", waived, "; ") +
		sentence("Accepted as lost:", withReasons("%s (%s)", i.Accepted), "; ") + i.Undecided()
}

// Undecided names what the person must decide.
func (i Op) Undecided() string {
	return sentence("Left for the person to decide (dream-mcp review):", i.Proposed, ", ")
}

// sentence returns a list in a sentence, or "" for an empty one.
func sentence(what string, list []string, separator string) string {
	if len(list) == 0 {
		return ""
	}
	return " " + what + " " + strings.Join(list, separator) + "."
}

// withReasons lists what reasons has, with each reason.
func withReasons(format string, reasons map[string]string) (list []string) {
	for _, what := range slices.Sorted(maps.Keys(reasons)) {
		list = append(list, fmt.Sprintf(format, what, reasons[what]))
	}
	return list
}

// reviewed describes how many of the sessions since the last dream were listed to their end; "" if there are none.
func (i Op) reviewed() string {
	shown, of := i.Listed.Count()
	if of == 0 {
		of = i.Sessions
	}
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s", shown, phrase.Plural(of, "session"))
}

// Counts are the numbers of memories that an operation created, updated and deleted. The index is not a memory.
type Counts struct {
	Created int  `json:"created,omitempty"`
	Updated int  `json:"updated,omitempty"`
	Deleted int  `json:"deleted,omitempty"`
	Tidied  int  `json:"tidied,omitempty"` // updated, and saying the same: only their frontmatter is written otherwise
	Index   bool `json:"index,omitempty"`  // it changed too

	Renamed string `json:"renamed,omitempty"` // "a.md to b.md", which count neither as created nor as deleted
}

// countsOf counts changes.
func countsOf(changes []state.Change, renamed map[string]string) (n Counts) {
	n = Counts{Created: -len(renamed), Deleted: -len(renamed)}
	var names []string
	for _, from := range slices.Sorted(maps.Keys(renamed)) {
		names = append(names, from+" to "+renamed[from])
	}
	n.Renamed = phrase.Few(names, maxRenamed)
	for _, c := range changes {
		switch {
		case c.Name.IsIndex():
			n.Index = true
		case c.Before == "":
			n.Created++
		case c.After == "":
			n.Deleted++
		case c.Same:
			n.Tidied++
		default:
			n.Updated++
		}
	}
	return n
}

// maxRenamed bounds the new names that a count names.
const maxRenamed = 5

// Improved is the number of memories that were created, or updated to say something else.
func (n Counts) Improved() int { return n.Created + n.Updated }

// String is such as "2 memories created, 1 corrected, 3 removed".
func (n Counts) String() string {
	var parts []string
	for _, part := range []struct {
		n   int
		did string
	}{{n.Created, "created"}, {n.Updated, "corrected"}, {n.Deleted, "removed"}} {
		switch {
		case part.n == 0:
		case parts == nil:
			parts = append(parts, phrase.Plural(part.n, "memory")+" "+part.did)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.did))
		}
	}
	if n.Renamed != "" {
		parts = append(parts, "renamed "+n.Renamed)
	}
	switch {
	case parts != nil:
		return strings.Join(parts, ", ")
	case n.Tidied > 0:
		return "frontmatter of " + phrase.Plural(n.Tidied, "memory") + " tidied"
	case n.Index:
		return "index updated"
	}
	return "nothing changed"
}

// Summary describes what an operation changed and reviewed, in numbers.
func Summary(changes []state.Change, i Op) string { return describe(changes, i, false) }

// Report describes what an operation changed and reviewed, with file names.
func Report(changes []state.Change, i Op) string { return describe(changes, i, true) }

func describe(changes []state.Change, i Op, named bool) string {
	reviewed := i.reviewed()
	switch {
	case len(changes) == 0 && reviewed == "":
		return "Nothing needed to change."
	case len(changes) == 0:
		return "Reviewed " + reviewed + "; nothing needed to change."
	}
	text, separator := upper(countsOf(changes, i.Renamed).String()), "; "
	var parts []string
	if named {
		parts, separator = FilesOf(changes, i.Renamed).parts(), ": "
	}
	if reviewed != "" {
		parts = append(parts, "reviewed "+reviewed)
	}
	if parts != nil {
		text += separator + strings.Join(parts, "; ")
	}
	return text + "."
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Tell is what the model is asked to tell the person at the end of a dream, word for word.
func Tell(changes []state.Change, i Op) string {
	text := Notice(changes, i)
	if len(changes) > 0 {
		text += HowToUndo("")
	}
	return text
}

// Notice is the sentence in which a person learns what a dream changed.
func Notice(changes []state.Change, i Op) string {
	text := upper(countsOf(changes, i.Renamed).String())
	if shown, _ := i.Listed.Count(); shown > 0 {
		text += ", from " + phrase.Plural(shown, "session")
	}
	return text + "."
}

// HowToUndo continues a Notice: how to see and undo the operation id, "" for the newest.
func HowToUndo(id string) string {
	if id != "" {
		id = " " + id
	}
	return fmt.Sprintf(" See: dream-mcp diff --open%s. Undo: dream-mcp undo%[1]s", id)
}

// parts lists the files with what became of them.
func (f Files) parts() (parts []string) {
	for i, files := range [][]string{f.Created, f.Updated, f.Deleted} {
		if len(files) > 0 {
			parts = append(parts, []string{"created ", "updated ", "deleted "}[i]+strings.Join(files, ", "))
		}
	}
	return parts
}

// merges lists what was merged into which memory, and what was left out.
func (i Op) merges() (said []string) {
	renamed := slices.Collect(maps.Values(i.Renamed))
	for _, into := range slices.Sorted(maps.Keys(i.Merges)) {
		m := i.Merges[into]
		if len(m.Replaced) == 0 || len(m.Accepted) == 0 && slices.Contains(renamed, into) {
			continue
		}
		one := strings.Join(slices.Sorted(maps.Keys(m.Replaced)), ", ") + " into " + into
		if left := withReasons("%q (%s)", m.Accepted); left != nil {
			one += ", without " + strings.Join(left, ", ")
		}
		said = append(said, one)
	}
	return said
}

// Second returns a time in UTC without fractions of a second.
func Second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// IndexSize is how much of the host's limits the index uses.
type IndexSize struct {
	Lines    int `json:"lines"`
	Bytes    int `json:"bytes"`
	MaxLines int `json:"max_lines"`
	MaxBytes int `json:"max_bytes"`
}

// SizeOf returns the size of an index. If it is nil, only the limits are set.
func SizeOf(index *memory.Index) IndexSize {
	s := IndexSize{MaxLines: memory.MaxIndexLines, MaxBytes: memory.MaxIndexBytes}
	if index != nil {
		s.Lines, s.Bytes = index.Size()
	}
	return s
}
