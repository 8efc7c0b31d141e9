//go:build unix && !linux

package background

import "syscall"

// dying returns a: this system does not kill a process when another ends.
func dying(a *syscall.SysProcAttr) *syscall.SysProcAttr { return a }
