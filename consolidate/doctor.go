package consolidate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"dream-mcp/consolidate/forget"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/share"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/forgotten"
)

// The states of a Check.
const (
	Healthy  = "ok"
	Note     = "note"  // worth knowing, but not wrong
	Wrong    = "wrong" // should be fixed
	Repaired = "mended"
)

// Check is the result of one check of Examine.
type Check struct {
	Name    string `json:"check"`
	State   string `json:"state"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`  // what --fix does
	Hint    string `json:"hint,omitempty"` // what the person can do

	repair func(context.Context) error
}

// maxNamedFiles bounds the files that a check names.
const maxNamedFiles = 5

// clockSlack is how far in the future a time may be that another machine set.
const clockSlack = 5 * time.Minute

// doctor collects checks.
type doctor struct {
	p      *Project
	dir    *memory.Dir // nil if there is none
	checks []Check
}

func (d *doctor) add(c Check) { d.checks = append(d.checks, c) }

// Examine checks for anything that could prevent dreams or writes. It completes an interrupted commit. With fix it
// fixes what can be fixed without loss; otherwise it changes nothing else. With accept it also gives up an interrupted commit whose plan is lost, and takes the memory as it is:
// only the person may decide that.
func (p *Project) Examine(ctx context.Context, fix, accept bool) ([]Check, error) {
	p.Store.Lock()
	defer p.Store.Unlock()
	dir, err := p.Store.Disk()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	d := &doctor{p: p, dir: dir}
	if dir == nil {
		d.add(Check{Name: "memory", State: Note, Message: noMemory})
	} else {
		d.add(d.lock(ctx, accept))
		d.host()
		d.folder()
		d.leftovers()
		if copies := share.ConflictCopies(dir); copies != nil {
			d.add(Check{Name: "share", State: Wrong, Message: "another program synchronises this folder between machines, " +
				"and left copies of what both changed: " + ops.Few(copies, maxNamedFiles),
				Hint: "have a dream merge each into the memory that it is a copy of and delete it; dream-mcp share merges without copies"})
		}
	}
	if _, err := os.Stat(p.Store.Records.StateDir()); errors.Is(err, fs.ErrNotExist) {
		d.add(Check{Name: "archive", State: Healthy, Message: "nothing has landed yet"})
	} else {
		d.state()
		if err := d.archive(); err != nil {
			return nil, err
		}
		if why := p.Background.FailedRun(); why != "" {
			d.add(Check{Name: "background", State: Wrong, Message: why, Hint: "dream-mcp log --background shows it step by step"})
		}
	}
	d.share()
	d.forgotten()
	for i := range d.checks {
		c := &d.checks[i]
		if !fix || c.repair == nil {
			continue
		}
		if err := c.repair(ctx); err != nil {
			c.Message += "; it could not be fixed: " + err.Error()
		} else {
			c.State = Repaired
		}
	}
	return d.checks, nil
}

// share says how the memory is shared.
func (d *doctor) share() {
	s, err := d.p.Share.State()
	c := Check{Name: "share", State: Healthy, Message: fmt.Sprintf("%s, by %s, as %s", s.Identity, s.Remote, s.MachineName)}
	switch {
	case errors.Is(err, share.ErrNotShared):
		return
	case err != nil:
		c.State, c.Message, c.Hint = Wrong, err.Error(), "dream-mcp share REMOTE begins again"
	case s.Stopped != "":
		c.State, c.Message = Wrong, c.Message+": "+s.Stopped
	case s.Pending != "":
		c.State, c.Message, c.Hint = Note, c.Message+"; not sent yet: "+s.Pending, "dream-mcp share --now tries again"
	}
	d.add(c)
}

// folder checks the permissions of the memory directory, which we do not change.
func (d *doctor) folder() {
	dir := d.dir
	c := Check{Name: "memory", State: Healthy, Message: "can be read and written only by you"}
	info, err := dir.Root().Stat(".")
	switch {
	case err != nil:
		c.State, c.Message = Wrong, err.Error()
	case runtime.GOOS == "windows":
		c.Message = "can be read"
	case info.Mode().Perm()&0o700 != 0o700:
		c.State, c.Message, c.Hint = Wrong, fmt.Sprintf("its mode is %v: you cannot write to it", info.Mode().Perm()), "chmod u+rwx "+ops.Quoted(dir.Path())
	case info.Mode().Perm()&0o022 != 0:
		c.State, c.Message = Wrong, fmt.Sprintf("its mode is %v: others can change the memory of your agent", info.Mode().Perm())
		c.Hint = "unless this is intended: chmod go-w " + ops.Quoted(dir.Path())
	case info.Mode().Perm()&0o077 != 0:
		c.State, c.Message = Note, fmt.Sprintf("its mode is %v: others on this machine can read it", info.Mode().Perm())
	}
	if err := dir.Writable(); err != nil && c.State != Wrong {
		c.State, c.Message, c.Hint = Wrong, err.Error(), "no dream can begin: make it writable"
	}
	if refused, ok := errors.AsType[*ops.RequestError](indexReadable(dir)); ok {
		c.State, c.Message, c.Hint = Wrong, refused.Message, refused.Hint
	}
	d.add(c)
}

