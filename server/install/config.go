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
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/server/settings"
)

// Set sets the value that a path of keys leads to in a JSON file, our own config.json, and creates the file if need be.
// It reports whether that changed anything.
func (i Installer) Set(ctx context.Context, path string, keys []string, value string) (changed bool, err error) {
	return i.change(ctx, path, setting(keys, value))
}

// Unset removes what Set has set, and the objects that this leaves empty.
func (i Installer) Unset(ctx context.Context, path string, keys []string) (changed bool, err error) {
	return i.change(ctx, path, withoutSetting(keys))
}

// change edits a file of ours.
func (i Installer) change(ctx context.Context, path string, make edit) (changed bool, err error) {
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
		after, err := make(f.text)
		if err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
		if changed = !bytes.Equal(after, f.text); !changed {
			return nil
		}
		if err = f.replace(after); err == nil && after == nil {
			i.removeEmpty(filepath.Dir(f.target))
		}
		return err
	})
	return changed && err == nil, err
}

// removeEmpty removes a folder that an uninstall has left empty, and those above it, below the home.
func (i Installer) removeEmpty(dir string) {
	for ; strings.HasPrefix(dir, i.Env.Home+string(filepath.Separator)); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			return
		}
	}
}

// Leave removes the state folder if it holds nothing but the lock of installs. Two installs at the same time do no
// harm: a file is replaced only while it holds what was read.
func (i Installer) Leave() {
	state, err := settings.StateHome(i.Env)
	if err != nil {
		return
	}
	if entries, err := os.ReadDir(state); err == nil && len(entries) == 1 && entries[0].Name() == lockFile {
		os.Remove(filepath.Join(state, lockFile))
		i.removeEmpty(state)
	}
}

// lockWait is how long an install waits for another.
const lockWait = 10 * time.Second

// ErrBusy is the error of an install that waited for another, or for the host, in vain.
var ErrBusy = errors.New("another program is changing the settings")

// lockFile is in the folder above the state of all memories.
const lockFile = "install.lock"

// lock excludes other installs and edits of ours.
func (i Installer) lock(ctx context.Context) (unlock func() error, err error) {
	state, err := settings.StateHome(i.Env)
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
	unlock, err = lock.LockFile(ctx, root, state, lockFile, lockWait)
	if errors.Is(err, lock.ErrHeld) {
		err = cmp.Or(ctx.Err(), ErrBusy)
	}
	return unlock, err
}

// staleLock is the age after which a lock of a host is taken over: it touches the lock more often while it writes.
const staleLock = 10 * time.Second

// hold takes the host's own lock of the file, if it has one: a folder beside it. Where no folder can be made, the edit
// says why.
func (p *Part) hold(ctx context.Context) (release func(), err error) {
	release = func() {}
	if p.lock == "" {
		return release, nil
	}
	name := p.File + p.lock
	for limit := time.Now().Add(lockWait); ; {
		err := os.Mkdir(name, 0o700)
		if err == nil {
			return func() { os.Remove(name) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return release, nil
		}
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > staleLock {
			os.Remove(name)
			continue
		}
		if time.Now().After(limit) {
			return release, ErrBusy
		}
		select {
		case <-ctx.Done():
			return release, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// again repeats a change a few times if another program changes the file meanwhile.
func again(change func() error) (err error) {
	for range 5 {
		if err = change(); !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}
