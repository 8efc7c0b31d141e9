package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const ownConfig = "xdg/config/dream-mcp/config.json => "

// TestLayers adds each place of settings, the weakest first.
func TestLayers(t *testing.T) {
	type want struct {
		mode     string
		hours    float64
		sessions int
		source   string
	}
	const all, project = `"mode":"approve","min_hours":1,"min_sessions":1`, `{"mode":"auto","min_hours":2,"min_sessions":2}`
	for _, row := range []struct {
		lines []string
		f     Flags
		want  want
	}{
		{nil, NoFlags, want{"suggest", 24, 5, "default"}},
		{[]string{ownConfig + "{" + all + "}"}, NoFlags, want{"approve", 1, 1, "config.json"}},
		{[]string{ownConfig + "{" + all + `,"projects":{"$T/home/p":` + project + "}}"}, NoFlags, want{"auto", 2, 2, "projects["}},
		{[]string{ownConfig + "{" + all + `,"projects":{"~/p":` + project + "}}"}, NoFlags, want{"auto", 2, 2, "projects["}},
		{[]string{ownConfig + "{" + all + `,"projects":{"$T/home/q":` + project + "}}"}, NoFlags, want{"approve", 1, 1, "config.json"}},
		{[]string{ownConfig + "{" + all + "}", "DREAM_MODE=suggest", "DREAM_MIN_HOURS=0.5", "DREAM_MIN_SESSIONS=0"}, NoFlags, want{"suggest", 0.5, 0, "DREAM_M"}},
		{[]string{"DREAM_MODE=suggest", "DREAM_MIN_HOURS=3", "DREAM_MIN_SESSIONS=3"}, Flags{Mode: "off", MinHours: 0, MinSessions: 0}, want{"off", 0, 0, "--m"}},
	} {
		env, _ := world(t, row.lines...)
		s, err := Resolve(env, row.f)
		if err != nil {
			t.Fatal(err)
		}
		if s.Mode != row.want.mode || s.MinHours != row.want.hours || s.MinSessions != row.want.sessions {
			t.Errorf("%q: %s %v %d, want %+v", row.lines, s.Mode, s.MinHours, s.MinSessions, row.want)
		}
		for _, key := range []string{"mode", "min_hours", "min_sessions"} {
			if !strings.Contains(s.Settings[key].Source, row.want.source) {
				t.Errorf("%q: source of %s is %q, want %q", row.lines, key, s.Settings[key].Source, row.want.source)
			}
		}
		if s.ModeSource != s.Settings["mode"].Source || s.Mode != s.Settings["mode"].Value {
			t.Errorf("%q: the mode is reported twice, %q and %q", row.lines, s.ModeSource, s.Settings["mode"])
		}
		warned(t, s.Warnings)
	}
}

// TestLayersOfRepository has settings for a worktree and for its repository; the worktree's are stronger.
func TestLayersOfRepository(t *testing.T) {
	s, _ := resolve(t, "home/p/.git => gitdir: $T/home/main/.git/worktrees/p", "home/main/.git/worktrees/p/commondir => ../..",
		"home/main/.git/worktrees/p/gitdir => $T/home/p/.git",
		ownConfig+`{"projects":{"$T/home/main":{"min_hours":1,"min_sessions":1},"$T/home/p":{"min_hours":2}}}`)
	if s.MinHours != 2 || s.MinSessions != 1 {
		t.Errorf("%v hours and %d sessions, want 2 and 1", s.MinHours, s.MinSessions)
	}
}

