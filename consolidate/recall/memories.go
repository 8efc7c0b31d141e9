package recall

import (
	"context"
	"slices"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// Recall shows the memories of one memory directory.
type Recall struct{ Store *ops.Store }

// KeepDoubts keeps what was found of the memories of s, where there is a database yet: a hook has no time to check
// them. The caller holds the mutex.
func (r *Recall) KeepDoubts(findings []rule.Finding, s *memory.Snapshot) {
	db := r.Store.Records.Look()
	if db == nil {
		return
	}
	doubts := map[string]state.Doubt{}
	for _, f := range slices.Backward(findings) { // of one file the first counts
		n, _ := memory.ParseName(f.File)
		if t := s.Topics[n]; t != nil && f.Rule == "drift" {
			doubts[f.File] = state.Doubt{Sum: memory.SumOf(t.Bytes()).Short(), Message: f.Message}
		}
	}
	_ = state.Doubts.Set(db, doubts)
}

// Memories returns the topics on disk, with the doubts of the last lint or map. It does not count as a call of an
// open dream.
func (r *Recall) Memories(ctx context.Context) (all []Memory, err error) {
	err = r.read(ctx, func(dir *memory.Dir) error {
		s, err := dir.Snapshot()
		if err == nil {
			all = r.describe(s)
		}
		return err
	})
	return all, err
}

// ForPrompt returns the passages that a prompt calls for.
func (r *Recall) ForPrompt(ctx context.Context, prompt string) (notes []Note, err error) {
	q := ask(prompt)
	if len(q.terms) == 0 {
		return nil, nil
	}
	err = r.read(ctx, func(dir *memory.Dir) error {
		topics, err := r.summaries(dir)
		if err != nil {
			return err
		}
		weights := q.weights(topics)
		s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}, ModTimes: map[memory.Name]time.Time{}}
		for _, path := range q.touched(topics, weights) {
			n, _ := memory.ParseName(path)
			if f, err := dir.Read(n); err == nil {
				s.Put(n, f.Data)
				s.ModTimes[n] = f.ModTime
			}
		}
		notes = q.notes(r.describe(s), weights)
		return nil
	})
	return notes, err
}

// read calls do with the memory directory, if there is one.
func (r *Recall) read(ctx context.Context, do func(dir *memory.Dir) error) error {
	r.Store.Lock()
	defer r.Store.Unlock()
	return r.Store.View(ctx, func(dir *memory.Dir) error {
		if dir == nil {
			return nil
		}
		return do(dir)
	})
}

func (r *Recall) describe(s *memory.Snapshot) []Memory {
	var doubts map[string]state.Doubt
	if len(s.Topics) > 0 {
		doubts, _ = state.Doubts.Get(r.Store.Records.Look())
	}
	return memories(s, doubts)
}
