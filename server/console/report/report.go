// Package report writes a report on a dream as one HTML page.
//
// The page is self-contained: it has no scripts and loads nothing. Its content security policy allows only its own style.
// Package html/template escapes all text. The caller masks credentials and makes hidden characters visible.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

// Page is the content of a report.
type Page struct {
	Project string // the checkout, or "" for a memory without one
	Memory  string // the memory directory
	ID      string
	Kind    string // "dream", "write" …
	State   string // "landed", "waits for you", "undone" …
	Waiting bool   // nothing has landed; the page ends with the commands that decide
	Host    string
	Summary string
	Time    time.Time // local time of the end
	Files   []File
	Left    []string // memories that it did not change
	Index   [2]Size  // before and after
	Limits  Size
	History []Past // oldest first, this one last
}

// File is one change.
type File struct {
	Path        string
	Action      string // "new", "changed", "deleted"
	Into        string // the file that a deleted file was merged into
	Description string
	Why         string // the reason given for a loss
	Before      string
	After       string
	LeftOut     []LeftOut
	Quotes      []Quote
}

// LeftOut is a fact that a merge left out, and the given reason.
type LeftOut struct{ Text, Why string }

// Quote is the source of a memory: what somebody said.
type Quote struct {
	Source, Speaker string
	Said            time.Time
	Text            string // "" if unknown
}

// Size is the use of the index, or its limits.
type Size struct{ Lines, Bytes int }

// Past is a dream of the history.
type Past struct {
	ID      string
	Time    time.Time
	Changed int
	Deleted int
	This    bool
}

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"words":   words,
	"count":   countActions,
	"percent": func(part, whole int) int { return min(100, 100*part/max(1, whole)) },
	"at":      func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"bars":    bars,
	"title":   func(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] },
	"plural": func(n int, word string) string {
		if n == 1 {
			return "1 " + word
		}
		return fmt.Sprintf("%d %ss", n, word)
	},
}).Parse(pageHTML))

// Write writes the page.
func Write(w io.Writer, p Page) error { return page.Execute(w, p) }

func countActions(files []File, action string) (n int) {
	for _, f := range files {
		if f.Action == action {
			n++
		}
	}
	return n
}

// bar is a column of the chart, in the units of its view box.
type bar struct {
	Past
	X, Y, Height, DeletedY, DeletedHeight int
}

const (
	chartHeight = 60
	barStep     = 16
)

// bars lays out the chart. The tallest column has chartHeight.
func bars(history []Past) []bar {
	most := 1
	for _, p := range history {
		most = max(most, p.Changed+p.Deleted)
	}
	laid := make([]bar, len(history))
	for i, p := range history {
		b := bar{Past: p, X: i * barStep}
		b.Height = chartHeight * p.Changed / most
		b.DeletedHeight = chartHeight * p.Deleted / most
		if p.Changed > 0 {
			b.Height = max(2, b.Height)
		}
		if p.Deleted > 0 {
			b.DeletedHeight = max(2, b.DeletedHeight)
		}
		b.Y = chartHeight - b.Height
		b.DeletedY = b.Y - b.DeletedHeight
		laid[i] = b
	}
	return laid
}
