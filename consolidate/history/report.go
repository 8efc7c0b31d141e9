package history

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// Report is what one dream, write or undo did, or what a dream that waits for the person would do. Its texts may be
// shown: credentials are masked and hidden characters are visible.
type Report struct {
	Entry   ops.LogEntry     `json:"entry"` // its end in the log
	Waits   bool             `json:"waits"`
	Undone  bool             `json:"undone"`
	Files   []File           `json:"files"` // in the order in which they land, the index last
	Left    []string         `json:"left_alone"`
	Index   [2]ops.IndexSize `json:"index"` // before and after
	History []ops.LogEntry   `json:"history"`
}

// File is one change.
type File struct {
	Path        string              `json:"path"`
	Description string              `json:"description,omitempty"`
	Before      *string             `json:"before"`         // nil: there was no file
	After       *string             `json:"after"`          // nil: deleted
	Into        string              `json:"into,omitempty"` // of a deleted memory: the one that it was merged into
	Why         string              `json:"why,omitempty"`
	LeftOut     []LeftOut           `json:"left_out,omitempty"` // of what was merged into it
	Sources     []provenance.Origin `json:"sources,omitempty"`  // those of the new text
}

// LeftOut is a fact that a merge left out, and the reason that was given.
type LeftOut struct {
	Text string `json:"text"`
	Why  string `json:"why"`
}

// reportedDreams is the number of dreams in the history of a report.
const reportedDreams = 20

// Report returns the report of id, or of a beginning of it ("": the newest that landed and changed something). The
// caller holds the mutex.
func (h *History) Report(ctx context.Context, id string, sources *provenance.Sources) (Report, error) {
	_, info, err := h.Named(ctx, id)
	if err != nil {
		return Report{}, err
	}
	none := ops.SizeOf(nil)
	r := Report{Index: [2]ops.IndexSize{none, none}, Entry: info.Entry(info.Outcome, cmp.Or(info.Landed, info.Reviewed, info.Started)), Waits: info.Waits()}
	if info.State == state.Landed {
		r.Entry.Outcome = ops.Committed
	}
	if err := h.reportFiles(ctx, &r, info, sources); err != nil {
		return Report{}, err
	}
	return r, h.reportDreams(&r)
}

// reportFiles adds the changes in the order in which they land, and what they leave alone.
func (h *History) reportFiles(ctx context.Context, r *Report, info ops.Op, sources *provenance.Sources) error {
	return h.Store.View(ctx, func(dir *memory.Dir) error {
		r.Files, r.Left = nil, nil
		return h.reportIn(ctx, dir, r, info, sources)
	})
}

// reportIn is reportFiles in a directory, nil if there is none.
func (h *History) reportIn(ctx context.Context, dir *memory.Dir, r *Report, info ops.Op, sources *provenance.Sources) error {
	left := make(map[string]bool)
	if dir != nil {
		s, err := dir.Snapshot()
		if err != nil {
			return err
		}
		for n := range s.Topics {
			left[n.String()] = true
		}
		r.Index = [2]ops.IndexSize{ops.SizeOf(s.Index), ops.SizeOf(s.Index)}
	}
	for _, c := range info.Changes {
		before, err := h.Store.Records.ContentIn(dir, c.Before, c.Name)
		if err != nil {
			return err
		}
		after, err := h.Store.Records.ContentIn(dir, c.After, c.Name)
		if err != nil {
			return err
		}
		delete(left, c.Name.String())
		if c.Name.IsIndex() {
			r.Index = [2]ops.IndexSize{ops.SizeOf(memory.ParseIndex(before)), ops.SizeOf(memory.ParseIndex(after))}
		}
		f, err := h.reportFile(ctx, c, before, after, info, sources)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, f)
	}
	r.Left = slices.Sorted(maps.Keys(left))
	return nil
}

// reportFile describes one change.
func (h *History) reportFile(ctx context.Context, c state.Change, before, after []byte, info ops.Op, sources *provenance.Sources) (f File, err error) {
	f = File{Path: c.Name.String(), Before: h.shown(c.Before, before), After: h.shown(c.After, after), Why: info.Accepted[c.Name.String()]}
	topic := memory.ParseTopic(before)
	if c.After != "" {
		topic = memory.ParseTopic(after)
		f.Sources, err = sources.OriginsOf(ctx, topic)
	}
	for survivor, m := range info.Merges {
		if _, merged := m.Replaced[f.Path]; merged && c.After == "" {
			f.Into = survivor
		}
	}
	if m := info.Merges[f.Path]; m != nil {
		for _, text := range slices.Sorted(maps.Keys(m.Accepted)) {
			f.LeftOut = append(f.LeftOut, LeftOut{h.Store.AllowSecrets.Line(text), h.Store.AllowSecrets.Line(m.Accepted[text])})
		}
	}
	f.Description = h.Store.AllowSecrets.Line(topic.Description())
	return f, err
}

// shown returns data as it may be shown, nil for no file.
func (h *History) shown(sum memory.Sum, data []byte) *string {
	if sum == "" {
		return nil
	}
	text := h.Store.AllowSecrets.Show(string(data)).Text
	return &text
}

// reportDreams adds the last dreams that landed, the oldest first, and whether r was undone.
func (h *History) reportDreams(r *Report) error {
	undone, err := h.Store.Records.Undone(r.Entry.ID)
	if err != nil {
		return err
	}
	r.Undone = undone[r.Entry.ID]
	for e, err := range h.Store.Records.Newest(state.LogQuery{Kind: string(lock.KindDream)}) {
		if err != nil {
			return err
		}
		if e.Outcome == ops.Committed && !e.Undone {
			r.History = append(r.History, ops.LogEntry{Header: ops.Header{ID: e.ID}, Time: e.Time, Changes: e.Changes})
		}
		if len(r.History) == reportedDreams {
			break
		}
	}
	slices.Reverse(r.History)
	return nil
}
