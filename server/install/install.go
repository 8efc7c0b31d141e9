// Package install makes the programs that can start us do so, and takes that back: an entry in the
// host's list of MCP servers, and in Claude Code and Gemini CLI the hook. It also sets what a person chooses in our own config.json.
//
// It promises that nothing but ours is changed: an entry that is not ours is refused, a file that can't be
// understood is left alone, and after each edit the file is read again and must say the same as before
// beside ours, or it is not written. Comments, order, indentation, line ends and mode stay. A file is
// replaced whole, after what it held was kept beside it, and only while it still holds what was read; links
// to it stay. Doing it again does nothing. Uninstalling right after installing gives the same bytes back;
// where a person has edited the file since, only our lines go. A host's own command that keeps the person's file is used,
// without input and for a limited time; what it did is read back, and undone where it lost something. A file stays its
// owner's, whoever runs this.
//
// A crash leaves each file as it was or as it is to be, and at worst a temporary beside it, which the
// next run removes; the parts of a host are independent of each other.
//
// It does not promise to be heard by a program that is running: most read their files at the start. Between
// the last look at a file and its replacement a program that takes no lock could write, and be overwritten;
// what it read before is in the backup. Hard links to a file keep what it held before. Memories and state are
// never touched.
package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/diff"

	"dream-mcp/server/host"
)

// Installer is where and what to install.
type Installer struct {
	Env  host.Environment
	Self string   // the absolute path of this program
	Args []string // what it is to be started with; nil: what the host's entry has stays
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
	Hook   = "hook"   // of Claude Code and Gemini CLI: asks at the end of a turn whether a dream is due
)

// Part is one thing that a host can have of ours.
type Part struct {
	Name    string // Server or Hook
	File    string
	State   string
	Command []string // the host's own way to make the change at hand; empty: its file is edited
	Diff    string   // what an edit would change; "" where nothing is to be done

	add, take edit
	list      string // the member of the file that holds the servers
	removing  bool
	adding    []string // the host's own commands, without regard to whether they are there
	taking    []string
}

// Done is what Apply did.
type Done struct {
	Changed bool
	By      string // the host's own command, where that did it
	Backup  string // what the file held, where one was kept
	Failed  string // why the host's own command did not do it
}

// ErrTemporary says that this program lies where it will not stay.
var ErrTemporary = errors.New("this program was built into a temporary folder, from which no host could start it tomorrow")

