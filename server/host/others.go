package host

import (
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript"
)

// others are the hosts beside Claude Code whose sessions count: the variable that moves the host's folder,
// what lies below what the variable names, and the folder's name in the home directory (FACTS 8).
var others = []struct {
	host     transcript.Host
	variable string
	below    string
	name     string
}{
	{transcript.Codex, "CODEX_HOME", "", ".codex"},
	{transcript.Gemini, "GEMINI_CLI_HOME", ".gemini", ".gemini"},
	{transcript.OpenClaw, "OPENCLAW_STATE_DIR", "", ".openclaw"},
}

// chooseHosts finds the folders of the other hosts. All count, unless config.json says which do: an empty
// list is Claude Code alone, whose sessions always count.
func (r *resolver) chooseHosts() error {
	wanted, source := []string{}, "default"
	for _, o := range others {
		wanted = append(wanted, string(o.host))
	}
	for _, l := range r.layers {
		if l.hosts == nil {
			continue
		}
		source = l.from("hosts")
		for _, name := range *l.hosts {
			if name != string(transcript.ClaudeCode) && !slices.Contains(wanted, name) {
				r.warn("host %q (%s) is none of claude-code, %s; ignored", clip(name), source, strings.Join(wanted, ", "))
			}
		}
		wanted = *l.hosts
		break
	}
	used := []string{string(transcript.ClaudeCode)}
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
			r.warn("%s %q is no absolute path; sessions of %s are not searched", o.variable, clip(named), o.host)
		case r.env.Home != "":
			home = filepath.Join(r.env.Home, o.name)
		}
		if home != "" {
			r.Others = append(r.Others, transcript.Other{Host: o.host, Home: home})
		}
	}
	r.Settings["hosts"] = Setting{strings.Join(used, ", "), source}
	return nil
}
