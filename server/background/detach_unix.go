//go:build unix

package background

import (
	"os/exec"
	"syscall"
)

// detached is a command in a session of its own: no signal to who started it reaches it.
func detached(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// group makes cmd the head of a process group.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = dying(&syscall.SysProcAttr{Setpgid: true}) }

// alive reports whether any process of cmd's group is there.
func alive(cmd *exec.Cmd) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }

// end asks all processes of cmd's group to end; kill leaves them no choice.
func end(cmd *exec.Cmd) error  { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
