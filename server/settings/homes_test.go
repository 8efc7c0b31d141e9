package settings

import (
	"cmp"
	"dream-mcp/consolidate/transcript/said"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// tried are the hosts that TestOtherHosts tries: those added since are found in the same way.
var tried = []said.HostID{"claude-code", "codex", "gemini", "openclaw", "opencode"}

func TestOtherHosts(t *testing.T) {
	config := cmp.Or(map[string]string{"windows": "AppData/Roaming", "darwin": "Library/Application Support"}[runtime.GOOS], ".config")
	tests := []struct {
		name    string
		world   []string
		want    string // with $T for the top
		setting string
		warning string
	}{
		{"all by default, be they there or not", nil,
			"codex $T/home/.codex, gemini $T/home/.gemini, openclaw $T/home/.openclaw, opencode $T/xdg/data/opencode", "claude-code, codex, gemini, openclaw, opencode default", ""},
		{"where variables say", []string{"CODEX_HOME=$T/c", "GEMINI_CLI_HOME=$T/g", "OPENCLAW_STATE_DIR=$T/o", "XDG_DATA_HOME=$T/data"},
			"codex $T/c, gemini $T/g/.gemini, openclaw $T/o, opencode $T/data/opencode", "claude-code, codex, gemini, openclaw, opencode default", ""},
		{"in the home, where no variable says", []string{"XDG_DATA_HOME=", `home/` + config + `/dream-mcp/config.json => {"hosts": ["opencode"]}`, "XDG_CONFIG_HOME="},
			"opencode $T/home/.local/share/opencode", "claude-code, opencode $T/home/" + config + "/dream-mcp/config.json", ""},
		{"a database by its name", []string{"OPENCODE_DB=mine.db", `xdg/config/dream-mcp/config.json => {"hosts": ["opencode"]}`},
			"opencode $T/xdg/data/opencode/mine.db", "claude-code, opencode $T/xdg/config/dream-mcp/config.json", ""},
		{"a database by its path", []string{"OPENCODE_DB=$T/mine.db", `xdg/config/dream-mcp/config.json => {"hosts": ["opencode"]}`},
			"opencode $T/mine.db", "claude-code, opencode $T/xdg/config/dream-mcp/config.json", ""},
		{"not where a relative one says", []string{"CODEX_HOME=c", `xdg/config/dream-mcp/config.json => {"hosts": ["codex"]}`},
			"", "claude-code, codex $T/xdg/config/dream-mcp/config.json", "CODEX_HOME"},
		{"none", []string{`xdg/config/dream-mcp/config.json => {"hosts": []}`},
			"", "claude-code $T/xdg/config/dream-mcp/config.json", ""},
		{"of one project", []string{`xdg/config/dream-mcp/config.json => {"hosts": [], "projects": {"~/p": {"hosts": ["gemini", "claude-code"]}}}`},
			"gemini $T/home/.gemini", `claude-code, gemini projects["~/p"] of $T/xdg/config/dream-mcp/config.json`, ""},
		{"an unknown one", []string{`xdg/config/dream-mcp/config.json => {"hosts": ["nobody"]}`},
			"", "claude-code $T/xdg/config/dream-mcp/config.json", "nobody"},
		{"no list", []string{`xdg/config/dream-mcp/config.json => {"hosts": "codex"}`},
			"codex $T/home/.codex, gemini $T/home/.gemini, openclaw $T/home/.openclaw, opencode $T/xdg/data/opencode", "claude-code, codex, gemini, openclaw, opencode default", "list of hosts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, top := resolve(t, tt.world...)
			var got []string
			for _, o := range s.Homes {
				if !slices.Contains(tried, o.Format.Host) {
					continue
				}
				got = append(got, fmt.Sprintf("%s %s", o.Format.Host, o.Home))
			}
			got = slices.Compact(got) // a host may keep sessions in several forms
			top = filepath.ToSlash(top)
			if want := strings.ReplaceAll(tt.want, "$T", top); filepath.ToSlash(strings.Join(got, ", ")) != want {
				t.Errorf("others %q, want %q", got, want)
			}
			used := slices.DeleteFunc(strings.Split(s.Settings["hosts"].Value, ", "), func(id string) bool { return !slices.Contains(tried, said.HostID(id)) })
			if got, want := filepath.ToSlash(strings.Join(used, ", ")+" "+s.Settings["hosts"].Source), strings.ReplaceAll(tt.setting, "$T", top); got != want {
				t.Errorf("setting %q, want %q", got, want)
			}
			if warned := strings.Join(s.Warnings, "\n"); tt.warning == "" && warned != "" || !strings.Contains(warned, tt.warning) {
				t.Errorf("warnings %q, want %q", warned, tt.warning)
			}
		})
	}
}

func TestSessionsOfOtherHosts(t *testing.T) {
	for _, tt := range []struct {
		world []string
		want  string
	}{
		{[]string{"CODEX_THREAD_ID=0199-a"}, "0199-a"},
		{[]string{"GEMINI_CLI=1", "GEMINI_SESSION_ID=9f56-b"}, "9f56-b"},
		{[]string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=c", "CODEX_THREAD_ID=0199-a"}, "c"},
		{[]string{"CLAUDECODE=1", "CODEX_THREAD_ID=0199-a"}, ""},
	} {
		if s, _ := resolve(t, tt.world...); s.SessionID != tt.want {
			t.Errorf("%q: %q, want %q", tt.world, s.SessionID, tt.want)
		}
	}
}
