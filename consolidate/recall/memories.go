package recall

import (
	"os"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// Recall shows the memories of one memory directory.
type Recall struct{ Store *ops.Store }

// doubtsFile has the last findings of the rule drift, since a hook has no time to check them.
const doubtsFile = "doubts.json"

// A doubt is a finding about a file. It is valid while the file has the sum.
type doubt struct {
	Sum     string `json:"sum"`
	Message string `json:"message"`
}

// KeepDoubts keeps what was found of the memories of s, where there is a state folder yet. What cannot be kept is not
// known to hooks. The caller holds the lock of the store.
func (r *Recall) KeepDoubts(findings []rule.Finding, s *memory.Snapshot) {
	if _, err := os.Stat(r.Store.Records.StateDir()); err != nil {
		return
	}
	doubts := map[string]doubt{}
	for _, f := range findings {
		n, _ := memory.ParseName(f.File)
		t := s.Topics[n]
		if _, known := doubts[f.File]; !known && t != nil && f.Rule == "drift" {
			doubts[f.File] = doubt{memory.SumOf(t.Bytes()).Short(), f.Message}
		}
	}
	_ = r.Store.Records.SetNote(doubtsFile, doubts)
}

// Memories returns the topics on disk, with the doubts of the last lint or map. It does not count as a call of an
// open dream.
func (r *Recall) Memories() (all []Memory, err error) {
	err = r.read(func(dir *memory.Dir) error {
		s, err := dir.Snapshot()
		if err == nil {
			all = r.describe(s)
		}
		return err
	})
	return all, err
}

// ForPrompt returns the passages that a prompt calls for.
func (r *Recall) ForPrompt(prompt string) (notes []Note, err error) {
	q := ask(prompt)
	if len(q.terms) == 0 {
		return nil, nil
	}
	err = r.read(func(dir *memory.Dir) error {
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
func (r *Recall) read(do func(dir *memory.Dir) error) error {
	r.Store.Lock()
	defer r.Store.Unlock()
	dir, err := r.Store.Dir()
	if err != nil || dir == nil {
		return err
	}
	defer dir.Close()
	return do(dir)
}

func (r *Recall) describe(s *memory.Snapshot) []Memory {
	known := map[string]doubt{}
	if len(s.Topics) > 0 {
		r.Store.Records.Note(doubtsFile, &known)
	}
	return memories(s, known)
}
