package background

import (
	"os/exec"
	"strconv"
	"syscall"
)

const detachedProcess = 0x8 // DETACHED_PROCESS: no console is shared

func detached(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
	return cmd
}

func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// alive returns false: Windows cannot list a group.
func alive(*exec.Cmd) bool { return false }

// end and kill end a process and all that it started. Windows has no signal that asks.
func end(cmd *exec.Cmd) error { return kill(cmd) }

func kill(cmd *exec.Cmd) error {
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
}
