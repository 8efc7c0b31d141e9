// Package proposal manages proposals, which wait for the person's answer: dreams that the person must agree to, and changes
// that only the person may make. Each is an operation with a stage and the request that would land it.
//
// A proposal is kept for thirty days. It lands whole or in part, or is rejected. It never overwrites a file that was changed
// later. After a crash during an answer, the proposal is answered or still waits; after a crash in Divide, the rest may wait
// twice.
package proposal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// Most is the maximum number of held changes. Nobody reads more.
const Most = 100

// Queue has the proposals for one memory.
type Queue struct{ Store *ops.Store }

// Waiting returns the proposals, the newest first. The caller holds the mutex.
func (r *Queue) Waiting() ([]ops.Op, error) {
	db := r.Store.Records.Look()
	ids, err := db.Staged(true)
	var waiting []ops.Op
	for _, id := range ids {
		info, err := r.Store.Records.Op(id)
		if err == nil && info.Waits() && r.Store.Now().Sub(info.Reviewed) < history.ProposalKept {
			waiting = append(waiting, info)
		}
	}
	// IDs have seconds only.
	slices.SortStableFunc(waiting, func(a, b ops.Op) int { return b.Started.Compare(a.Started) })
	return waiting, err
}

// Match returns the proposal whose ID begins with id, or the newest if id is "". The caller holds the mutex.
func (r *Queue) Match(id string) (ops.Op, error) {
	waiting, err := r.Waiting()
	if err != nil {
		return ops.Op{}, err
	}
	if len(waiting) == 0 {
		return ops.Op{}, ops.Refuse("no dream waits for an answer", "dream-mcp log shows what dreams did")
	}
	var meant []string
	found := waiting[0]
	for _, w := range waiting {
		if id != "" && strings.HasPrefix(w.ID, id) {
			meant, found = append(meant, w.ID), w
		}
	}
	switch {
	case len(meant) > 1:
		return ops.Op{}, ops.Ambiguous(id, meant)
	case id != "" && len(meant) == 0:
		return ops.Op{}, ops.Refuse(fmt.Sprintf("no dream with the ID %q waits for an answer", id), "dream-mcp review lists those that wait; in a chat review_dream {} does")
	}
	return found, nil
}

// Label names a proposal.
func Label(i ops.Op) string {
	what := "dream " + i.ID
	if len(i.Held) > 0 {
		what = ops.Plural(len(i.Held), "change") + " (" + i.ID + ")"
	}
	return fmt.Sprintf("%s, proposed %s,", what, ops.Second(i.Reviewed).Format(time.RFC3339))
}

// Change is a change of one memory that only the person may make.
type Change struct {
	ID     string // of a new proposal; further changes of a dream join its first
	Dream  string // the dream in which the change was refused, or ""
	Name   memory.Name
	Base   memory.Sum
	Data   []byte // nil: it is deleted
	Reason string
	Waived []ops.Waiver
	Index  *ops.IndexLine
	Merge  *ops.Merge // the rest of the merge, or nil; a merge is one change
}

