package settings

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/text/unicode/norm"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/visible"
)

// ours is the name of our folders.
const ours = "dream-mcp"

// StateHome returns the folder of all databases: $XDG_STATE_HOME/dream-mcp, else ~/.local/state/dream-mcp, on macOS
// ~/Library/Application Support/dream-mcp, on Windows %LocalAppData%\dream-mcp. It need not exist. StateHome fails if
// neither a variable nor a home directory is known.
func StateHome(env Environment) (string, error) { return env.folder(state) }

// kind is one of the three kinds of folders of the XDG base directory specification.
type kind struct{ xdg, unix, variable, windows string }

var (
	state  = kind{"XDG_STATE_HOME", ".local/state", "LocalAppData", "AppData/Local"}
	config = kind{"XDG_CONFIG_HOME", ".config", "AppData", "AppData/Roaming"}
	data   = kind{"XDG_DATA_HOME", ".local/share", "LocalAppData", "AppData/Local"}
)

var errNoHome = errors.New("no home directory is known")

func (env Environment) folder(k kind) (string, error) {
	if env.GOOS == "" {
		env.GOOS = runtime.GOOS
	}
	lookup := func(name string) string {
		if env.Getenv == nil {
			return ""
		}
		// The specification ignores relative paths.
		if v := env.Getenv(name); filepath.IsAbs(v) {
			return v
		}
		return ""
	}
	if v := lookup(k.xdg); v != "" {
		return filepath.Join(v, ours), nil
	}
	if env.GOOS == "windows" {
		if v := lookup(k.variable); v != "" {
			return filepath.Join(v, ours), nil
		}
	}
	if !filepath.IsAbs(env.Home) {
		return "", fmt.Errorf("%w, and %s is not set", errNoHome, k.xdg)
	}
	below := k.unix
	switch env.GOOS {
	case "darwin":
		below = "Library/Application Support"
	case "windows":
		below = k.windows
	}
	return filepath.Join(env.Home, filepath.FromSlash(below), ours), nil
}

// real resolves the links in a path as far as it exists.
var real = ops.RealPath

// nfc returns the Unicode form of a path from which Claude Code makes the name of a folder.
func nfc(s string) string { return norm.NFC.String(s) }

// ProjectKeys returns the names that Claude Code's state file may have for a project: its path, in its Unicode form or
// with the slashes of Unix.
func ProjectKeys(dir string) []string { return []string{dir, nfc(dir), filepath.ToSlash(dir)} }

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// same reports whether two paths name one existing file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// clip shortens a value for a message.
func clip(s string) string {
	return visible.Cut(s, 200)
}

// expand returns the path that a person wrote: ~/ is the home directory, and a relative path is joined to base unless
// that is "".
func (env Environment) expand(value, base string) (string, error) {
	if strings.ContainsRune(value, 0) {
		return "", errNUL
	}
	if rest, ok := strings.CutPrefix(value, "~/"); ok || value == "~" {
		if env.Home == "" {
			return "", errNoHome
		}
		if !ok {
			rest = ""
		}
		return filepath.Join(env.Home, rest), nil
	}
	if base != "" && value != "" && !absolute(env.GOOS, value) {
		return filepath.Join(base, value), nil
	}
	return value, nil
}

// directory is expand for a memory directory. It refuses the root of a drive or a path next to it, a network share, a
// NUL, and the home directory or one above it.
func (env Environment) directory(value, base string) (string, error) {
	dir, err := env.expand(value, base)
	if err != nil {
		return "", err
	}
	if err := env.admissible(dir); err != nil {
		return "", err
	}
	dir = real(dir)
	// Again, after links.
	return dir, env.admissible(dir)
}

var (
	errRelative = errors.New("it is not absolute and does not begin with ~/")
	errNUL      = errors.New("it holds a NUL")
)

func (env Environment) admissible(dir string) error {
	slashed := slashes(env.GOOS, dir)
	switch {
	case strings.ContainsRune(dir, 0):
		return errNUL
	case strings.HasPrefix(slashed, "//"):
		return errors.New("it is on a network share")
	case !absolute(env.GOOS, dir):
		return errRelative
	}
	clean := path.Clean(slashed)
	if env.GOOS == "windows" {
		clean = clean[len("C:"):]
	}
	const nearRoot = 3 // "/a" is a typing error, as in Claude Code
	if len(clean) < nearRoot {
		return errors.New("it is the root of a drive or next to it")
	}
	home := slashes(env.GOOS, env.Home)
	if clean = path.Clean(slashed); foldsCase(env.GOOS) {
		home, clean = strings.ToLower(home), strings.ToLower(clean)
	}
	if home != "" && said.Within(clean, home) {
		return errors.New("it is the home directory or holds it")
	}
	return nil
}

// absolute is filepath.IsAbs for a system.
func absolute(goos, p string) bool {
	if goos != "windows" {
		return strings.HasPrefix(p, "/")
	}
	s := slashes(goos, p)
	return len(s) >= 3 && s[1] == ':' && s[2] == '/' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

// foldsCase reports whether the file systems of a system usually ignore case.
func foldsCase(goos string) bool { return goos == "windows" || goos == "darwin" }

func slashes(goos, p string) string {
	if goos == "windows" {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}
