package share

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// Add makes a memory of this project the person's, in all their projects. One that this project deleted, changed to
// have no scope, or goes without, takes part again.
func (p *Person) Add(ctx context.Context, n memory.Name) error {
	return p.decide(ctx, n, func(ctx context.Context, known map[string]state.Copy, theirs Files) error {
		ours, err := p.here(ctx, []memory.Name{n})
		if err != nil {
			return err
		}
		text, isHere := ours[n]
		_, isTheirs := theirs[n]
		topic := memory.ParseTopic(text)
		switch {
		case !isHere && !isTheirs:
			return ops.Refuse(fmt.Sprintf("no memory has the name %q", n), "name one as MEMORY.md does: name.md or folder/name.md")
		case !isHere:
			delete(known, n.String()) // the exchange brings it back
			return p.exchange(ctx, known, theirs)
		case !topic.HasFrontmatter():
			return ops.Refuse(fmt.Sprintf("%s has no frontmatter, which says whose it is", n), "begin it with the lines ---, name:, description: and ---")
		}
		isPersons := topic.IsPersons()
		topic.MarkPersonal()
		err = p.noteAgreed(known, theirs, n, isPersons)
		if err == nil && string(topic.Bytes()) != string(text) {
			err = land(ctx, p.Store, ours, Files{n: topic.Bytes()}, nil, "you made it a memory of all your projects")
		}
		if err == nil {
			err = p.exchange(ctx, known, theirs)
		}
		return err
	})
}

// Agreed notes that the person makes a memory theirs, before the caller lands it with its scope. If it does not land,
// the next exchange forgets that. The caller holds the mutex.
func (p *Person) Agreed(ctx context.Context, n memory.Name) error {
	return p.alone(ctx, func(_ context.Context, known map[string]state.Copy, theirs Files) error {
		return p.noteAgreed(known, theirs, n, false)
	})
}

// noteAgreed changes known: an exchange after a crash knows what was meant.
func (p *Person) noteAgreed(known map[string]state.Copy, theirs Files, n memory.Name, isPersons bool) error {
	was, isKnown := known[n.String()]
	_, isTheirs := theirs[n]
	if isTheirs && !isKnown && !isPersons {
		return ops.Refuse(fmt.Sprintf("your projects have another memory of the name %s", n), "rename one of the two; dream-mcp share --person lists them")
	}
	known[n.String()] = state.Copy{Text: was.Text, Ours: was.Ours || !isTheirs, New: !isTheirs}
	return p.setKnown(known)
}

// Remove ends that a memory is the person's in all projects. It stays, with its newest text, where it was before and
// where it was changed since; elsewhere it goes.
func (p *Person) Remove(ctx context.Context, n memory.Name) error {
	return p.decide(ctx, n, func(ctx context.Context, known map[string]state.Copy, theirs Files) error {
		if theirs[n] == nil {
			return notPersons(n)
		}
		err := p.exchange(ctx, known, theirs) // the last that all have is the newest of here and elsewhere
		if err == nil {
			theirs, err = p.texts(ctx)
		}
		if err == nil {
			err = land(ctx, p.all, theirs, Files{n: nil}, nil, "you ended it")
		}
		if delete(theirs, n); err == nil {
			err = p.exchange(ctx, p.known(), theirs)
		}
		return err
	})
}

// Except lets this project go without a memory of the person, or have its own text of it.
func (p *Person) Except(ctx context.Context, n memory.Name) error {
	return p.decide(ctx, n, func(_ context.Context, known map[string]state.Copy, _ Files) error {
		was, is := known[n.String()]
		if !is {
			return notPersons(n)
		}
		was.Except = true
		known[n.String()] = was
		return p.setKnown(known)
	})
}

func notPersons(n memory.Name) error {
	return ops.Refuse(fmt.Sprintf("%s is not a memory of all your projects", n), "dream-mcp share --person lists them")
}

// decide calls do with what a decision of the person about n needs, while no other process exchanges.
func (p *Person) decide(ctx context.Context, n memory.Name, do exchanging) error {
	defer p.Store.Lock()()
	switch t := p.Store.Current(); {
	case t != nil:
		return t.Busy()
	case p.Store.Unattended:
		return ops.ErrUnattended
	case n.Creatable() != nil:
		return n.Creatable()
	case p.all.MemoryDir == p.Store.MemoryDir:
		return ops.Refuse("this is the memory of all your projects itself", "use it in a project")
	}
	if err := p.MayWrite(); err != nil {
		return err
	}
	return p.alone(ctx, do)
}

// A Held is a memory of the person, as this project has it.
type Held struct {
	File        string `json:"file"`
	Description string `json:"description"`
	Here        bool   `json:"here"`
	Question    string `json:"question,omitempty"` // what the person has to decide
}

// List exchanges what changed, and returns the memories of the person by name.
func (p *Person) List(ctx context.Context) ([]Held, error) {
	defer p.Store.Lock()()
	if err := p.Sync(ctx); err != nil {
		return nil, err
	}
	return p.listHeld(ctx)
}

func (p *Person) listHeld(ctx context.Context) (list []Held, err error) {
	if !p.Used() {
		return nil, nil
	}
	theirs, err := p.texts(ctx)
	if delete(theirs, memory.IndexName); err != nil || len(theirs) == 0 {
		return nil, err
	}
	known := p.known()
	ours, err := p.here(ctx, slices.Collect(maps.Keys(theirs)))
	for n, text := range theirs {
		was, isKnown := known[n.String()]
		mine, isHere := ours[n]
		h := Held{File: n.String(), Description: memory.ParseTopic(text).Description(), Here: isHere && isKnown && !was.Except}
		again := fmt.Sprintf("dream-mcp share --person remove %s ends it everywhere, add %s brings it back, except %s leaves it so", n, n, n)
		switch {
		case was.Except:
		case isKnown && !isHere:
			h.Here, h.Question = false, "it was deleted here and stays in your other projects: "+again
		case isKnown && !memory.ParseTopic(mine).IsPersons():
			h.Here, h.Question = false, "here it no longer says scope: person, so what changes stays here: "+again
		case isHere && !isKnown:
			h.Question = "another memory here has this name, so this project goes without it: rename that one"
		}
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b Held) int { return cmp.Compare(a.File, b.File) })
	return list, err
}

// Findings returns what the person has to decide, and those of topics that say that they are the person's without the
// person's consent. The caller holds the mutex.
func (p *Person) Findings(ctx context.Context, topics map[memory.Name]*memory.Topic) (findings []rule.Finding) {
	add := func(file, message, hint string) {
		findings = append(findings, rule.Finding{Rule: rule.InAllProjects, Severity: rule.Warning, File: file, Message: message, Hint: hint})
	}
	known := p.known()
	for n, t := range topics {
		if _, is := known[n.String()]; !is && t.IsPersons() && p.all.MemoryDir != p.Store.MemoryDir {
			add(n.String(), "it says scope: person, and the person did not make it theirs", "only they can: dream-mcp share --person add "+n.String())
		}
	}
	list, _ := p.listHeld(ctx)
	for _, h := range list {
		if h.Question != "" {
			add(h.File, h.Question, "ask the person")
		}
	}
	slices.SortFunc(findings, func(a, b rule.Finding) int { return cmp.Compare(a.File, b.File) })
	return findings
}
