// Package proposal manages proposals, which wait for the person's answer: dreams that the person must agree to, and
// changes that only the person may make. Each is an operation with a stage and the request that would land it.
//
// A proposal is kept for thirty days. It lands whole or in part, or is rejected. It never overwrites a file that was
// changed later. After a crash during an answer, the proposal is answered or waits as it was.
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
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
)

// Most is the maximum number of held changes. Nobody reads more.
const Most = 100

// Queue has the proposals for one memory.
type Queue struct{ Store *ops.Store }

// Waiting returns the proposals, the newest first. The caller holds the mutex.
func (r *Queue) Waiting() ([]ops.Op, error) {
	db := r.Store.Records.Look()
	ids, err := db.Operations().Staged(true)
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
		if err := r.Store.Records.Unreadable(true); err != nil {
			return ops.Op{}, err
		}
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
		what = phrase.Plural(len(i.Held), "change") + " (" + i.ID + ")"
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
		if c.Dream != "" && w.Dream == c.Dream && len(w.Held) > 0 && info.ID == c.ID {
			info = w
		} else if w.Held[file] != "" {
			earlier = append(earlier, w)
		}
	}
	if held >= Most && len(earlier) == 0 && info.Held[file] == "" {
		return false, nil
	}
	replaced, err := c.replaced()
	if err != nil {
		return false, err
	}
	note(&info, c, memory.SortedNames(replaced))
	info.Reviewed = r.Store.Now()
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

// replaced returns the sums of the memories that c merges into another.
func (c *Change) replaced() (map[memory.Name]memory.Sum, error) {
	replaced := make(map[memory.Name]memory.Sum)
	if c.Merge == nil {
		return replaced, nil
	}
	for file, sum := range c.Merge.Replaced {
		n, err := memory.ParseName(file)
		if err != nil {
			return nil, err
		}
		replaced[n] = sum
	}
	return replaced, nil
}

// note adds c, which merges the memories in replaced, to the record of a proposal, in place of earlier changes to them.
func note(i *ops.Op, c Change, replaced []memory.Name) {
	file := c.Name.String()
	removeChange(i, c.Name)
	for _, o := range replaced {
		removeChange(i, o)
		i.Request.Remove = append(i.Request.Remove, o.String())
	}
	i.Held[file] = c.Reason
	for _, w := range c.Waived {
		w.File = file
		i.Waived = append(i.Waived, w)
	}
	if c.Data == nil {
		i.Request.Remove = append(i.Request.Remove, file)
	} else if c.Index != nil {
		line := *c.Index
		line.File = file
		i.IndexLines = append(i.IndexLines, line)
	}
	if len(replaced) > 0 {
		i.Merges = ops.Cloned(i.Merges)
		i.Merges[file] = c.Merge
	}
}

// drop removes the change of n from a proposal.
func (r *Queue) drop(dir *memory.Dir, w ops.Op, n memory.Name) error {
	removeChange(&w, n)
	if len(w.Held) == 0 {
		return r.Store.Records.Discard(w.ID)
	}
	return r.Store.Hold(dir, w, func(*ops.Stage) error { return nil })
}

// removeChange removes the change of n from a proposal, and the deletions of what was merged into n. If n was merged
// into another memory, that keeps its change.
func removeChange(i *ops.Op, n memory.Name) {
	m, file := i.Merges[n.String()], n.String()
	keep(i, func(f string) bool { return f != file && (m == nil || m.Replaced[f] == "") })
}

// keep removes the changes of the files for which is returns false, and what was noted for them.
func keep(i *ops.Op, is func(file string) bool) {
	i.Changes = only(i.Changes, func(c state.Change) string { return c.Name.String() }, is)
	i.Waived = only(i.Waived, func(w ops.Waiver) string { return w.File }, is)
	i.IndexLines = only(i.IndexLines, func(l ops.IndexLine) string { return l.File }, is)
	i.Held, i.Accepted, i.Renamed = onlyKeys(i.Held, is), onlyKeys(i.Accepted, is), onlyKeys(i.Renamed, is)
	i.Merges = onlyKeys(i.Merges, is)
	for file, m := range i.Merges {
		i.Merges[file] = &ops.Merge{Replaced: onlyKeys(m.Replaced, is), Accepted: m.Accepted}
	}
	request := *i.Request
	request.Remove = only(request.Remove, func(file string) string { return file }, is)
	request.Upsert = only(request.Upsert, func(l ops.IndexLine) string { return l.File }, is)
	request.AcceptLoss = onlyKeys(request.AcceptLoss, is)
	i.Request = &request
}