// Parts returns what a host can have of ours and what is to be done to have it, or with removing to be rid
// of it. Nothing is written.
func (i Installer) Parts(h Host, removing bool) ([]Part, error) {
	if !removing && strings.Contains(filepath.ToSlash(i.Self), "/go-build") {
		return nil, ErrTemporary
	}
	if removing {
		i.Args = i.args(h) // so that what an install added is known again
	}
	var parts []Part
	for _, p := range h.parts(i) {
		p.removing = removing
		if p.File == "" {
			return nil, fmt.Errorf("no home directory is known, so %s can't be found", h.Name)
		}
		if err := p.look(); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if removing { // what was added last to a file goes first: then what the file held before is known
		slices.Reverse(parts)
	}
	return parts, nil
}

// look finds the state of p, and what is to be done.
func (p *Part) look() error {
	f, err := load(p.File)
	if err != nil {
		return err
	}
	wrong := func(err error) error { return fmt.Errorf("%q: %w", p.File, err) }
	bare, err := p.take(f.text)
	if _, foreign := errors.AsType[*TakenError](err); foreign && p.removing {
		bare, err = f.text, nil // a server of our name that is not ours stays
	}
	if err != nil {
		return wrong(err)
	}
	after := bare
	if p.removing {
		p.State = Installed
		if bytes.Equal(bare, f.text) {
			p.State = Absent
		}
		if text, _, ok := f.untouched(p.add, p.take); ok {
			after = text
		}
	} else {
		if after, err = p.add(f.text); err != nil {
			return wrong(err)
		}
		switch {
		case bytes.Equal(after, f.text):
			p.State = Installed
		case bytes.Equal(bare, f.text):
			p.State = Absent
		default:
			p.State = Outdated
		}
	}
	p.Command = nil
	switch {
	case !f.owner.isUs(): // what the host writes would change hands
	case p.removing && p.State == Installed:
		p.Command = available(p.taking)
	case !p.removing && p.State == Absent:
		p.Command = available(p.adding)
	}
	p.Diff = string(diff.Diff(p.File, f.text, p.File, after))
	return nil
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

// HostCommand is the host's own command that would add p, nil where it has none; whether it is there, nobody asked.
func (p *Part) HostCommand() []string { return p.adding }

// lockWait is how long another install is waited for.
const lockWait = 10 * time.Second

// ErrBusy says that another install or uninstall is at work.
var ErrBusy = errors.New("another install or uninstall is at work")

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
	if len(p.Command) > 0 {
		done.By = strings.Join(p.Command, " ")
		err := p.ask(ctx, i.Env.Home)
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		if wrong := p.look(); wrong != nil {
			return done, fmt.Errorf("after %s: %w", done.By, wrong)
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
	err = again(func() error {
		done.Backup, err = p.change()
		return err
	})
	done.Changed = err == nil
	return done, err
}

// ask has the host's own command make the change. What the file held is kept beside it meanwhile, and put back where the command
// fails or changes more than is ours.
func (p *Part) ask(ctx context.Context, home string) error {
	before, err := load(p.File)
	if err != nil {
		return err
	}
	backup := ""
	if before.there {
		if backup, err = before.keep(); err != nil {
			return err
		}
	}
	failed := run(ctx, home, p.Command)
	err = again(func() error {
		after, err := load(p.File)
		if err != nil {
			return err
		}
		if failed == nil {
			failed = p.spoilt(before.text, after.text)
		}
		if failed == nil || bytes.Equal(after.text, before.text) {
			return nil
		}
		if before.there {
			return after.replace(before.text)
		}
		return after.replace(nil)
	})
	if err != nil {
		return err // the backup stays
	}
	if backup != "" {
		os.Remove(backup)
	}
	return failed
}

// errSpoilt says that a host's command changed what is not ours.
var errSpoilt = errors.New("it changed what is not ours")

// spoilt fails where a host's command has lost something of the file beside our own: a setting, the comments, the line ends.
func (p *Part) spoilt(before, after []byte) error {
	if len(before) == 0 {
		return nil
	}
	was, is := p.said(before), p.said(after)
	for key, value := range was { // values may change: it is the host's own file
		now, ok := is[key]
		if !ok || key == p.list && !reflect.DeepEqual(now, value) {
			return errSpoilt
		}
	}
	if bytes.Contains(before, []byte("\r\n")) && !bytes.Contains(after, []byte("\r\n")) ||
		!json.Valid(bytes.TrimPrefix(before, bom)) && json.Valid(bytes.TrimPrefix(after, bom)) {
		return errSpoilt
	}
	return nil
}

// said is what a JSON file says beside our own; nothing where it cannot be read.
func (p *Part) said(text []byte) map[string]any {
	if bare, err := p.take(text); err == nil {
		text = bare
	}
	_, rest := trim(text)
	all, _ := decode(rest)
	if list, _ := all[p.list].(map[string]any); len(list) == 0 {
		delete(all, p.list)
	}
	return all
}

// lock excludes other installs and edits of ours.
func (i Installer) lock(ctx context.Context) (unlock func() error, err error) {
	state, err := host.StateHome(i.Env)
	if err != nil {
		return nil, err
	}
	if err := makeFolder(state); err != nil {
		return nil, err
	}
	path := filepath.Join(state, "install.lock")
	if o, err := ownerOf(state); err != nil {
		return nil, err
	} else if err := write(path, nil, 0o600, o); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY|syscall.O_NONBLOCK)) // a fifo is not waited for
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if held, err := lock.TryLockContext(waiting, 20*time.Millisecond); !held {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = ErrBusy
		}
		return nil, err
	}
	return lock.Unlock, nil
}

// attempts is how often a file is read again that somebody else changes meanwhile.
const attempts = 5

func again(change func() error) (err error) {
	for range attempts {
		if err = change(); !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

// change edits the file of p.
func (p *Part) change() (backup string, err error) {
	f, err := load(p.File)
	if err != nil {
		return "", err
	}
	if !p.removing {
		after, err := p.add(f.text)
		if err != nil {
			return "", err
		}
		if f.there {
			if f.mode&0o200 != 0 {
				backup, err = f.keep()
			}
			if err != nil {
				return "", err
			}
		}
		return backup, f.replace(after)
	}
	if text, name, ok := f.untouched(p.add, p.take); ok {
		if err := f.replace(text); err != nil || name == "" {
			return "", err
		}
		return "", os.Remove(name) // the file itself holds it again
	}
	after, err := p.take(f.text)
	if err != nil {
		return "", err
	}
	if f.mode&0o200 != 0 {
		if backup, err = f.keep(); err != nil {
			return "", err
		}
	}
	return backup, f.replace(after)
}
