package install

import (
	"slices"

	"github.com/tailscale/hujson"

	"dream-mcp/consolidate/host"
	"dream-mcp/server/settings"
)

// quiet are our tools that change no memory, so that a person may want no question before each call: those that only
// read, and the one that ends a dream without landing anything.
var quiet = []string{"dream_status", "dream_orient", "grep_transcripts", "read_memory", "abort_dream"}

// Rules returns the lines by which the host asks nothing before a call of a quiet tool; nil if it has no such settings.
func Rules(h *host.Host) (rules []string) {
	if h.Settings.Allow == nil {
		return nil
	}
	for _, tool := range quiet {
		rules = append(rules, h.Settings.Allow.Rule(server, tool))
	}
	return rules
}

// isRule reports whether a text is a rule of ours in any host.
func isRule(text string) bool {
	return slices.ContainsFunc(Hosts(), func(h *host.Host) bool { return slices.Contains(Rules(h), text) })
}

// allowPart returns the part with the rules.
func allowPart(h *host.Host, env settings.Environment) Part {
	keys, rules := h.Settings.Allow.Keys, Rules(h)
	ours := func(d *document) (found map[*hujson.Value]bool, texts []string, err error) {
		list, err := d.find(keys...)
		if list == nil || err != nil {
			return nil, nil, err
		}
		found = map[*hujson.Value]bool{}
		_, values, _ := items(list)
		for _, v := range values {
			if text, ok := v.Value.(hujson.Literal); ok && slices.Contains(rules, text.String()) {
				found[v], texts = true, append(texts, text.String())
			}
		}
		return found, texts, nil
	}
	return Part{
		Name: Permissions, File: in(env, h.Settings.Allow.Place, h.Settings.Allow.File),
		add: checked(editJSON(func(d *document) error {
			_, have, err := ours(d)
			for _, rule := range rules {
				if err == nil && !slices.Contains(have, rule) {
					err = d.set(rule, append(slices.Clone(keys), "")...)
				}
			}
			return err
		}), decodeJSON),
		remove: checked(editJSON(func(d *document) error {
			found, _, err := ours(d)
			if err == nil {
				prune(d.root, func(v *hujson.Value) bool { return found[v] })
			}
			return err
		}), decodeJSON),
	}
}

// Asks reports whether the host asks before our quiet tools and has a setting against it. Parts returns what prevents
// reading it.
func (i Installer) Asks(h *host.Host) bool {
	if h.Settings.Allow == nil {
		return false
	}
	p := allowPart(h, i.Env.WithDefaults())
	return p.look() == nil && p.State != Installed
}
