//go:build unix

package lock

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// processAlive reports whether a process pid exists on this machine, as far as this namespace sees.
func processAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// processGone reports whether process pid runs no more. It may still have its number, where a parent does not ask how
// it ended: Linux reports that, and other systems do not.
func processGone(pid int) bool {
	if !processAlive(pid) {
		return true
	}
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // PID (NAME) STATE …, and a name may hold anything
	state := stat[bytes.LastIndexByte(stat, ')')+1:]
	return bytes.HasPrefix(state, []byte(" Z")) || bytes.HasPrefix(state, []byte(" X"))
}

// machine names the boot and the PID namespace we run in, "" where the system does not tell.
func machine() (boot, namespace string) {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ = os.Readlink("/proc/self/ns/pid")
	return cmp.Or(strings.TrimSpace(string(id)), bootSession()), namespace
}
