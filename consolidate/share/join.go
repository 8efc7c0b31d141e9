package share

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/merge"
)

// JoinRequest says how a memory is to be shared.
type JoinRequest struct {
	Remote  string // "": that of the project
	Project string // the folder of the project
	Name    string // of the project; "": the identity of its checkout
	Team    bool
}

// Join shares the memory through a remote. It first calls agree with what that would change here and push.
func (r *Share) Join(ctx context.Context, q JoinRequest, agree func(Preview) error) (err error) {
	if err := r.maySync(); err != nil {
		return err
	}
	if s, err := r.State(); err == nil && s.Stopped == "" {
		return ops.Refuse("this memory is shared already, through "+s.Remote, "dream-mcp share --now syncs it; dream-mcp share --stop ends the sharing")
	}
	machine, err := r.machine()
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	s := State{Remote: q.Remote, Identity: Identity{Name: q.Name}, Refs: customRefs, Team: q.Team,
		Machine: machine, MachineName: plainName(host)}
	if s.Remote == "" {
		if s.Remote, err = origin(ctx, q.Project); err != nil {
			return err
		}
	}
	if _, err := os.Stat(s.Remote); err == nil { // a path must mean the same in every folder
		if s.Remote, err = filepath.Abs(s.Remote); err != nil {
			return err
		}
	}
	if err := checkRemote(s.Remote); err != nil {
		return err
	}
	if q.Name == "" {
		if s.Identity, err = identify(ctx, q.Project); err != nil {
			return err
		}
	}
	return r.open(ctx, syncWait, true, &s, func(ctx context.Context, l *link) error {
		preview, err := l.preview(ctx)
		if err == nil {
			err = agree(preview)
		}
		if err != nil {
			return err
		}
		return l.sync(ctx, false)
	})
}

// machine returns the ID of this machine for this memory. It stays when the sharing ends, so that the machine keeps its
// name.
func (r *Share) machine() (id string, err error) {
	db := r.Store.Records.DB()
	if id, err = state.Machine.Get(db); err != nil || id != "" {
		return id, err
	}
	var random [8]byte
	rand.Read(random[:])
	id = hex.EncodeToString(random[:])
	return id, state.Machine.Set(db, id)
}

// Stop ends the share on this machine. The memory and the remote stay as they are.
func (r *Share) Stop(ctx context.Context) error {
	return r.open(ctx, dreamWait, true, nil, func(ctx context.Context, l *link) error {
		_ = l.release(ctx) // where the remote cannot be reached, the lease expires
		if err := saved.Set(r.Store.Records.DB(), State{}); err != nil {
			return err
		}
		root, err := r.Store.Records.Root()
		if err == nil {
			err = root.RemoveAll(path.Dir(repo))
		}
		return err
	})
}

// A Preview is what joining would do.
type Preview struct {
	State
	New     bool          // the remote has no memory of this project yet
	Here    []memory.Name // what would change here
	Sent    []memory.Name // what would be sent
	Notes   []merge.Clash // of what both have, and differently
	Authors string
	Alike   []string // other memories of the remote, with the same first commit or of a like name
}

// alike returns the memories of the remote that may be of the same project.
func (l *link) alike(ctx context.Context) (ids []string, err error) {
	all, err := l.git.heads(ctx, l.Remote, customRefs+"*"+memoryRef, branchRefs+"*"+memoryRef)
	for ref := range all {
		id := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(ref, customRefs), branchRefs), memoryRef)
		if isID.MatchString(id) && alike(id, l.Identity.id()) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// preview returns what the first sync would do.
func (l *link) preview(ctx context.Context) (p Preview, err error) {
	h, err := l.heads(ctx)
	if err != nil {
		return p, err
	}
	p = Preview{New: h.memory == ""}
	local, _, err := l.local(ctx)
	if err != nil {
		return p, err
	}
	var theirs tree
	if !p.New {
		if _, theirs, err = l.fetch(ctx, &h); err != nil {
			return p, err
		}
		p.Authors = l.authors(ctx, h.memory, "")
		l.MachineName = theirs.freeName(l.author())
	} else if p.Alike, err = l.alike(ctx); err != nil {
		return p, err
	}
	p.State = l.State
	has, _ := redacted(theirs.files())
	merged, notes, err := l.merge(Files{}, local, has)
	if err != nil {
		return p, err
	}
	sent := view(merged, l.Team)
	p.Notes, p.Here, p.Sent = notes, changed(local, merged), changed(theirs.files(), sent)
	return p, judge(l.Store, theirs.files(), sent, "nothing is sent")
}
