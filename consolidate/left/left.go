// Package left notes what a dream left in the memory directory, and compares with it what others changed since, and
// with what dreams of other projects left what is alike.
//
// A note has no text of the memories but the beginnings of those about the person. Where it is lost, the next dream is
// like the first.
package left

import (
	"cmp"
	"context"
	"encoding/base64"
	"hash/fnv"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/lazy"
	"dream-mcp/memory/related"
)

// markSize is the length of the mark of a passage.
const markSize = 6

func marksOf(passages []related.Passage) string {
	var b strings.Builder
	for _, p := range passages {
		h := fnv.New64a()
		h.Write([]byte(p.Text))
		b.WriteString(base64.RawURLEncoding.EncodeToString(h.Sum(nil))[:markSize])
	}
	return b.String()
}

// marked reports whether one of the marks is that of p.
func marked(marks string, p related.Passage) bool {
	mark := marksOf([]related.Passage{p})
	for at := 0; at+markSize <= len(marks); at += markSize {
		if marks[at:at+markSize] == mark {
			return true
		}
	}
	return false
}

// Keep records what a dream left. project is what a person calls it. Without the note the next dream is like the first,
// so an error is not one of the dream.
func Keep(store *ops.Store, project, dream string) {
	dir, err := store.Disk()
	if err != nil || dir == nil {
		return
	}
	defer dir.Close()
	s, err := dir.Snapshot()
	if err != nil {
		return
	}
	shown := s.Shown(nil)
	l := state.Left{Dream: dream, Time: store.Now(), Files: map[string]string{}, Project: project, Folder: store.MemoryDir, About: about(store, shown)}
	for _, d := range related.Documents(shown) {
		l.Files[d.File] = marksOf(d.Passages())
	}
	_, _ = state.LastLeft.Change(store.Records.DB(), func(dreams *[]state.Left) bool {
		others := slices.DeleteFunc(*dreams, func(o state.Left) bool { return o.Dream == dream })
		*dreams = append([]state.Left{l}, others[:min(len(others), 1)]...)
		return true
	})
}

// Last returns what the last dream left that is not undone. It fails where that is not known.
func Last(store *ops.Store) (state.Left, error) {
	dreams, err := state.LastLeft.Get(store.Records.Look())
	if err != nil || len(dreams) == 0 {
		return state.Left{}, cmp.Or(err, fs.ErrNotExist)
	}
	for _, l := range dreams {
		undone, undoneErr := store.Records.Undone(l.Dream)
		if err = undoneErr; err == nil && !undone[l.Dream] {
			return l, nil
		}
	}
	return state.Left{}, cmp.Or(err, fs.ErrNotExist)
}

// A Changed is a memory that somebody else changed since the last dream: the host, the person, another machine or
// another program.
type Changed struct {
	File   string
	Action string // created, changed or deleted
	Beside []related.Pair
	Alone  []related.Passage // the first of what is new and touches nothing
}

// maxNearest is the number of memories beside a changed one that a dream reads. The map shows the passages of the
// others.
const maxNearest = 2

// Nearest returns the passages of the memory that is nearest to what is new, and of the next if it has another value.
func (c *Changed) Nearest() (nearest []related.Passage) {
	byScore := slices.SortedStableFunc(slices.Values(c.Beside), func(a, b related.Pair) int { return cmp.Compare(b.Score, a.Score) })
	files := map[string]bool{}
	for _, p := range byScore {
		if files[p.File] || len(files) == 0 || len(files) < maxNearest && p.OtherValue {
			files[p.File] = true
			nearest = append(nearest, p.Passage)
		}
	}
	return nearest
}

// The numbers of passages that are shown beside what changed, of all memories and of one.
const (
	maxBeside = 15
	maxOfOne  = 8
	minOfOne  = 3
	maxAlone  = 3
)

