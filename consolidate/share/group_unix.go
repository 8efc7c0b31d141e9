//go:build unix

package share

import (
	"os/exec"
	"syscall"
)

// group has cmd end with all that it has started, such as ssh.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // git removes its lock files
}
