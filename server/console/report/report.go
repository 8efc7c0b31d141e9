// Package report writes a report on a dream as one HTML page.
//
// The page is self-contained: it has no scripts and loads nothing. Its content security policy allows only its own
// style. Package html/template escapes all text. The caller masks credentials and makes hidden characters visible.
package report

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/diff"
	"dream-mcp/memory/phrase"
)

// Page is a report and where it belongs.
type Page struct {
	history.Report
	Project string // the checkout, or "" for a memory without one
	Memory  string // the memory directory
	Zone    *time.Location
}

//go:embed page.html
var pageHTML string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"action":  action,
		"changes": changes,
		"class":   class,
		"join":    strings.Join,
		"percent": func(part, whole int) int { return min(100, 100*part/max(1, whole)) },
		"title":   func(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] },
		"plural":  phrase.Plural,
	}).Parse(pageHTML))
})

// Begin is how each page begins.
const Begin = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta name=\"generator\" content=\"dream-mcp\">\n"

// Write writes the page.
func Write(w io.Writer, p Page) error {
	p.Files = indexFirst(p.Files)
	return pageTemplate().Execute(w, p)
}

// State says what became of the changes.
func (p Page) State() string {
	switch {
	case p.Waits:
		return "waits for you"
	case p.Undone:
		return "undone"
	case p.Entry.Outcome == ops.Committed:
		return "landed"
	}
	return string(p.Entry.Outcome)
}

// Ended is the end of the operation, or its start if it has not ended.
func (p Page) Ended() string {
	if p.Entry.Time.IsZero() {
		return p.At(p.Entry.Started)
	}
	return p.At(p.Entry.Time)
}

// At formats a time.
func (p Page) At(t time.Time) string { return t.In(p.Zone).Format("2006-01-02 15:04") }

// action is what was done to a file.
func action(f history.File) string {
	switch {
	case f.After == nil:
		return "deleted"
	case f.Before == nil:
		return "created"
	}
	return "updated"
}

// changes compares the texts of a file, each with its frontmatter folded.
func changes(f history.File) diff.Diff { return diff.Of(folded(f.Before), folded(f.After)) }

// folded replaces the frontmatter of a text by one line with what a person writes into it; nil is "".
func folded(text *string) string {
	if text == nil {
		return ""
	}
	t := memory.ParseTopic([]byte(*text))
	if !t.HasFrontmatter() {
		return *text
	}
	head := t.Title() + ": " + t.Description()
	if kind := t.Type(); kind != "" {
		head += " (" + kind + ")"
	}
	return head + "\n\n" + strings.TrimLeft(t.Body(), "\n")
}

// indexFirst returns the files with the index before the memories: it says in a few lines what changed.
func indexFirst(files []history.File) []history.File {
	isIndex := func(f history.File) bool { return f.Path == memory.IndexFile }
	first := slices.DeleteFunc(slices.Clone(files), func(f history.File) bool { return !isIndex(f) })
	return append(first, slices.DeleteFunc(slices.Clone(files), isIndex)...)
}

// FoldedDiff returns a diff of the files, the index first, each with its frontmatter folded. It is for reading.
func FoldedDiff(files []history.File) string {
	var b strings.Builder
	for _, f := range indexFirst(files) {
		from, to := "a/"+f.Path, "b/"+f.Path
		if f.Before == nil {
			from = "/dev/null"
		}
		if f.After == nil {
			to = "/dev/null"
		}
		b.WriteString(changes(f).Unified(from, to))
	}
	return b.String()
}

// class is the class of a line of a diff.
func class(l diff.Line) string {
	switch l.Op {
	case diff.Added:
		return "new"
	case diff.Deleted:
		return "gone"
	}
	return "same"
}

// bar is a column of the chart, in the units of its view box.
type bar struct {
	ops.LogEntry
	This                                  bool // the dream that the page is about
	X, Y, Height, DeletedY, DeletedHeight int
}

const (
	chartHeight = 60
	barStep     = 16
)

// Bars lays out the chart. The tallest column has chartHeight.
func (p Page) Bars() []bar {
	most := 1
	for _, past := range p.History {
		most = max(most, past.Changes.Improved()+past.Changes.Deleted)
	}
	height := func(n int) int { return max(min(n, 1)*2, chartHeight*n/most) } // a column is visible unless it is 0
	laid := make([]bar, len(p.History))
	for i, past := range p.History {
		b := bar{LogEntry: past, This: past.ID == p.Entry.ID, X: i * barStep, Height: height(past.Changes.Improved()), DeletedHeight: height(past.Changes.Deleted)}
		b.Y = chartHeight - b.Height
		b.DeletedY = b.Y - b.DeletedHeight
		laid[i] = b
	}
	return laid
}
