package background

import "syscall"

// dying has the kernel kill a process when the thread that started it ends. The caller locks its thread.
func dying(a *syscall.SysProcAttr) *syscall.SysProcAttr {
	a.Pdeathsig = syscall.SIGKILL
	return a
}
