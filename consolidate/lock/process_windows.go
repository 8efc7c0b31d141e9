package lock

import (
	"errors"

	"golang.org/x/sys/windows"
)

const stillActive = 259 // STILL_ACTIVE of GetExitCodeProcess

// processAlive reports whether a process pid exists on this machine.
func processAlive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h)
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}

func machine() (boot, namespace string) { return "", "" }

// processGone reports whether process pid runs no more.
func processGone(pid int) bool { return !processAlive(pid) }
