package share

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dream-mcp/memory"
)

// Limits of what a commit may hold. The largest memory in the census has 207 topics and 1.5 MB.
const (
	maxFiles = 5000
	maxTotal = 64 << 20
	maxMark  = 4 << 10
	maxMarks = 1000 // machines
)

// What a commit holds: the memory, and a file for each machine. A format that we do not know is left alone.
const (
	formatFile   = "format"
	format       = "1\n"
	memoryFolder = "memory"
	markFolder   = "machines"
)

// Files are the memories of one machine or commit, the index among them.
type Files map[memory.Name][]byte

// A Mark says up to when a machine has read its own transcripts. The time is by its own clock: others only compare it with
// what that machine said before.
type Mark struct {
	Name string    `json:"name"`
	Read time.Time `json:"read,omitzero"`
}

// content is what a commit holds.
type content struct {
	files Files
	marks map[string]Mark // by machine
}

// A HostileError says why a commit of the remote is not taken over.
type HostileError struct{ Why string }

func (e *HostileError) Error() string { return "the remote holds " + e.Why }

func hostile(format string, args ...any) error { return &HostileError{fmt.Sprintf(format, args...)} }

// entry is a file of a commit.
type entry struct {
	path, oid string
	size      int
}

// list returns the files of a commit. Links, submodules, and what is too large or too much are refused.
func (g *git) list(ctx context.Context, commit string) ([]entry, error) {
	out, err := g.run(ctx, localTime, nil, "ls-tree", "-r", "-l", "-z", commit)
	if err != nil {
		return nil, err
	}
	var entries []entry
	total := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		head, name, _ := strings.Cut(line, "\t")
		field := strings.Fields(head)
		if len(field) != 4 || field[0] != "100644" {
			return nil, hostile("%.80q, which is not a plain file", name)
		}
		size, err := strconv.Atoi(field[3])
		if total += size; err != nil || size > memory.MaxFileBytes || total > maxTotal || len(entries) == maxFiles {
			return nil, hostile("more than a memory has: %.80q is file %d, with %d bytes", name, len(entries)+1, size)
		}
		entries = append(entries, entry{name, field[2], size})
	}
	return entries, nil
}

// read returns what a commit holds; "" is no commit. Every name passes our own rules.
func (g *git) read(ctx context.Context, commit string) (content, error) {
	c := content{Files{}, map[string]Mark{}}
	if commit == "" {
		return c, nil
	}
	entries, err := g.list(ctx, commit)
	if err != nil {
		return c, err
	}
	blobs, err := g.blobs(ctx, entries)
	if err != nil {
		return c, err
	}
	known := false
	for i, e := range entries {
		folder, rest, _ := strings.Cut(e.path, "/")
		switch {
		case e.path == formatFile:
			known = string(blobs[i]) == format
		case folder == memoryFolder:
			n, err := memory.ParseName(rest)
			if err != nil || !travels(n) {
				return c, hostile("%.80q, which is not the name of a memory", e.path)
			}
			c.files[n] = blobs[i]
		case folder == markFolder:
			id := strings.TrimSuffix(rest, ".json")
			var m Mark
			if !isMachine(id) || e.size > maxMark || len(c.marks) == maxMarks || json.Unmarshal(blobs[i], &m) != nil {
				return c, hostile("%.80q, which is not the mark of a machine", e.path)
			}
			m.Name = plainName(m.Name)
			c.marks[id] = m
		}
	}
	if !known {
		return c, hostile("a memory in a format that this version does not know")
	}
	return c, c.files.checkTwins()
}

// travels reports whether a file of this name is shared: the index, and what a dream may write.
func travels(n memory.Name) bool { return n.IsIndex() || n.Writable() == nil }

// checkTwins refuses names that a file system may take for one.
func (f Files) checkTwins() error {
	seen := make(map[string]memory.Name)
	for n := range f {
		if other, twin := seen[n.Fold()]; twin {
			return hostile("%q and %q, which some file systems take for one", n, other)
		}
		seen[n.Fold()] = n
	}
	return nil
}

var machineID = regexp.MustCompile(`^[0-9a-f]{16}$`)

func isMachine(id string) bool { return machineID.MatchString(id) }

// blobs reads the contents of files that list has bounded.
func (g *git) blobs(ctx context.Context, entries []entry) ([][]byte, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	var ask strings.Builder
	for _, e := range entries {
		ask.WriteString(e.oid + "\n")
	}
	out, err := g.run(ctx, localTime, []byte(ask.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	blobs := make([][]byte, len(entries))
	for i, e := range entries {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		if string(head) != fmt.Sprintf("%s blob %d", e.oid, e.size) || len(rest) < e.size+1 {
			return nil, errors.New("git cat-file: an object is missing or damaged")
		}
		blobs[i], out = rest[:e.size:e.size], rest[e.size+1:]
	}
	return blobs, nil
}

// An author is a machine as a commit names it.
type author struct{ id, name string }

// commit makes a commit over parent ("": none) that changes files by path (nil: removes them), and returns its name. Nothing on
// disk is read: the objects are written from memory.
func (g *git) commit(ctx context.Context, parent string, changes map[string][]byte, by author, now time.Time, message string) (string, error) {
	var b bytes.Buffer
	data := func(text []byte) { fmt.Fprintf(&b, "data %d\n%s\n", len(text), text) }
	fmt.Fprintf(&b, "feature done\nreset refs/ours/made\n\ncommit refs/ours/made\nmark :1\ncommitter %s <%s@dream-mcp> %d +0000\n", plainName(by.name), by.id, now.Unix())
	data([]byte(message))
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, p := range slices.Sorted(maps.Keys(changes)) {
		if changes[p] == nil {
			fmt.Fprintf(&b, "D %s\n", p)
			continue
		}
		fmt.Fprintf(&b, "M 100644 inline %s\n", p)
		data(changes[p])
	}
	b.WriteString("\nget-mark :1\ndone\n")
	out, err := g.run(ctx, localTime, b.Bytes(), "fast-import", "--quiet", "--force", "--date-format=raw")
	oid := strings.TrimSpace(string(out))
	if err == nil && !isOID(oid) {
		err = &GitError{"fast-import", "it named no commit", 0}
	}
	return oid, err
}

// changes returns what leads from one content to another, by path.
func (from content) changes(to content) map[string][]byte {
	changed := make(map[string][]byte)
	put := func(p string, data []byte, have []byte, had bool) {
		if !had || !bytes.Equal(data, have) {
			changed[p] = append([]byte{}, data...) // never nil
		}
	}
	for n, data := range to.files {
		have, had := from.files[n]
		put(path.Join(memoryFolder, n.String()), data, have, had)
	}
	for n := range from.files {
		if _, stays := to.files[n]; !stays {
			changed[path.Join(memoryFolder, n.String())] = nil
		}
	}
	for id, m := range to.marks {
		if have, had := from.marks[id]; !had || !have.Read.Equal(m.Read) || have.Name != m.Name {
			data, _ := json.Marshal(m) // a text and a time are always written
			changed[path.Join(markFolder, id+".json")] = append(data, '\n')
		}
	}
	return changed
}

// plainName is a name as others may show it and git takes it: one line of letters, digits and a few signs.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_. ", r)) {
			return r
		}
		return '-'
	}, s[:min(len(s), 60)])
	if s = strings.Trim(s, "-. "); s == "" {
		return "unnamed"
	}
	return s
}
