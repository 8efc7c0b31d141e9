package install

import "os"

// owner is empty: the folder decides who owns a new file.
type owner struct{}

func ownerOf(string) (owner, error) { return owner{}, nil }

func (owner) give(*os.File) error { return nil }