// leftovers checks for temporaries that recovery does not remove.
func (d *doctor) leftovers() {
	if r, err := lock.Read(d.dir.Root()); err != nil || r.Dream != "" {
		return // they are in use, or recovery removes them
	}
	left, err := atomicfile.Temporaries(d.dir)
	if err != nil || len(left) == 0 {
		return
	}
	d.add(Check{
		Name: "leftovers", State: Wrong, Message: "temporary files in the memory directory: " + ops.Few(left, maxNamedFiles),
		Fix: "they are archived and removed",
		repair: func(ctx context.Context) error {
			return d.p.Store.TakeAsIs(ctx, d.dir, "temporary files in the memory directory were archived")
		},
	})
}

// state checks the permissions of the state folder, which has private text.
func (d *doctor) state() {
	folder := d.p.Store.Records.StateDir()
	c := Check{Name: "state", State: Healthy, Message: folder + " is private"}
	info, err := os.Stat(folder)
	if err != nil {
		c.State, c.Message = Wrong, err.Error()
	} else if perm := info.Mode().Perm(); runtime.GOOS != "windows" && perm != 0o700 {
		c.State, c.Message, c.Fix = Wrong, fmt.Sprintf("%s has the mode %v", folder, perm), "it is made private: 0700"
		c.repair = func(context.Context) error { return os.Chmod(folder, 0o700) }
	} else if err := d.p.Store.Records.Writable(); err != nil {
		c.State, c.Message, c.Hint = Wrong, err.Error(), "no dream can begin: free some space on its disk, or make it writable"
	}
	d.add(c)
}

// archive checks the archive and the stages of earlier operations.
func (d *doctor) archive() error {
	p := d.p
	ids, err := p.Store.Records.IDs()
	if err != nil {
		return err
	}
	var damaged, displaced []string
	for _, id := range ids {
		a, err := p.Store.Records.Op(id)
		if err != nil {
			damaged = append(damaged, id)
			continue
		}
		for _, c := range a.Changes {
			if c.Before == "" || a.State != ops.Landed {
				continue
			}
			if _, err := p.Store.Records.Size(c.Before); err != nil && !slices.Contains(damaged, id) {
				damaged = append(damaged, id)
			}
		}
		for _, sum := range a.Displaced {
			displaced = append(displaced, filepath.Join(p.Store.Records.StateDir(), "blobs", string(sum)))
		}
	}
	use, err := p.History.Measure()
	if err != nil {
		return err
	}
	c := Check{Name: "archive", State: Healthy, Message: fmt.Sprintf("%s and %s, %.1f of %d MiB",
		ops.Plural(use.Dreams, "dream"), ops.Plural(use.Others, "single change"), float64(use.Bytes)/(1<<20), use.MaxBytes>>20)}
	if use.Bytes > use.MaxBytes {
		c.State, c.Hint = Note, "the next dream or write removes the oldest, but nothing that was deleted within 30 days"
	}
	d.add(c)
	if len(damaged) > 0 {
		d.add(Check{Name: "archive", State: Wrong, Message: "damaged, and cannot be undone: " + ops.Few(damaged, maxNamedFiles),
			Hint: "restore the folders ops and blobs from a backup, if there is one, in " + p.Store.Records.StateDir()})
	}
	if len(displaced) > 0 {
		d.add(Check{Name: "archive", State: Note, Message: "files that somebody else wrote during a commit are kept: " + ops.Few(displaced, maxNamedFiles)})
	}
	entries, err := p.Store.Records.Journal()
	if err != nil {
		return err
	}
	left, err := p.Store.Unfinished(entries, "")
	for _, info := range left {
		d.add(Check{Name: "stage", State: Note, Message: fmt.Sprintf("dream %s was %s; its stage is kept until %s", info.ID,
			info.Outcome, info.LastCall.Add(history.StageKept).UTC().Format(time.DateOnly)),
			Hint: `dream_orient {"resume": true} resumes the newest`})
	}
	return err
}

// forgotten checks the list of what was forgotten, which all memories share.
func (d *doctor) forgotten() {
	err := forgotten.Damaged()
	if err == nil {
		return
	}
	list := forget.ListFile(d.p.Store.StateHome)
	d.add(Check{Name: "forgotten", State: Wrong, Message: "what was forgotten is not kept out: " + err.Error(),
		Fix: "renames it, ending in .damaged, and begins a new list", Hint: "forget the texts again: dream-mcp forget",
		repair: func(context.Context) error { return os.Rename(list, list+".damaged") }})
}
