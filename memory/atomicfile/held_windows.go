package atomicfile

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// patience is how long a program that holds a file is waited for. Virus scanners and indexers hold what was just
// written.
const patience = 2 * time.Second

// insist does something again while another program holds a file that it needs.
func insist(do func() error) error {
	for began, wait := time.Now(), time.Millisecond; ; wait *= 2 {
		err := do()
		if !isHeld(err) || time.Since(began)+wait > patience {
			return err
		}
		time.Sleep(wait)
	}
}

func isHeld(err error) bool {
	code, ok := errors.AsType[syscall.Errno](err)
	return ok && (code == windows.ERROR_SHARING_VIOLATION || code == windows.ERROR_LOCK_VIOLATION || code == windows.ERROR_ACCESS_DENIED)
}
