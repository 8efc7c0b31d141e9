package consolidate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"dream-mcp/memory"
)

// The folders of dreams in our state folder, and what lies in each beside its archive.
const (
	dreamFolder = "dreams"
	infoFile    = "dream.json"
	stopFile    = "stop"
	maxInfo     = 1 << 20
)

// The phases of a dream.
const (
	Orienting     = "orienting"
	Gathering     = "gathering"
	Consolidating = "consolidating"
	Finalizing    = "finalizing"
)

// Info is what is known of a dream while it is open and after it ended. Any process may read it.
type Info struct {
	ID            string              `json:"id"`
	Kind          Kind                `json:"kind"`
	Host          string              `json:"host,omitempty"`
	Session       string              `json:"session,omitempty"`
	Started       time.Time           `json:"started"`
	LastCall      time.Time           `json:"last_call"`
	Phase         string              `json:"phase,omitempty"`
	Since         stamp               `json:"since"`
	Sessions      int                 `json:"sessions"`
	ToolCalls     int                 `json:"tool_calls"`
	BytesSearched int64               `json:"bytes_searched"`
	Forced        bool                `json:"forced,omitempty"`
	Resumed       bool                `json:"resumed,omitempty"`
	Unattended    bool                `json:"unattended,omitempty"`
	IndexLines    []IndexLine         `json:"index_lines,omitempty"`   // asked for by writes, for the commit
	Evidence      map[string][]string `json:"evidence,omitempty"`      // by file: the hits that a write cited
	Waived        []Waiver            `json:"waived,omitempty"`        // once it lands, only those that were needed
	Accepted      map[string]string   `json:"accepted_loss,omitempty"` // why, by file
	Summary       string              `json:"summary,omitempty"`
	Proposed      []string            `json:"proposed,omitempty"` // files of which a change was kept for the person
	Request       *FinalizeRequest    `json:"request,omitempty"`  // what the person is to agree to
	Reviewed      time.Time           `json:"reviewed,omitzero"`  // when it was proposed
	Outcome       Outcome             `json:"outcome,omitempty"`  // empty while it is open
	Ended         time.Time           `json:"ended,omitzero"`
	Reason        string              `json:"reason,omitempty"`
	Undoes        string              `json:"undoes,omitempty"`
}

// IndexLine is a line of the index that should name File. What is empty stays as it is.
type IndexLine struct {
	File    string `json:"file"`
	Title   string `json:"title,omitempty"`
	Hook    string `json:"hook,omitempty"`
	Section string `json:"section,omitempty"`
}

// dream is an open operation: a dream, or a single transaction.
type dream struct {
	Info
	dir    *memory.Dir
	lock   *lock
	record lockRecord
	folder *os.Root
	stage  *memory.Stage
	expiry *time.Timer
	trail  *trail
	needed []Waiver // those without which the last check of the whole would have refused
}

// save writes the dream's Info.
func (d *dream) save() error {
	data, err := json.MarshalIndent(d.Info, "", " ")
	if err != nil {
		return err
	}
	return memory.Replace(d.folder, infoFile, data, time.Time{})
}

// checkFolder fails where the dream's folder is no longer where the next process looks for it: what lands
// could be carried on by nobody, and not be undone.
func (d *dream) checkFolder() error {
	ours, err := d.folder.Stat(".")
	if err != nil {
		return err
	}
	there, err := os.Stat(d.record.Stage)
	if err != nil || !os.SameFile(ours, there) {
		return fmt.Errorf("the folder %q was moved or replaced meanwhile; nothing has landed", d.record.Stage)
	}
	return nil
}

// readInfo reads the Info of dream id.
func readInfo(state *os.Root, id string) (Info, error) {
	var info Info
	if !validID(id) {
		return info, ErrUnknown
	}
	data, err := memory.ReadBounded(state, path.Join(dreamFolder, id, infoFile), maxInfo)
	if err == nil {
		err = json.Unmarshal(data, &info)
	}
	if err == nil && info.ID != id {
		err = fmt.Errorf("%s of %s tells of %q", infoFile, id, info.ID)
	}
	return info, err
}

