//go:build unix

package share

import (
	"os/exec"
	"syscall"
)

// group makes cmd the head of a process group, which kill ends: git starts ssh and helpers.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