// ChangesSince returns what somebody else changed since l. h has what we changed; staged are the memories that the open
// dream changed. x has the passages that a change may touch.
func ChangesSince(ctx context.Context, l *state.Left, x *related.Index, now *memory.Snapshot, h *history.History, staged map[memory.Name]bool) (changes []Changed) {
	ours := ownSums(ctx, h, l.Time)
	here := map[string]bool{}
	var passages [][]related.Passage
	for _, doc := range related.Documents(now.Shown(nil)) {
		here[doc.File] = true
		n, _ := memory.ParseName(doc.File)
		if t := now.Topics[n]; staged[n] || t != nil && ours[doc.File] == memory.SumOf(t.Bytes()) {
			continue
		}
		old, had := l.Files[doc.File]
		all := doc.Passages()
		if had && marksOf(all) == old {
			continue
		}
		c := Changed{File: doc.File, Action: "created"}
		if had {
			c.Action = "changed"
			all = slices.DeleteFunc(all, func(p related.Passage) bool { return marked(old, p) })
		} else if n.IsIndex() {
			continue // what it says is not new because it has no links
		}
		changes, passages = append(changes, c), append(passages, all)
	}
	each := max(minOfOne, min(maxOfOne, maxBeside/max(1, len(changes))))
	for i := range changes {
		changes[i].relate(x, passages[i], each)
	}
	for file := range l.Files {
		n, err := memory.ParseName(file)
		if sum, own := ours[file]; err == nil && !here[file] && !staged[n] && (!own || sum != "") && !n.IsIndex() {
			changes = append(changes, Changed{File: file, Action: "deleted"})
		}
	}
	slices.SortStableFunc(changes, func(a, b Changed) int { return strings.Compare(a.File, b.File) })
	return changes
}

var isoDay = lazy.New(`\b20\d\d-\d\d-\d\d\b`)

// PassedSince returns the passages of l that name a day which was in the future then, and is not any more.
func PassedSince(l *state.Left, docs []related.Document, now time.Time) (all []related.Passage) {
	last, today := l.Time.Format(time.DateOnly), now.Format(time.DateOnly)
	came := func(day string) bool { return last < day && day <= today }
	for _, doc := range docs {
		for _, p := range doc.Passages() {
			if slices.ContainsFunc(isoDay.FindAllString(p.Text, -1), came) && marked(l.Files[doc.File], p) {
				if last := len(all) - 1; last >= 0 && all[last].File == doc.File && all[last].Line == doc.DescribedAt {
					all = all[:last] // the body says more than the description
				}
				all = append(all, p)
			}
		}
	}
	return all
}

// relate sets what passages of c touch.
func (c *Changed) relate(x *related.Index, passages []related.Passage, max int) {
	c.Beside = x.Beside(passages, func(file string) bool { return file == c.File }, max)
	for _, p := range passages {
		if len(c.Alone) < maxAlone && !slices.ContainsFunc(c.Beside, func(b related.Pair) bool { return b.From == p }) {
			c.Alone = append(c.Alone, p)
		}
	}
	slices.SortStableFunc(c.Beside, func(a, b related.Pair) int { return a.From.Line - b.From.Line })
}

// ownSums returns what this program's operations left of files since a time, "" for none. A sync with a remote is not
// ours, nor is what an undo gave back of an operation since then.
func ownSums(ctx context.Context, h *history.History, since time.Time) map[string]memory.Sum {
	sums := map[string]memory.Sum{}
	all, _ := h.Landed(ctx, since)
	ids := make([]string, len(all))
	for i, l := range all {
		ids[i] = l.ID
	}
	undone, _ := h.Store.Records.Undone(ids...)
	back := map[string]bool{} // operations since then that are undone
	for _, l := range all {
		switch {
		case lock.Kind(l.Kind).FromOthers():
			continue
		case undone[l.ID]:
			back[l.ID] = true
			continue
		case back[l.Undoes]:
			continue
		}
		for _, c := range l.Changes {
			sums[c.Name.String()] = c.After
		}
	}
	return sums
}
