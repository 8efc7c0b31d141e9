package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/store"
	"dream-mcp/consolidate/transcript"
	"dream-mcp/memory"
)

// State is what a Status and a Picture have in common.
type State struct {
	MemoryDir  string     `json:"memory_dir"`
	Due        bool       `json:"due"`
	ClosedGate string     `json:"closed_gate,omitempty"`
	Gates      []Gate     `json:"gates"`
	Dream      *OpenDream `json:"dream"`
	HeldBy     string     `json:"held_by,omitempty"` // Claude Code's own dream, or one that ended within the last hour
	Last       *LastDream `json:"last"`
	Warnings   []string   `json:"warnings"`
}

// Status is the state of a memory and its gates.
type Status struct {
	State
	TranscriptDirs []string   `json:"transcript_dirs"`
	Hosts          []string   `json:"hosts,omitempty"`       // the programs that wrote those
	Unattended     bool       `json:"unattended,omitempty"`  // nobody watches the model
	LastLanded     *LastDream `json:"last_landed,omitempty"` // where the last dream did not land
}

// OpenDream is a dream that is open, in this process or another.
type OpenDream struct {
	ID         string    `json:"id"`
	Mine       bool      `json:"mine"`
	Unattended bool      `json:"unattended,omitempty"`
	Started    time.Time `json:"started"`
	Phase      string    `json:"phase"`
	Sessions   int       `json:"sessions"`
	ToolCalls  int       `json:"tool_calls"`
	Staged     []string  `json:"staged"`
	Expires    time.Time `json:"expires"`
}

// LastDream is the dream that ended last.
type LastDream struct {
	ID      string        `json:"id"`
	Ended   time.Time     `json:"ended"`
	Outcome store.Outcome `json:"outcome"`
	Files   []string      `json:"files"`
	Summary string        `json:"summary,omitempty"`
	Undone  bool          `json:"undone,omitempty"` // somebody has taken it back since
}

// views look at the memory from outside.
type views struct {
	*dreams
	seen *Watch // at the last Poll
}

// Status asks the gates, and changes none by it. It takes no lock, unless it is to end what a crash left.
func (p *views) Status(ctx context.Context) (Status, error) {
	p.Lock()
	defer p.Unlock()
	now := p.Now()
	p.reread()
	s := Status{State: State{MemoryDir: p.MemoryDir, Warnings: append([]string{}, p.o.Warnings...)}, TranscriptDirs: []string{}, Unattended: p.Unattended}
	dir, err := p.Disk()
	if err != nil {
		return s, err
	}
	if dir != nil {
		defer dir.Close()
		if p.dream != nil {
			if err := p.renew(""); err != nil {
				s.warn(err)
			}
		}
		if err := p.RecoverIn(ctx, dir); err != nil {
			s.warn(err)
		}
	} else {
		s.Warnings = append(s.Warnings, "the memory directory does not exist yet; a dream or a write makes it")
	}
	w := p.askGates(ctx, dir, now, question{count: true, free: func() error { return p.free(dir, now) }})
	folders, err := p.o.Transcripts.Folders() // after the gates, which find out whose sessions are where
	s.warn(err)
	for _, f := range folders {
		s.TranscriptDirs = append(s.TranscriptDirs, f.Path)
		if host := string(f.Host); !slices.Contains(s.Hosts, host) {
			s.Hosts = append(s.Hosts, host)
		}
		if f.Problem != "" {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the sessions in %q can't be read: %s", f.Path, f.Problem))
		}
	}
	s.setGates(w)
	s.warn(p.describeDreams(&s, dir))
	if s.Dream == nil && dir != nil {
		s.HeldBy = lock.HostHolder(dir.Root(), now)
	}
	s.warn(p.describeReviews(&s))
	s.Warnings = append(s.Warnings, p.Share.Warnings()...)
	if why := p.Background.FailedRun(); why != "" {
		s.Warnings = append(s.Warnings, why+"; dream-mcp log --background shows it")
	}
	if at := p.Background.SeenTwice(); !at.IsZero() {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the host called the hook twice for one event (at %s); the second did nothing. dream-mcp doctor says whether it knows dream-mcp twice", at.UTC().Format(time.RFC3339)))
	}
	s.warn(p.warnOfSweep(ctx, &s, dir, now))
	if dir != nil {
		s.warn(s.describeMemory(dir))
	}
	return s, nil
}

func (s *State) setGates(g gateAnswers) {
	s.Gates, s.Due = g.gates, g.closed == nil
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

// describeDreams fills in the dream that is open, the one that ended last, and stages that were left.
func (p *views) describeDreams(s *Status, dir *memory.Dir) error {
	open := ""
	if p.dream != nil {
		open = p.dream.ID
		s.Dream = p.openDream(p.dream.Info, p.dream.Staged(), true)
	} else if dir != nil {
		if r, err := lock.Read(dir.Root()); err == nil && r.Kind == lock.KindDream {
			open = r.Dream
			s.Dream = p.foreignDream(r)
		}
	}
	entries, err := p.Journal()
	if err != nil {
		return err
	}
	s.Last = lastDream(entries, func(store.Outcome) bool { return true })
	if s.Last != nil && s.Last.Outcome != store.Committed {
		s.LastLanded = lastDream(entries, func(o store.Outcome) bool { return o == store.Committed })
	}
	if use, ok := p.History.Use(); ok && use.Bytes > use.MaxBytes {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the archive has %d MiB, over its limit of %d: what is in it was deleted less than 30 days ago, or is the newest, and is kept; max_archive_mib in config.json sets the limit", use.Bytes>>20, use.MaxBytes>>20))
	}
	left, err := p.Unfinished(entries, open)
	if len(left) > 0 && p.dream == nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("dream %s was %s (%s) and its stage is kept; dream_orient {\"resume\": true} takes it up", left[0].ID, left[0].Outcome, left[0].Reason))
	}
	return err
}

