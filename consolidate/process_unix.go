//go:build unix

package consolidate

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

// processAlive reports whether a process pid exists on this machine, as far as this namespace sees.
func processAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// machine names the boot and the PID namespace we run in, "" where the system does not tell.
func machine() (boot, namespace string) {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ = os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(id)), namespace
}
