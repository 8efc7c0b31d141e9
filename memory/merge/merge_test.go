package merge

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"dream-mcp/memory"
)

func name(s string) memory.Name {
	n, err := memory.ParseName(s)
	if err != nil {
		panic(err)
	}
	return n
}

type files = map[memory.Name][]byte

func filesOf(pairs ...string) files {
	f := files{}
	for i := 0; i < len(pairs); i += 2 {
		f[name(pairs[i])] = []byte(pairs[i+1])
	}
	return f
}

func TestFiles(t *testing.T) {
	const head = "---\nname: Bun\ndescription: use bun\nmetadata:\n  type: project\n  modified: 2026-01-01T00:00:00.000Z\n---\n"
	tests := []struct {
		name             string
		base, a, b, want files
		notes            int
	}{
		{"each adds a line", filesOf("x.md", "one\ntwo\n"), filesOf("x.md", "zero\none\ntwo\n"), filesOf("x.md", "one\ntwo\nthree\n"),
			filesOf("x.md", "zero\none\ntwo\nthree\n"), 0},
		{"neighbours", filesOf("x.md", "one\ntwo\n"), filesOf("x.md", "ONE\ntwo\n"), filesOf("x.md", "one\nTWO\n"), filesOf("x.md", "ONE\nTWO\n"), 1},
		{"both change one line", filesOf("x.md", "one\ntwo\n"), filesOf("x.md", "uno\ntwo\n"),
			filesOf("x.md", "eins\ntwo\n"), filesOf("x.md", "eins\nuno\ntwo\n"), 1},
		{"deleted and edited", filesOf("x.md", "one\n"), filesOf(), filesOf("x.md", "one\ntwo\n"), filesOf("x.md", "one\ntwo\n"), 1},
		{"deleted and left", filesOf("x.md", "one\n", "y.md", "two\n"), filesOf("y.md", "two\n"),
			filesOf("x.md", "one\n", "y.md", "three\n"), filesOf("y.md", "three\n"), 0},
		{"moved and removed", filesOf("x.md", "one\ntwo\nthree\n"), filesOf("x.md", "two\nthree\none\n"),
			filesOf("x.md", "two\nthree\n"), filesOf("x.md", "two\nthree\n"), 0},
		{"no line end", filesOf("x.md", "one"), filesOf("x.md", "one\ntwo"), filesOf("x.md", "zero\none"), filesOf("x.md", "zero\none\ntwo\n"), 0},
		{"CRLF", filesOf("x.md", "one\r\ntwo\r\n"), filesOf("x.md", "one\r\ntwo\r\nthree\r\n"),
			filesOf("x.md", "zero\r\none\r\ntwo\r\n"), filesOf("x.md", "zero\r\none\r\ntwo\r\nthree\r\n"), 0},
		{"one becomes CRLF", filesOf("x.md", "one\ntwo\n"), filesOf("x.md", "one\r\ntwo\r\n"),
			filesOf("x.md", "zero\none\ntwo\n"), filesOf("x.md", "zero\r\none\r\ntwo\r\n"), 0},
		{"two spellings", filesOf(), filesOf("Foo.md", "one\n"), filesOf("foo.md", "two\n"), filesOf("Foo.md", "one\ntwo\n"), 1},
		{"fields", filesOf("x.md", head+"body\n"),
			filesOf("x.md", strings.NewReplacer("use bun", "always use bun", "2026-01-01", "2026-03-01").Replace(head)+"body\n"),
			filesOf("x.md", strings.NewReplacer("type: project", "type: feedback", "2026-01-01", "2026-02-01").Replace(head)+"body\nmore\n"),
			filesOf("x.md", strings.NewReplacer("use bun", "always use bun", "type: project", "type: feedback", "2026-01-01", "2026-03-01").Replace(head)+"body\nmore\n"), 0},
		{"both describe", filesOf("x.md", head+"body\n"),
			filesOf("x.md", strings.Replace(head, "use bun", "always use bun", 1)+"body\n"), filesOf("x.md", strings.Replace(head, "use bun", "never npm", 1)+"body\n"),
			filesOf("x.md", strings.Replace(head, "use bun", "always use bun", 1)+"body\n\n(description is also given as: never npm)\n"), 1},
		{"sources", filesOf("x.md", "---\nname: X\nsources: [s1:1]\n---\nbody\n"), filesOf("x.md", "---\nname: X\nsources: [s1:1, s2:5]\n---\nbody\n"),
			filesOf("x.md", "---\nname: X\nsources:\n  - s1:1\n  - s3:9\n---\nbody\n"), filesOf("x.md", "---\nname: X\nsources: [s1:1, s3:9, s2:5]\n---\nbody\n"), 0},
		{"index", filesOf("MEMORY.md", "# Memory\n- [A](a.md) — a\n- [B](b.md) — b\n", "a.md", "a\n", "b.md", "b\n"),
			filesOf("MEMORY.md", "# Memory\n- [C](c.md) — c\n- [A](a.md) — a\n- [B](b.md) — b\n", "a.md", "a\n", "b.md", "b\n", "c.md", "c\n"),
			filesOf("MEMORY.md", "# Memory\n- [D](d.md) — d\n- [A](a.md) — a, and more\n", "a.md", "a\n", "d.md", "d\n"),
			filesOf("MEMORY.md", "# Memory\n- [C](c.md) — c\n- [D](d.md) — d\n- [A](a.md) — a, and more\n", "a.md", "a\n", "c.md", "c\n", "d.md", "d\n"), 0},
		{"one line of the index twice", filesOf("MEMORY.md", "- [A](a.md) — a\n", "a.md", "a\n"),
			filesOf("MEMORY.md", "- [A](a.md) — one\n", "a.md", "a\n"), filesOf("MEMORY.md", "- [A](a.md) — two\n", "a.md", "a\n"),
			filesOf("MEMORY.md", "- [A](a.md) — one; two\n", "a.md", "a\n"), 0},
		{"deleted with its first line, and edited", filesOf("MEMORY.md", "- [B](b.md) — b\n", "a.md", head+"a\n", "b.md", "b\n"),
			filesOf("MEMORY.md", "- [B](b.md) — b\n", "b.md", "b\n"), filesOf("MEMORY.md", "- [B](b.md) — b\n", "a.md", head+"a\nmore\n", "b.md", "b\n"),
			filesOf("MEMORY.md", "- [B](b.md) — b\n- [a](a.md) — use bun\n", "a.md", head+"a\nmore\n", "b.md", "b\n"), 1},
		{"deleted, edited and named again", filesOf("MEMORY.md", "- [A](a.md) — a\n- [B](b.md) — b\n", "a.md", "a\n", "b.md", "b\n"),
			filesOf("MEMORY.md", "- [B](b.md) — b\n", "b.md", "b\n"), filesOf("MEMORY.md", "- [A](a.md) — a\n- [B](b.md) — b\n", "a.md", "a\nmore\n", "b.md", "b\n"),
			filesOf("MEMORY.md", "- [B](b.md) — b\n- [A](a.md) — a\n", "a.md", "a\nmore\n", "b.md", "b\n"), 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, sides := range [][2]files{{test.a, test.b}, {test.b, test.a}} {
				got, notes, err := Files(test.base, sides[0], sides[1])
				if err != nil {
					t.Fatal(err)
				}
				if !maps.EqualFunc(got, test.want, bytes.Equal) {
					t.Errorf("merged:\n%s\nwant:\n%s", show(got), show(test.want))
				}
				if len(notes) != test.notes {
					t.Errorf("notes %v, want %d", notes, test.notes)
				}
			}
		})
	}
}

