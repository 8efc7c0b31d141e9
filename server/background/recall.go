package background

import (
	"context"
	"errors"
	"slices"
	"strings"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/recall"
	"dream-mcp/consolidate/state"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/secret"
	"dream-mcp/server/hook"
	"dream-mcp/server/settings"
)

// moments are the moments at which memories are shown, with the level that each needs. A sub-agent is shown none, nor
// is a session without a name, since nobody knows what it has seen.
var moments = map[hook.Moment]string{hook.Start: recall.Start, hook.Prompt: recall.Prompt}

// recalls reports whether memories may be shown at an event.
func recalls(setup settings.Setup, e hook.Event) bool {
	level := moments[e.Moment]
	return level != "" && !e.Sub && e.Session != "" && e.Source != "fork" && !setup.Enabled.MemoryOff && recall.Includes(setup.Recall.Value, level) &&
		!strings.Contains(e.Prompt, said.DreamMarker) && !(e.Moment == hook.Start && setup.Loaded && !e.Compacted())
}

// recalled returns the text with the memories to show at an event, mostly "", and the files that the person should see.
func recalled(ctx context.Context, p *consolidate.Project, setup settings.Setup, e hook.Event) (text string, files []string, err error) {
	push := state.Push{Host: setup.Client, Session: e.Session, Event: recall.Forgot}
	if e.Compacted() {
		if _, err := p.Recall.Claim(push); err != nil {
			return "", nil, err
		}
	}
	if e.Moment == hook.Start && setup.Loaded {
		return "", nil, nil
	}
	var all []recall.Memory
	var chosen []recall.Note
	if e.Moment == hook.Prompt {
		chosen, err = p.Recall.ForPrompt(ctx, said.Typed(e.Prompt)) // some hosts add what they were given at the start
	} else {
		all, err = p.Recall.Memories(ctx)
	}
	if err != nil {
		return "", nil, err
	}
	page := recall.Page{Now: p.Store.Now(), Dir: p.Store.MemoryDir, Allowed: secret.Allowed(setup.AllowSecrets)}
	var shown []*recall.Memory
	if e.Moment == hook.Start {
		text, shown = page.Index(all)
	} else if _, shown = page.Notes(chosen); len(shown) == 0 {
		return "", nil, nil
	}
	push.Event, push.Files = moments[e.Moment], paths(shown)
	fresh, claimErr := p.Recall.Claim(push)
	if e.Moment != hook.Start {
		text, shown = page.Notes(slices.DeleteFunc(chosen, func(n recall.Note) bool { return !slices.Contains(fresh, n.Path) }))
		files = paths(shown)
	}
	if claimErr != nil || fresh == nil {
		text, files = "", nil
	}
	return text, files, errors.Join(err, claimErr)
}

func paths(all []*recall.Memory) (names []string) {
	for _, m := range all {
		names = append(names, m.Path)
	}
	return names
}
