package consolidate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// TestUndoLaw makes histories of dreams, writes, undos, deaths and foreign edits, all drawn from a seed.
// At each undo of the newest it checks the law: every file that nobody else touched is as it was before,
// byte for byte and with its time, the index included; of the files that others touched, what they wrote
// is still there, and what was undone is gone or reported; and what undo reports is what it did. The
// index may differ only in the lines of memories that others touched.
func TestUndoLaw(t *testing.T) {
	for s := range uint64(histories / every(10)) {
		t.Run(fmt.Sprint(*seed+s), func(t *testing.T) {
			t.Parallel()
			h := &lawHistory{world: newWorld(t), draw: rand.New(rand.NewPCG(*seed+s, 4)), landed: map[string]*undoable{}}
			h.put("orphan.md", lawTopic("orphan", h.draw))
			h.stampHost("", prior)
			for range 7 {
				h.step()
				if h.draw.IntN(2) == 0 {
					h.undo()
				}
				if t.Failed() {
					t.Log("the history:\n" + strings.Join(h.lines, "\n"))
					return
				}
			}
		})
	}
}

const histories = 50

// act is an operation of a history; Seed draws what it does.
type act struct {
	Kind string // dream, write or undo
	Seed uint64
}

// undoable is what the law asks about an operation that has landed.
type undoable struct {
	before  map[string]version
	touched map[string]bool // by others, since it began
}

type version struct {
	content string
	mtime   time.Time
}

type lawHistory struct {
	*world
	draw   *rand.Rand
	landed map[string]*undoable
	marks  []string // lines that others wrote
	lines  []string
}

func (h *lawHistory) tell(format string, args ...any) {
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}