func show(f files) string {
	var b strings.Builder
	for _, n := range names(f) {
		fmt.Fprintf(&b, "-- %s --\n%s", n, f[n])
	}
	return b.String()
}

// world makes memories at random, of few words, so that the same lines meet often.
type world struct{ *rand.Rand }

func (w world) lines() []string {
	lines := make([]string, w.IntN(7))
	for i := range lines {
		lines[i] = []string{"alpha", "beta", "gamma", "delta", "", "- item", "```"}[w.IntN(7)]
	}
	return lines
}

func (w world) edit(lines []string, mark string) []string {
	out := append([]string{}, lines...)
	for range w.IntN(4) {
		at := w.IntN(len(out) + 1)
		switch w.IntN(4) {
		case 0:
			out = append(out[:at], append([]string{fmt.Sprintf("%s%d", mark, w.IntN(3))}, out[at:]...)...)
		case 1:
			out = append(out[:at], append(w.lines(), out[at:]...)...)
		case 2:
			if at < len(out) {
				out = append(out[:at], out[at+1:]...)
			}
		case 3: // move
			if at < len(out) {
				line := out[at]
				out = append(out[:at], out[at+1:]...)
				to := w.IntN(len(out) + 1)
				out = append(out[:to], append([]string{line}, out[to:]...)...)
			}
		}
	}
	return out
}