// begin opens an operation under l: its folder, its stage, and its record in the lock file.
func (p *Project) begin(l *lock, dir *memory.Dir, info Info) (*dream, error) {
	state, err := p.openState()
	if err != nil {
		return nil, err
	}
	name := path.Join(dreamFolder, info.ID)
	if err := state.Mkdir(name, 0o700); err != nil && !(info.Resumed && errors.Is(err, fs.ErrExist)) {
		return nil, err
	}
	if err := memory.SyncFolder(state, dreamFolder); err != nil {
		return nil, err
	}
	folder, err := memory.OpenBelow(state, name)
	if err != nil {
		return nil, err
	}
	d := &dream{Info: info, dir: dir, lock: l, folder: folder}
	if info.Resumed {
		folder.Remove(stopFile) // it was for the run that it ended
		d.stage, err = memory.OpenStage(dir, folder)
	} else {
		d.stage, err = memory.NewStage(dir, folder)
	}
	if err == nil {
		err = d.save()
	}
	if err == nil {
		err = d.claim(p, dir)
	}
	if err != nil {
		folder.Close()
		if !info.Resumed {
			err = errors.Join(err, p.discard(info.ID))
		}
		return nil, err
	}
	return d, nil
}

// claim writes the record into the lock file and, for a dream, takes Claude Code's lock. What is
// needed to undo the taking is on disk before it is taken.
func (d *dream) claim(p *Project, dir *memory.Dir) error {
	host, _ := os.Hostname()
	boot, namespace := machine()
	prior, err := readNative(dir.Root())
	if err != nil {
		return err
	}
	d.record = lockRecord{
		Dream: d.ID, Kind: d.Kind, PID: os.Getpid(), Host: host, Boot: boot, Namespace: namespace,
		Started: d.Started, Prior: prior.stamp, Stage: filepath.Join(p.StateDir(), dreamFolder, d.ID),
	}
	p.step("record")
	if err := d.lock.write(d.record); err != nil {
		return err
	}
	if d.Kind != KindDream {
		return nil
	}
	p.step("native")
	err = errHeld // where it was taken since it was seen free, there is nothing to take
	if !prior.held(d.LastCall) {
		err = takeNative(dir, prior, d.LastCall)
	}
	if err != nil {
		if errors.Is(err, errHeld) {
			err = &BusyError{Native: true, Holder: "Claude Code has begun a dream in this moment"}
		}
		return errors.Join(err, p.unclaim(d))
	}
	p.step("claimed")
	return nil
}

// unclaim takes back what claim took. An error leaves the record, and recovery ends it.
func (p *Project) unclaim(d *dream) error {
	if err := p.giveBack(d.dir, d.record, d.record.Prior); err != nil {
		return err
	}
	return d.lock.clear()
}

func (p *Project) step(name string) {
	if p.o.Step != nil {
		p.o.Step(name)
	}
}

// Begin opens a dream, or returns the one that this process has open already. With force, a person
// asked for it. With resume, it takes up the newest stage that was left. Where a gate is closed it
// fails with a *ClosedError and has made nothing.
func (p *Project) Begin(ctx context.Context, force, resume bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream != nil {
		err := p.renew("")
		if err == nil || p.dream != nil || errors.Is(err, ErrStopped) {
			return err // a person who stops a dream does not ask for the next one
		}
	} else if err := p.enter(""); errors.Is(err, ErrStopped) {
		return err
	}
	if force && p.o.Unattended {
		return &RequestError{"force is for a person who asks for a dream, and nobody watches this one", "without force: a gate that is closed stays so"}
	}
	now := p.o.Now()
	g, err := p.askUnlocked(ctx, now, force)
	if err != nil {
		return err
	}
	dir, err := p.makeDir()
	if err != nil {
		return err
	}
	l, err := p.lockWait(ctx, dir, momentWait)
	if err != nil {
		return errors.Join(lockClosed(err), dir.Close())
	}
	d, err := p.beginLocked(ctx, l, dir, now, g, force, resume)
	if err != nil {
		return errors.Join(lockClosed(err), l.release(), dir.Close())
	}
	d.expiry = time.AfterFunc(p.o.Lease, p.expire)
	time.AfterFunc(stopPoll, func() { p.lookForStop(d) })
	p.dream = d
	p.tell(Event{Kind: EventBegun})
	if err := p.log(d, Fired, now); err != nil {
		return errors.Join(err, p.end(Aborted, "its beginning could not be journaled"))
	}
	return nil
}

