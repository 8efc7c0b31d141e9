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
	names, err := d.Topics()
	if err != nil {
		return ""
	}
	return Nearest(file, names)
}

// Nearest returns the name that is likeliest meant by a file that does not exist, or "".
func Nearest(file string, names []Name) string {
	if i := NearestSlug(file, SlugKeys(names)); i >= 0 {
		return names[i].path
	}
	return ""
}

func SlugKeys(names []Name) []string {
	slugs := make([]string, len(names))
	for i, n := range names {
		slugs[i] = SlugKey(n.path)
	}
	return slugs
}

// NearestSlug returns which slug is likeliest meant by a file, or -1: one that differs in its spelling, its folder or
// its type alone, one that holds all its letters in order, or one that is mistyped.
func NearestSlug(file string, slugs []string) int {
	want := SlugKey(file)
	bare := withoutType(path.Base(want))
	bases := make([]string, len(slugs))
	for i, slug := range slugs {
		bases[i] = withoutType(path.Base(slug))
		if slug == want || bases[i] == bare {
			return i
		}
	}
	if len(want) < minNearest {
		return -1
	}
	for _, i := range near.Ranked(want, slugs) {
		if len(slugs[i]) <= 2*len(want) {
			return i
		}
	}
	if meant := near.Word(bare, bases); meant != "" {
		return slices.Index(bases, meant)
	}
	return -1
}
