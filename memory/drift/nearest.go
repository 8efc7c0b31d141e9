package drift

import (
	"path"
	"strings"

	"github.com/sahilm/fuzzy"
)

// maxSought bounds how often the nearest name is looked for in one Project: among 20,000 it takes some
// milliseconds.
const maxSought = 100

// nearestPath returns what is likeliest meant by a path that is not there: the same name in other capitals
// or elsewhere, the same name in another spelling, or a name that resembles it in the same folder.
func (p *Project) nearestPath(r pathRef) string {
	near, known := p.nearest[r.name]
	if !known && len(p.nearest) < maxSought {
		near = p.findNearest(r)
		p.nearest[r.name] = near
	}
	return near
}

func (p *Project) findNearest(r pathRef) string {
	t := p.listed()
	if near := closest(r.name, t.bases[r.base()]); near != "" {
		return near
	}
	want, ext := fold(strings.TrimSuffix(r.base(), path.Ext(r.base()))), extOf(r.name)
	var spelled, beside []string
	folder := path.Dir(r.name)
	for _, file := range t.files {
		if extOf(file) != ext {
			continue
		}
		base := path.Base(file)
		if fold(strings.TrimSuffix(base, path.Ext(base))) == want {
			spelled = append(spelled, file)
		} else if path.Dir(file) == folder || strings.HasSuffix(path.Dir(file), "/"+folder) {
			beside = append(beside, file)
		}
	}
	if near := closest(r.name, spelled); near != "" {
		return near
	}
	bases := make([]string, len(beside))
	for i, file := range beside {
		bases[i] = strings.TrimSuffix(path.Base(file), path.Ext(file))
	}
	stem := strings.TrimSuffix(r.base(), path.Ext(r.base()))
	if near := nearestOf(stem, bases); near != "" {
		for i := range beside {
			if bases[i] == near {
				return beside[i]
			}
		}
	}
	return ""
}

// closest returns the path that shares most of its folders with name, the first of equals.
func closest(name string, paths []string) string {
	best, most := "", -1
	for _, other := range paths {
		if n := shared(name, other); n > most {
			best, most = other, n
		}
	}
	return best
}

// shared counts the folders that two paths have in common, in order.
func shared(a, b string) int {
	n, parts := 0, strings.Split(path.Dir(b), "/")
	for part := range strings.SplitSeq(path.Dir(a), "/") {
		for i, other := range parts {
			if part == other {
				n, parts = n+1, parts[i+1:]
				break
			}
		}
	}
	return n
}

// nearestSymbol returns the declared name that is likest.
func (p *Project) nearestSymbol(name string) string {
	if p.sought++; p.sought > maxSought {
		return ""
	}
	return nearestOf(name, p.indexed().declared)
}

// nearestOf returns the name that is likest: the same in another spelling, else one that goes on where it
// ends or ends before, else one that holds its letters in order, or whose letters it holds.
func nearestOf(name string, names []string) string {
	want := fold(name)
	if len(want) < minWord {
		return ""
	}
	best := ""
	for _, other := range names {
		switch folded := fold(other); {
		case folded == want:
			return other
		case best == "" && other != "" && alike(want, folded):
			best = other
		}
	}
	if best != "" {
		return best
	}
	for _, match := range fuzzy.Find(want, names) {
		if len(match.Str) <= 2*len(want) {
			return match.Str
		}
	}
	for _, other := range names {
		if folded := fold(other); len(folded) >= 4 && len(want) <= 2*len(folded) && len(fuzzy.Find(folded, []string{want})) > 0 {
			return other
		}
	}
	return ""
}

func extOf(name string) string { return strings.ToLower(path.Ext(name)) }
