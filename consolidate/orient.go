package consolidate

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
	"dream-mcp/memory/drift"
)

// Map is what a dream should know when it begins.
type Map struct {
	Now       time.Time
	Dream     OpenDream
	Resumed   bool
	MemoryDir string
	Folders   []transcript.Folder
	Since     string // the time of the last consolidation, or "never"
	Index     Shown  // as it is on disk; of nothing where there is none
	IndexSize IndexSize
	Topics    []Topic
	Logs      []Log         // the newest first
	Guides    []drift.Guide // CLAUDE.md and its kin
	Findings  []memory.Finding
	Sessions  []RankedSession // the one that holds the most first
	Skipped   transcript.Skipped
	Limited   bool // the directory holds more than was looked at
	Partial   bool // the project holds more than drift looked at
	Staged    []string
}

// Topic is a row of the map's table.
type Topic struct {
	Name        memory.Name
	Type        string
	Description string
	Size        int64
	ModTime     time.Time
	Sum         string
}

// Map draws the map of the open dream.
func (p *Project) Map(ctx context.Context) (Map, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream == nil {
		return Map{}, ErrNoDream
	}
	d, now := p.dream, p.o.Now()
	m := Map{
		Now: now, Dream: *p.openDream(d.Info, d.staged(), true), Resumed: d.Resumed, MemoryDir: p.o.MemoryDir,
		Since: d.record.Prior.String(), Staged: d.staged(),
	}
	var err error
	if m.Folders, err = p.o.Transcripts.Folders(); err != nil {
		return m, err
	}
	var sessions []transcript.Session
	if sessions, m.Skipped, err = p.o.Transcripts.Sessions(ctx, d.record.Prior.Time); err != nil {
		return m, err
	}
	if m.Sessions, err = rankSessions(ctx, p.o.Transcripts, sessions); err != nil {
		return m, err
	}
	if n := transcript.Counted(sessions); d.Sessions != n {
		d.Sessions = n
		if err := d.save(); err != nil {
			return m, err
		}
	}
	p.tell(Event{Kind: EventMap, Hits: len(m.Sessions), Reviewed: p.reviewed(m.Sessions)})
	index, err := d.dir.Read(indexName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	m.Index, m.IndexSize = p.shown(indexName, index), sizeOf(nil)
	if m.Index.Sum != "" {
		m.IndexSize = sizeOf(memory.ParseIndex(index.Data))
	}
	return m, d.mapMemory(&m, now)
}

// mapMemory fills in what lies in the memory directory.
func (d *dream) mapMemory(m *Map, now time.Time) error {
	l, err := d.dir.List()
	if err != nil {
		return err
	}
	m.Limited = l.Limited
	snapshot, err := d.stage.Snapshot()
	if err != nil {
		return err
	}
	m.Findings = memory.Standing(snapshot, now)
	m.Guides = d.dir.Project.Guides()
	m.Partial = d.dir.Project.Limited()
	var logs []memory.Found
	times := make(map[memory.Name]memory.Found, len(l.Files))
	for _, f := range l.Files {
		times[f.Name] = f
		if f.Name.IsLog() {
			logs = append(logs, f)
		}
	}
	m.Logs = readLogs(d.dir, logs, now)
	for n, t := range snapshot.Topics {
		data, shown := t.Bytes(), t.Shown(d.dir.AllowSecrets)
		row := Topic{Name: n, Type: shown.Type(), Description: shown.Description(), Size: int64(len(data)), ModTime: times[n].ModTime, Sum: memory.SumOf(data).Short()}
		if row.ModTime.IsZero() {
			row.ModTime = now // staged only
		}
		m.Topics = append(m.Topics, row)
	}
	slices.SortFunc(m.Topics, func(a, b Topic) int { return strings.Compare(a.Name.String(), b.Name.String()) })
	return nil
}
