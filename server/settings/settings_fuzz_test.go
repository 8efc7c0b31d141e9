package settings

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// FuzzSettings checks that any settings give a valid Setup, and the same each time: a known mode, numbers within their
// limits, an absolute memory directory that is not a root, bounded warnings. Only a named memory directory can make
// Resolve fail.
func FuzzSettings(f *testing.F) {
	f.Add(`{"mode":"auto","min_hours":1e9,"projects":{"~/p":{"memory_dir":"/"}}}`,
		`{"autoMemoryDirectory":"~/m","cleanupPeriodDays":0}`, `{"projects":{"/p":{"hasTrustDialogAccepted":true}}}`)
	f.Add(`{"allow_secrets":["x"],"hosts":[7],"max_usd":-1,"transcripts":["",".."]}`, `{"autoMemoryEnabled":"no","autoDreamEnabled":null}`, `[`)
	f.Add("\xef\xbb\xbf{}", "{\"env\":{\"CLAUDE_CODE_DISABLE_AUTO_MEMORY\":1}}", "\x00")
	f.Fuzz(func(t *testing.T, config, settings, state string) {
		env, top := world(t)
		for path, text := range map[string]string{"xdg/config/dream-mcp/config.json": config, "home/.claude/settings.json": settings, "home/.claude.json": state} {
			path = filepath.Join(top, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Resolve(env, NoFlags)
		again, errAgain := Resolve(env, NoFlags)
		if !reflect.DeepEqual(s, again) || (err == nil) != (errAgain == nil) {
			t.Fatalf("%+v, %v; then %+v, %v", s, err, again, errAgain)
		}
		if !slices.Contains(Modes, s.Mode) || !between(0.0, MaxHours)(s.MinHours) || !between(0, MaxSessions)(s.MinSessions) ||
			s.CleanupDays < 1 || s.CleanupDays > maxDays {
			t.Errorf("out of bounds: %+v", s)
		}
		if len(s.Warnings) > maxWarnings+1 {
			t.Errorf("out of bounds: %+v", s)
		}
		switch {
		case err == nil && (!filepath.IsAbs(s.MemoryDir) || filepath.Dir(s.MemoryDir) == s.MemoryDir):
			t.Errorf("the memory directory is %q", s.MemoryDir)
		case err != nil && s.Settings["memory_dir"].Source == "default":
			t.Errorf("nobody named a memory directory: %v", err)
		}
	})
}
