//go:build unix && !linux

package background

import "syscall"

// dying leaves a as it is: this system can't tie one process's life to another's.
func dying(a *syscall.SysProcAttr) *syscall.SysProcAttr { return a }