// Hold keeps a change, in place of an earlier one to the same memory, and reports whether it did: there is room for
// Most. The changes of one dream are one proposal. After a crash both changes may wait. The caller holds the mutex and
// the file lock.
func (r *Queue) Hold(dir *memory.Dir, c Change) (kept bool, err error) {
	waiting, err := r.Waiting()
	if err != nil {
		return false, err
	}
	file, held := c.Name.String(), 0
	info := r.Store.New(lock.KindWrite)
	info.ID, info.Dream, info.Held, info.Request = c.ID, c.Dream, map[string]string{}, &ops.FinalizeRequest{}
	var earlier []ops.Op
	for _, w := range waiting {
		held += len(w.Held)
		if c.Dream != "" && w.Dream == c.Dream && len(w.Held) > 0 {
			info = w
		} else if w.Held[file] != "" {
			earlier = append(earlier, w)
		}
	}
	if held >= Most && len(earlier) == 0 && info.Held[file] == "" {
		return false, nil
	}
	forget(&info, c.Name)
	info.Held[file], info.Reviewed = c.Reason, r.Store.Now()
	for _, w := range c.Waived {
		w.File = file
		info.Waived = append(info.Waived, w)
	}
	if c.Data == nil {
		info.Request.Remove = append(info.Request.Remove, file)
	} else if c.Index != nil {
		line := *c.Index
		line.File = file
		info.IndexLines = append(info.IndexLines, line)
	}
	replaced := make(map[memory.Name]memory.Sum)
	if c.Merge != nil && len(c.Merge.Replaced) > 0 {
		info.Merges = ops.Cloned(info.Merges)
		info.Merges[file] = c.Merge
		for o, sum := range c.Merge.Replaced {
			n, err := memory.ParseName(o)
			if err != nil {
				return false, err
			}
			replaced[n] = sum
			info.Request.Remove = append(info.Request.Remove, o)
		}
	}
	err = r.Store.Hold(dir, info, func(s *ops.Stage) error {
		for o, sum := range replaced {
			if _, err := s.Replace(o, sum, nil, time.Time{}); err != nil {
				return err
			}
		}
		_, err := s.Replace(c.Name, c.Base, c.Data, time.Time{})
		return err
	})
	if err != nil {
		return false, err
	}
	for _, w := range earlier {
		if err := r.drop(dir, w, c.Name); err != nil {
			return false, err
		}
	}
	return true, nil
}

// drop removes the change of n from a proposal.
func (r *Queue) drop(dir *memory.Dir, w ops.Op, n memory.Name) error {
	forget(&w, n)
	if len(w.Held) == 0 {
		return r.Store.Records.Discard(w.ID)
	}
	return r.Store.Hold(dir, w, func(s *ops.Stage) error { return s.Drop(n) })
}

// forget removes n from the record of a proposal.
func forget(i *ops.Op, n memory.Name) {
	file, request := n.String(), *i.Request
	if i.Merges[file] != nil {
		i.Merges = ops.Cloned(i.Merges)
		delete(i.Merges, file)
	}
	delete(i.Held, file)
	i.Waived = slices.DeleteFunc(slices.Clone(i.Waived), func(w ops.Waiver) bool { return w.File == file })
	i.IndexLines = slices.DeleteFunc(slices.Clone(i.IndexLines), func(l ops.IndexLine) bool { return l.File == file })
	request.Remove = slices.DeleteFunc(slices.Clone(request.Remove), func(f string) bool { return f == file })
	request.Upsert = slices.DeleteFunc(slices.Clone(request.Upsert), func(l ops.IndexLine) bool { return l.File == file })
	i.Request = &request
}

// Divide reduces t to the changes of some files; the rest continues to wait. Neither part has a whole new index, whose lines
// belong to both. The caller holds the mutex.
func (r *Queue) Divide(t *ops.Tx, only []string) error {
	for _, file := range only {
		if !slices.Contains(t.Staged(), file) {
			return ops.Refuse(fmt.Sprintf("%s does not change %q", t.ID, file), "dream-mcp review shows the files that it changes")
		}
	}
	for _, file := range only { // add what was merged into it
		if m := t.Merges[file]; m != nil {
			only = slices.AppendSeq(only, maps.Keys(m.Replaced))
		}
	}
	var others []ops.Change
	for _, c := range t.Changes {
		if !slices.Contains(only, c.Name.String()) {
			others = append(others, c)
		}
	}
	if len(others) == 0 {
		return nil
	}
	rest := t.Op
	rest.ID, rest.Listed, rest.Held = ops.NewID(r.Store.Now()), nil, maps.Clone(t.Held)
	for _, c := range t.Changes {
		if slices.Contains(only, c.Name.String()) {
			forget(&rest, c.Name)
		}
	}
	rest.Changes, rest.Displaced, rest.Bytes = others, nil, 0
	rest.Request.Content, rest.Request.Base, rest.Request.Adopt = nil, "", true
	if err := r.Store.Hold(t.Dir, rest, func(*ops.Stage) error { return nil }); err != nil {
		return err
	}
	for _, c := range others {
		forget(&t.Op, c.Name)
		if err := t.Stage.Drop(c.Name); err != nil {
			return err
		}
	}
	t.Request.Content, t.Request.Base, t.Request.Adopt = nil, "", true
	return t.Save()
}