// TestConfigBad has files with errors: each is a warning with its place, and the rest of the file is used.
func TestConfigBad(t *testing.T) {
	for name, row := range map[string]struct {
		line  string
		hours float64
		warns []string
	}{
		"empty":                    {ownConfig, 24, nil},
		"a mark in front":          {ownConfig + "\ufeff" + `{"min_hours":7}`, 7, nil},
		"malformed":                {ownConfig + "{\n\"min_hours\": 7,\n oops}", 24, []string{"line 3, byte 20"}},
		"cut off":                  {ownConfig + `{"min_hours": 7`, 24, []string{"line 1, byte"}},
		"two objects":              {ownConfig + `{"min_hours": 7} {}`, 24, []string{"line 1, byte 18"}},
		"no object":                {ownConfig + `[7]`, 24, []string{"array instead of an object"}},
		"too deep":                 {ownConfig + `{"min_hours":7,"x":` + strings.Repeat("[", 20_000), 24, []string{"depth"}},
		"too deep, with a comment": {ownConfig + "// mine\n" + strings.Repeat("[", 1<<20-1000), 24, []string{"invalid character"}},
		"too large":                {ownConfig + `{"min_hours":7}` + strings.Repeat(" ", maxSettings), 24, []string{"larger than"}},
		"a directory":              {"xdg/config/dream-mcp/config.json/", 24, []string{"not a regular file"}},
		"a loop of links":          {"xdg/config/dream-mcp/config.json -> config.json", 24, []string{"is ignored"}},
		"no folder":                {"xdg/config => x", 24, nil},
		"unknown key":              {ownConfig + `{"min_hours":7,"min_hour":1}`, 7, []string{`unknown key "min_hour"`}},
		"nested projects":          {ownConfig + `{"min_hours":7,"projects":{"$T/home/p":{"projects":{}}}}`, 7, []string{`unknown key "projects"`}},
		"projects a list":          {ownConfig + `{"min_hours":7,"projects":[]}`, 7, []string{`"projects" in`}},
		"project a text":           {ownConfig + `{"min_hours":7,"projects":{"$T/home/p":"x"}}`, 7, []string{"is not an object"}},
		"null":                     {ownConfig + `{"min_hours":null,"mode":null}`, 24, nil},
		"negative":                 {ownConfig + `{"min_hours":-1,"min_sessions":-1}`, 24, []string{"min_hours", "min_sessions"}},
		"beyond time":              {ownConfig + `{"min_hours":1e9}`, 24, []string{"not a number between 0 and 1000000"}},
		"half a session":           {ownConfig + `{"min_hours":7,"min_sessions":1.5}`, 7, []string{"not a whole number"}},
		"no archive":               {ownConfig + `{"min_hours":7,"max_archive_mib":0}`, 7, []string{"max_archive_mib"}},
		"another type": {ownConfig + `{"min_hours":"7","mode":1,"memory_dir":"","transcripts":"x"}`,
			24, []string{"min_hours", "mode", "memory_dir", "transcripts"}},
		"variable, a word": {"DREAM_MIN_HOURS=soon", 24, []string{"DREAM_MIN_HOURS"}},
		"variable, NaN":    {"DREAM_MIN_HOURS=NaN", 24, []string{"DREAM_MIN_HOURS"}},
		"variable, Inf":    {"DREAM_MIN_HOURS=+Inf", 24, []string{"DREAM_MIN_HOURS"}},
		"variable, half":   {"DREAM_MIN_SESSIONS=2.5", 24, []string{"DREAM_MIN_SESSIONS"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := resolve(t, row.line)
			if s.MinHours != row.hours || s.MinSessions != defaultMinSessions || s.Mode != defaultMode {
				t.Errorf("%v hours, %d sessions, mode %s; want %v", s.MinHours, s.MinSessions, s.Mode, row.hours)
			}
			warned(t, s.Warnings, row.warns...)
		})
	}
}

// TestArchiveLimit sets the limit for a project and for all.
func TestArchiveLimit(t *testing.T) {
	s, _ := resolve(t, ownConfig+`{"max_archive_mib":7,"projects":{"$T/home/p":{"max_archive_mib":5}}}`)
	if s.MaxArchiveMiB != 5 || s.Settings["max_archive_mib"].Value != "5" {
		t.Errorf("%d MiB, %+v", s.MaxArchiveMiB, s.Settings["max_archive_mib"])
	}
	if s, _ := resolve(t, ""); s.MaxArchiveMiB != defaultMaxArchiveMiB {
		t.Errorf("%d MiB without a word", s.MaxArchiveMiB)
	}
}