func text(head, lines []string) []byte {
	return []byte("---\n" + strings.Join(append(head, ""), "\n") + "---\n" + strings.Join(append(lines, ""), "\n"))
}

func (w world) memory() (head, lines []string) {
	return []string{"name: X", "description: d0", "metadata:", "  type: project", "  modified: 2026-01-01T00:00:00.000Z"}, w.lines()
}

// change makes another version of a memory: other fields, another body, another index, or none of it.
func (w world) change(base files, mark string) files {
	out := maps.Clone(base)
	index := strings.SplitAfter(string(out[memory.IndexName]), "\n")
	for i := range w.IntN(4) {
		n := name(fmt.Sprintf("topic%d.md", w.IntN(5)))
		have, is := out[n]
		switch {
		case is && w.IntN(5) == 0: // renamed; its line keeps its title
			to := name(fmt.Sprintf("topic%d.md", w.IntN(5)))
			if out[to] != nil {
				continue
			}
			out[to] = have
			delete(out, n)
			for j, line := range index {
				index[j] = strings.Replace(line, "]("+n.String()+")", "]("+to.String()+")", 1)
			}
		case is && w.IntN(3) == 0:
			delete(out, n)
			for j, line := range index {
				if strings.Contains(line, "]("+n.String()+")") {
					index = append(index[:j:j], index[j+1:]...)
					break
				}
			}
		case is:
			head, body, _ := strings.Cut(string(have), "\n---\n")
			head = strings.TrimPrefix(head, "---\n")
			if w.IntN(2) == 0 {
				head = strings.ReplaceAll(head, "description: d0", "description: "+mark)
			}
			out[n] = text(strings.Split(head, "\n"), w.edit(strings.Split(strings.TrimSuffix(body, "\n"), "\n"), mark))
		default:
			head, lines := w.memory()
			out[n] = text(head, w.edit(lines, mark))
			index = append([]string{fmt.Sprintf("- [%s](%s) — hook %s%d\n", []string{"T", n.String(), "`" + n.String() + "`"}[w.IntN(3)], n, mark, i)}, index...)
		}
	}
	if w.IntN(4) == 0 && len(index) > 1 { // a line goes and its memory stays
		index = index[1:]
	}
	out[memory.IndexName] = []byte(strings.Join(index, ""))
	return out
}

func words(data []byte) map[string]int {
	n := make(map[string]int)
	for line := range strings.Lines(string(plain(data))) {
		if line = strings.TrimSpace(line); line != "" && line != "---" {
			n[line]++
		}
	}
	return n
}

