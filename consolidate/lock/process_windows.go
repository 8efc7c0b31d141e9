package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// processAlive reports whether a process pid exists on this machine.
func processAlive(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h)
	state, err := windows.WaitForSingleObject(h, 0)
	return err == nil && state == uint32(windows.WAIT_TIMEOUT) // it is signalled when the process ends
}

// machine names this machine: Windows has no name for a boot. Where a process has the number of one from before, that
// one is taken to run still.
func machine() (boot, namespace string) {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return "", ""
	}
	defer key.Close()
	boot, _, _ = key.GetStringValue("MachineGuid")
	namespace, _ = os.Hostname() // containers may have the GUID of their image
	return boot, namespace
}

// processGone reports whether process pid runs no more.
func processGone(pid int) bool { return !processAlive(pid) }