// only returns the elements of all whose file is wanted.
func only[T any](all []T, file func(T) string, is func(string) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !is(file(one)) })
}

// onlyKeys returns the part of all whose files are wanted.
func onlyKeys[V any](all map[string]V, is func(string) bool) map[string]V {
	all = maps.Clone(all)
	maps.DeleteFunc(all, func(file string, _ V) bool { return !is(file) })
	return all
}

// Unasked returns the files that a proposal of held changes deletes, and that neither a person is asked to delete nor a
// merge takes. Earlier versions left them when they took a merge apart.
func Unasked(i *ops.Op) (files []string) {
	asked := slices.Collect(maps.Keys(i.Held))
	for _, m := range i.Merges {
		asked = slices.AppendSeq(asked, maps.Keys(m.Replaced))
	}
	for _, c := range i.Changes {
		if file := c.Name.String(); i.Kind != lock.KindDream && c.After == "" && !slices.Contains(asked, file) {
			files = append(files, file)
		}
	}
	return files
}

// Changes fails if a proposal does not change one of these files.
func Changes(i *ops.Op, files []string) error {
	for _, file := range files {
		if !slices.ContainsFunc(i.Changes, func(c state.Change) bool { return c.Name.String() == file }) {
			return ops.Refuse(fmt.Sprintf("%s does not change %q", i.ID, file), "dream-mcp review shows the files that it changes")
		}
	}
	return nil
}

// Divide keeps only the changes of these files in t. The rest becomes t.Rest, another proposal, with all lines of the
// index that are not of these files; nil if nothing is left. A merge or a rename is one change: naming one of its files
// names all. Neither part has a whole new index, whose lines belong to both. Nothing is written. The caller holds the
// mutex.
func (r *Queue) Divide(t *ops.Tx, files []string) error {
	part, rest := together(&t.Op, files), t.Op
	keep(&rest, func(file string) bool { return !part[file] })
	if len(files) == 0 || len(rest.Changes) == 0 {
		return nil
	}
	keep(&t.Op, func(file string) bool { return part[file] })
	for _, half := range []*ops.Op{&t.Op, &rest} {
		half.Request.Content, half.Request.Base, half.Request.Adopt = nil, "", true
	}
	rest.ID, rest.Listed, rest.Displaced, rest.Bytes = ops.NewID(r.Store.Now()), nil, nil, 0
	t.Rest = &rest
	return nil
}

// Restore makes t, which did not land, what it was before Divide. The caller holds the mutex.
func (r *Queue) Restore(t *ops.Tx, whole ops.Op) error {
	whole.Displaced, whole.Bytes = t.Displaced, t.Bytes // the landing may have met texts of others
	if t.Op = whole; t.Rest == nil {
		return nil
	}
	if err := t.Save(); err != nil {
		return err
	}
	return r.Store.Records.Discard(t.Rest.ID) // it was written if t was committed
}

// together returns files and what lands only with one of them.
func together(i *ops.Op, files []string) map[string]bool {
	all := make(map[string]bool)
	for _, file := range files {
		all[file] = true
	}
	join := func(a, b string) {
		if all[a] || all[b] {
			all[a], all[b] = true, true
		}
	}
	for before := 0; before != len(all); { // what joins one may join more
		before = len(all)
		for survivor, m := range i.Merges {
			for file := range m.Replaced {
				join(survivor, file)
			}
		}
		for from, to := range i.Renamed {
			join(from, to)
		}
	}
	return all
}
