package recall

import (
	"context"
	"slices"
	"strings"
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
		if t := s.Topics[n]; t != nil && f.Rule == rule.Drift {
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

// ForPrompt returns the passages that a prompt is about, of at most two memories.
func (r *Recall) ForPrompt(ctx context.Context, prompt string) (chosen []Note, err error) {
	if prompt = own(prompt); strings.TrimSpace(prompt) == "" {
		return nil, nil
	}
	err = r.read(ctx, func(dir *memory.Dir) error {
		list, err := dir.List()
		if err != nil {
			return err
		}
		files := slices.DeleteFunc(list.Files, func(f memory.Found) bool { return !f.Name.IsTopic() })
		slices.SortFunc(files, func(a, b memory.Found) int { return b.ModTime.Compare(a.ModTime) })
		s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}, ModTimes: map[memory.Name]time.Time{}}
		for _, info := range files[:min(len(files), maxTopics)] {
			if f, err := dir.Read(info.Name); err == nil {
				s.Put(info.Name, f.Data)
				s.ModTimes[info.Name] = f.ModTime
			}
		}
		chosen = notes(prompt, r.describe(s))
		return nil
	})
	return chosen, err
}

// read calls do with the memory directory, if there is one.
func (r *Recall) read(ctx context.Context, do func(dir *memory.Dir) error) error {
	defer r.Store.Lock()()
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
