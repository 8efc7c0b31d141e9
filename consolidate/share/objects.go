package share

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
)

// Limits of what a commit may hold. Of 33 real memories the largest had 207 topics and 1.5 MB.
const (
	maxFiles = 5000
	maxTotal = 64 << 20
)

// A commit has the memory and a file for each machine. A commit of an unknown format is not pulled.
const (
	formatFile   = "format"
	format       = "1\n"
	memoryFolder = "memory"
	markFolder   = "machines"
)

// Files are the memories of one machine or commit, the index among them.
type Files = map[memory.Name][]byte

// tree is what a commit holds, by path.
type tree map[string][]byte

// A Mark says up to when a machine has read its own transcripts, by its own clock. Other machines only compare it
// with the earlier marks of that machine.
type Mark struct {
	Name string    `json:"name"`
	Read time.Time `json:"read,omitzero"`
}

// freeName returns the name of a machine, with a number where another machine has that name.
func (t tree) freeName(by author) string {
	taken := make(map[string]bool)
	for p, data := range t {
		var mark Mark
		if m := machineFile.FindStringSubmatch(p); m != nil && m[1] != by.id && json.Unmarshal(data, &mark) == nil {
			taken[plainName(mark.Name)] = true
		}
	}
	name := by.name
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d", by.name, n)
	}
	return name
}

func hostile(format string, args ...any) error {
	return &StopError{"the remote holds " + fmt.Sprintf(format, args...)}
}

var machineFile = lazy.New(`^` + markFolder + `/([0-9a-f]{16})\.json$`)

// read returns the tree of a commit; "" means none. It refuses links, submodules, names that break our rules, and
// trees over the limits.
func (g git) read(ctx context.Context, commit string) (tree, error) {
	t := tree{}
	if commit == "" {
		return t, nil
	}
	list, err := g.run(ctx, nil, "ls-tree", "-r", "-l", "-z", commit)
	if err != nil {
		return nil, err
	}
	type object struct {
		path, head string
		size       int
	}
	var objects []object
	var ask strings.Builder
	total := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		head, p, _ := strings.Cut(line, "\t")
		field := strings.Fields(head)
		if len(field) != 4 || field[0] != "100644" {
			return nil, hostile("%.80q, which is not a plain file", p)
		}
		size, err := strconv.Atoi(field[3])
		if total += size; err != nil || size > memory.MaxReadBytes || total > maxTotal || len(objects) == maxFiles {
			return nil, hostile("more than a memory has: %.80q is file %d, with %d bytes", p, len(objects)+1, size)
		}
		if _, is := memoryName(p); !is && p != formatFile && !machineFile.MatchString(p) {
			return nil, hostile("%.80q, which is not the name of a memory", p)
		}
		objects = append(objects, object{p, field[2] + " blob " + field[3], size})
		ask.WriteString(field[2] + "\n")
	}
	out, err := g.run(ctx, []byte(ask.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		head, rest, _ := strings.Cut(out, "\n")
		if head != o.head || len(rest) <= o.size {
			return nil, errors.New("git cat-file: an object is missing or damaged")
		}
		t[o.path], out = []byte(rest[:o.size]), rest[o.size+1:]
	}
	if string(t[formatFile]) != format {
		return nil, hostile("a memory in a format that this version does not know")
	}
	return t, checkTwins(t.files())
}

// memoryName returns the memory that a path of a commit holds.
func memoryName(p string) (memory.Name, bool) {
	file, in := strings.CutPrefix(p, memoryFolder+"/")
	n, err := memory.ParseName(file)
	return n, in && err == nil && travels(n)
}

// memories returns the memories among the paths of a commit.
func memories(paths []string) (names []memory.Name) {
	for _, p := range paths {
		if n, is := memoryName(p); is {
			names = append(names, n)
		}
	}
	return names
}

// travels reports whether a file of this name is shared: the index, and what a dream may write.
func travels(n memory.Name) bool { return n.IsIndex() || n.Creatable() == nil }

func (t tree) files() Files {
	files := Files{}
	for p, data := range t {
		if n, is := memoryName(p); is {
			files[n] = data
		}
	}
	return files
}

// with returns t with its memories replaced.
func (t tree) with(files Files) tree {
	next := maps.Clone(t)
	maps.DeleteFunc(next, func(p string, _ []byte) bool { return strings.HasPrefix(p, memoryFolder+"/") })
	for n, data := range files {
		next[path.Join(memoryFolder, n.String())] = data
	}
	next[formatFile] = []byte(format)
	return next
}

// checkTwins refuses names that a file system may take for one.
func checkTwins(files Files) error {
	seen := make(map[string]memory.Name)
	for n := range files {
		if other, twin := seen[n.Fold()]; twin {
			return hostile("%q and %q, which some file systems take for one", n, other)
		}
		seen[n.Fold()] = n
	}
	return nil
}

// changes returns the paths at which two trees differ, sorted.
func (t tree) changes(to tree) []string {
	all := maps.Clone(t)
	maps.Copy(all, to)
	maps.DeleteFunc(all, func(p string, _ []byte) bool {
		was, had := t[p]
		is, has := to[p]
		return had == has && bytes.Equal(was, is)
	})
	return slices.Sorted(maps.Keys(all))
}

// An author is a machine as a commit names it.
type author struct{ id, name string }

// commit makes a commit on parent ("" for none) that takes paths from next, and returns its name. Nothing is checked
// out.
func (g git) commit(ctx context.Context, parent string, next tree, paths []string, by author, now time.Time, message string) (string, error) {
	var b bytes.Buffer
	data := func(text []byte) { fmt.Fprintf(&b, "data %d\n%s\n", len(text), text) }
	fmt.Fprintf(&b, "feature done\nreset refs/ours/made\n\ncommit refs/ours/made\nmark :1\n"+
		"committer %s <%s@dream-mcp> %d +0000\n", plainName(by.name), by.id, now.Unix())
	data([]byte(message))
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, p := range paths {
		if text, is := next[p]; is {
			fmt.Fprintf(&b, "M 100644 inline %s\n", p)
			data(text)
		} else {
			fmt.Fprintf(&b, "D %s\n", p)
		}
	}
	b.WriteString("\nget-mark :1\ndone\n")
	out, err := g.run(ctx, b.Bytes(), "fast-import", "--quiet", "--force", "--date-format=raw")
	return strings.TrimSpace(out), err
}

// plainName returns a name that is safe to show and that git accepts: one line of letters, digits and a few signs.
func plainName(s string) string {
	s = strings.Trim(notPlain.ReplaceAllString(s[:min(len(s), 60)], "-"), "-. ")
	if s == "" {
		return "unnamed"
	}
	return s
}

var notPlain = lazy.New(`[^A-Za-z0-9_. -]`)
