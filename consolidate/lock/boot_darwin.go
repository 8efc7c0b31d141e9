package lock

import "syscall"

// bootSession returns the name of the boot.
func bootSession() string {
	id, _ := syscall.Sysctl("kern.bootsessionuuid")
	return id
}
