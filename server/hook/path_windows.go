package hook

import "path/filepath"

func absolute(path string) bool { return filepath.IsAbs(path) }

// leads returns where a path leads, links followed; "" where it leads nowhere.
func leads(path string) string {
	path, _ = filepath.EvalSymlinks(path)
	return path
}
