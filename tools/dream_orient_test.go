package tools

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// mapWorld has so many memories and sessions, and much to find: one credential, overlong lines of the index, files that
// it does not name.
func mapWorld(t *testing.T, topics, sessions int) *world {
	w := newWorld(t)
	w.populate(topics, 600)
	index := "# Memory\n\n"
	for i := range topics {
		_, kind, title := subject(i)
		if i%(topics/2) == 0 {
			index += fmt.Sprintf("\n## %s\n", []string{"Ships", "Office"}[i/(topics/2)%2])
		}
		switch {
		case i%4 == 1:
			index += lineOf(i, "how the "+title+" of the harbour office is run, and what to look at before changing it, with everything that was ever asked about it in the office or on the quay")
		case i%16 == 5:
			continue
		case i%8 == 3:
			index += lineOf(i, "moved to Tuesdays since the storm")
		default:
			index += lineOf(i, "how the "+title+" is run")
		}
		_ = kind
	}
	for i := range 172 - topics {
		index += fmt.Sprintf("- note %d: the tide table of the year is on the wall\n", i)
	}
	w.write("MEMORY.md", index+"- [Gone](gone.md) — points to nothing\n")
	file, _, _ := subject(topics - 1)
	w.write(file, topicText(topics-1, 600)+"\nThe radio logs in with password=hunter-9fK3xQ7vL2mZ8.\n")
	file, _, _ = subject(2)
	w.write(file, topicText(2, 600)+"\nThe pilots changed the watch yesterday, see [[pilot-rota]].\n")
	for i := range sessions {
		w.say(i+1, fmt.Sprintf("please look at the %s again, it was late on the last two days", harbour[i%len(harbour)]), "no, keep the order as it is")
	}
	w.open()
	return w
}

func TestMap(t *testing.T) {
	w := mapWorld(t, 66, 20)
	pages := w.pages("dream_orient", `{"force": true}`)
	if len(pages) > 2 {
		t.Errorf("%d pages for 66 memories and 20 sessions", len(pages))
	}
	for _, page := range pages {
		if len(page) > 10_000 {
			t.Errorf("a page has %d bytes", len(page))
		}
	}
	// Where the page ends depends on the length of the machine's paths.
	all := strings.Join(pages, "\n")
	whole := regexp.MustCompile(`… \d+ lines more: .*\n(Dream .*\n)`).ReplaceAllString(all, "")
	w.golden("map.golden", whole)
	if page := mapWorld(t, 20, 20).pages("dream_orient", `{"force": true}`)[0]; strings.Contains(page, " lines more: ") || len(page) > 10_000 {
		t.Errorf("the first page for 20 memories has %d bytes, or another follows:\n%s", len(page), page)
	}
}

// To list what was said changes nothing in the map but its head, which says so.
func TestMapAfterListing(t *testing.T) {
	w := mapWorld(t, 20, 6)
	_, before, _ := strings.Cut(w.must("dream_orient", `{"force": true}`), "\nMemory: ")
	w.pages("grep_transcripts", `{}`)
	head, after, _ := strings.Cut(w.must("dream_orient", `{}`), "\nMemory: ")
	if after != before || !strings.Contains(head, "What the user said in 6 new sessions was listed to the end.") {
		t.Errorf("%s\n%s", head, after)
	}
}
