package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

// available returns a command of the host, or nil if it is not on the PATH, if the file belongs to somebody else, or if it has
// comments, which the command would lose. A Windows batch file is not used: its interpreter has quoting rules of its own.
func (p *Part) available(command []string) []string {
	if len(command) == 0 || !p.file.owner.isUs() || p.file.text != nil && !json.Valid(p.file.text) {
		return nil
	}
	path, err := exec.LookPath(command[0])
	if err != nil || slices.Contains([]string{".cmd", ".bat"}, strings.ToLower(filepath.Ext(path))) {
		return nil
	}
	return command
}

// runTime bounds a host's command. Node programs take seconds to start on a busy machine.
const runTime = 60 * time.Second

// run runs a host's command in the home directory, where no project's settings apply. If the command fails or loses something that
// is not ours, run restores the file.
func (p *Part) run(ctx context.Context, home string, command []string) error {
	limited, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	cmd := exec.CommandContext(limited, command[0], command[1:]...)
	cmd.Dir = home
	cmd.WaitDelay = time.Second
	before := p.file
	said, err := cmd.CombinedOutput()
	if limited.Err() != nil {
		err = fmt.Errorf("it did not end within %v", runTime)
	} else if lines := strings.Split(strings.TrimSpace(string(said)), "\n"); err != nil && lines[len(lines)-1] != "" {
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	wrong := again(func() error {
		after, wrong := load(p.File)
		switch {
		case wrong != nil:
			return wrong
		case err == nil && lost(before.text, after.text):
			err = errors.New("it changed what is not ours")
		}
		if err == nil || bytes.Equal(after.text, before.text) {
			return nil
		}
		return after.replace(before.text)
	})
	return errors.Join(wrong, err)
}

// lost reports whether a JSON file has lost a setting or another server. Other values may change: it is the host's own file.
func lost(before, after []byte) bool {
	had, _ := decodeJSON(before)
	has, _ := decodeJSON(after)
	was, _ := others(had).(map[string]any)
	is, _ := others(has).(map[string]any)
	for key, value := range was {
		if is[key] == nil || key == "mcpServers" && !reflect.DeepEqual(is[key], value) {
			return true
		}
	}
	return false
}
