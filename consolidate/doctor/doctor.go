// Package doctor examines the state of a memory, repairs what can be repaired without loss, and moves a memory into
// another directory.
//
// Each repair is an operation of package ops: after a crash it was not begun, or the next operation completes it.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"dream-mcp/consolidate/forget"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/runs"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
)

// The states of a Check.
const (
	Healthy  = "ok"
	Notable  = "note"  // worth knowing, but not wrong
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

// Doctor examines the state of a memory.
type Doctor struct {
	Store      *ops.Store
	Share      *share.Share
	History    *history.History
	Background *runs.Runs
	Sources    *provenance.Sources
}

// examination collects checks.
type examination struct {
	*Doctor
	dir    *memory.Dir // nil if there is none
	checks []Check
}

func (e *examination) add(c Check) { e.checks = append(e.checks, c) }

// Examine checks for anything that could prevent dreams or writes. It ends what a dead process left, as readers do.
// With fix it fixes what can be fixed without loss; otherwise it changes nothing else. With accept it also gives up an
// interrupted commit whose plan is lost, and takes the memory as it is: only the person may decide that.
func (d *Doctor) Examine(ctx context.Context, fix, accept bool) ([]Check, error) {
	defer d.Store.Lock()()
	dir, err := d.Store.Disk()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	e := &examination{Doctor: d, dir: dir}
	_, err = os.Stat(e.Store.Records.StateDir())
	landed := !errors.Is(err, fs.ErrNotExist)
	database := Check{Name: "archive", State: Healthy, Message: "nothing has landed yet"}
	if landed {
		database = e.database()
	}
	if fix {
		database.fix(ctx) // first: the commit of a dead process may be completed then
	}
	if dir == nil {
		e.add(Check{Name: "memory", State: Notable, Message: ops.NoMemory})
	} else {
		e.add(e.lock(ctx, accept))
		e.host()
		e.folder()
		e.leftovers()
		if copies := conflictCopies(dir); len(copies) > 0 {
			e.add(Check{Name: "share", State: Wrong, Message: "another program synchronises this folder between machines, " +
				"and left copies of what both changed: " + phrase.Few(copies, maxNamedFiles),
				Hint: "have a dream merge each into the memory that it is a copy of and delete it; dream-mcp share merges without copies"})
		}
	}
	e.state()
	if !landed || database.State != Healthy {
		e.add(database)
	} else if err := cmp.Or(e.archive(), e.notes()); err != nil {
		return nil, err
	}
	if why := e.Background.FailedRun(); why != "" {
		e.add(Check{Name: "background", State: Wrong, Message: why, Hint: "dream-mcp log --background shows it step by step"})
	}
	e.share()
	e.forgotten()
	for i := range e.checks {
		if fix {
			e.checks[i].fix(ctx)
		}
	}
	return e.checks, nil
}

// fix repairs what c says, if it can be repaired.
func (c *Check) fix(ctx context.Context) {
	if c.repair == nil {
		return
	}
	if err := c.repair(ctx); err != nil {
		c.Message += "; it could not be fixed: " + err.Error()
	} else {
		c.State = Repaired
	}
	c.repair = nil
}

// share says how the memory is shared.
func (e *examination) share() {
	s, err := e.Share.State()
	c := Check{Name: "share", State: Healthy, Message: fmt.Sprintf("%s, by %s, as %s", s.Identity, s.Remote, s.MachineName)}
	switch {
	case errors.Is(err, share.ErrNotShared), errors.Is(err, state.ErrDamaged), errors.Is(err, state.ErrForeign): // the archive says so
		return
	case err != nil:
		c.State, c.Message, c.Hint = Wrong, err.Error(), "dream-mcp share REMOTE begins again"
	case s.Stopped != "":
		c.State, c.Message = Wrong, c.Message+": "+s.Stopped
	case s.Pending != "":
		c.State, c.Message, c.Hint = Notable, c.Message+"; not sent yet: "+s.Pending, "dream-mcp share --now tries again"
	}
	e.add(c)
}

// conflictCopies returns the copies that other programs made of memories.
func conflictCopies(dir *memory.Dir) []string {
	l, _ := dir.List() // folder reports the error
	var topics []memory.Name
	for _, f := range l.Files {
		topics = append(topics, f.Name)
	}
	return rule.ConflictCopies(topics, l.Other)
}

// folder checks the permissions of the memory directory, which we do not change.
func (e *examination) folder() {
	dir := e.dir
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
		c.State, c.Message = Notable, fmt.Sprintf("its mode is %v: others on this machine can read it", info.Mode().Perm())
	}
	if err := dir.Writable(); err != nil && c.State != Wrong {
		c.State, c.Message, c.Hint = Wrong, err.Error(), "no dream can begin: make it writable"
	}
	if refused, ok := errors.AsType[*ops.RequestError](indexing.Readable(dir)); ok {
		c.State, c.Message, c.Hint = Wrong, refused.Message, refused.Hint
	}
	e.add(c)
}

// leftovers checks for temporaries that recovery does not remove.
func (e *examination) leftovers() {
	if r, err := lock.Read(e.dir.Root()); err != nil || r.ID != "" {
		return // they are in use, or recovery removes them
	}
	left, err := atomicfile.Temporaries(e.dir)
	if err != nil || len(left) == 0 {
		return
	}
	e.add(Check{
		Name: "leftovers", State: Wrong, Message: "temporary files in the memory directory: " + phrase.Few(left, maxNamedFiles),
		Fix: "they are archived and removed",
		repair: func(ctx context.Context) error {
			return e.Store.TakeAsIs(ctx, e.dir, "temporary files in the memory directory were archived")
		},
	})
}

// state checks the permissions of the state folder, which has private text.
func (e *examination) state() {
	folder := e.Store.Records.StateDir()
	c := Check{Name: "state", State: Healthy, Message: folder + " is private"}
	info, err := os.Stat(folder)
	missing := errors.Is(err, fs.ErrNotExist) // until something is to be written
	if err != nil && !missing {
		c.State, c.Message = Wrong, err.Error()
	} else if err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		perm := info.Mode().Perm()
		c.State, c.Message, c.Fix = Wrong, fmt.Sprintf("%s has the mode %v", folder, perm), "it is made private: 0700"
		c.repair = func(context.Context) error { return os.Chmod(folder, 0o700) }
	} else if err := e.Store.Records.Writable(); err != nil {
		c.State, c.Message, c.Hint = Wrong, err.Error(), "no dream can begin: free some space on its disk, or make it writable"
	}
	if !missing || c.State == Wrong {
		e.add(c)
	}
}

// forgotten checks the list of what was forgotten, which all memories share.
func (e *examination) forgotten() {
	damaged := forget.Damaged()
	if damaged == "" {
		return
	}
	list := forget.ListFile(e.Store.StateHome)
	e.add(Check{Name: "forgotten", State: Wrong, Message: damaged,
		Fix: "renames it, ending in .damaged, and begins a new list", Hint: "forget the texts again: dream-mcp forget",
		repair: func(context.Context) error { return os.Rename(list, list+".damaged") }})
}
