package consolidate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/forget"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// State is what a Status and a Snapshot show.
type State struct {
	MemoryDir  string     `json:"memory_dir"`
	Due        bool       `json:"due"`
	ClosedGate string     `json:"closed_gate,omitempty"`
	Gates      []Gate     `json:"gates"`
	Dream      *OpenDream `json:"dream"`
	HeldBy     string     `json:"held_by,omitempty"` // Claude Code's own dream, or one that ended within the last hour
	Waits      bool       `json:"-"`                 // a dream waits for the person, of which Warnings say more
	Last       *LastDream `json:"last"`
	Warnings   []string   `json:"warnings"`
}

// Status is the state of a memory and its gates.
type Status struct {
	State
	TranscriptDirs []string   `json:"transcript_dirs"`
	Hosts          []string   `json:"hosts,omitempty"`       // the programs that wrote those
	Unattended     bool       `json:"unattended,omitempty"`  // nobody watches the model
	Shared         string     `json:"shared,omitempty"`      // with other machines: the last exchange
	LastLanded     *LastDream `json:"last_landed,omitempty"` // where the last dream did not land
}

// OpenDream is an open dream, in this process or another.
type OpenDream struct {
	ID         string    `json:"id"`
	Mine       bool      `json:"mine"`
	Unattended bool      `json:"unattended,omitempty"`
	Asked      bool      `json:"asked,omitempty"` // a person asked for it at a terminal, and decides at its end
	Started    time.Time `json:"started"`
	Phase      string    `json:"phase"`
	Sessions   int       `json:"sessions"`
	ToolCalls  int       `json:"tool_calls"`
	Staged     []string  `json:"staged"`
	Expires    time.Time `json:"expires"`
}

// LastDream is the last dream that ended.
type LastDream struct {
	ID      string      `json:"id"`
	Ended   time.Time   `json:"ended"`
	Outcome ops.Outcome `json:"outcome"`
	Files   []string    `json:"files"`
	Changes string      `json:"changes,omitempty"` // of one that landed: "2 memories created, 1 corrected"
	Summary string      `json:"summary,omitempty"`
	Undone  bool        `json:"undone,omitempty"`
}

// Status returns the status. It changes no gate. It takes the lock only to recover from a crash, renews the lease of an
// open dream of this process, and brings what other projects changed of the person's memories.
func (p *Project) Status(ctx context.Context) (Status, error) {
	s, err := p.localStatus(ctx)
	if err == nil {
		s.Shared = p.Share.Line(ctx) // without the mutex: it runs git
	}
	return s, err
}

// localStatus is Status without what git says.
func (p *Project) localStatus(ctx context.Context) (Status, error) {
	defer p.Store.Lock()()
	now := p.Store.Now()
	p.Gates.reread()
	s := Status{State: State{MemoryDir: p.Store.MemoryDir, Warnings: append([]string{}, p.options.Warnings...)}, TranscriptDirs: []string{}, Unattended: p.Store.Unattended}
	dir, err := p.Store.Disk()
	if err != nil {
		return s, err
	}
	if dir != nil {
		defer dir.Close()
		if p.dream != nil {
			if err := p.dream.renew(""); err != nil {
				s.warn(err)
			}
		}
		if err := p.Store.RecoverIn(ctx, dir); err != nil {
			s.warn(err)
		}
	} else {
		s.Warnings = append(s.Warnings, ops.NoMemory)
	}
	w := p.Gates.check(ctx, dir, now, gateOptions{count: true})
	folders, err := p.Transcripts.Folders() // after the gates, which find the hosts of the folders
	s.warn(err)
	for _, f := range folders {
		s.TranscriptDirs = append(s.TranscriptDirs, f.Path)
		if host := string(f.Host()); !slices.Contains(s.Hosts, host) {
			s.Hosts = append(s.Hosts, host)
		}
	}
	s.Warnings = append(s.Warnings, Unread(p.Transcripts.Unread())...)
	s.setGates(p, w)
	s.warn(s.describeDreams(p, dir))
	if s.Dream == nil && dir != nil {
		s.HeldBy = lock.HostHolder(dir.Root(), now)
	}
	s.warnOfArchive(p)
	s.warn(s.warnOfNotes(p))
	s.warn(s.describeReviews(p))
	s.warn(p.Store.Records.Unreadable(true))
	s.warn(p.Store.Records.Unreadable(false))
	s.warn(p.Person.Sync(ctx))
	for _, f := range p.Person.Findings(ctx, nil) {
		s.Warnings = append(s.Warnings, f.File+": "+f.Message)
	}
	s.Warnings = append(s.Warnings, p.Share.Warnings(dir)...)
	if why := p.Background.FailedRun(); why != "" {
		s.Warnings = append(s.Warnings, why+"; dream-mcp log --background shows it")
	}
	s.warn(s.describeSweep(ctx, p, dir, now))
	if damaged := forget.Damaged(); damaged != "" {
		s.Warnings = append(s.Warnings, damaged+"; dream-mcp doctor --fix puts the list aside")
	}
	if dir != nil {
		s.warn(s.warnOfIndexSize(dir))
	}
	return s, nil
}

