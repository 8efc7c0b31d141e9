package consolidate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/left"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/logs"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
	"dream-mcp/memory/rule"
	"dream-mcp/memory/rule/drift"
)

// Map is what a dream should know when it begins.
type Map struct {
	Now       time.Time
	Dream     OpenDream
	Resumed   bool
	MemoryDir string
	Since     lock.Stamp    // the time of the last consolidation
	Index     memory.Sum    // of the file on disk; "" where there is none
	IndexSize ops.IndexSize // of the index as the dream would leave it
	Unlinked  int           // lines of the index that link to nothing
	Topics    []memory.Name
	Size      int64         // of the topics, in bytes
	Logs      []logs.Log    // the newest first
	Guides    []drift.Guide // CLAUDE.md and its kin
	Findings  []rule.Finding
	Sessions  []sessions.Session // oldest first
	Skipped   said.Skipped
	Unread    []string      // what could not be read, a sentence each
	Limited   bool          // the directory holds more than was looked at
	Checked   drift.Checked // how much of the project drift compared the memory with
	Prompted  bool          // the prompt with the four phases was read on this connection
	Listed    int           // sessions of those that were listed to their end already
	First     bool          // it is not known what an earlier dream left
	Dreamed   bool          // with First: one has landed, but the note of what it left is lost or damaged
	ReadTo    memory.Name   // the last memory that a first dream read before it was interrupted
	Changed   []left.Changed
	Passed    []related.Passage // that name a day which was ahead at the last dream
	Alike     []related.Pair    // with other projects; none if nobody watches
}

// Map draws the map of the open dream. With again, for another page, it returns what the last call drew, and what was
// staged and listed since.
func (p *Project) Map(ctx context.Context, again bool) (Map, error) {
	if again {
		if m, is := p.drawn(); is {
			return m, nil
		}
	}
	s, err := p.see()
	if err != nil {
		return Map{}, err
	}
	defer p.Store.Lock()()
	if p.dream != s.dream { // it ended meanwhile
		return Map{}, cmp.Or(p.enter(""), ops.ErrNoDream)
	}
	d, now := p.dream, p.Store.Now()
	m := Map{
		Now: now, Dream: *d.shown(), Resumed: d.Resumed, MemoryDir: p.Store.MemoryDir,
		Since: d.Prior(), Prompted: p.prompted,
	}
	if m.Sessions, m.Skipped, err = p.Transcripts.Sessions(ctx, d.Prior().Time); err != nil {
		return m, err
	}
	m.Unread = Unread(p.Transcripts.Unread())
	slices.Reverse(m.Sessions)
	if n := sessions.Counted(m.Sessions); d.Sessions != n {
		d.Sessions = n
		if err := d.Save(); err != nil {
			return m, err
		}
	}
	m.Listed, _ = d.Listed.Count()
	p.dream.log(state.Event{Kind: state.EventMap, Hits: len(m.Sessions), Reviewed: p.Sessions.reviewed(m.Sessions)})
	if err = d.mapMemory(ctx, &m, s, now); err != nil {
		return m, err
	}
	m.Findings = append(p.Share.Findings(), m.Findings...)
	d.known.add(m.Findings)
	d.drawn = &m
	d.pages.noteMap(&m)
	return m, nil
}

// drawn returns the map that was drawn last, if one was, as it is now.
func (p *Project) drawn() (m Map, is bool) {
	defer p.Store.Lock()()
	d := p.dream
	if d == nil || d.drawn == nil {
		return m, false
	}
	d.drawn.Dream = *d.shown()
	d.drawn.Listed, _ = d.Listed.Count()
	return *d.drawn, true
}

// sight is the memory that a map is drawn of.
type sight struct {
	dream          *dream
	index          memory.Sum // of the file on disk
	disk, snapshot *memory.Snapshot
	project        *drift.Project // compared with the snapshot
	findings       []rule.Finding // in the snapshot
}

// see looks at the memory of the open dream. It holds the mutex only to read it: rules run git.
func (p *Project) see() (s sight, err error) {
	unlock := p.Store.Lock()
	s.dream, s.project, err = p.dream, p.openCode(true), ops.ErrNoDream
	if s.dream != nil {
		var edit *indexing.Index
		if edit, err = indexing.Edit(p.dream.Tx); err == nil {
			s.index = edit.Base
			s.disk, s.snapshot, err = indexing.Foresee(p.dream.Tx, edit)
		}
	}
	if unlock(); err == nil {
		s.findings = rule.Standing(s.snapshot, s.project, p.Store.Now())
	}
	return s, err
}

// mapMemory fills in the contents of the memory directory.
func (d *dream) mapMemory(ctx context.Context, m *Map, s sight, now time.Time) error {
	l, err := d.Dir.List()
	if err != nil {
		return err
	}
	m.Limited = l.Limited
	disk, snapshot, project := s.disk, s.snapshot, s.project
	m.Index, m.IndexSize = s.index, ops.SizeOf(nil)
	if snapshot.Index != nil {
		m.IndexSize, m.Unlinked = ops.SizeOf(snapshot.Index), snapshot.Index.Unlinked()
	}
	m.Findings = append(d.p.Person.Findings(ctx, disk.Topics), s.findings...)
	if project != nil { // else drift was not asked
		d.p.Recall.KeepDoubts(m.Findings, snapshot)
	}
	m.Guides = project.Guides()
	if l := d.before; l != nil {
		docs := related.Documents(snapshot.Shown(nil))
		x := related.New(append(slices.Clone(docs), d.guideDocuments(m.Guides)...))
		m.Changed, m.Passed = left.ChangesSince(ctx, l, x, disk, d.p.History, d.Stage.Changed()), left.PassedSince(l, docs, now)
	} else {
		m.First = true
		if m.Dreamed, err = d.p.dreamed(); err != nil {
			return err
		}
		if read := d.pages.readBefore; len(read) > 0 {
			m.ReadTo, _ = memory.ParseName(read[len(read)-1])
		}
	}
	if m.Checked = project.Checked(); !d.Unattended {
		m.Alike = left.Alike(d.p.Store, disk.Shown(nil))
	}
	hosts := slices.DeleteFunc(slices.Clone(l.Files), func(f memory.Found) bool { return !f.Name.IsLog() })
	m.Logs = logs.Read(d.Dir, hosts, now)
	for n, t := range snapshot.Topics {
		m.Topics = append(m.Topics, n)
		m.Size += int64(len(t.Bytes()))
	}
	slices.SortFunc(m.Topics, memory.Name.Compare)
	return nil
}

// guideDocuments returns the project's instructions, to be found beside memories.
func (d *dream) guideDocuments(guides []drift.Guide) (docs []related.Document) {
	for _, g := range guides {
		docs = append(docs, related.Document{File: g.Path, Body: d.Dir.AllowSecrets.Show(g.Text()).Text, BodyAt: 1})
	}
	return docs
}
