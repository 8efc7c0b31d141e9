package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/forgotten"
	"dream-mcp/memory/merge"
)

// The refs of a memory on the remote are below the name of the project. A server that refuses other refs gets branches.
const (
	customRefs = "refs/dream-mcp/"
	branchRefs = "refs/heads/dream-mcp/"
	memoryRef  = "/memory"
	leaseRef   = "/lease"
)

// pulledFrom begins the reason of a sync in the journal.
const pulledFrom = "pulled from "

const tries = 3 // of a push, when other machines push first

// A StopError says why nothing is synced until a person decides.
type StopError struct{ Why string }

func (e *StopError) Error() string { return e.Why }

// errAgain is a failed push that is tried again.
type errAgain struct{ error }

// link is a share that this process has open.
type link struct {
	*Share
	State
	git       git
	decided   bool          // a person agreed to what otherwise stops a sync
	answer    time.Duration // how long the remote may take to answer
	silent    error         // that it did not answer in time
	sinceBoot func() (boot string, since time.Duration)
}

// heads are the commits of the remote's refs; "" where there is none.
type heads struct{ memory, lease string }

func (l *link) ref(name string) string { return l.Refs + l.Identity.ID() + name }

// MemoryRef is the ref of the remote that has the memory.
func (s State) MemoryRef() string { return s.Refs + s.Identity.ID() + memoryRef }

// redacted returns files without what was forgotten here, and which of them had something of it.
func redacted(files Files) (without Files, had []memory.Name) {
	list, without := forgotten.Current(), make(Files, len(files))
	for n, data := range files {
		text := list.Redact(string(data))
		if without[n] = data; text != string(data) {
			without[n], had = []byte(text), append(had, n)
		}
	}
	slices.SortFunc(had, memory.Name.Compare)
	return without, had
}

// heads asks the remote. Where it did not answer in time, it is not asked again.
func (l *link) heads(ctx context.Context) (heads, error) {
	if l.silent != nil {
		return heads{}, l.silent
	}
	id := l.Identity.ID()
	short, cancel := context.WithTimeoutCause(ctx, l.answer, fmt.Errorf("the remote did not answer within %v", l.answer))
	defer cancel()
	all, err := l.git.heads(short, l.Remote, customRefs+id+"/*", branchRefs+id+"/*")
	if l.Base == "" && all[customRefs+id+memoryRef] == "" && all[branchRefs+id+memoryRef] != "" {
		l.Refs = branchRefs
	}
	if short.Err() != nil {
		l.silent = err
	}
	return heads{all[l.ref(memoryRef)], all[l.ref(leaseRef)]}, err
}

func (l *link) author() author { return author{l.Machine, l.MachineName} }

// save notes the state. A dream of another process may have ended since it was read.
func (l *link) save() error {
	return l.change(func(was State, _ bool) *State {
		l.Finished = l.Finished || was.Finished && was.Held == l.Held
		return &l.State
	})
}

// sync pulls the changes of others and pushes those of this machine. The same push releases the lease of a dream that has
// ended; with dreamed, that dream has just landed. What it cannot push waits for the next sync; the state says why.
func (l *link) sync(ctx context.Context, dreamed bool) (err error) {
	if dreamed {
		l.Notes = nil // the dream has seen them
	}
	for i := range tries {
		if i > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(100+mathrand.IntN(400)) * time.Millisecond): // others try again too
			}
		}
		var h heads
		if h, err = l.heads(ctx); err == nil {
			l.see(h.lease)
			err = l.pull(ctx, &h)
		}
		if err == nil {
			err = l.push(ctx, h, dreamed)
		}
		if again := (errAgain{}); !errors.As(err, &again) {
			break
		}
	}
	l.Pending, l.Stopped = "", ""
	if stop := (*StopError)(nil); errors.As(err, &stop) {
		l.Stopped = err.Error()
	} else if err != nil {
		l.Pending = err.Error()
	} else {
		l.Last = l.Store.Now().UTC()
	}
	return errors.Join(err, l.save())
}

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
			"dream-mcp share --now --yes deletes it here too, dream-mcp share --stop ends the sharing", ops.Plural(had, "memory"))}
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

// push pushes the changes of this machine since Base as one commit. After a dream the same push releases the lease:
// both refs move, or neither.
func (l *link) push(ctx context.Context, h heads, dreamed bool) error {
	next, paths, message, err := l.outgoing(ctx)
	if err != nil {
		return err
	}
	files := memories(paths)
	if l.Withheld = len(files) > 0 && (l.Withheld || dreamed && l.Held != "" && h.lease != l.Held); l.Withheld {
		return &StopError{"another machine took the lease over before the dream of this machine was sent, so these changes are here alone: " + ops.Few(files, MaxNamed) +
			". dream-mcp undo takes the dream back; dream-mcp share --now --yes sends what is here"}
	}
	var updates []update
	made := l.Base
	if len(paths) > 0 {
		if made, err = l.git.commit(ctx, l.Base, next, paths, l.author(), l.Store.Now(), message); err != nil {
			return err
		}
		updates = append(updates, update{l.ref(memoryRef), l.Base, made})
	}
	if l.Finished && l.Held != "" && l.Held == h.lease {
		updates = append(updates, update{l.ref(leaseRef), l.Held, ""})
	}
	if len(updates) == 0 {
		return nil
	}
	if err := l.git.push(ctx, l.Remote, updates...); err != nil {
		now, unreachable := l.heads(ctx)
		switch {
		case unreachable != nil:
			return err
		case now.memory == made && len(paths) > 0: // it arrived, and the answer did not
		case now.memory != l.Base:
			return errAgain{errors.New("other machines pushed first, three times in a row; the next sync tries again")}
		default:
			if l.Base == "" && l.Refs == customRefs {
				l.Refs = branchRefs
			}
			return errAgain{err}
		}
	}
	if l.Finished {
		l.Held, l.Finished = "", false
	}
	return l.moveBase(ctx, made)
}

// outgoing returns the tree for the remote, the paths that differ from Base, and the message of the commit.
func (l *link) outgoing(ctx context.Context) (next tree, paths []string, message string, err error) {
	base, err := l.git.read(ctx, l.Base)
	if err != nil {
		return nil, nil, "", err
	}
	local, read, err := l.read(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	was := base.files()
	if had := topics(was); topics(local) == 0 && had > 0 && !l.decided {
		return nil, nil, "", &StopError{fmt.Sprintf("the memory here is empty, and the remote has %s: that is not sent as their deletion. "+
			"dream-mcp share REMOTE brings them back, dream-mcp share --now --yes deletes them everywhere", ops.Plural(had, "memory"))}
	}
	mine := view(local, l.Team)
	next = base.with(mine)
	mark := markFolder + "/" + l.Machine + ".json"
	next[mark], err = json.Marshal(Mark{l.MachineName, read.UTC().Truncate(time.Second)})
	paths = base.changes(next)
	message = "memory"
	if slices.Contains(paths, mark) {
		message = "dream"
	}
	return next, paths, message, errors.Join(err, checkTwins(mine), judge(l.Store, was, mine, "nothing is sent"))
}

// topics counts the memories, without the index.
func topics(files Files) int {
	n := len(files)
	if _, has := files[memory.IndexName]; has {
		n--
	}
	return n
}
