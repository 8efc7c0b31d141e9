package provenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/text"
)

// Why is the provenance of a memory.
type Why struct {
	Path        string    `json:"path"`
	Description string    `json:"description"`
	Deleted     bool      `json:"deleted,omitempty"`
	Sources     []Origin  `json:"sources"` // the newest cited last
	History     []Changed `json:"history"` // the newest first
}

// Changed is a change of a memory by an operation of ours.
type Changed struct {
	Time    time.Time    `json:"time"`
	Kind    lock.Kind    `json:"kind"`
	ID      string       `json:"id"`
	Summary string       `json:"summary,omitempty"`
	Waived  []ops.Waiver `json:"waived,omitempty"`        // of this memory
	Loss    string       `json:"accepted_loss,omitempty"` // the reason for an accepted loss
	Undone  bool         `json:"undone,omitempty"`
}

// maxHistory is the number of changes that Why returns.
const maxHistory = 20

// Why returns the provenance of the memory that topic names by its path, its file name without extension, the name in
// its frontmatter, or words of its text. Only one memory may match. Of a deleted memory, named by its path, it returns
// the changes.
func (r *Sources) Why(ctx context.Context, topic string) (Why, error) {
	defer r.Store.Lock()()
	var f memory.File
	err := r.Store.View(ctx, func(dir *memory.Dir) error {
		if dir == nil {
			return ops.Refuse("the memory directory does not exist yet", "dream-mcp status says where it would be")
		}
		n, err := find(dir, topic)
		if err == nil {
			f, err = dir.Read(n)
		}
		return err
	})
	if err != nil {
		if w := (Why{Path: topic, Deleted: true, Sources: []Origin{}}); w.addHistory(r.Store.Records) == nil && len(w.History) > 0 {
			return w, nil
		}
		return Why{}, err
	}
	t := memory.ParseTopic(f.Data)
	w := Why{Path: f.Name.String(), Description: t.Description()}
	if w.Sources, err = r.OriginsOf(ctx, t); err != nil {
		return Why{}, err
	}
	return w, w.addHistory(r.Store.Records)
}

// addHistory adds the changes in the log.
func (w *Why) addHistory(records *ops.Records) error {
	w.History = []Changed{}
	for e, err := range records.Newest(state.LogQuery{File: w.Path}) {
		if err != nil {
			return err
		}
		if len(w.History) == maxHistory {
			break
		}
		if e.Outcome != ops.Committed {
			continue
		}
		w.History = append(w.History, Changed{
			Time: ops.Second(e.Time), Kind: e.Kind, ID: e.ID, Summary: cmp.Or(e.Summary, e.Reason), Loss: e.Accepted[w.Path], Undone: e.Undone,
			Waived: slices.DeleteFunc(slices.Clone(e.Waived), func(o ops.Waiver) bool { return o.File != w.Path }),
		})
	}
	return nil
}

// find returns the memory that topic names.
func find(dir *memory.Dir, topic string) (memory.Name, error) {
	for _, path := range []string{topic, topic + ".md"} {
		if n, err := memory.ParseName(path); err == nil {
			if _, err := dir.Read(n); err == nil {
				return n, nil
			} else if !errors.Is(err, fs.ErrNotExist) {
				return n, err
			}
		}
	}
	s, err := dir.Snapshot()
	if err != nil {
		return memory.Name{}, err
	}
	var meant []memory.Name
	most := 1 // words
	for n, t := range s.Topics {
		held := matches(n, t, topic)
		if held > most {
			most, meant = held, nil
		}
		if held == most {
			meant = append(meant, n)
		}
	}
	slices.SortFunc(meant, memory.Name.Compare)
	switch len(meant) {
	case 0:
		return memory.Name{}, ops.Refuse(fmt.Sprintf("no memory has the name or the words %q", topic),
			ops.DidYouMean(dir.Nearest(topic), "name one as MEMORY.md does: name.md or folder/name.md"))
	case 1:
		return meant[0], nil
	}
	return memory.Name{}, ops.Refuse(fmt.Sprintf("%q matches %d memories: %s", topic, len(meant), phrase.Few(meant, maxMeant)),
		"name its file, or more of its words")
}

// maxMeant is the number of memories that an error names.
const maxMeant = 5

// matches returns how many words of topic the name, description or text of a memory contain, if it is more than half of
// them; more than any number if it is the memory's name.
func matches(n memory.Name, t *memory.Topic, topic string) (held int) {
	if strings.EqualFold(memory.StemOf(n.String()), topic) || strings.EqualFold(t.Title(), topic) {
		return math.MaxInt
	}
	all := strings.ToLower(n.String() + " " + t.Title() + " " + t.Description() + " " + t.Body())
	words, asked := text.Words(all), text.Words(strings.ToLower(topic))
	for _, w := range asked {
		if slices.Contains(words, w) || strings.ContainsFunc(w, text.IsDense) && strings.Contains(all, w) {
			held++
		}
	}
	if 2*held <= len(asked) {
		return 0
	}
	return held
}
