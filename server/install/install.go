// Package install makes the programs that can start us do so, and takes that back: an entry in the
// host's list of MCP servers, and in Claude Code, Codex, Gemini CLI and opencode the hook. It also sets what a person chooses in our own config.json.
//
// It promises that nothing but ours is changed: an entry that is not ours is refused, a file that cannot be
// understood is left alone, and after each edit the file is read again and must say the same as before
// beside ours, or it is not written. Comments, order, indentation, line ends and mode stay. A file is
// replaced whole, after what it held was kept beside it, and only while it still holds what was read; links
// to it stay. Doing it again does nothing. Uninstalling right after installing gives the same bytes back;
// where a person has edited the file since, only our lines go. Claude Code's own command is used where it is there: it locks its
// file. What it did is read back, and undone where it lost something. A file keeps its owner, whoever runs this.
//
// A crash leaves each file as it was or as it is to be, and at worst a temporary beside it, which the
// next run removes; the parts of a host are independent of each other.
//
// A program that is running may not notice: most read their files at the start. Between
// the last look at a file and its replacement a program that takes no lock could write, and be overwritten;
// what it read before is in the backup. Hard links to a file keep what it held before. Memories and state are
// never touched.
package install

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"dream-mcp/consolidate/lock"
	"dream-mcp/server/host"
)

// Installer is where and what to install.
type Installer struct {
	Env  host.Environment
	Self string   // the absolute path of this program
	Args []string // what it is to be started with; nil: what the host's entry has stays

	Recall string // what the host's model is to be shown unasked: a level of package recall
	Guard  bool   // the host asks before each tool whether an open dream may use it
}

// The states of a part.
const (
	Absent    = "absent"    // to be added
	Outdated  = "outdated"  // ours, but from another path
	Installed = "installed" // as it is to be
)

// The parts.
const (
	Server = "server" // the entry by which the host starts us
	Hook   = "hook"   // asks when a session begins and a turn ends whether a dream is due, and what to show the model
)

// Part is one thing that a host can have of ours.
type Part struct {
	Name        string   `json:"part"` // Server or Hook
	File        string   `json:"file"`
	State       string   `json:"state"`
	Command     []string `json:"command,omitempty"` // the host's own way to make the change at hand; empty: its file is edited
	HostCommand []string `json:"-"`                 // the host's own way to add it, nil where it has none; it may not be there
	Diff        string   `json:"diff,omitempty"`    // what an edit would change; "" where nothing is to be done

	add, take edit
	taking    []string // the host's own way to remove it
	removing  bool
	file      file   // as it was read
	after     []byte // what it is to hold, nil: it is to go
	exact     bool   // what it held before it held p
	backup    string // which holds that too
}

// Done is what Apply did.
type Done struct {
	Changed bool   `json:"changed"`
	Backup  string `json:"backup,omitempty"` // what the file held, where one was kept
	Failed  string `json:"failed,omitempty"` // why the host's own command did not do it
}

// ErrTemporary says that this program is in a temporary folder.
var ErrTemporary = errors.New("this program was built into a temporary folder, from which no host could start it tomorrow")

// Parts returns what a host can have of ours and what is to be done to have it, or with removing to be rid
// of it. Nothing is written.
func (i Installer) Parts(h Host, removing bool) ([]Part, error) {
	if !removing && strings.Contains(filepath.ToSlash(i.Self), "/go-build") {
		return nil, ErrTemporary
	}
	if removing {
		i.Args = i.args(h) // so that what an install added is known again
		i.Recall, i.Guard = i.asked(h)
	}
	parts := h.parts(i)
	for n := range parts {
		p := &parts[n]
		p.removing = removing
		if p.File == "" {
			return nil, fmt.Errorf("no home directory is known, so %s cannot be found", h.Name)
		}
		if err := p.look(); err != nil {
			return nil, err
		}
	}
	if removing { // what was added last to a file goes first: then what the file held before is known
		slices.Reverse(parts)
	}
	return parts, nil
}