// checkLaws holds a merge to what the package promises.
func checkLaws(t *testing.T, base, a, b files) {
	t.Helper()
	merged, notes, err := Files(base, a, b)
	if err != nil {
		t.Fatal(err)
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf(format+"\n== base\n%s\n== a\n%s\n== b\n%s\n== merged\n%s\nnotes %v", append(args, show(base), show(a), show(b), show(merged), notes)...)
	}
	other, _, _ := Files(base, b, a)
	if !maps.EqualFunc(merged, other, bytes.Equal) {
		fail("the other way round it is\n%s", show(other))
	}
	for n, data := range merged {
		if strings.Contains(string(data), "<<<<<<<") || strings.Contains(string(data), ">>>>>>>") {
			fail("%s has conflict markers", n)
		}
	}
	for _, n := range names(base, a, b) {
		inBase, inA, inB := words(base[n]), words(a[n]), words(b[n])
		_, hasA := a[n]
		_, hasB := b[n]
		_, had := base[n]
		have, stays := words(merged[n]), merged[n] != nil
		switch {
		case hasA && hasB && !stays:
			fail("%s is lost", n)
		case had && !hasA && !hasB && stays, had && !hasA && bytes.Equal(b[n], base[n]) && stays, had && !hasB && bytes.Equal(a[n], base[n]) && stays:
			if !n.IsIndex() {
				fail("%s is back", n)
			}
		}
		if n.IsIndex() {
			continue
		}
		all := string(merged[n])
		for _, side := range []map[string]int{inA, inB} {
			for line, count := range side {
				changed := count > inBase[line]
				if key, value, _ := strings.Cut(line, ": "); changed && have[line] == 0 && key == "description" && strings.Contains(all, value) {
					continue
				}
				if changed && have[line] == 0 {
					fail("%s: the line %q is lost", n, line)
				}
				if inA[line] > 0 && inB[line] > 0 && have[line] == 0 && !strings.HasPrefix(line, "description:") {
					fail("%s: the line %q that both have is lost", n, line)
				}
			}
		}
		if hasA && hasB {
			for line, count := range inBase {
				if (inA[line] == 0 && inB[line] <= count || inB[line] == 0 && inA[line] <= count) && have[line] > 0 {
					fail("%s: the line %q is back", n, line)
				}
			}
		}
	}
	x := memory.ParseIndex(merged[memory.IndexName])
	seen := map[string]bool{}
	for _, e := range x.Entries() {
		if merged[name(e.File)] == nil || seen[e.File] {
			fail("the index names %s, which is gone or named twice", e.File)
		}
		seen[e.File] = true
	}
	for n := range merged {
		if n.IsIndex() {
			continue
		}
		namedBy := func(side files) bool {
			return side[n] == nil || memory.ParseIndex(side[memory.IndexName]).ByFile()[n.String()].File != ""
		}
		if namedBy(a) && namedBy(b) && x.ByFile()[n.String()].File == "" {
			fail("no line of the index links to %s", n)
		}
		for _, sides := range [][2]files{{a, b}, {b, a}} {
			if base[n] != nil && lineOf(base, n) != "" && lineOf(base, n) == lineOf(sides[0], n) && !namedBy(sides[1]) && x.ByFile()[n.String()].File != "" {
				fail("the index names %s again", n)
			}
		}
	}
	// What is merged and merged again with either side changes no more than blank lines and order.
	same, _, _ := Files(base, merged, merged)
	if !maps.EqualFunc(same, merged, bytes.Equal) {
		fail("merged with itself it is\n%s", show(same))
	}
}

func lineOf(f files, n memory.Name) string {
	for line := range strings.Lines(string(f[memory.IndexName])) {
		if strings.Contains(line, "]("+n.String()+")") {
			return line
		}
	}
	return ""
}

func TestLaws(t *testing.T) {
	for seed := range uint64(1_500) {
		w := world{rand.New(rand.NewPCG(seed, 7))}
		base := w.change(files{}, "base")
		checkLaws(t, base, w.change(base, "left"), w.change(base, "right"))
	}
}

