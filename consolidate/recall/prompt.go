package recall

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/pasted"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// Bounds of what a prompt costs and shows.
const (
	maxChosen = 2    // memories that are shown
	maxAsked  = 4000 // bytes of a prompt that are read
	maxTopics = 1000 // that are read, the newest
)

// A passage is shown if its score, times the weight of the words that it shares with the prompt (see related.Index.Meeting), is
// at least leastTouch, and more for a long prompt, in which some words meet by chance. In an invented project, played three
// times, it shows 106 passages at 1,800 prompts: 60 of the memory that the prompt changes, 11 beside routine work.
const (
	leastTouch = 6
	forLength  = 0.015 // for each word of the prompt beyond freeLength
	freeLength = 20
)

// A Note is a memory and the passage of it that a prompt touches.
type Note struct {
	*Memory
	Passage string
}

// ForPrompt returns the passages that a prompt calls for.
func (r *Recall) ForPrompt(ctx context.Context, prompt string) (notes []Note, err error) {
	if prompt = own(prompt); strings.TrimSpace(prompt) == "" {
		return nil, nil
	}
	err = r.read(ctx, func(dir *memory.Dir) error {
		s, err := newest(dir)
		if err == nil {
			notes = touched(r.describe(s), prompt)
		}
		return err
	})
	return notes, err
}

// newest reads the newest topics.
func newest(dir *memory.Dir) (*memory.Snapshot, error) {
	list, err := dir.List()
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(list.Files, func(f memory.Found) bool { return !f.Name.IsTopic() })
	slices.SortStableFunc(files, func(a, b memory.Found) int { return b.ModTime.Compare(a.ModTime) })
	s := &memory.Snapshot{Topics: map[memory.Name]*memory.Topic{}, ModTimes: map[memory.Name]time.Time{}}
	for _, f := range files[:min(len(files), maxTopics)] {
		if file, err := dir.Read(f.Name); err == nil { // else it was just removed
			s.Put(f.Name, file.Data)
			s.ModTimes[f.Name] = file.ModTime
		}
	}
	return s, nil
}

// touched returns the passages that a prompt touches without doubt, the best first, of at most maxChosen memories. Mostly
// there are none. Descriptions are not among them, since the index shows these.
func touched(all []Memory, prompt string) (notes []Note) {
	docs, byPath := make([]related.Document, len(all)), map[string]*Memory{}
	for i := range all {
		m := &all[i]
		docs[i], byPath[m.Path] = related.Document{File: m.Path, Description: m.Description, Body: m.Body}, m
	}
	x := related.New(docs)
	least := leastTouch * (1 + forLength*float64(max(0, len(strings.Fields(prompt))-freeLength)))
	for _, h := range x.Touched(related.Question{Text: prompt, Wholes: true, PerFile: 1}) {
		m, passage := byPath[h.File], x.Value(h).Text
		if len(notes) < maxChosen && h.Score*x.Meeting(prompt, h) >= least && passage != m.Description {
			notes = append(notes, Note{m, passage})
		}
	}
	return notes
}

// longPath matches a path or URL up to its last element.
const longPath = `[^\s"'()\[\]]*[\\/][^\s"'()\[\]]*[\\/]`

// own returns what a person typed of a prompt: without pasted lines and code, and without the folders of paths, which
// match what names the same machine.
func own(prompt string) string {
	prompt = prompt[:min(len(prompt), maxAsked)]
	lines := strings.Split(prompt, "\n")
	var kept []string
	for i, l := range pasted.Lines(lines, maxAsked) {
		if l.Fenced == 0 && !l.Logged && !l.Printed {
			kept = append(kept, lines[i])
		}
	}
	return regexp.MustCompile(longPath).ReplaceAllString(strings.Join(kept, "\n"), "")
}
