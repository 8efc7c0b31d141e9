package memory

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func mustName(t testing.TB, s string) Name {
	t.Helper()
	n, err := ParseName(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEntries(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // file|title|hook|section
	}{
		{"plain", "# Memory\n\n## User\n- [Role](user_role.md) — writes Go\n", []string{"user_role.md|Role|writes Go|User"}},
		{"separators", "- [A](a.md) - x\n* [B](b.md): y\n+ [C](c.md) (z)\n1. [D](d.md)\n- [E](e.md)—w\n",
			[]string{"a.md|A|x|", "b.md|B|y|", "c.md|C|(z)|", "d.md|D||", "e.md|E|w|"}},
		{"file label, bold", "- **[a.md](a.md)** — x\n- [**B**](b.md) — **not** y\n- **[C](c.md):** z\n", []string{"a.md|a.md|x|", "b.md|B|**not** y|", "c.md|C|z|"}},
		{"several in a line", "- [A](a.md), [B](b.md) — both\n", []string{"a.md|A|both|", "b.md|B|both|"}},
		{"one in the hook", "- [A](a.md) — see [B](b.md) too\n", []string{"a.md|A|see [B](b.md) too|", "b.md|B|too|"}},
		{"decoded", "- [A](./my%20notes.md#part) — x\n- [B](<b c.md>)\n- [C](d\\_e.md \"title\")\n- [D](f (g).md)\n",
			[]string{"my notes.md|A|x|", "b c.md|B||", "d_e.md|C||", "f (g).md|D||"}},
		{"outside", "- [A](../../CLAUDE.md) — x\n- [B](https://example.com/a.md)\n- [C](/etc/a.md)\n",
			[]string{"!../../CLAUDE.md|A|x|", "!https://example.com/a.md|B||", "!/etc/a.md|C||"}},
		{"escaped label", "- [a \\[b\\] `c`](a.md)\n", []string{"a.md|a [b] `c`||"}},
		{"table", "| file | what |\n|---|---|\n| [A](a.md) | x |\n", []string{"a.md|A|x|"}},
		{"no links", "`[a](a.md)` ![b](b.md) [[c]] [d](#e) [f]\n<!-- [g](g.md)\n[h](h.md) -->\n```\n[i](i.md)\n```\n", nil},
		{"a fence that is never closed", "```\n- [A](a.md)\n", []string{"a.md|A||"}},
		{"a fence closed by a longer one, indented", "```x\n[A](a.md)\n\t````\t\n- [B](b.md)\n", []string{"b.md|B||"}},
		{"a comment that is never closed", "<!--\n- [A](a.md)\n", []string{"a.md|A||"}},
		{"after a comment", "<!-- x --> [A](a.md)\n", []string{"a.md|A||"}},
		{"frontmatter", "---\nx: \"[A](a.md)\"\n---\n- [B](b.md)\n", []string{"b.md|B||"}},
		{"BOM, CRLF", "\ufeff- [A](a.md) — x\r\n", []string{"a.md|A|x|"}},
		{"other scripts", "- [메모](메모.md) — 한글\n- [B](%E8%A8%98.md)\n", []string{"메모.md|메모|한글|", "記.md|B||"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := ParseIndex([]byte(test.text))
			if got := string(x.Bytes()); got != test.text {
				t.Errorf("Bytes() = %q, want %q", got, test.text)
			}
			var got []string
			for _, e := range x.Entries() {
				s := strings.Join([]string{e.File, e.Title, e.Hook, e.Section}, "|")
				if e.Outside {
					s = "!" + s
				}
				got = append(got, s)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
	e := ParseIndex([]byte("# x\n- [A](a.md), [B](b.md)\r\n")).Entries()[1]
	if e.Line != 2 || e.Text != "- [A](a.md), [B](b.md)" {
		t.Errorf("got %+v", e)
	}
}

func TestMentions(t *testing.T) {
	tests := []struct {
		text, file string
		want       bool
	}{
		{"- [A](a.md)", "a.md", true},
		{"- [A](a.md)", "b.md", false},
		{"- [A](team/a.md)", "a.md", false},
		{"- [A](team/a.md)", "team/a.md", true},
		{"see [[feedback_go-tests]]", "feedback_go_tests.md", true},
		{"see [[go-tests]]", "feedback_go_tests.md", true},
		{"see [[Go Tests|tests]]", "feedback_go_tests.md", true},
		{"see [[feedback-go-tests#why]]", "go_tests.md", true},
		{"see [[feedback-go-tests]]", "project_go_tests.md", false},
		{"see [[a]]", "team/a.md", true},
		{"see `feedback_go_tests`", "feedback_go_tests.md", true},
		{"see `go_tests`", "feedback_go_tests.md", false},
		{"see `memory/a.md`", "a.md", true},
		{"read feedback_go_tests.md.", "feedback_go_tests.md", true},
		{"read feedback_go_tests first", "feedback_go_tests.md", true},
		{"read xfeedback_go_tests.md", "feedback_go_tests.md", false},
		{"pre-commit runs first", "pre-commit.md", false},
		{"| pre-commit | x |", "pre-commit.md", true},
		{"read my notes.md", "my notes.md", true},
		{"<!-- a.md -->", "a.md", false},
		{"<!--\n-->a.md", "a.md", true},
		{"```\na.md\n```", "a.md", true},
		{"- [project_a.md and `b.md`](c.md) — d", "project_a.md", false},
		{"- [project_a.md and `b.md`](c.md) — d", "b.md", false},
		{"- [![project_a.md](x.png)](c.md) — `b.md`", "b.md", true},
		{"- [A](caf\u00e9.md)", "cafe\u0301.md", true},
	}
	for _, test := range tests {
		if got := ParseIndex([]byte(test.text)).Mentions(mustName(t, test.file)); got != test.want {
			t.Errorf("%q mentions %q: %t, want %t", test.text, test.file, got, test.want)
		}
	}
}

func TestIndexSize(t *testing.T) {
	tests := []struct {
		text         string
		lines, bytes int
	}{
		{"", 0, 0},
		{"a\nb", 2, 3},
		{"a\r\n\r\n", 2, 5},
		{"---\nx: y\n---\na\n", 1, 2},
		{"<!-- a\nb -->\nc\n", 1, 2},
		{"<!-- a --> <!-- b --> c\nd", 2, 4},
		{"a <!-- b -->\n", 1, 13},
		{"<!-- a\nb", 2, 8},
		{"한\n", 1, 4},
		{"    <!-- a -->\n", 1, 15},
		{"```\n<!-- a -->\n```\n", 3, 19},
	}
	for _, test := range tests {
		if lines, bytes := ParseIndex([]byte(test.text)).Size(); lines != test.lines || bytes != test.bytes {
			t.Errorf("%q has %d lines, %d bytes, want %d, %d", test.text, lines, bytes, test.lines, test.bytes)
		}
	}
}

func TestFormatEntry(t *testing.T) {
	tests := []struct{ title, file, hook, want string }{
		{"Title", "a.md", "hook", "- [Title](a.md) — hook"},
		{"", "team/my_notes.md", "", "- [my_notes](team/my_notes.md)"},
		{" a\n b ", "a.md", "c\r\n d", "- [a b](a.md) — c d"},
		{"a [b] c", "a.md", "", "- [a [b] c](a.md)"},
		{"a ] c", "a.md", "", "- [a \\] c](a.md)"},
		{"a ` c", "a.md", "d ` e", "- [a \\` c](a.md) — d ` e"},
		{"a --> b", "a.md", "", "- [a --\\> b](a.md)"},
		{"x", "a (b).md", "", "- [x](a%20%28b%29.md)"},
		{"x", "記.md", "", "- [x](記.md)"},
	}
	for _, test := range tests {
		got := FormatEntry(test.title, mustName(t, test.file), test.hook)
		if got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
		if e := ParseIndex([]byte(got)).Entries(); len(e) != 1 || e[0].File != test.file || e[0].Hook != OneLine(test.hook) {
			t.Errorf("%q reads back as %+v", got, e)
		}
	}
}

func TestUpsert(t *testing.T) {
	tests := []struct {
		name, text                 string
		file, title, hook, section string
		want                       string
	}{
		{"into nothing", "", "a.md", "A", "x", "", "- [A](a.md) — x\n"},
		{"a section into nothing", "", "a.md", "A", "x", "User", "## User\n- [A](a.md) — x\n"},
		{"under the title", "# Memory\n", "a.md", "A", "x", "", "# Memory\n- [A](a.md) — x\n"},
		{"last", "# Memory\n\n- [B](b.md)\n- [C](c.md)\n", "a.md", "A", "x", "", "# Memory\n\n- [B](b.md)\n- [C](c.md)\n- [A](a.md) — x\n"},
		{"after what it shares most with", "- [Deploys](deploys.md) — from CI, to staging\n  - never by hand\n- [Tests](tests.md) — on the staging host\n- [Names](names.md) — short\n", "rollback.md",
			"Rollback", "of deploys to staging", "", "- [Deploys](deploys.md) — from CI, to staging\n  - never by hand\n- [Rollback](rollback.md) — of deploys to staging\n- [Tests](tests.md) — on the staging host\n- [Names](names.md) — short\n"},
		{"its type's lines are in two sections", "# M\n\nWhat we know.\n\n## Billing\n- [Taxes](project_taxes.md) — of invoices\n\n## Search\n- [Index](project_index.md) — rebuilt at night\n\n## Notes\nProse.\n",
			"project_vat.md", "VAT", "is on invoices", "", "# M\n\nWhat we know.\n\n## Billing\n- [Taxes](project_taxes.md) — of invoices\n- [VAT](project_vat.md) — is on invoices\n\n## Search\n" +
				"- [Index](project_index.md) — rebuilt at night\n\n## Notes\nProse.\n"},
		{"not below a heading only because it has no entries", "## Scripts\n\nIn bin.\n\n## Ours\n- [B](b.md)\n", "a.md", "A", "", "", "## Scripts\n\nIn bin.\n\n## Ours\n- [B](b.md)\n- [A](a.md)\n"},
		{"below a heading without entries that names it", "## Scripts\n\nIn bin.\n\n## Ours\n- [B](b.md)\n", "release_script.md", "A", "", "",
			"## Scripts\n\nIn bin.\n\n- [A](release_script.md)\n\n## Ours\n- [B](b.md)\n"},
		{"not glued to an introduction", "# M\n\nWhat we know.\n\n## Feedback\n- [B](b.md)\n", "project_x.md", "A", "", "", "# M\n\nWhat we know.\n\n- [A](project_x.md)\n\n## Feedback\n- [B](b.md)\n"},
		{"mark and line ends of the others", "* [B](b.md)\r\n", "a.md", "A", "", "", "* [B](b.md)\r\n* [A](a.md)\r\n"},
		{"last in its section", "## User\n- [B](b.md)\n\n## Feedback\n\n- [C](c.md)\n", "a.md", "A", "", "feedback",
			"## User\n- [B](b.md)\n\n## Feedback\n\n- [C](c.md)\n- [A](a.md)\n"},
		{"section without entries", "## User\n\n## Feedback\n- [C](c.md)\n", "a.md", "A", "", "User", "## User\n- [A](a.md)\n\n## Feedback\n- [C](c.md)\n"},
		{"new section", "- [B](b.md)", "a.md", "A", "", "User", "- [B](b.md)\n\n## User\n- [A](a.md)"},
		{"by type in headings", "## Feedback\n- [B](b.md)\n## Project notes\n- [C](c.md)\n", "project_x.md", "A", "", "",
			"## Feedback\n- [B](b.md)\n## Project notes\n- [C](c.md)\n- [A](project_x.md)\n"},
		{"by type of the others", "## Ours\n- [B](b.md)\n## Plans\n- [C](project-c.md)\n", "project_x.md", "A", "", "",
			"## Ours\n- [B](b.md)\n## Plans\n- [C](project-c.md)\n- [A](project_x.md)\n"},
		{"not among another type", "# M\n\n## Feedback\n- [B](b.md)\n## Ours\n- [C](c.md)\n", "project_x.md", "A", "", "",
			"# M\n\n## Feedback\n- [B](b.md)\n## Ours\n- [C](c.md)\n- [A](project_x.md)\n"},
		{"below the only heading", "# M\n## Rules\n- [B](feedback_b.md)\n", "project_x.md", "A",
			"", "", "# M\n## Rules\n- [B](feedback_b.md)\n- [A](project_x.md)\n"},
		{"not into an archive", "# M\n\n## Archived (2025)\n- [B](b.md)\n", "x.md", "A", "", "", "# M\n- [A](x.md)\n\n## Archived (2025)\n- [B](b.md)\n"},
		{"no final newline", "# M\ntext", "a.md", "A", "", "", "# M\ntext\n\n- [A](a.md)"},
		{"not into a comment or fence", "# M\n<!-- x\n\n-->\n```\ny\n```\n\n", "a.md", "A", "", "", "# M\n<!-- x\n\n-->\n```\ny\n```\n\n- [A](a.md)\n\n"},
		{"after a table", "# M\n| a | b |\n|--|--|\n| [B](b.md) | y |\n", "a.md", "A", "", "", "# M\n| a | b |\n|--|--|\n| [B](b.md) | y |\n\n- [A](a.md)\n"},

		{"hook in its form", "* [Old](a.md): x  \n", "a.md", "", "y", "", "* [Old](a.md): y  \n"},
		{"title in its form", "- **[Old](a.md)** — x\n", "a.md", "New", "", "", "- **[New](a.md)** — x\n"},
		{"bold label", "- [**Old**](a.md) — x\n", "a.md", "New", "y", "", "- [**New**](a.md) — y\n"},
		{"a file name as title goes", "- [a.md](a.md) — x\n", "a.md", "New", "", "", "- [New](a.md) — x\n"},
		{"a hook where there was none", "- [A](a.md)\n", "a.md", "", "y", "", "- [A](a.md) — y\n"},
		{"nothing to change", "- [A](a.md) — x\n", "a.md", "A", "x", "", "- [A](a.md) — x\n"},
		{"link as written", "- [A](./a.md#b \"c\") — x\n", "a.md", "", "y", "", "- [A](./a.md#b \"c\") — y\n"},
		{"moved", "## A\n- [A](a.md) — x\n## B\n- [B](b.md)\n", "a.md", "", "y", "B", "## A\n## B\n- [B](b.md)\n- [A](a.md) — y\n"},
		{"its section named", "## A\n- [A](a.md) — x\n", "a.md", "", "y", "a", "## A\n- [A](a.md) — y\n"},
		{"out of a shared line", "- [A](a.md), [B](b.md) — both\n", "a.md", "", "y", "", "- [B](b.md) — both\n- [A](a.md) — y\n"},
		{"title in a shared line", "- [A](a.md), [B](b.md) — both\n", "b.md", "C", "", "", "- [A](a.md), [C](b.md) — both\n"},
		{"mentioned in a hook only", "- [B](b.md) — see [A](a.md)\n", "a.md", "A", "x", "", "- [B](b.md) — see [A](a.md)\n- [A](a.md) — x\n"},
		{"table", "| x | [A](a.md) | y |\n", "a.md", "B|C", "z | w", "", "| x | [B\\|C](a.md) | z \\| w |\n"},
		{"table of one column", "| [A](a.md) |\n", "a.md", "", "z", "", "| [A](a.md) — z |\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := ParseIndex([]byte(test.text))
			old, new := x.Upsert(mustName(t, test.file), test.title, test.hook, test.section)
			if got := string(x.Bytes()); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if old != "" && !strings.Contains(test.text, old) || !strings.Contains(test.want, new) || new == "" {
				t.Errorf("returns %q, %q", old, new)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	tests := []struct {
		name, text, file, want string
		n                      int
	}{
		{"line", "- [A](a.md) — x\n- [B](b.md)\n", "a.md", "- [B](b.md)\n", 1},
		{"every line", "- [A](a.md)\ny\n- [A](./a.md#x)\n", "a.md", "y\n", 2},
		{"last line", "x\n- [A](a.md)", "a.md", "x", 1},
		{"first of several", "- [A](a.md), [B](b.md) — x\n", "a.md", "- [B](b.md) — x\n", 1},
		{"last of several", "- [A](a.md) + [B](b.md) — x\n", "b.md", "- [A](a.md) — x\n", 1},
		{"both ends", "- [A](a.md), [B](b.md), [A](a.md) — x\n", "a.md", "- [B](b.md) — x\n", 2},
		{"of bold ones", "- **[A](a.md)**, **[B](b.md)** — x\n", "b.md", "- **[A](a.md)** — x\n", 1},
		{"its hook stays with another link", "- **[A](a.md)** — see [B](b.md)\n", "a.md", "- see [B](b.md)\n", 1},
		{"in a hook", "- [B](b.md) — see [A](a.md) too\n", "a.md", "- [B](b.md) — see A too\n", 1},
		{"in a text", "Read [A](a.md) first.\n", "a.md", "Read A first.\n", 1},
		{"row", "| x | y |\n|--|--|\n| [A](a.md) | z |\n", "a.md", "| x | y |\n|--|--|\n", 1},
		{"outside", "- [A](../a.md)\n- [B](https://x.org/a)\n", "https://x.org/a", "- [A](../a.md)\n", 1},
		{"odd name", "- [A](a%3Ab.md)\n", "a:b.md", "", 1},
		{"absent", "- [A](a.md)\n", "b.md", "- [A](a.md)\n", 0},
		{"commented", "<!-- [A](a.md) -->\n", "a.md", "<!-- [A](a.md) -->\n", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := ParseIndex([]byte(test.text))
			n := x.Remove(test.file)
			if got := string(x.Bytes()); got != test.want || n != test.n {
				t.Errorf("got  %q, %d\nwant %q, %d", got, n, test.want, test.n)
			}
		})
	}
}

// FuzzIndex holds the laws: what is parsed prints back; a new entry is found, changes no byte of
// another line, and its removal restores the file, but for an empty line; an existing entry keeps all other lines.
func FuzzIndex(f *testing.F) {
	for _, seed := range []string{
		"", "\ufeff", "x", "x\r", "# M\r\n\r\n- [A](a.md) — x\r\n", "- [A](a.md), [B](b.md)", "<!-- x\n--> y\n- [A](a.md)", "---\na: b\n---\n",
		"```\n- [A](a.md)\n```", "~~~\n", "<!--", "| [A](a.md) | b |\n|--|", "\t- [A](a.md)\n  - [B](b.md)", "[[a]] `b` [c](d.md \"e\")", "- **[A](a.md):** x",
		"---\n- [A](a.md)\n---\n", "## User\n## feedback\n1. [C](project_c.md)\n", "- [ ] [A](a.md)\n",
	} {
		f.Add([]byte(seed), "Title", "hook")
	}
	f.Add([]byte("<!--\nx\n"), "a --> b", "c --> d")
	f.Fuzz(func(t *testing.T, data []byte, title, hook string) {
		x := ParseIndex(data)
		if !bytes.Equal(x.Bytes(), data) {
			t.Fatalf("%q is printed as %q", data, x.Bytes())
		}
		file := Name{"project_never_seen.md"}
		if x.Mentions(file) {
			return
		}
		_, line := x.Upsert(file, title, hook, "")
		after := x.Bytes()
		if !reflect.DeepEqual(x, ParseIndex(after)) {
			t.Fatalf("%q: what was changed is not what would be read:\n%+v\n%+v", data, x, ParseIndex(after))
		}
		found := 0
		for _, e := range x.Entries() {
			if e.File == file.String() && !strings.Contains(hook, "never_seen") {
				found++
			}
		}
		if found != 1 && !strings.Contains(hook, "never_seen") || !ParseIndex(after).Mentions(file) {
			t.Fatalf("%q: %d entries in %q", data, found, after)
		}
		i := bytes.Index(after, []byte(line))
		rest := strings.TrimRight(string(after[:i]), "\r\n") + strings.Trim(string(after[i+len(line):]), "\r\n")
		if strip(rest) != strip(string(data)) {
			t.Fatalf("%q: another line changed: %q", data, after)
		}
		if strings.Contains(hook, "](") {
			return // the line points to something else too, and that is not removed
		}
		if x.Remove(file.String()); strip(string(x.Bytes())) != strip(string(data)) { // an empty line may stay
			t.Fatalf("%q\nwith     %q\nwithout  %q", data, after, x.Bytes())
		}
		// An existing entry: its own line changes, and no other.
		for _, e := range x.Entries() {
			n, err := ParseName(e.File)
			if err != nil || e.Outside {
				continue
			}
			x.Upsert(n, title, "", "")
			got, was := slices.Collect(strings.Lines(string(x.Bytes()))), slices.Collect(strings.Lines(string(data)))
			for i, line := range was {
				if i+1 != e.Line && !slices.Contains(got, line) && !strings.Contains(line, "](") && i+1 < len(was) {
					t.Fatalf("%q: line %d is lost: %q", data, i+1, x.Bytes())
				}
			}
			break
		}
	})
}

// strip takes the line ends out: the end between two lines may belong to either.
func strip(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }

// TestHostileIndex gives the parser what would take minutes if a pass looked ahead from every line,
// or an edit read the file again for every line.
func TestHostileIndex(t *testing.T) {
	var stairs strings.Builder // each fence shorter than the one before, none closed
	for i := 1000; i > 2; i-- {
		fmt.Fprintf(&stairs, "%sx\n", strings.Repeat("~", i))
	}
	for _, text := range []string{"```a\n", "<!--\n", "[[[[[[", "](](](", "`a``b```", "~~~~\n````b\n", "- [a](", "\\", "| ", "- [A](a.md) — x\n", stairs.String()} {
		x := ParseIndex([]byte(strings.Repeat(text, 256<<10/len(text)+1)))
		x.Remove("a.md")
		x.Upsert(Name{"b.md"}, "b", "", "")
	}
}

// BenchmarkAdopt adds 200 lines to an index, each by itself, and removes them.
func BenchmarkAdopt(b *testing.B) {
	for b.Loop() {
		x := ParseIndex([]byte("# Memory\n\n## Project\n- [A](project_a.md) — a\n"))
		var files []string
		for i := range 200 { // a host loads no more
			n := Name{fmt.Sprintf("feedback_topic_%d.md", i)}
			files = append(files, n.path)
			x.Upsert(n, "a title of it", "what it is about, in a few words", "")
		}
		if x.Remove(files...) != 200 {
			b.Fatal("not all went")
		}
	}
}