func FuzzTexts(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n", "a\nc\n")
	f.Add("---\nname: a\n---\nb", "---\nname: c\n---\nb\n", "\xef\xbb\xbf---\r\nname: a\r\nx: [1, 2]\r\n---\r\n")
	f.Add("", "---\na: 1\n\n # c\na: 2\n---\n", "---\na: {b: c}\n---\n")
	f.Fuzz(func(t *testing.T, base, a, b string) {
		n := name("x.md")
		for _, had := range []files{{}, {n: []byte(base)}} {
			merged, _, err := Files(had, files{n: []byte(a)}, files{n: []byte(b)})
			if err != nil {
				t.Skip()
			}
			other, _, _ := Files(had, files{n: []byte(b)}, files{n: []byte(a)})
			if !bytes.Equal(merged[n], other[n]) {
				t.Fatalf("%q and the other way round %q", merged[n], other[n])
			}
			_, bodyA := memory.ParseTopic(plain([]byte(a))).Segments()
			have := words(merged[n])
			for _, s := range bodyA {
				if line := strings.TrimSpace(s.Text); line != "" && line != "---" && words([]byte(base))[line] == 0 && have[line] == 0 {
					t.Fatalf("the line %q is lost in %q", line, merged[n])
				}
			}
		}
	})
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		base, ours, theirs, want string
		conflict                 bool
	}{
		{"a\nb\nc\n", "a\nb\nc\n", "a\nc\n", "a\nc\n", false},
		{"a\nb\nc\n", "a\nb\nc\nd\n", "a\nc\n", "a\nc\nd\n", false},
		{"a\nb\nc\n", "x\na\nb\nc\n", "a\nB\nc\n", "x\na\nB\nc\n", false},
		{"a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", "", true},
		{"a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n", false},
		{"", "a\n", "", "a\n", false},
		{"a\n", "", "a\nb\n", "", true},
		{"a", "a\nb", "", "", true}, // the last line of base lost its missing end
		{"h\n\na\nb\n", "h\n\nnew\na\nb\n", "h\n\na\n", "h\n\nnew\na\n", false},
	} {
		got, ok := Lines([]byte(test.base), []byte(test.ours), []byte(test.theirs))
		if ok == test.conflict || string(got) != test.want {
			t.Errorf("Lines(%q, %q, %q) = %q, %v", test.base, test.ours, test.theirs, got, ok)
		}
	}
}

// Lines about memories are merged by memory, whatever is beside them.
func TestEntries(t *testing.T) {
	line := func(file, text string) string { return fmt.Sprintf("- [%s](%s.md) — %s\n", file, file, text) }
	after := "# Memory\n" + line("db", "Postgres") + line("gone", "x") + line("deploy", "on Fly since May")
	before := "# Memory\n" + line("db", "MySQL") + line("gone", "x") + line("deploy", "on Fly yesterday")
	for _, test := range []struct{ ours, want string }{
		{after, before},
		{"# Memory\n" + line("db", "Postgres") + line("deploy", "on Fly since May"), "# Memory\n" + line("db", "MySQL") + line("deploy", "on Fly yesterday")},
		{"# Memory\n" + line("db", "Postgres 17") + line("gone", "x") + line("deploy", "on Fly since May") + line("new", "y"),
			"# Memory\n" + line("db", "Postgres 17") + line("gone", "x") + line("deploy", "on Fly yesterday") + line("new", "y")},
	} {
		if got := string(Entries([]byte(after), []byte(test.ours), []byte(before))); got != test.want {
			t.Errorf("Entries(%q) = %q, want %q", test.ours, got, test.want)
		}
	}
}

// Merging with nothing changed on one side gives the other.
func FuzzLines(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n")
	f.Fuzz(func(t *testing.T, base, other string) {
		for _, got := range []func() ([]byte, bool){
			func() ([]byte, bool) { return Lines([]byte(base), []byte(other), []byte(base)) },
			func() ([]byte, bool) { return Lines([]byte(base), []byte(base), []byte(other)) },
		} {
			if merged, ok := got(); ok && string(merged) != other || !ok {
				t.Errorf("merged %q and %q to %q, %v", base, other, merged, ok)
			}
		}
	})
}
