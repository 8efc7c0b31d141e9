package settings

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"dream-mcp/consolidate/transcript/said"
)

func TestFolders(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, row := range []struct {
		goos, variable, value       string
		wantState, wantConf, wantDt string // below home, with dream-mcp to follow; "=" is the value itself
	}{
		{"linux", "", "", ".local/state", ".config", ".local/share"},
		{"darwin", "", "", "Library/Application Support", "Library/Application Support", "Library/Application Support"},
		{"windows", "", "", "AppData/Local", "AppData/Roaming", "AppData/Local"},
		{"windows", "LocalAppData", elsewhere, "=", "AppData/Roaming", "="},
		{"windows", "AppData", elsewhere, "AppData/Local", "=", "AppData/Local"},
		{"linux", "LocalAppData", elsewhere, ".local/state", ".config", ".local/share"},
		{"linux", "XDG_STATE_HOME", elsewhere, "=", ".config", ".local/share"},
		{"darwin", "XDG_CONFIG_HOME", elsewhere, "Library/Application Support", "=", "Library/Application Support"},
		{"linux", "XDG_STATE_HOME", "elsewhere", ".local/state", ".config", ".local/share"}, // a relative one is ignored, says the specification
	} {
		env := Environment{Home: home, GOOS: row.goos, Getenv: func(name string) string {
			if name == row.variable {
				return row.value
			}
			return ""
		}}
		for _, c := range []struct {
			kind kind
			want string
		}{{state, row.wantState}, {config, row.wantConf}, {data, row.wantDt}} {
			want := filepath.Join(home, c.want, "dream-mcp")
			if c.want == "=" {
				want = filepath.Join(row.value, "dream-mcp")
			}
			if got, err := env.folder(c.kind); err != nil || got != want {
				t.Errorf("%s with %s: %q, %v; want %q", row.goos, row.variable, got, err, want)
			}
		}
	}
	if dir, err := StateHome(Environment{GOOS: "linux"}); !errors.Is(err, errNoHome) {
		t.Errorf("without a home: %q, %v", dir, err)
	}
}

func TestDirectory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the paths of the table may be links")
	}
	const no = "refused"
	for _, row := range []struct{ goos, home, value, want string }{
		{"linux", "/home/me", "/srv/memories", "/srv/memories"},
		{"linux", "/home/me", "/srv/memories/../other/", "/srv/other"},
		{"linux", "/home/me", "~/memories", "/home/me/memories"},
		{"linux", "/home/me", "/home/m", "/home/m"}, // which only begins alike
		{"linux", "/home/me", "~", no},
		{"linux", "/home/me", "~/", no},
		{"linux", "/home/me", "~/.", no},
		{"linux", "/home/me", "~/..", no},
		{"linux", "/home/me", "~/a/..", no},
		{"linux", "/home/me", "~other/memories", no},
		{"linux", "", "~/memories", no},
		{"linux", "/home/me", "", no},
		{"linux", "/home/me", "memories", no},
		{"linux", "/home/me", "./memories", no},
		{"linux", "/home/me", "../memories", no},
		{"linux", "/home/me", "/", no},
		{"linux", "/home/me", "/a", no},
		{"linux", "/home/me", "/srv/..", no},
		{"linux", "/home/me", "/home", no},
		{"linux", "/home/me", "/home/me", no},
		{"linux", "/home/me", "//server/share", no},
		{"linux", "/home/me", "/srv/a\x00b", no},
		{"linux", "/home/me", `C:\memories`, no},
		{"linux", "/home/me", "$HOME/memories", no},
		{"darwin", "/Users/me", "/users/ME", no},
		{"windows", `C:\Users\me`, `C:\`, no},
		{"windows", `C:\Users\me`, `C:`, no},
		{"windows", `C:\Users\me`, `C:memories`, no},
		{"windows", `C:\Users\me`, `\memories`, no},
		{"windows", `C:\Users\me`, `\\server\share\memories`, no},
		{"windows", `C:\Users\me`, `//server/share/memories`, no},
		{"windows", `C:\Users\me`, `\\?\C:\memories`, no},
		{"windows", `C:\Users\me`, `c:\users`, no},
		{"windows", `C:\Users\me`, `1:\memories`, no},
	} {
		env := Environment{GOOS: row.goos, Home: row.home}
		got, err := env.directory(row.value, "")
		if row.want == no && err == nil || row.want != no && (err != nil || filepath.ToSlash(got) != row.want) {
			t.Errorf("%s: %q is %q, %v; want %s", row.goos, row.value, got, err, row.want)
		}
	}
	for _, ok := range []string{`C:\memories`, `d:/work/memories`} {
		if err := (Environment{GOOS: "windows", Home: `C:\Users\me`}).admissible(ok); err != nil {
			t.Errorf("windows: %q is refused: %v", ok, err)
		}
	}
}

// FuzzDirectory checks that the result of directory is absolute, clean, neither the home directory nor above it, and
// stable.
func FuzzDirectory(f *testing.F) {
	if runtime.GOOS != "linux" {
		f.Skip("elsewhere the paths of the law may be links")
	}
	for _, s := range []string{"~/a", "/srv/a/../b", "~/../..", "a", "/home/me/x/..", "//x/y", "~//", "/\xff/ä", "~/a/../../me"} {
		f.Add(s, "")
		f.Add(s, "/home/me/p")
	}
	f.Add("0", "/\x00")
	env := Environment{GOOS: "linux", Home: "/home/me"}
	f.Fuzz(func(t *testing.T, value, base string) {
		if base != "" && !filepath.IsAbs(base) {
			t.Skip()
		}
		dir, err := env.directory(value, base)
		if err != nil {
			return
		}
		if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir || said.Within(dir, env.Home) || len(dir) < 3 || strings.ContainsRune(dir, 0) {
			t.Errorf("%q from %q is %q", value, base, dir)
		}
		if again, err := env.directory(dir, ""); err != nil || again != dir {
			t.Errorf("%q is %q, then %q, %v", value, dir, again, err)
		}
	})
}

func TestReal(t *testing.T) {
	_, top := world(t, "a/b/", "l -> a", "loop -> loop", "lost -> gone", "file => x")
	for path, want := range map[string]string{
		"a/b": "a/b", "l/b": "a/b", "l/b/c/d": "a/b/c/d", "l/../l/b/": "a/b", "loop/x": "loop/x", "lost/x": "lost/x", "file/x": "file/x", "gone": "gone",
	} {
		if got := real(filepath.Join(top, path)); got != filepath.Join(top, want) {
			t.Errorf("real(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	if got := clip(strings.Repeat("ä", 500)); len(got) > 210 || !utf8.ValidString(got) {
		t.Errorf("clipped to %d bytes: %q", len(got), got)
	}
}

func TestReadBounds(t *testing.T) {
	_, top := world(t, "exact => 12345678", "more => 123456789", "dir/", "link -> exact")
	for name, want := range map[string]bool{"exact": true, "link": true, "more": false, "dir": false, "none": false, os.DevNull: false} {
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(top, name)
		}
		if b, err := ReadFile(path, 8); (err == nil) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}
