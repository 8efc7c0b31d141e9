package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/server/hook"
)

// decision is what a hook keeps of a Setup.
func decision(s Setup) string {
	return fmt.Sprint(s.MemoryDir, s.Enabled.On, s.Mode, s.MinHours, s.MinSessions)
}

// Whatever changes the decision is seen by who looks again at what Resolve looked at. What changes nothing may be seen too.
func TestLook(t *testing.T) {
	for _, row := range []struct {
		name        string
		base, after []string
		same        bool // the decision stays
	}{
		{name: "our settings appear", after: []string{ownConfig + `{"mode":"auto"}`}},
		{name: "our settings change", base: []string{ownConfig + `{"mode":"auto"}`}, after: []string{ownConfig + `{"mode":"off"}`}},
		{name: "the person's settings appear", after: []string{`home/.claude/settings.json => {"autoMemoryEnabled":false}`}},
		{name: "the person names a memory directory", base: []string{"home/.claude/settings.json => {}"}, after: []string{`home/.claude/settings.json => {"autoMemoryDirectory":"~/elsewhere"}`}},
		{name: "the project's settings appear", after: []string{`home/p/.claude/settings.json => {"autoMemoryEnabled":false}`}},
		{name: "the project's own settings appear", after: []string{`home/p/.claude/settings.local.json => {"autoMemoryEnabled":false}`}},
		{name: "the checkout's settings appear", base: []string{"home/.git/", "home/p/"}, after: []string{`home/p/.claude/settings.json => {"autoMemoryEnabled":false}`}},
		{name: "the project is trusted", base: []string{`home/p/.claude/settings.json => {"autoMemoryDirectory":"~/elsewhere"}`},
			after: []string{`home/.claude.json => {"projects":{"$T/home/p":{"hasTrustDialogAccepted":true}}}`}},
		{name: "an administrator's settings appear", after: []string{`managed/managed-settings.json => {"autoMemoryEnabled":false}`}},
		{name: "a fragment of them appears", base: []string{"managed/managed-settings.d/a.json => {}"}, after: []string{`managed/managed-settings.d/b.json => {"autoMemoryEnabled":false}`}},
		{name: "a repository is made above", base: []string{"home/.claude/", "home/q/"}, after: []string{"home/.git/"}},
		{name: "Claude Code appears", after: []string{"home/.claude/projects/"}},
		{name: "the memory becomes a link", base: []string{"home/.claude/projects/", "synced/"}, after: []string{"home/.claude/projects/SLUG/memory -> $T/synced"}},
		{name: "Claude Code's state changes, and nobody asks it", base: []string{`home/.claude/settings.json => {"model":"x"}`, `home/p/.claude/settings.json => {"model":"x"}`, "home/.claude.json => {}"},
			after: []string{`home/.claude.json => {"projects":{"$T/home/p":{"hasTrustDialogAccepted":true}}}`}, same: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			env, top := world(t, row.base...)
			var seen []hook.Seen
			env.Look = func(path string, a Aspect) { seen = append(seen, hook.See(path, string(a))) }
			before, err := Resolve(env, NoFlags)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range row.after {
				change(t, top, strings.ReplaceAll(line, "SLUG", slug(filepath.Join(top, "home", "p"))))
			}
			env.Look = nil
			after, err := Resolve(env, NoFlags)
			if err != nil {
				t.Fatal(err)
			}
			if same := decision(before) == decision(after); same != row.same {
				t.Fatalf("the decision was %s and is %s", decision(before), decision(after))
			}
			changed := slices.ContainsFunc(seen, func(s hook.Seen) bool { return hook.See(s.Path, s.Aspect) != s })
			if changed == row.same {
				t.Errorf("seen: %v, among %d looks", changed, len(seen))
			}
		})
	}
}

// change makes a line of a world true.
func change(t *testing.T, top, line string) {
	t.Helper()
	line = strings.ReplaceAll(line, "$T", filepath.ToSlash(top))
	path, text, isFile := strings.Cut(line, " => ")
	from, to, isLink := strings.Cut(line, " -> ")
	var err error
	switch {
	case isFile:
		path = filepath.Join(top, path)
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
	case isLink:
		from = filepath.Join(top, from)
		if err = os.MkdirAll(filepath.Dir(from), 0o700); err == nil {
			err = os.Symlink(to, from)
		}
	default:
		err = os.MkdirAll(filepath.Join(top, line), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLimits(t *testing.T) {
	s, _ := resolve(t)
	if l := s.Limits; l.MaxTurns != DefaultMaxTurns || l.MaxMinutes != DefaultMaxMinutes || l.MaxUSD != DefaultMaxUSD || l.Model != "" || l.Command != nil {
		t.Errorf("by default %+v", l)
	}
	s, _ = resolve(t, ownConfig+`{"max_turns":3,"max_minutes":0.5,"max_usd":0,"model":"small","background_command":["run","{mcp_config}"],"projects":{"$T/home/p":{"max_turns":4}}}`)
	if l := s.Limits; l.MaxTurns != 4 || l.MaxMinutes != 0.5 || l.MaxUSD != 0 || l.Model != "small" || len(l.Command) != 2 {
		t.Errorf("set to %+v", l)
	}
	if got := s.Settings["max_turns"]; got.Value != "4" || !strings.HasPrefix(got.Source, "projects[") {
		t.Errorf("max_turns is %+v", got)
	}
	for _, bad := range []string{`"max_turns":0`, `"max_turns":1.5`, `"max_minutes":0`, `"max_minutes":1e9`, `"max_usd":-1`, `"max_usd":"much"`, `"model":""`, `"model":"--dangerously-skip-permissions"`, `"background_command":[]`, `"background_command":"rm -rf /"`, `"background_command":[""]`} {
		s, _ := resolve(t, ownConfig+"{"+bad+"}")
		if l := s.Limits; l.MaxTurns != DefaultMaxTurns || l.MaxMinutes != DefaultMaxMinutes || l.MaxUSD != DefaultMaxUSD || l.Model != "" || l.Command != nil {
			t.Errorf("%s is taken as %+v", bad, l)
		}
		if !slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.Contains(w, "ignored") }) {
			t.Errorf("%s is passed over in silence: %q", bad, s.Warnings)
		}
	}
	// A repository can't say what is started, nor what is spent.
	s, _ = resolve(t, `home/p/.claude/settings.json => {"background_command":["evil"],"max_usd":100}`, "DREAM_MAX_USD=100", "DREAM_BACKGROUND_COMMAND=evil")
	if s.Limits.Command != nil || s.Limits.MaxUSD != DefaultMaxUSD {
		t.Errorf("%+v", s.Limits)
	}
}
