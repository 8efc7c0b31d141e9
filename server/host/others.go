package host

import (
	"dream-mcp/consolidate/transcript/said"
	"path/filepath"
	"slices"
	"strings"
)

// others are the hosts beside Claude Code whose sessions are read.
var others = []struct {
	host     said.Host
	variable string // moves the host's folder
	below    string // the folder below the variable's
	name     string // the folder in the home directory
	file     string // variable that names the one file of all sessions, relative to the folder or absolute
}{
	{said.Codex, "CODEX_HOME", "", ".codex", ""},
	{said.Gemini, "GEMINI_CLI_HOME", ".gemini", ".gemini", ""},
	{said.OpenClaw, "OPENCLAW_STATE_DIR", "", ".openclaw", ""},
	{said.OpenCode, "XDG_DATA_HOME", "opencode", ".local/share/opencode", "OPENCODE_DB"}, // on any system
}

// chooseHosts finds the folders of the other hosts, of all or of those in config.json. Claude Code's sessions are always read.
func (r *resolver) chooseHosts() error {
	var known []string
	for _, o := range others {
		known = append(known, string(o.host))
	}
	wanted, _, source := chosen(r, "hosts", known)
	for _, name := range wanted {
		if name != string(said.ClaudeCode) && !slices.Contains(known, name) {
			r.warn("host %q (%s) is not one of claude-code, %s; ignored", clip(name), source, strings.Join(known, ", "))
		}
	}
	used := []string{string(said.ClaudeCode)}
	for _, o := range others {
		if !slices.Contains(wanted, string(o.host)) {
			continue
		}
		used = append(used, string(o.host))
		home := ""
		switch named := r.env.Getenv(o.variable); {
		case named != "" && absolute(r.env.GOOS, named):
			home = filepath.Join(named, o.below)
		case named != "":
			r.warn("%s %q is not an absolute path; sessions of %s are not searched", o.variable, clip(named), o.host)
		case r.env.Home != "":
			home = filepath.Join(r.env.Home, o.name)
		}
		if file := r.env.Getenv(o.file); file != "" && absolute(r.env.GOOS, file) {
			home = file
		} else if home != "" {
			home = filepath.Join(home, file)
		}
		if home != "" {
			r.Others = append(r.Others, said.Other{Host: o.host, Home: home})
		}
	}
	r.Settings["hosts"] = Setting{strings.Join(used, ", "), source}
	return nil
}
