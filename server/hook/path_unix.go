//go:build !windows

package hook

import (
	"bytes"
	"io/fs"
	"os"
)

func absolute(path string) bool { return path != "" && path[0] == '/' }

// maxLinks is where a path is taken to lead in a circle, as package path/filepath does.
const maxLinks = 255

// leads returns where an absolute path leads, links followed; "" where it leads nowhere.
func leads(path string) string {
	real := ""
	rest := []byte(path)
	for links := 0; len(rest) > 0; {
		var part []byte
		part, rest, _ = bytes.Cut(rest, []byte("/"))
		switch string(part) {
		case "", ".":
			continue
		case "..":
			real = real[:max(0, bytes.LastIndexByte([]byte(real), '/'))]
			continue
		}
		next := real + "/" + string(part)
		info, err := os.Lstat(next)
		if err != nil {
			return ""
		}
		if info.Mode().Type() != fs.ModeSymlink {
			real = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return ""
		}
		if absolute(target) {
			real = ""
		}
		rest = []byte(target + "/" + string(rest))
	}
	return real + "/"
}
