package ops

import (
	"errors"
	"fmt"
	"io/fs"

	"dream-mcp/memory"
)

// A BaseError says that a write was not based on what is there.
type BaseError struct {
	Name   memory.Name
	Base   string     // what the caller gave
	Have   memory.Sum // what is there; "" when nothing is
	Near   string     // where nothing is there, the topic on disk that is likeliest meant, or ""
	OnDisk bool       // Have is on disk and the stage holds something else, or nothing
}

func (e *BaseError) Error() string {
	switch {
	case e.Have == "":
		return fmt.Sprintf("%s does not exist, but a base was given", e.Name)
	case e.Base == "":
		return fmt.Sprintf("%s exists with sum %s, and no base was given", e.Name, e.Have.Short())
	}
	return fmt.Sprintf("%s has sum %s, not %s", e.Name, e.Have.Short(), e.Base)
}

// Check returns what a write of n would replace. It fails with a *BaseError if base is not the sum of that; the base of
// nothing is "". If the file on disk was changed after it was staged, base must be the sum on disk.
func (s *Stage) Check(n memory.Name, base string) (memory.File, error) {
	have, _, err := s.checkWithDisk(n, base)
	return have, err
}

// checkWithDisk is Check. It returns the sum on disk too, by the same look: an edit after it is a conflict.
func (s *Stage) checkWithDisk(n memory.Name, base string) (have memory.File, disk memory.Sum, err error) {
	if err := n.Writable(); err != nil {
		return memory.File{}, "", err
	}
	have, edited, err := s.Read(n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return memory.File{}, "", err
	}
	if edited != nil {
		have = *edited
	}
	disk = have.Sum
	if c, ok := s.Change(n); ok && edited == nil {
		disk = c.Before
	}
	if err := s.checkSpelling(n, have.Sum != ""); err != nil {
		return memory.File{}, "", err
	}
	switch {
	case have.Sum == "" && base == "":
	case have.Sum == "":
		return memory.File{}, "", &BaseError{Name: n, Base: base, Near: s.dir.Nearest(n.String())}
	case !have.Sum.Is(base):
		return memory.File{}, "", &BaseError{Name: n, Base: base, Have: have.Sum, OnDisk: edited != nil}
	}
	return have, disk, nil
}

// checkSpelling fails with a *TwinError where n would be another spelling of a memory that is there. A file system
// that folds cases finds n by the other spelling, and the rules would take it for another memory.
func (s *Stage) checkSpelling(n memory.Name, found bool) error {
	l, err := s.dir.List()
	if err != nil {
		return err
	}
	var twin memory.Name
	fold := n.Fold()
	for _, f := range l.Files {
		switch {
		case f.Name == n:
			return nil
		case f.Name.Fold() == fold && (found || !s.deletes(f.Name)):
			twin = f.Name
		}
	}
	for _, c := range s.Changes {
		if c.Name != n && c.After != "" && c.Name.Fold() == fold {
			twin = c.Name
		}
	}
	if twin != (memory.Name{}) {
		return &memory.TwinError{Name: n, Twin: twin}
	}
	return nil
}
