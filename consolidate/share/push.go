package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
)

// push pushes the changes of this machine since Base as one commit. After a dream the same push releases the lease:
// both refs move, or neither.
func (l *link) push(ctx context.Context, h heads, dreamed bool) error {
	next, paths, message, err := l.outgoing(ctx)
	if err != nil {
		return err
	}
	files := memories(paths)
	if l.Withheld = len(files) > 0 && (l.Withheld || dreamed && l.Held != "" && h.lease != l.Held); l.Withheld {
		return &StopError{"another machine took the lease over before the dream of this machine was sent, so these changes are here alone: " + phrase.Few(files, MaxNamed) +
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
	local, read, err := l.local(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	was := base.files()
	if had := topics(was); topics(local) == 0 && had > 0 && !l.decided {
		return nil, nil, "", &StopError{fmt.Sprintf("the memory here is empty, and the remote has %s: that is not sent as their deletion. "+
			"dream-mcp share REMOTE brings them back, dream-mcp share --now --yes deletes them everywhere", phrase.Plural(had, "memory"))}
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
