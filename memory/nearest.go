package memory

import (
	"path"
	"slices"

	"dream-mcp/memory/near"
)

// minNearest is the length of a name from which a name with its letters in order is probably meant.
const minNearest = 4

// Nearest returns the topic of the directory that is likeliest meant by a file that does not exist, or "".
func (d *Dir) Nearest(file string) string {
	names, _ := d.Topics()
	return Nearest(file, names)
}

// Nearest returns the name that is likeliest meant by a file that does not exist, or "": one that differs in its
// spelling, its folder or its type alone, one that holds all its letters in order, or one that is mistyped.
func Nearest(file string, names []Name) string {
	want := SlugKey(file)
	bare := withoutType(path.Base(want))
	slugs, bases := make([]string, len(names)), make([]string, len(names))
	for i, n := range names {
		slugs[i] = SlugKey(n.path)
		bases[i] = withoutType(path.Base(slugs[i]))
		if slugs[i] == want || bases[i] == bare {
			return n.path
		}
	}
	if len(want) < minNearest {
		return ""
	}
	for _, i := range near.Ranked(want, slugs) {
		if len(slugs[i]) <= 2*len(want) {
			return names[i].path
		}
	}
	if meant := near.Word(bare, bases); meant != "" {
		return names[slices.Index(bases, meant)].path
	}
	return ""
}
