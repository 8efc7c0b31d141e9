package tools

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Without paths all topics are read, each once, and one that is longer than a page says how to go on.
func TestReadAll(t *testing.T) {
	w := newWorld(t)
	w.populate(45, 700)
	w.write("long.md", topicText(3, 30_000))
	w.open()
	pages := w.pages("read_memory", `{}`)
	all := strings.Join(pages, "\n")
	for i := range 45 {
		file, _, _ := subject(i)
		if n := strings.Count(all, fmt.Sprintf("\n--- end of %s\n", w.sum(file))); n != 1 {
			t.Errorf("%s ends %d times", file, n)
		}
	}
	if !strings.Contains(all, `… cut: read_memory {"paths": ["long.md"], "offset": `) {
		t.Error("the long one does not say how to go on")
	}
	if len(pages) > 4 {
		t.Errorf("%d pages of %d bytes", len(pages), len(all))
	}
	for _, page := range pages {
		if len(page) > 25_000 {
			t.Errorf("a page has %d bytes", len(page))
		}
	}
	if !strings.HasPrefix(pages[0], "MEMORY.md "+w.sum("MEMORY.md")) || strings.Contains(all, "near: ") {
		t.Errorf("the index is not first, or files are not in the order of their names: %.300s", pages[0])
	}
	if text, refused := w.call("read_memory", `{"cursor": "a.md", "paths": ["b.md"]}`); !refused {
		t.Errorf("both were taken: %s", text)
	}
	if text := w.must("read_memory", `{"cursor": "zzz.md"}`); text != "This was the last page." {
		t.Errorf("after the last: %q", text)
	}
	w.must("dream_orient", `{"force": true}`)
	file, _, _ := subject(0)
	w.must("write_memory", fmt.Sprintf(`{"path": %q, "delete": true, "base": %q}`, file, w.sum(file)))
	w.must("write_memory", `{"path": "new.md", "content": "---\nname: new\ndescription: what came last\nmetadata:\n  type: project\n---\nA text.\n"}`)
	all = strings.Join(w.pages("read_memory", `{}`), "\n")
	if strings.Contains(all, file) || !regexp.MustCompile(`(?m)^new\.md [0-9a-f]{12} `).MatchString(all) {
		t.Error("it is not read as the dream would leave it")
	}
	small := newWorld(t)
	small.populate(2, 100)
	small.open()
	if page := small.must("read_memory", `{}`); !strings.HasPrefix(page, "MEMORY.md ") || !strings.HasSuffix(page, "This was the last page.") {
		t.Errorf("the index is not first: %s", page)
	}
}

// Whatever a text holds, its pages are the text again, and each begins with a line unless that is longer than maxLine.
func TestPageOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString(strings.Repeat([]string{"a", "é", "界", "x\n", "\r\n"}[r.IntN(5)], r.IntN(4*maxLine/60)))
			if r.IntN(3) > 0 {
				b.WriteByte('\n')
			}
		}
		text := b.String()
		var got strings.Builder
		for at := 0; at < len(text); {
			from, to := pageOf(text, at, 500)
			if from != at || to <= from || !utf8.ValidString(text[from:to]) {
				t.Fatalf("a page of %d bytes after %d begins at %d and ends at %d", len(text), at, from, to)
			}
			if from > 0 && text[from-1] != '\n' && strings.Contains(text[max(0, from-490):from], "\n") {
				t.Fatalf("a page begins within a line, at %d", from)
			}
			got.WriteString(text[from:to])
			at = to
		}
		if got.String() != text {
			t.Fatal("the pages are not the text")
		}
		if len(text) > 0 {
			at := r.IntN(len(text))
			from, _ := pageOf(text, at, 500)
			if from > at+utf8.UTFMax {
				t.Fatalf("a page from %d on begins at %d", at, from)
			}
		}
	}
}

// Memories that changed on disk after they were staged are shown twice, and each is on a page.
func TestReadAllChanged(t *testing.T) {
	w := newWorld(t)
	w.populate(12, 900)
	w.open()
	w.must("dream_orient", `{"force": true}`)
	for i := range 12 {
		file, _, _ := subject(i)
		w.must("write_memory", fmt.Sprintf(`{"path": %q, "base": %q, "edits": [{"old": "is kept by", "new": "is looked after by"}]}`, file, w.sum(file)))
		w.write(file, topicText(i, 20_000))
	}
	pages := w.pages("read_memory", `{}`)
	for i := range 12 {
		file, _, _ := subject(i)
		if n := strings.Count(strings.Join(pages, "\n"), fmt.Sprintf("\n--- end of %s\n", w.sum(file))); n != 1 {
			t.Errorf("%s ends %d times on disk", file, n)
		}
	}
	for _, page := range pages {
		if len(page) > 25_000 {
			t.Errorf("a page has %d bytes", len(page))
		}
	}
}