// TestWarningsBounded has a file with many unknown keys.
func TestWarningsBounded(t *testing.T) {
	var keys []string
	for i := range 1000 {
		keys = append(keys, fmt.Sprintf(`"k%d":1`, i))
	}
	s, _ := resolve(t, ownConfig+"{"+strings.Join(keys, ",")+"}")
	if n := len(s.Warnings); n != maxWarnings+1 || !strings.Contains(s.Warnings[n-1], "more") {
		t.Errorf("%d warnings, the last %q", n, s.Warnings[n-1])
	}
}

// TestModeUnknown has a typing error in a strong layer. It must not uncover the bolder mode of a weaker one.
func TestModeUnknown(t *testing.T) {
	s, _ := resolve(t, "DREAM_MODE=of", ownConfig+`{"mode":"auto"}`)
	if s.Mode != ModeSuggest || s.ModeSource != "default" {
		t.Errorf("mode %q (%s), want the default", s.Mode, s.ModeSource)
	}
	warned(t, s.Warnings, `mode "of" (DREAM_MODE) is not one of`)
}

func TestFlagsBad(t *testing.T) {
	env, _ := world(t)
	f := NoFlags
	f.Project = "nowhere"
	if s, err := Resolve(env, f); err == nil {
		t.Errorf("no error, but %+v", s)
	}
}

func TestTranscripts(t *testing.T) {
	list := func(names ...string) string { return strings.Join(names, string(filepath.ListSeparator)) }
	const configured = ownConfig + `{"transcripts":["~/c"]}`
	for name, row := range map[string]struct {
		lines []string
		flags []string
		want  []string
		warns []string
	}{
		"none":     {nil, nil, nil, nil},
		"config":   {[]string{configured}, nil, []string{"home/c"}, nil},
		"variable": {[]string{configured, "DREAM_TRANSCRIPTS=" + list("$T/a", "", "~/b")}, nil, []string{"a", "home/b"}, nil},
		"flag":     {[]string{configured, "DREAM_TRANSCRIPTS=$T/a"}, []string{"rel", "~/b"}, []string{"home/p/rel", "home/b"}, nil},
		"relative": {[]string{"DREAM_TRANSCRIPTS=" + list("rel", "$T/a")}, nil, []string{"a"}, []string{"not absolute"}},
		"NUL":      {[]string{ownConfig + `{"transcripts":["/a\u0000","~/c"]}`}, nil, []string{"home/c"}, []string{"NUL"}},
	} {
		env, top := world(t, row.lines...)
		f := NoFlags
		f.Transcripts = row.flags
		s, err := Resolve(env, f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, dir := range s.Transcripts {
			got = append(got, short(top, dir))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
		warned(t, s.Warnings, row.warns...)
	}
}

func TestCleanupDays(t *testing.T) {
	for name, row := range map[string]struct {
		lines []string
		want  int
		warns []string
	}{
		"default":       {nil, 30, nil},
		"user":          {[]string{`home/.claude/settings.json => {"cleanupPeriodDays":90}`}, 90, nil},
		"project first": {[]string{`home/.claude/settings.json => {"cleanupPeriodDays":90}`, `home/p/.claude/settings.json => {"cleanupPeriodDays":7}`}, 7, nil},
		"zero": {[]string{`home/.claude/settings.json => {"cleanupPeriodDays":90}`, `home/p/.claude/settings.json => {"cleanupPeriodDays":0}`},
			90, []string{"between 1"}},
		"a text": {[]string{`home/.claude/settings.json => {"cleanupPeriodDays":"90"}`}, 30, []string{"whole number"}},
	} {
		s, _ := resolve(t, row.lines...)
		if s.CleanupDays != row.want {
			t.Errorf("%s: %d days, want %d", name, s.CleanupDays, row.want)
		}
		warned(t, s.Warnings, row.warns...)
	}
}