// lockClosed says of a lock that could not be had that it is a gate.
func lockClosed(err error) error {
	var busy *BusyError
	if errors.As(err, &busy) {
		return fmt.Errorf("the lock gate is closed: %w", err)
	}
	return err
}

// askUnlocked asks all gates but the lock, which is waited for.
func (p *Project) askUnlocked(ctx context.Context, now time.Time, force bool) (gateAnswers, error) {
	dir, err := p.openDir()
	if err != nil {
		return gateAnswers{}, err
	}
	if dir != nil {
		defer dir.Close()
		if err := p.recoverIfLeft(ctx, dir); err != nil {
			return gateAnswers{}, err
		}
	}
	g := p.askGates(ctx, dir, now, force, func() error { return nil })
	return g, g.refusal()
}

func (p *Project) beginLocked(ctx context.Context, l *lock, dir *memory.Dir, now time.Time, g gateAnswers, force, resume bool) (*dream, error) {
	if since, err := p.lastConsolidation(dir); err != nil {
		return nil, err
	} else if !since.same(g.since) {
		// Somebody dreamed while the lock was waited for.
		if g = p.askGates(ctx, dir, now, force, func() error { return nil }); g.closed != nil {
			return nil, g.refusal()
		}
	}
	if err := nativeFree(dir.Root(), now); err != nil {
		return nil, err
	}
	if _, err := dir.Read(indexName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &RequestError{fmt.Sprintf("the index can't be read: %v", err), "no dream can change it: a person must make MEMORY.md a plain file again; nothing was started"}
	}
	info := Info{ID: newID(now), Started: now}
	if resume {
		entries, err := p.journal()
		if err != nil {
			return nil, err
		}
		left, err := p.unfinished(entries, "")
		if err != nil {
			return nil, err
		}
		if len(left) == 0 {
			return nil, ErrNoStage
		}
		info = left[0]
		info.Resumed, info.Outcome, info.Reason, info.Ended = true, "", "", time.Time{}
	}
	info.Kind, info.Host, info.Session = KindDream, p.o.Host, p.o.Session
	info.LastCall, info.Phase, info.ToolCalls = now, Orienting, info.ToolCalls+1
	info.Since, info.Sessions, info.Forced, info.Unattended = g.since, g.sessions, force, p.o.Unattended
	d, err := p.begin(l, dir, info)
	if err == nil {
		d.trail = openTrail(d.folder)
		p.prune(now) // not before: a stage older than a week may be the one to resume
		p.sweepWords(dir, now)
	}
	return d, err
}

// StatusURI is the resource that tells of the open dream.
const StatusURI = "dream://status"

// Abort ends the open dream without a trace in the memory, and returns what its stage held.
func (p *Project) Abort(ctx context.Context, reason string) (id string, staged []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream == nil {
		return "", nil, cmp.Or(p.enter(""), ErrNoDream)
	}
	id, staged = p.dream.ID, p.dream.staged()
	return id, staged, p.end(Aborted, reason)
}

func (d *dream) staged() []string {
	files := make([]string, len(d.stage.Changes))
	for i, c := range d.stage.Changes {
		files[i] = c.Name.String()
	}
	slices.Sort(files)
	return files
}
