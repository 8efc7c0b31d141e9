package ops

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// writeTemps writes the new texts beside their targets, or into the directory itself if the folder of the target does
// not exist yet, and names the temporaries of the files that are deleted. If a power cut loses a temporary, it is
// written again when the landing is completed.
func (s *Stage) writeTemps() error {
	for i := range s.Changes {
		c := &s.Changes[i]
		folder := path.Dir(c.Name.String())
		if info, err := s.dir.Root().Lstat(folder); errors.Is(err, fs.ErrNotExist) {
			folder = "."
		} else if err != nil {
			return err
		} else if !info.IsDir() {
			return fmt.Errorf("%q: not a folder", folder)
		}
		c.Temp = atomicfile.TempName(folder, s.ID)
		if c.After == "" {
			continue
		}
		if err := s.writeTemp(*c); err != nil {
			return err
		}
	}
	return nil
}

// writeTemp writes the new text of c.
func (s *Stage) writeTemp(c state.Change) error {
	data, err := s.Content(c.After)
	if err != nil {
		return err
	}
	return atomicfile.WriteTemp(s.dir.Root(), c.Temp, data, cmp.Or(c.BeforeMode, c.AfterMode, 0o600), c.AfterTime)
}

// readTemp returns the text of a temporary and its sum: "" if it is gone, unreadable if it is not a memory, or its
// folder is a link.
func readTemp(d *memory.Dir, temp string) (data []byte, sum memory.Sum, err error) {
	if _, err = d.Stat(temp); err == nil {
		data, err = memory.ReadBounded(d.Root(), temp, memory.MaxReadBytes)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case errors.Is(err, memory.ErrNotRegular) || errors.Is(err, memory.ErrTooLarge):
		return nil, unreadable, nil
	}
	return data, memory.SumOf(data), err
}

// keepTemps keeps what the temporaries in the directory have and no change names, and returns those that can be removed
// then.
func (s *Stage) keepTemps() (removable []string, err error) {
	temps, err := atomicfile.Temporaries(s.dir)
	for _, c := range s.Changes {
		if c.Temp != "" && !slices.Contains(temps, c.Temp) {
			temps = append(temps, c.Temp)
		}
	}
	for _, temp := range temps {
		if s.State == state.Staged && strings.Contains(path.Base(temp), s.ID) {
			removable = append(removable, temp)
			continue // a new text of ours: nothing has been exchanged yet
		}
		data, sum, err := readTemp(s.dir, temp)
		if err != nil {
			return nil, fmt.Errorf("what was displaced stays in %q: %w", temp, err)
		}
		if sum == "" || sum == unreadable {
			continue // gone; or somebody's, whose name somebody else has taken: it stays
		}
		removable = append(removable, temp)
		if s.keepText(data, sum) && !slices.Contains(s.Displaced, sum) {
			s.Displaced = append(s.Displaced, sum)
		}
	}
	return removable, err
}

// keepText keeps a text and reports whether it is new. The beginning of a new text is what a crash leaves of a
// temporary.
func (s *Stage) keepText(data []byte, sum memory.Sum) bool {
	if len(data) == 0 {
		return false
	}
	for _, c := range s.Changes {
		if sum == c.Before || sum == c.After {
			if _, err := s.Content(sum); err == nil {
				return false
			}
		} else if whole, err := s.Content(c.After); err == nil && bytes.HasPrefix(whole, data) {
			return false
		}
	}
	s.keep(data)
	return !s.names(sum) // else it was archived, and damaged since
}

// sweep removes the temporaries in the directory. Their texts are kept.
func (s *Stage) sweep() error {
	temps, err := s.keepTemps()
	if err == nil && s.pending != nil {
		err = s.store(nil)
	}
	if err != nil {
		return err
	}
	return s.tidy(temps)
}

// tidy removes temporaries, and folders that a landing made empty.
func (s *Stage) tidy(temps []string) error {
	for _, temp := range temps {
		if err := s.dir.Root().Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, c := range s.Changes {
		folder := path.Dir(c.Name.String())
		for err := error(nil); s.State == state.Landed && c.After == "" && folder != "." && err == nil; folder = path.Dir(folder) {
			err = s.dir.Root().Remove(folder) // fails, as it should, if it has files
		}
	}
	return nil
}