// look reads the file of p, and finds its state and what is to be done.
func (p *Part) look() (err error) {
	if p.file, err = load(p.File); err != nil {
		return err
	}
	text := p.file.text
	bare, err := p.take(text)
	if _, foreign := errors.AsType[*TakenError](err); foreign && p.removing {
		bare, err = text, nil // a server of our name that is not ours stays
	}
	p.after = bare
	if err == nil && !p.removing {
		p.after, err = p.add(text)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", p.File, err)
	}
	switch {
	case bytes.Equal(bare, text):
		p.State = Absent
	case p.removing || bytes.Equal(p.after, text):
		p.State = Installed
	default:
		p.State = Outdated
	}
	p.Command, p.backup, p.exact = nil, "", false
	switch {
	case p.removing && p.State == Installed:
		if before, backup, ok := p.untouched(); ok {
			p.after, p.backup, p.exact = before, backup, true
		}
		p.Command = p.available(p.taking)
	case !p.removing && p.State == Absent:
		p.Command = p.available(p.HostCommand)
	}
	p.Diff = string(diff.Diff(p.File, text, p.File, p.after))
	return nil
}

// untouched returns what the file held before p was added, nil: it did not exist, and the backup that holds that, where the file is
// exactly what adding p made of it. Then removing is exact.
func (p *Part) untouched() (before []byte, backup string, ok bool) {
	for _, backup := range append(p.file.backups(), "") {
		before, err := host.ReadFile(backup, maxFile)
		if err != nil && backup != "" {
			continue
		}
		made, err := p.add(before)
		bare, wrong := p.take(before)
		if errors.Join(err, wrong) == nil && bytes.Equal(made, p.file.text) && bytes.Equal(bare, before) {
			return before, backup, true
		}
	}
	return nil, "", false
}

// Pending reports whether there is something to do.
func (p *Part) Pending() bool {
	if p.removing {
		return p.State != Absent
	}
	return p.State != Installed
}

// Text is what the file of p would be, were there nothing else in it.
func (p *Part) Text() (string, error) {
	text, err := p.add(nil)
	return string(text), err
}

// Apply does what is to be done for p: by the host's own command where it has one, and where that did not do
// it, or there is none, by an edit of its file.
func (i Installer) Apply(ctx context.Context, p Part) (done Done, err error) {
	if !p.Pending() {
		return done, nil
	}
	unlock, err := i.lock(ctx)
	if err != nil {
		return done, err
	}
	defer unlock()
	if err := p.look(); err != nil || !p.Pending() { // somebody may have been faster
		return done, err
	}
	if command := p.Command; len(command) > 0 {
		err := p.run(ctx, i.Env.Home, command)
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		if wrong := p.look(); wrong != nil {
			return done, fmt.Errorf("after %s: %w", strings.Join(command, " "), wrong)
		}
		if err == nil && !p.Pending() {
			done.Changed = true
			return done, nil
		}
		if err == nil {
			err = errors.New("it changed nothing")
		}
		done.Failed = err.Error()
	}
	err = again(func() (err error) {
		if err := p.look(); err != nil {
			return err
		}
		if p.file.text != nil && !p.exact {
			if done.Backup, err = p.file.keep(); err != nil {
				return err
			}
		}
		return p.file.replace(p.after)
	})
	if err == nil && p.backup != "" {
		err = os.Remove(p.backup) // the file itself holds it again
	}
	done.Changed = err == nil
	return done, err
}

// Set sets the text that keys name in a JSON file, our own config.json, which it makes where it is missing; all else in the
// file stays. It reports whether that changed anything.
func (i Installer) Set(ctx context.Context, path string, keys []string, value string) (changed bool, err error) {
	unlock, err := i.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	err = again(func() error {
		f, err := load(path)
		if err != nil {
			return err
		}
		after, err := setting(keys, value)(f.text)
		if err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
		if changed = !bytes.Equal(after, f.text); !changed {
			return nil
		}
		return f.replace(after)
	})
	return changed && err == nil, err
}

// lockWait is how long another install is waited for.
const lockWait = 10 * time.Second

// ErrBusy says that another install or uninstall is at work.
var ErrBusy = errors.New("another install or uninstall is at work")

// lockFile is in the folder above the state of all memories.
const lockFile = "install.lock"

// lock excludes other installs and edits of ours.
func (i Installer) lock(ctx context.Context) (unlock func() error, err error) {
	state, err := host.StateHome(i.Env)
	if err == nil {
		err = makeFolder(state)
	}
	if err != nil {
		return nil, err
	}
	o, err := ownerOf(state)
	if err == nil {
		err = write(filepath.Join(state, lockFile), nil, 0o600, o)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	unlock, err = lock.Note(ctx, root, state, lockFile, lockWait)
	if errors.Is(err, lock.ErrHeld) {
		err = cmp.Or(ctx.Err(), ErrBusy)
	}
	return unlock, err
}

// again repeats a change, a few times, while another program changes the file.
func again(change func() error) (err error) {
	for range 5 {
		if err = change(); !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}