func (s *State) setGates(p *Project, g gateAnswers) {
	waiting, err := p.Gates.waiting()
	s.warn(err)
	s.Gates, s.Due, s.Waits = g.gates, g.closed == nil, waiting != ""
	if g.closed != nil {
		s.ClosedGate = g.closed.Name
	}
}

// warn adds an error to the warnings, once.
func (s *State) warn(err error) {
	if err != nil && !slices.Contains(s.Warnings, err.Error()) {
		s.Warnings = append(s.Warnings, err.Error())
	}
}

// describeDreams sets the open and the last dream, and warns of stages that can be resumed.
func (s *Status) describeDreams(p *Project, dir *memory.Dir) error {
	open := ""
	if p.dream != nil {
		open = p.dream.ID
		s.Dream = p.dream.shown()
	} else if dir != nil {
		if r, err := lock.Read(dir.Root()); err == nil && r.Kind == lock.KindDream {
			open = r.ID
			s.Dream = dreamOf(p, r)
		}
	}
	var err error
	if s.Last, err = p.lastDream(func(ops.LogEntry) bool { return true }); err != nil {
		return err
	}
	if s.Last != nil && s.Last.Outcome != ops.Committed {
		if s.LastLanded, err = p.lastDream(landed); err != nil {
			return err
		}
	}
	left, err := p.Store.Unfinished(open)
	if len(left) > 0 && p.dream == nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("dream %s was %s (%s) and its stage is kept; "+
			"dream_orient {\"resume\": true} resumes it", left[0].ID, left[0].Outcome, left[0].Reason))
	}
	return err
}

// warnOfArchive warns if the archive exceeds its limit.
func (s *Status) warnOfArchive(p *Project) {
	if use, err := p.History.Use(); err == nil && use.Bytes > p.History.MaxArchive {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the archive has %d MiB, over its limit of %d, "+
			"since it keeps the newest dream and what was deleted in the last 30 days; "+
			"max_archive_mib in config.json sets the limit", use.Bytes>>20, p.History.MaxArchive>>20))
	}
}

// warnOfNotes warns of notes of the database that cannot be decoded.
func (s *Status) warnOfNotes(p *Project) error {
	names, err := p.Store.Records.Look().DamagedNotes()
	if len(names) > 0 {
		s.Warnings = append(s.Warnings, doctor.DamagedNotes(names)+"; dream-mcp doctor --fix removes them")
	}
	return err
}

func landed(e ops.LogEntry) bool { return e.Outcome == ops.Committed }

// dreamed reports whether a dream has landed that is not undone.
func (p *Project) dreamed() (bool, error) {
	last, err := p.lastDream(func(e ops.LogEntry) bool { return landed(e) && !e.Undone })
	return last != nil, err
}

// lastDream returns the last dream that ended for whose entry is returns true, or nil.
func (p *Project) lastDream(is func(ops.LogEntry) bool) (*LastDream, error) {
	for e, err := range p.Store.Records.Newest(state.LogQuery{Kind: string(lock.KindDream)}) {
		if err != nil {
			return nil, err
		}
		if e.Outcome == ops.Fired || !is(e) {
			continue
		}
		files := e.Files
		if files == nil {
			files = []string{}
		}
		last := &LastDream{ID: e.ID, Ended: ops.Second(e.Time), Outcome: e.Outcome, Files: files, Summary: e.Summary, Undone: e.Undone}
		if e.Outcome == ops.Committed {
			last.Changes = e.Changes.String()
		}
		return last, nil
	}
	return nil, nil
}

func shownDream(i ops.Op, staged []string, lease time.Duration) *OpenDream {
	return &OpenDream{
		ID: i.ID, Unattended: i.Unattended && !i.Forced, Asked: i.Asked(), Started: ops.Second(i.Started), Phase: i.Phase, Sessions: i.Sessions, ToolCalls: i.ToolCalls,
		Staged: staged, Expires: ops.Second(i.LastCall.Add(lease)),
	}
}

// shown describes d.
func (d *dream) shown() *OpenDream {
	o := shownDream(d.Op, d.Staged(), d.p.options.Lease)
	o.Mine = true
	return o
}

// dreamOf describes the dream of another process. If its state folder is not ours, only the record in the lock is
// known.
func dreamOf(p *Project, r lock.Record) *OpenDream {
	info, err := p.Store.Records.Op(r.ID)
	if err != nil {
		info = ops.Op{Header: ops.Header{ID: r.ID, Started: r.Started}, LastCall: r.Started}
	}
	staged := []string{}
	for _, c := range info.Changes {
		staged = append(staged, c.Name.String())
	}
	return shownDream(info, staged, p.options.Lease)
}

// warnOfIndexSize warns if the index exceeds the limits of hosts.
func (s *Status) warnOfIndexSize(dir *memory.Dir) error {
	f, err := dir.ReadIfAny(memory.IndexName)
	if err != nil {
		return err
	}
	size := ops.SizeOf(memory.ParseIndex(f.Data))
	if size.Lines > size.MaxLines || size.Bytes > size.MaxBytes {
		s.Warnings = append(s.Warnings, fmt.Sprintf("MEMORY.md has %d of %d lines and %d of %d bytes: hosts do not load the rest",
			size.Lines, size.MaxLines, size.Bytes, size.MaxBytes))
	}
	return nil
}
