package drift

import (
	"fmt"
	"slices"
	"strings"

	"dream-mcp/memory/lazy"
)

// gather joins the hits of a folder that was moved, of a dated log, of a commit that removed files, and of a line.
func gather(hits []Missing, texts []Text) []Missing {
	var all []Missing
	index, refs := make(map[string]int), make(map[string][]string) // by what joins them
	for _, h := range hits {
		key := fmt.Sprintf("line %d %d", h.Place.Text, strings.Count(texts[h.Place.Text].Body[:h.Place.From], "\n"))
		switch {
		case h.moved != [2]string{}:
			key = "moved " + h.moved[0] + " " + h.moved[1]
		case isDated(texts[h.Place.Text]):
			key = "log " + texts[h.Place.Text].File
		case h.by != "":
			key = "by " + h.by
		}
		i, known := index[key]
		if !known {
			index[key], refs[key] = len(all), []string{h.Ref}
			all = append(all, h)
			continue
		}
		all[i].More = append(all[i].More, h.Place)
		if slices.Contains(refs[key], h.Ref) {
			continue
		}
		if refs[key] = append(refs[key], h.Ref); len(refs[key]) <= maxNamed && h.moved == [2]string{} {
			all[i].Message += "; " + h.Message
		}
	}
	for key, i := range index {
		h, names := &all[i], refs[key]
		named := strings.Join(names[:min(len(names), maxNamed)], ", ")
		switch kind, _, _ := strings.Cut(key, " "); {
		case kind == "line", kind == "log":
			h.More = nil
		case len(h.More) == 0:
		case kind == "by" && len(names) > 1:
			h.Message = h.by + " removed " + named
		case kind == "moved":
			h.Ref, h.Message = h.moved[0], fmt.Sprintf("%q is now %q", h.moved[0]+"/", h.moved[1]+"/")
			if h.by != "" {
				h.Message += " (" + h.by + ")"
			}
			h.Message += ": " + named
		}
		if more := len(names) - maxNamed; more > 0 {
			h.Message += fmt.Sprintf("; and %d more", more)
		}
	}
	return all
}

var (
	logName  = lazy.New(`(?i)(?:^|[-_./])(?:history|log|logs|changelog|journal|worklog|progress|status|sessions?|archive|done|completed|retros?|postmortems?|\d{4}-?\d\d-?\d\d|20\d\d-\d\d)(?:[-_./]|$)`)
	datedRow = lazy.New(`(?m)^[ \t>]*(?:#+|[-*+]|\d+\.)?[ \t]*[*_\[(` + "`" + `]*\d{4}-\d\d-\d\d\b`)
)

// minDated is the number of headings or items with a date in front that make a text a log.
const minDated = 3

// isDated reports whether a text says what was done when, by the dates before its items.
func isDated(t Text) bool { return len(datedRow.FindAllStringIndex(t.Body, minDated)) == minDated }
