// Package install adds dream-mcp to the settings of the programs that can start it, and removes it: an entry in the
// host's list of MCP servers and, where the host has them, hooks. It also sets a value in our own config.json.
//
// It changes nothing else. An entry of our name that is not ours is an error, and so is a file that cannot be parsed.
// After an edit the new text is decoded: if anything but our entries differs, it is not written. Comments, order,
// indentation, line ends, mode, owner and links stay. The old content is kept beside the file. The file is replaced in
// one step, and only while it still holds what was read. A second install does nothing. An uninstall restores the bytes
// from before the install; if the file was edited since, it removes our lines only.
//
// A host that locks its file while it writes, as Claude Code does, waits for us, and we for it.
//
// A crash leaves each file as before or as after, and at worst a temporary beside it, which the next run removes, and
// the host's lock, which the host takes over after ten seconds. The parts of a host are independent of each other.
//
// Not promised: that a running program notices, for most read their settings at start; nor that a write is kept which
// a program makes without a lock between our last read and the rename. Hard links to a file keep the old content.
package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/host"
	"dream-mcp/memory/diff"
	"dream-mcp/memory/lazy"
	"dream-mcp/server/settings"
)

// Installer holds what to install, and where.
type Installer struct {
	Env  settings.Environment
	Self string   // the absolute path of this program
	Args []string // its arguments; nil keeps those that the host's entry has

	Recall string // a level of package recall: what the host's model is shown unasked
	Guard  bool   // the host asks before each tool whether an open dream may use it
	Allow  bool   // the host asks nobody before a quiet tool
}

// The states of a part.
const (
	Absent    = "absent"
	Outdated  = "outdated" // ours, but with another path or arguments
	Installed = "installed"
)

// The parts.
const (
	Server = "server" // the entry in the list of MCP servers
	Skill  = "skill"  // a file by which a person asks for a dream
	Hook   = "hook"   // the hooks: when a session begins and a turn ends, they ask whether a dream is due

	Permissions = "permissions" // the quiet tools that the host asks nobody about
)

// Part is one of the parts in one host, and the change to be made.
type Part struct {
	Name  string `json:"part"` // Server, Skill, Hook or Permissions
	File  string `json:"file"`
	State string `json:"state"`
	Diff  string `json:"diff,omitempty"` // what would change

	add, remove edit
	lock        string // the end of the name of the host's lock; "" for none
	removing    bool
	file        file   // as it was read
	after       []byte // its new content; nil removes the file
	exact       bool   // after is what the file held before p was added
	backup      string // the backup that holds the same; "" for none
}

// Done is the result of Apply.
type Done struct {
	Changed bool   `json:"changed"`
	Backup  string `json:"backup,omitempty"` // the name of the old content, if it was kept
}

// Errors of an install by a program that cannot be installed.
var (
	ErrTemporary = errors.New("this program was built into a temporary folder, from which no host could start it tomorrow")
	ErrName      = errors.New("this program is not called dream-mcp, the name by which its entries are found again")
)

// Temporary reports whether go run built the program at this path: in a temporary folder, or in the build cache,
// wherever that is.
func Temporary(self string) bool {
	self = filepath.ToSlash(self)
	return strings.Contains(self, "/go-build") || cached.MatchString(self)
}

// cached matches the path of a program in Go's build cache: below a folder named by its hash.
var cached = lazy.New(`/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$`)

// Installable returns ErrTemporary, ErrName, or nil for a program that hosts can start.
func Installable(self string) error {
	switch {
	case Temporary(self):
		return ErrTemporary
	case !starts(self):
		return ErrName
	}
	return nil
}

// Blank returns the parts of a host for Text. It reads no file of the host.
func (i Installer) Blank(h *host.Host) ([]Part, error) {
	if err := Installable(i.Self); err != nil {
		return nil, err
	}
	parts := i.allParts(h)
	if parts[0].File == "" {
		return nil, fmt.Errorf("no home directory is known, so %s cannot be found", h.Name)
	}
	return parts, nil
}

// Parts returns the parts of a host, in the order to apply them, and the changes that add them or, with removing,
// remove them. It writes nothing.
func (i Installer) Parts(h *host.Host, removing bool) ([]Part, error) {
	if !removing {
		if err := Installable(i.Self); err != nil {
			return nil, err
		}
	} else {
		i.Args = i.args(h) // with them, add makes the same text as the install did
		i.Recall, i.Guard = i.asked(h)
		i.Allow = true
	}
	parts := i.allParts(h)
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
	if removing { // of two parts in a file the last is removed first, so that the file is what its install made of it
		slices.Reverse(parts)
	}
	return parts, nil
}

// look reads the file of p and sets its state and the change.
func (p *Part) look() (err error) {
	if p.file, err = load(p.File); err != nil {
		return err
	}
	text := p.file.text
	bare, err := p.remove(text)
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
	p.backup, p.exact = "", false
	if p.removing && p.State == Installed {
		if before, backup, ok := p.untouched(); ok {
			p.after, p.backup, p.exact = before, backup, true
		}
	}
	p.Diff = diff.Of(string(text), string(p.after)).Unified(p.File, p.File)
	return nil
}

// untouched returns what the file held before p was added (nil if it did not exist) and the backup that holds it. ok is
// false if the file is not exactly what adding p makes of any backup.
func (p *Part) untouched() (before []byte, backup string, ok bool) {
	for _, backup := range append(p.file.backups(), "") {
		before, err := settings.ReadFile(backup, maxFile)
		if err != nil && backup != "" {
			continue
		}
		made, err := p.add(before)
		bare, wrong := p.remove(before)
		if errors.Join(err, wrong) == nil && bytes.Equal(made, p.file.text) && bytes.Equal(bare, before) {
			return before, backup, true
		}
	}
	return nil, "", false
}

// Pending reports whether there is a change to make.
func (p *Part) Pending() bool {
	if p.removing {
		return p.State != Absent
	}
	return p.State != Installed
}

// Text returns the file of p if nothing else were in it.
func (p *Part) Text() (string, error) {
	text, err := p.add(nil)
	return string(text), err
}

// Apply makes the change of p.
func (i Installer) Apply(ctx context.Context, p Part) (done Done, err error) {
	if !p.Pending() {
		return done, nil
	}
	unlock, err := i.lock(ctx)
	if err != nil {
		return done, err
	}
	defer unlock()
	release, err := p.hold(ctx)
	if err != nil {
		return done, err
	}
	defer release()
	if err := p.look(); err != nil || !p.Pending() { // another process may have made it
		return done, err
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
	if err == nil && p.after == nil {
		i.removeEmpty(filepath.Dir(p.file.target))
	}
	if err == nil && p.backup != "" {
		err = os.Remove(p.backup) // the file holds the same
	}
	done.Changed = err == nil
	return done, err
}