func lawTopic(name string, draw *rand.Rand) string {
	word := func() string {
		var w []byte
		for range 3 {
			w = append(w, "bdfgklmnprstvz"[draw.IntN(14)], "aeiou"[draw.IntN(5)])
		}
		return string(w)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s\ndescription: about %s %s\nmetadata:\n  type: project\n---\n\n", name, word(), word())
	for range 3 {
		fmt.Fprintf(&b, "%s %s %s %s.\n\n", word(), word(), word(), word())
	}
	return b.String()
}

// versions reads the memory with the times of its files.
func (h *lawHistory) versions() map[string]version {
	v := map[string]version{}
	for name, content := range h.files() {
		if strings.HasSuffix(name, ".md") {
			info, err := os.Stat(filepath.Join(h.memory, name))
			if err != nil {
				h.t.Fatal(err)
			}
			v[name] = version{content, info.ModTime()}
		}
	}
	return v
}

// step carries out an operation: whole, or beside somebody who edits during its commit, or until its
// process is killed, perhaps with an edit before the next one recovers.
func (h *lawHistory) step() {
	h.now = h.now.Add(time.Minute)
	a := act{[]string{"dream", "dream", "write"}[h.draw.IntN(3)], h.draw.Uint64()}
	began := &undoable{h.versions(), map[string]bool{}}
	ids := h.ids()
	h.carryOut(a, began)
	if h.draw.IntN(3) == 0 {
		h.foreign(began)
	}
	for id := range h.ids() {
		if !ids[id] {
			h.landed[id] = began
			h.tell("  landed as %s", id)
		}
	}
}

func (h *lawHistory) carryOut(a act, began *undoable) {
	switch h.draw.IntN(5) {
	case 0, 1:
		step := 4 + h.draw.IntN(12)
		h.tell("%s %d, to be killed at step %d", a.Kind, a.Seed, step)
		cmd, _, out := h.start(child{Act: &a, Die: step})
		said, _ := io.ReadAll(out)
		cmd.Wait()
		h.tell("  %s", bytes.TrimSpace(said))
		if h.draw.IntN(2) == 0 {
			h.foreign(began)
		}
		if err := h.open().Recover(ctx); err != nil {
			h.t.Fatal(err)
		}
	case 2:
		at := 3 + h.draw.IntN(10)
		h.tell("%s %d, edited at step %d", a.Kind, a.Seed, at)
		o, n := h.options(), 0
		o.Step = func(string) {
			if n++; n == at {
				h.foreign(began)
			}
		}
		p := Open(o)
		if err := a.run(p); err != nil {
			h.tell("  %v", err)
		}
		p.Close("")
	default:
		h.tell("%s %d", a.Kind, a.Seed)
		if err := a.run(h.open()); err != nil {
			h.t.Fatal(err)
		}
	}
}

// ids returns what has landed.
func (h *lawHistory) ids() map[string]bool {
	entries, err := logOf(h.open())
	if err != nil {
		h.t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, e := range entries {
		if e.Outcome == ops.Committed && e.Undoes == "" && len(e.Files) > 0 {
			ids[e.ID] = true
		}
	}
	return ids
}

// foreign is an edit by somebody else.
func (h *lawHistory) foreign(began *undoable) {
	names := slices.Sorted(maps.Keys(h.versions()))
	name := names[h.draw.IntN(len(names))]
	content := h.files()[name]
	mark := fmt.Sprintf("Mine %d.", h.draw.IntN(1e9))
	switch what := h.draw.IntN(8); {
	case what == 0 && name != memory.IndexFile:
		h.tell("  somebody deletes %s", name)
		os.Remove(filepath.Join(h.memory, name))
	case what == 1:
		name = fmt.Sprintf("mine%d.md", h.draw.IntN(1000))
		h.tell("  somebody makes %s", name)
		h.put(name, lawTopic(strings.TrimSuffix(name, ".md"), h.draw)+mark+"\n")
		h.marks = append(h.marks, mark)
	case what < 5:
		h.tell("  somebody appends to %s", name)
		h.put(name, content+mark+"\n")
		h.marks = append(h.marks, mark)
	default:
		lines := strings.SplitAfter(content, "\n")
		i := h.draw.IntN(len(lines))
		h.tell("  somebody writes into %s before line %d", name, i+1)
		h.put(name, strings.Join(slices.Insert(lines, i, mark+"\n"), ""))
		h.marks = append(h.marks, mark)
	}
	began.touched[name] = true
	for _, u := range h.landed {
		u.touched[name] = true
	}
}

// undo takes the newest back and checks the law.
func (h *lawHistory) undo() {
	h.t.Helper()
	h.now = h.now.Add(time.Minute)
	if h.draw.IntN(3) == 0 && h.dieInUndo() {
		return
	}
	was, marked := h.versions(), h.present()
	o, n, at := h.options(), 0, -1
	if h.draw.IntN(4) == 0 {
		at = 3 + h.draw.IntN(8)
	}
	o.Step = func(string) {
		if n++; n == at {
			h.foreign(&undoable{h.versions(), map[string]bool{}})
			was, marked = nil, h.present() // it changes meanwhile
		}
	}
	p := Open(o)
	defer p.Close("the undo ended")
	res, err := p.History.Undo(ctx, "")
	if errors.Is(err, history.ErrUndone) {
		return
	}
	if err != nil {
		h.t.Errorf("undo: %v", err)
		return
	}
	h.tell("undo of %s: %+v, merged %v, conflicts %v", res.Undone, res.Files, res.Merged, res.Conflicts)
	is, u := h.versions(), h.landed[res.Undone]
	if u == nil {
		h.t.Errorf("it undid %s, of which the test knows nothing", res.Undone)
		return
	}
	h.checkRestored(is, u)
	for name, v := range is {
		if slices.Contains(conflictNames(res), name) {
			continue
		}
		for line := range strings.Lines(v.content) {
			if strings.HasPrefix(line, "Ours ") && !strings.Contains(u.before[name].content, line) {
				h.t.Errorf("%s still has a line of what was undone: %s", name, line)
			}
		}
	}
	for mark := range marked {
		if !h.present()[mark] {
			h.t.Errorf("what somebody else wrote is lost: %s", mark)
		}
	}
	if was != nil {
		h.checkReport(res, was, is, u)
	}
	res.Merged = append(res.Merged, conflictNames(res)...)
	for _, o := range h.landed { // what follows a merge is not as any of them left it
		for _, name := range res.Merged {
			o.touched[name] = true
			o.touched[memory.IndexFile] = true
		}
	}
}

// dieInUndo kills an undo at a step, and reports whether it has landed all the same. Then the law holds too.
func (h *lawHistory) dieInUndo() (landed bool) {
	a, marked := act{Kind: "undo"}, h.present()
	cmd, _, out := h.start(child{Act: &a, Die: 3 + h.draw.IntN(12)})
	said, _ := io.ReadAll(out)
	cmd.Wait()
	h.tell("undo, to be killed: %s", bytes.TrimSpace(said))
	p := h.open()
	if err := p.Recover(ctx); err != nil {
		h.t.Fatal(err)
	}
	entries, err := logOf(p)
	if err != nil {
		h.t.Fatal(err)
	}
	last := ops.LogEntry{}
	if len(entries) > 0 {
		last = entries[len(entries)-1]
	}
	if last.Undoes == "" || last.Outcome != ops.Committed || !last.Started.Equal(h.now) {
		return false
	}
	u := h.landed[last.Undoes]
	h.checkRestored(h.versions(), u)
	for mark := range marked {
		if !h.present()[mark] {
			h.t.Errorf("what somebody else wrote is lost: %s", mark)
		}
	}
	for _, o := range h.landed { // what it merged is not known
		maps.Copy(o.touched, u.touched)
		o.touched[memory.IndexFile] = o.touched[memory.IndexFile] || len(u.touched) > 0
	}
	return true
}

func conflictNames(res history.UndoResult) (names []string) {
	for _, c := range res.Conflicts {
		names = append(names, c.Name.String())
	}
	return names
}

// present returns the marks of others that are in the memory.
func (h *lawHistory) present() map[string]bool {
	var all strings.Builder
	for _, content := range h.files() {
		all.WriteString(content)
	}
	found := map[string]bool{}
	for _, mark := range h.marks {
		if strings.Contains(all.String(), mark) {
			found[mark] = true
		}
	}
	return found
}

func (h *lawHistory) checkRestored(is map[string]version, u *undoable) {
	h.t.Helper()
	for name := range union(is, u.before) {
		if u.touched[name] {
			continue
		}
		got, there := is[name]
		want, wanted := u.before[name]
		if name == memory.IndexFile {
			got.content, want.content = without(got.content, u.touched), without(want.content, u.touched)
			got.mtime, want.mtime = time.Time{}, time.Time{}
		}
		switch {
		case there != wanted:
			h.t.Errorf("%s is there: %t, want %t", name, there, wanted)
		case got.content != want.content:
			h.t.Errorf("%s is\n%s\nwant\n%s", name, got.content, want.content)
		case !got.mtime.Equal(want.mtime):
			h.t.Errorf("%s is of %s, want %s", name, got.mtime, want.mtime)
		}
	}
}

// without returns an index without the lines of some files.
func without(index string, files map[string]bool) string {
	var b strings.Builder
	for line := range strings.Lines(index) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(file string) bool { return strings.Contains(line, "("+file+")") }) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func union(a, b map[string]version) map[string]version {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// checkReport compares what undo says with what it did.
func (h *lawHistory) checkReport(res history.UndoResult, was, is map[string]version, u *undoable) {
	h.t.Helper()
	res.Merged = slices.Clone(res.Merged)
	did := ops.Files{Created: []string{}, Updated: []string{}, Deleted: []string{}}
	merged := []string{}
	for _, name := range slices.Sorted(maps.Keys(union(was, is))) {
		before, there := was[name]
		after, stays := is[name]
		switch {
		case !there:
			did.Created = append(did.Created, name)
		case !stays:
			did.Deleted = append(did.Deleted, name)
		case before.content != after.content:
			did.Updated = append(did.Updated, name)
		}
		if stays && (!there || before.content != after.content) && after.content != u.before[name].content {
			merged = append(merged, name)
		}
	}
	said := res.Files
	for _, list := range []*[]string{&said.Created, &said.Updated, &said.Deleted, &res.Merged} {
		slices.Sort(*list)
	}
	if fmt.Sprint(said) != fmt.Sprint(did) {
		h.t.Errorf("it said %v, and did %v", said, did)
	}
	// Of what others touched the test does not know how the operation found it.
	touched := func(name string) bool { return u.touched[name] }
	if said, did := slices.DeleteFunc(slices.Clone(res.Merged), touched), slices.DeleteFunc(merged, touched); !slices.Equal(said, did) {
		h.t.Errorf("it said that it merged %v, and merged %v", said, did)
	}
	for _, name := range conflictNames(res) {
		if was[name].content != is[name].content {
			h.t.Errorf("it said that it left %s alone, and changed it", name)
		}
		if !u.touched[name] {
			h.t.Errorf("it said that others changed %s, which nobody touched", name)
		}
	}
}

// run carries the operation out. What a rule refuses is not an error.
func (a act) run(p *Project) error {
	draw := rand.New(rand.NewPCG(a.Seed, 5))
	var err error
	switch a.Kind {
	case "undo":
		if _, err = p.History.Undo(ctx, ""); errors.Is(err, history.ErrUndone) {
			err = nil
		}
	case "write":
		err = a.write(p, draw, nil)
	case "dream":
		if err = p.Begin(ctx, true, false); err != nil {
			return err
		}
		done := map[string]bool{}
		for range 1 + draw.IntN(3) {
			if err := a.write(p, draw, done); refused(err) != nil {
				return err
			}
		}
		accepted := map[string]string{}
		for _, c := range p.dream.Changes {
			accepted[c.Name.String()] = "drawn"
		}
		_, err = p.Finalize(ctx, ops.FinalizeRequest{Adopt: draw.IntN(3) > 0, AcceptLoss: accepted, Summary: "tidied"})
		if p.dream != nil {
			_, _, abortErr := p.Abort(ctx, "refused")
			err = errors.Join(refused(err), abortErr)
		}
	}
	return refused(err)
}

func refused(err error) error {
	var rule *RuleError
	var base *ops.BaseError
	if errors.As(err, &rule) || errors.As(err, &base) {
		return nil
	}
	return err
}

// write makes, edits or deletes a memory that is not in done.
func (a act) write(p *Project, draw *rand.Rand, done map[string]bool) error {
	found, _ := filepath.Glob(filepath.Join(p.Store.MemoryDir, "*.md"))
	var names []string
	for _, file := range found {
		if name := filepath.Base(file); name != memory.IndexFile && !done[name] {
			names = append(names, name)
		}
	}
	if draw.IntN(3) == 0 || len(names) == 0 {
		name := fmt.Sprintf("new%d", draw.IntN(1000))
		folder := []string{"", "deep/"}[draw.IntN(2)]
		r := WriteRequest{Path: folder + name + ".md", Content: new(lawTopic(name, draw))}
		if draw.IntN(2) == 0 {
			r.Index = &ops.IndexLine{Title: "The " + name, Hook: "of interest"}
		}
		_, err := p.Write(ctx, r)
		return err
	}
	name := names[draw.IntN(len(names))]
	data, err := os.ReadFile(filepath.Join(p.Store.MemoryDir, name))
	if err != nil {
		return err
	}
	if done != nil {
		done[name] = true
	}
	r := WriteRequest{Path: name, Base: sum(string(data))}
	if draw.IntN(3) == 0 {
		r.Delete = true
	} else {
		lines := strings.SplitAfter(string(data), "\n")
		i := len(lines) - draw.IntN(min(len(lines), 6))
		r.Content = new(strings.Join(slices.Insert(lines, i, fmt.Sprintf("Ours %d.\n", draw.IntN(1e9))), ""))
	}
	_, err = p.Write(ctx, r)
	return err
}
