package settings

import (
	"strings"
	"testing"
)

func TestEnabled(t *testing.T) {
	user := func(s string) string { return "home/.claude/settings.json => " + s }
	project := func(s string) string { return "home/p/.claude/settings.json => " + s }
	local := func(s string) string { return "home/p/.claude/settings.local.json => " + s }
	policy := func(s string) string { return "managed/managed-settings.json => " + s }
	const memoryOff, memoryOn = `{"autoMemoryEnabled":false}`, `{"autoMemoryEnabled":true}`
	const dreamOff, dreamOn = `{"autoDreamEnabled":false}`, `{"autoDreamEnabled":true}`
	for name, row := range map[string]struct {
		lines     []string
		on        bool
		why       string
		memoryOff bool
		warns     []string
	}{
		"nothing said": {nil, true, "by default", false, nil},

		"safe mode": {[]string{"CLAUDE_CODE_SAFE_MODE=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=0"}, false, "SAFE_MODE", true, nil},
		"disabled": {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", user(memoryOn)},
			false, `DISABLE_AUTO_MEMORY is "1" (environment)`, true, nil},
		"disabled, in a word":               {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=True"}, false, "DISABLE_AUTO_MEMORY", true, nil},
		"disabled, in no word":              {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=perhaps"}, true, "by default", false, nil},
		"forced over the setting":           {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=0", user(memoryOff)}, true, "forces", false, nil},
		"forced over a bare run":            {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=false", "CLAUDE_CODE_SIMPLE=1"}, true, "forces", false, nil},
		"disabled by the person's settings": {[]string{user(`{"env":{"CLAUDE_CODE_DISABLE_AUTO_MEMORY":"1"}}`)}, false, "env of", true, nil},
		"settings go before the shell": {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", user(`{"env":{"CLAUDE_CODE_DISABLE_AUTO_MEMORY":0}}`)},
			true, "env of", false, nil},
		"an untrusted file sets nothing": {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", project(`{"env":{"CLAUDE_CODE_DISABLE_AUTO_MEMORY":"0"}}`)},
			false, "environment", true, nil},
		"no instructions are loaded":  {[]string{"CLAUDE_CODE_DISABLE_CLAUDE_MDS=1"}, false, "CLAUDE_MDS", true, nil},
		"bare":                        {[]string{"CLAUDE_CODE_SIMPLE=1", user(memoryOn)}, false, "SIMPLE", true, nil},
		"not bare":                    {[]string{"CLAUDE_CODE_SIMPLE=0"}, true, "by default", false, nil},
		"remote":                      {[]string{"CLAUDE_CODE_REMOTE=true", user(memoryOn)}, false, "without CLAUDE_CODE_REMOTE_MEMORY_DIR", true, nil},
		"remote with a place":         {[]string{"CLAUDE_CODE_REMOTE=true", "CLAUDE_CODE_REMOTE_MEMORY_DIR=$T/r"}, true, "by default", false, nil},
		"memory off":                  {[]string{user(memoryOff)}, false, "autoMemoryEnabled is false in", true, nil},
		"memory off, a mode chosen":   {[]string{user(memoryOff), "DREAM_MODE=auto"}, false, "autoMemoryEnabled", true, nil},
		"off by an untrusted project": {[]string{user(memoryOn), project(memoryOff)}, false, "autoMemoryEnabled", true, nil},
		"on by an untrusted project":  {[]string{user(memoryOff), project(memoryOn)}, false, "autoMemoryEnabled", true, []string{"not trusted"}},
		"on by a trusted project":     {[]string{user(memoryOff), project(memoryOn), trust}, true, "autoMemoryEnabled is true", false, nil},
		"local before project":        {[]string{local(memoryOff), project(memoryOn), trust}, false, "settings.local.json", true, nil},
		"policy before all":           {[]string{policy(memoryOff), local(memoryOn), user(memoryOn), trust}, false, "managed-settings.json", true, nil},
		"no boolean":                  {[]string{user(`{"autoMemoryEnabled":"false"}`)}, true, "by default", false, []string{"not true or false"}},

		"our launcher":                     {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "DREAM_BACKGROUND=1"}, true, "by default", false, nil},
		"our launcher, bare":               {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "DREAM_BACKGROUND=1", "CLAUDE_CODE_SIMPLE=1"}, false, "SIMPLE", true, nil},
		"our launcher, the person's no":    {[]string{"DREAM_BACKGROUND=1", user(memoryOff)}, false, "autoMemoryEnabled", true, nil},
		"our launcher, the person's own 1": {[]string{"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "DREAM_BACKGROUND=1", user(`{"env":{"CLAUDE_CODE_DISABLE_AUTO_MEMORY":"1"}}`)}, false, "env of", true, nil},

		"mode off":                       {[]string{"DREAM_MODE=off"}, false, "the mode is off (DREAM_MODE)", false, nil},
		"mode off and dream off":         {[]string{"DREAM_MODE=off", user(dreamOff)}, false, "the mode", false, nil},
		"dream off":                      {[]string{user(dreamOff)}, false, "autoDreamEnabled is false in", false, nil},
		"dream on":                       {[]string{user(dreamOn)}, true, "by default", false, nil},
		"dream off, memory off":          {[]string{user(`{"autoDreamEnabled":false,"autoMemoryEnabled":false}`)}, false, "autoMemoryEnabled", true, nil},
		"dream off, a mode chosen":       {[]string{user(dreamOff), "DREAM_MODE=suggest"}, true, "(DREAM_MODE) overrides", false, nil},
		"dream off, a mode configured":   {[]string{user(dreamOff), `xdg/config/dream-mcp/config.json => {"mode":"auto"}`}, true, "overrides", false, nil},
		"dream off, no such mode":        {[]string{user(dreamOff), "DREAM_MODE=bold"}, false, "autoDreamEnabled", false, []string{"not one of off"}},
		"dream off in a trusted project": {[]string{user(dreamOn), project(dreamOff), trust}, false, "autoDreamEnabled", false, nil},
		"dream off in an untrusted project": {[]string{user(dreamOn), project(dreamOff)}, true, "by default", false,
			[]string{"not trusted"}},
		"policy before the person": {[]string{policy(dreamOn), user(dreamOff)}, true, "by default", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := resolve(t, row.lines...)
			if s.Enabled.On != row.on || s.Enabled.MemoryOff != row.memoryOff || !strings.Contains(s.Enabled.Why, row.why) {
				t.Errorf("enabled %+v, memory off %t; want %t, %t, why %q", s.Enabled, s.Enabled.MemoryOff, row.on, row.memoryOff, row.why)
			}
			warned(t, s.Warnings, row.warns...)
		})
	}
}
