//go:build unix

package background

import (
	"os/exec"
	"syscall"
)

// detached returns a command in a session of its own, so that signals to the hook do not reach it.
func detached(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// group makes cmd the head of a process group.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = dying(&syscall.SysProcAttr{Setpgid: true}) }

// alive reports whether the group of cmd has a process.
func alive(cmd *exec.Cmd) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }

// end and kill send SIGTERM and SIGKILL to the group of cmd.
func end(cmd *exec.Cmd) error  { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
