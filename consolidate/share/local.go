package share

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/merge"
	"dream-mcp/memory/rule"
)

// local returns the memory of this machine, and up to when its transcripts were read.
func (l *link) local(ctx context.Context) (files Files, last time.Time, err error) {
	defer l.Store.Lock()()
	if files, err = l.read(ctx); err == nil {
		last, err = l.LastRead(ctx)
	}
	return files, last, err
}

// read reads the memory of this machine. The caller holds the mutex of the store.
func (r *Share) read(ctx context.Context) (files Files, err error) {
	err = r.Store.View(ctx, func(dir *memory.Dir) error {
		files = Files{}
		if dir != nil {
			files, err = readFiles(dir)
		}
		return err
	})
	return files, err
}

// readFiles reads every topic and the index. A file that cannot be read is an error: without it, it would look deleted.
func readFiles(dir *memory.Dir) (Files, error) {
	s, err := dir.Snapshot()
	if err != nil {
		return nil, err
	}
	if s.Limited {
		return nil, fmt.Errorf("the memory directory holds more files than are read")
	}
	for _, o := range s.Other {
		if n, err := memory.ParseName(o.Path); err == nil && (n.IsTopic() || n.IsIndex()) {
			return nil, fmt.Errorf("%q cannot be shared: %s", o.Path, o.Why)
		}
	}
	files := Files{}
	for n, t := range s.Topics {
		files[n] = t.Bytes()
	}
	if s.Index != nil {
		files[memory.IndexName] = s.Index.Bytes()
	}
	return files, nil
}

// land merges the changes from base to theirs into the memory and lands the result, so that it holds commit.
func (l *link) land(ctx context.Context, commit, summary string, base, theirs Files) (notes []merge.Clash, err error) {
	defer l.Store.Lock()()
	info := l.Store.New(lock.KindSync)
	info.Commit, info.Reason = commit, summary
	landed, err := l.Store.Change(ctx, info, func(t *ops.Tx) (none ops.NewIndex, err error) {
		local, err := readFiles(t.Dir)
		if err != nil {
			return none, err
		}
		var merged Files
		if merged, notes, err = l.merge(base, local, theirs); err != nil {
			return none, err
		}
		return none, stage(t.Stage, local, merged)
	})
	if err == nil && len(landed.LeftAlone) > 0 {
		err = fmt.Errorf("%s was changed during the merge; the next sync merges it again", landed.LeftAlone[0].Name)
	}
	return notes, err
}

// Ended records the commit that the memory holds after a merge has landed, and that a dream has ended, so that the next
// sync releases its lease. Recovery calls it again. The caller holds the mutex and the file lock.
func (r *Share) Ended(i ops.Op) error {
	merged := i.Kind == lock.KindSync && i.Outcome == ops.Committed && len(i.LeftAlone) == 0
	if !merged && i.Kind != lock.KindDream {
		return nil
	}
	if _, err := r.State(); err != nil {
		return nil
	}
	_, err := saved.Change(r.Store.Records.DB(), func(s *State) bool {
		if merged {
			s.Base = i.Commit
		} else {
			s.Finished = s.Held != ""
		}
		return s.Remote != ""
	})
	return err
}

// stage stages the changes from local to merged. It never deletes the index.
func stage(to *ops.Stage, local, merged Files) (err error) {
	for _, n := range changed(local, merged) {
		if data, stays := merged[n]; stays {
			err = to.Restore(n, data, time.Time{})
		} else if !n.IsIndex() {
			_, err = to.Write(n, string(memory.SumOf(local[n])), nil, nil)
		}
		if err != nil {
			break
		}
	}
	return err
}

// changed returns the memories that differ, sorted.
func changed(before, after Files) []memory.Name {
	return memories(tree{}.with(before).changes(tree{}.with(after)))
}

// judge fails if new text in after breaks a rule that a merge must not break. Other rules are for the next dream.
func judge(s *ops.Store, before, after Files, then string) error {
	was := &memory.Snapshot{Topics: make(map[memory.Name]*memory.Topic), AllowSecrets: s.AllowSecrets}
	is := &memory.Snapshot{Topics: make(map[memory.Name]*memory.Topic), AllowSecrets: s.AllowSecrets}
	for _, n := range changed(before, after) {
		if data, stays := after[n]; stays {
			is.Put(n, data)
		}
		if data, had := before[n]; had {
			was.Put(n, data)
		}
	}
	for _, f := range (rule.Check{Before: was, After: is, Now: s.Now()}).Whole() {
		if f.Severity == rule.Error && (f.Rule == rule.Name || f.Rule == rule.Secret || f.Rule == rule.Invisible) {
			return ops.Refuse(fmt.Sprintf("%s, because of %s, line %d: %s", then, f.File, f.Line, f.Message),
				"take it out of that memory, here or on the machine that it comes from; a value that is not a secret goes into allow_secrets")
		}
	}
	return nil
}

// merge merges what is shared, and keeps the rest.
func (l *link) merge(base, local, theirs Files) (Files, []merge.Clash, error) {
	for n, data := range theirs {
		if !l.Team || n.IsIndex() {
			continue
		}
		if !isTeam(data) {
			return nil, nil, hostile("%q, which is of a type that a team does not share", n)
		}
		if have, is := local[n]; is && !isTeam(have) {
			return nil, nil, hostile("%q, which is a private memory here: rename one of the two", n)
		}
	}
	mine := view(local, l.Team)
	merged, notes, err := merge.Files(base, mine, theirs)
	if err != nil {
		return nil, nil, err
	}
	all, _, err := merge.Files(mine, local, merged)
	if err == nil {
		err = judge(l.Store, local, all, "nothing is pulled")
	}
	if err != nil {
		err = &StopError{err.Error()}
	}
	return all, notes, err
}

// isTeam reports whether a memory is of the types that a team shares, and of no other.
func isTeam(data []byte) bool {
	kinds := memory.ParseTopic(data).Syntax().EveryType()
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool {
		return kind != memory.TypeProject && kind != memory.TypeReference
	})
}

// view returns the shared part of a memory: the memories with a name that every system can have, and the index without
// the lines of others. With a team that is the memories about the project, without their sources, and their lines
// alone.
func view(local Files, team bool) Files {
	out := Files{}
	for n, data := range local {
		switch {
		case n.IsIndex() || !travels(n):
		case !team:
			out[n] = data
		case isTeam(data) && !memory.ParseTopic(data).IsPersons():
			if data = withoutSources(data); memory.ParseTopic(data).Sources() == nil {
				out[n] = data
			}
		}
	}
	var lines strings.Builder
	for _, line := range memory.ParseIndex(local[memory.IndexName]).Segments() {
		n, err := memory.ParseName(line.Entry)
		if known := err == nil && out[n] != nil; known || !team && (err != nil || travels(n)) {
			lines.WriteString(line.Text)
		}
	}
	if _, has := local[memory.IndexName]; lines.Len() > 0 || has && !team {
		out[memory.IndexName] = []byte(lines.String())
	}
	return out
}

func withoutSources(data []byte) []byte {
	head, body := memory.ParseTopic(data).Segments()
	head = slices.DeleteFunc(head, func(s memory.Segment) bool { return s.Field == "sources" || s.Field == "metadata.sources" })
	text := "---\n"
	for i, s := range append(head, body...) {
		if i == len(head) {
			text += "---\n"
		}
		text += s.Text
	}
	return []byte(text)
}
