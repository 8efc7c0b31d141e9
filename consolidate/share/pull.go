package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"dream-mcp/memory/merge"
	"dream-mcp/memory/phrase"
)

// pulledFrom begins the reason of a sync in the log.
const pulledFrom = "pulled from "

// pull merges the commits of the remote after Base.
func (l *link) pull(ctx context.Context, h *heads) error {
	if h.memory == "" && l.Base != "" {
		return &StopError{"the remote no longer has this memory, so it is no longer shared; what is here stays. " +
			"dream-mcp share --stop ends it here, dream-mcp share REMOTE begins again"}
	}
	if h.memory == l.Base {
		if _, err := l.git.run(ctx, nil, "cat-file", "-e", l.Base+"^{commit}"); l.Base == "" || err == nil {
			return nil
		}
	}
	base, theirs, err := l.fetch(ctx, h)
	if err != nil {
		return err
	}
	if had := topics(base.files()); had > 0 && topics(theirs.files()) == 0 && !l.decided {
		return &StopError{fmt.Sprintf("the memory of the remote was emptied: it had %s. What is here stays; "+
			"dream-mcp share --now --yes deletes it here too, dream-mcp share --stop ends the sharing", phrase.Plural(had, "memory"))}
	}
	for p, data := range theirs {
		var is, was Mark
		if m := machineFile.FindStringSubmatch(p); m == nil || m[1] == l.Machine || json.Unmarshal(data, &is) != nil {
			continue
		}
		json.Unmarshal(base[p], &was) // there may be none
		if is.Read.After(was.Read) {
			l.OtherDream, l.OtherName = l.Store.Now().UTC(), plainName(is.Name)
		}
	}
	if err := l.save(); err != nil {
		return err
	}
	authors := l.authors(ctx, h.memory, l.Base)
	was, _ := redacted(base.files())
	is, had := redacted(theirs.files())
	notes, err := l.land(ctx, h.memory, pulledFrom+authors, was, is)
	if err != nil {
		return err
	}
	for _, n := range had {
		notes = append(notes, merge.Clash{Name: n, Why: fmt.Sprintf("%s sent a text that was forgotten here; run dream-mcp forget there too", authors)})
	}
	if len(notes) > 0 {
		l.Notes = notes[:min(len(notes), maxNotes)]
	}
	return l.moveBase(ctx, h.memory)
}

// moveBase records the commit that the memory here holds.
func (l *link) moveBase(ctx context.Context, commit string) error {
	l.Base = commit
	return errors.Join(l.save(), l.git.keep(ctx, commit))
}

// fetch fetches the memory of the remote, and sets h.memory to the fetched commit.
func (l *link) fetch(ctx context.Context, h *heads) (base, theirs tree, err error) {
	if h.memory, err = l.git.fetch(ctx, l.Remote, l.ref(memoryRef)); err != nil {
		return nil, nil, err
	}
	if l.Base != "" {
		// rev-list would walk by the dates of the commits, which are of the clocks of many machines.
		common, err := l.git.run(ctx, nil, "merge-base", l.Base, h.memory)
		if ctx.Err() != nil {
			return nil, nil, err
		}
		if strings.TrimSpace(common) != l.Base {
			return nil, nil, &StopError{fmt.Sprintf("the remote's history was replaced: "+
				"it has %.12s, which does not continue %.12s, the last that this machine pulled; what is here stays", h.memory, l.Base)}
		}
	}
	if base, err = l.git.read(ctx, l.Base); err == nil {
		theirs, err = l.git.read(ctx, h.memory)
	}
	return base, theirs, err
}

// authors names the machines that made the commits after from ("" for the beginning) up to commit.
func (l *link) authors(ctx context.Context, commit, from string) string {
	args := []string{"shortlog", "-s", "-n", commit}
	if from != "" {
		args = append(args, "^"+from)
	}
	out, err := l.git.run(ctx, nil, args...)
	var names []string
	for line := range strings.Lines(out) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		names = append(names, plainName(name))
	}
	if err != nil || len(names) == 0 {
		return "another machine"
	}
	if len(names) > 5 {
		names = append(names[:5], "others")
	}
	return strings.Join(names, ", ")
}
