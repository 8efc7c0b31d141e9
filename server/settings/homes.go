package settings

import (
	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/said"
	"path/filepath"
	"slices"
	"strings"
)

// chooseHosts finds the folders of the other hosts, of all or of those in config.json. Claude Code's sessions are
// always read.
func (r *resolver) chooseHosts() {
	known := host.IDs(func(h *host.Host) bool { return h.Read() && h.ID != ClaudeCode })
	wanted, _, source := chosen(r, "hosts", known)
	for _, name := range wanted {
		if name != ClaudeCode && !slices.Contains(known, name) {
			r.warn("host %q (%s) is not one of claude-code, %s; ignored", clip(name), source, strings.Join(known, ", "))
		}
	}
	used := []string{ClaudeCode}
	for _, name := range known {
		if !slices.Contains(wanted, name) {
			continue
		}
		used = append(used, name)
		for i := range host.Find(name).Sessions {
			r.addSessions(name, &host.Find(name).Sessions[i])
		}
	}
	r.Settings["hosts"] = Setting{strings.Join(used, ", "), source}
}

// addSessions adds the folder of sessions of a host.
func (r *resolver) addSessions(name string, of *host.Sessions) {
	home := ""
	switch named := r.env.Getenv(of.Place.Variable); {
	case named == "" || absolute(r.env.GOOS, named):
		home = of.Place.In(r.env.Getenv, r.env.Home, r.env.GOOS)
	default:
		r.warn("%s %q is not an absolute path; sessions of %s are not searched", of.Place.Variable, clip(named), name)
	}
	if file := r.env.Getenv(of.File); file != "" && absolute(r.env.GOOS, file) {
		home = file
	} else if home != "" {
		home = filepath.Join(home, file)
	}
	if home != "" {
		r.Homes = append(r.Homes, said.HostHome{Format: &of.Format, Home: home})
	}
}