// lastDream returns the dream that ended last with one of some outcomes; nil: none has.
func lastDream(entries []store.LogEntry, is func(store.Outcome) bool) *LastDream {
	for _, e := range slices.Backward(entries) {
		if e.Kind != lock.KindDream || e.Outcome == store.Fired || !is(e.Outcome) {
			continue
		}
		files := e.Files
		if files == nil {
			files = []string{}
		}
		return &LastDream{ID: e.ID, Ended: store.Second(e.Time), Outcome: e.Outcome, Files: files, Summary: e.Summary, Undone: store.UndoneBy(entries)[e.ID]}
	}
	return nil
}

func (p *dreams) openDream(i store.Info, staged []string, mine bool) *OpenDream {
	return &OpenDream{
		ID: i.ID, Mine: mine, Unattended: i.Unattended, Started: store.Second(i.Started), Phase: i.Phase, Sessions: i.Sessions, ToolCalls: i.ToolCalls,
		Staged: staged, Expires: store.Second(i.LastCall.Add(p.o.Lease)),
	}
}

// foreignDream reads what another process says of its dream. Where its state folder is not ours, the
// record in the lock is all there is.
func (p *views) foreignDream(r lock.Record) *OpenDream {
	o := &OpenDream{ID: r.Dream, Started: store.Second(r.Started), Staged: []string{}, Expires: store.Second(r.Started.Add(p.o.Lease))}
	info, err := p.Info(r.Dream)
	if err != nil {
		return o
	}
	staged := []string{}
	if a, err := p.Archive(r.Dream); err == nil {
		for _, c := range a.Changes {
			staged = append(staged, c.Name.String())
		}
		a.Close()
	}
	return p.openDream(info, staged, false)
}

// describeMemory warns of what its next reader should know.
func (s *Status) describeMemory(dir *memory.Dir) error {
	f, err := dir.Read(store.IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	size := store.SizeOf(memory.ParseIndex(f.Data))
	if size.Lines > size.MaxLines || size.Bytes > size.MaxBytes {
		s.Warnings = append(s.Warnings, fmt.Sprintf("MEMORY.md has %d of %d lines and %d of %d bytes: what is over is not loaded", size.Lines, size.MaxLines, size.Bytes, size.MaxBytes))
	}
	return nil
}

// Search searches the transcripts. In a dream it counts as a call of it.
func (p *readings) Search(ctx context.Context, q transcript.Query, since string) (transcript.Result, error) {
	p.Lock()
	err := p.beginSearch(&q, since)
	p.Unlock()
	if err != nil {
		return transcript.Result{}, err
	}
	// Unlocked: a search may take seconds, and touches nothing but transcripts.
	res, err := p.o.Transcripts.Search(ctx, q)
	p.Lock()
	defer p.Unlock()
	if p.dream != nil && err == nil {
		p.dream.BytesSearched += res.Bytes
		p.tell(Event{Kind: EventSearch, Text: lookedFor(q), Hits: res.Matches})
		err = p.dream.Save()
	}
	return res, err
}

// Ranked finds what answers a question in words. In a dream it counts as a call of it.
func (p *readings) Ranked(ctx context.Context, question string, q transcript.Query, since string) ([]transcript.RankedHit, transcript.Result, error) {
	p.Lock()
	err := p.beginSearch(&q, since)
	p.Unlock()
	if err != nil {
		return nil, transcript.Result{}, err
	}
	hits, res, err := p.o.Transcripts.Ranked(ctx, question, q)
	if err == nil {
		p.Lock()
		defer p.Unlock()
		p.tell(Event{Kind: EventSearch, Text: question, Hits: len(hits)})
	}
	return hits, res, err
}

// ContextOf returns the turns around a hit. In a dream it counts as a call of it.
func (p *readings) ContextOf(ctx context.Context, id string, n int) ([]transcript.Utterance, error) {
	p.Lock()
	err := p.beginSearch(nil, "")
	if err == nil {
		p.tell(Event{Kind: EventContext, Text: id})
	}
	p.Unlock()
	if err != nil {
		return nil, err
	}
	return p.o.Transcripts.ContextOf(ctx, id, n)
}

// SinceLastDream is the word for the time of the last consolidation in a search.
const SinceLastDream = "last_dream"

func (p *readings) beginSearch(q *transcript.Query, since string) error {
	phase := ""
	if p.dream != nil && p.dream.Phase == Orienting {
		phase = Gathering
	}
	if err := p.enter(phase); err != nil {
		return err
	}
	if since != SinceLastDream {
		return nil
	}
	s, err := p.consolidated()
	q.Since = s.Time
	return err
}
