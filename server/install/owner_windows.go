package install

import "os"

// owner is nothing here: a new file belongs to whom the folder says.
type owner struct{}

func ownerOf(string) (owner, error) { return owner{}, nil }

func (owner) isUs() bool          { return true }
func (owner) give(*os.File) error { return nil }
