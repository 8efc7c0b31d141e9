// Package report writes a dream as one HTML page that a person reads in a browser.
//
// The page holds everything that it shows: no script, no network, no font. Its content security policy forbids
// all but its own style. Every text is escaped by html/template, whatever a memory holds. The caller masks
// credentials and makes hidden characters visible.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

// Page is what a report shows. Texts may be shown as they are: masked, and hidden characters visible.
type Page struct {
	Project string // the checkout, or "" for a memory without one
	Memory  string // the memory directory
	ID      string
	Kind    string // "dream", "write" …
	State   string // "landed", "waits for you", "undone" …
	Waiting bool   // nothing has landed: the page ends with how to decide
	Host    string
	Summary string
	Time    time.Time // local time of the end
	Files   []File
	Left    []string // memories that it left alone
	Index   [2]Size  // before and after
	Limits  Size
	History []Past // oldest first, this one last
}

// File is one change.
type File struct {
	Path        string
	Action      string // "new", "changed", "deleted"
	Into        string // the file that a deleted one was merged into
	Description string
	Why         string // the reason that was given for what was lost
	Before      string
	After       string
	LeftOut     []LeftOut
	Quotes      []Quote
}

// LeftOut is a fact that a merge left out, and the reason that was given.
type LeftOut struct{ Text, Why string }

// Quote is what somebody said, from which a memory comes.
type Quote struct {
	Source, Speaker string
	Said            time.Time
	Text            string // "" where the words are not known
}

// Size is the use of the index, or its limits.
type Size struct{ Lines, Bytes int }

// Past is one dream of the history.
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

// bar is one column of the chart, in the units of its view box.
type bar struct {
	Past
	X, Y, Height, DeletedY, DeletedHeight int
}

const (
	chartHeight = 60
	barStep     = 16
)

// bars lays out the chart: the height of the tallest column is chartHeight.
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
