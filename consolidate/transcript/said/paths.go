package said

import (
	"path"
	"strings"
)

// Within reports whether a recorded working directory is root or is below it, part by part. Both may come from another
// system. A path with a drive letter is read as Windows writes it. The case of the letter does not count: an editor
// starts Claude Code in c:\, a terminal in C:\.
func Within(root, dir string) bool {
	same := root == dir // most are
	if root = slashed(root); same {
		return root != ""
	}
	dir = slashed(dir)
	if root == "" || dir == "" {
		return false
	}
	return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
}

// slashed is an absolute path with plain slashes and a lower-case drive, or "" when p is not absolute.
func slashed(p string) string {
	drive := len(p) > 2 && p[1] == ':' && IsAlphanumeric(p[0]) && p[0] > '9' && (p[2] == '\\' || p[2] == '/')
	if drive || strings.HasPrefix(p, `\\`) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if drive {
		return path.Clean(strings.ToLower(p[:1]) + p[1:])
	}
	if !strings.HasPrefix(p, "/") {
		return ""
	}
	return path.Clean(p)
}

// IsAlphanumeric reports whether a byte is an ASCII letter or digit.
func IsAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
