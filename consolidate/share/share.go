package share

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/secret"
)

// The folder in the state folder of a memory, and what lies in it.
const (
	folder    = "share"
	stateFile = "share.json"
	lockFile  = "lock"
	repo      = "repo.git"
	maxState  = 1 << 20
)

// Where a remote keeps a memory, below the name of the project. Servers that refuse other refs get branches.
const (
	customRefs = "refs/dream-mcp/"
	branchRefs = "refs/heads/dream-mcp/"
	memoryRef  = "/memory"
	leaseRef   = "/lease"
)

const tries = 3 // of a push that others come before

// State is what is known of a share between two runs.
type State struct {
	Identity    Identity  `json:"identity"`
	Remote      string    `json:"remote"`
	Refs        string    `json:"refs"` // customRefs or branchRefs
	Team        bool      `json:"team,omitempty"`
	Machine     string    `json:"machine"`
	MachineName string    `json:"machine_name"`
	Base        string    `json:"base,omitempty"`    // the remote's commit that the memory here holds; "": none yet
	Landed      string    `json:"landed,omitempty"`  // the newest merge here that Base accounts for
	Last        time.Time `json:"last,omitzero"`     // of the last exchange that succeeded
	Pending     string    `json:"pending,omitempty"` // why what changed here has not been sent
	Stopped     string    `json:"stopped,omitempty"` // why nothing is exchanged until a person decides
	Notes       []Note    `json:"notes,omitempty"`   // of merges: what both sides changed
	Dreamed     time.Time `json:"dreamed,omitzero"`  // when this machine first saw another's newest dream, by its own clock
	DreamedBy   string    `json:"dreamed_by,omitempty"`
	Held        string    `json:"held,omitempty"` // our lease
	Sighting    sighting  `json:"sighting,omitzero"`
}

// A Note says of a memory what a person or a dream should look at.
type Note struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// What keeps an exchange from being made.
var (
	ErrNotShared = errors.New("this memory is not shared")
	ErrBusy      = errors.New("another process exchanges this memory just now")
	errMoved     = errors.New("other machines were faster, three times in a row; the next exchange tries again")
)

// An againError is a failed push that is tried again: the remote moved, or took no push just then.
type againError struct{ error }

// A StopError says why nothing is exchanged until a person decides.
type StopError struct{ Why string }

func (e *StopError) Error() string { return e.Why }

// Local is the memory of this machine.
type Local interface {
	// Read returns the memory as it is.
	Read() (Files, error)
	// Landed returns the newest merge that landed here, and the commit that Land was given.
	Landed() (id, commit string, err error)
	// Land lets merge make the memory of what it is when nobody else may change it, lands the result, and keeps commit with it. It
	// returns "" where nothing changed.
	Land(ctx context.Context, commit, summary string, merge func(Files) (Files, error)) (id string, err error)
	// LastRead returns up to when the transcripts of this machine were read.
	LastRead() (time.Time, error)
}

// Share is the share of one memory. One process at a time has it open.
type Share struct {
	State
	root      *os.Root
	git       *git
	unlock    func() error
	allowed   secret.Allowed
	now       func() time.Time
	sinceBoot func() (string, time.Duration)
	term      time.Duration
}

// Options are what opening a share needs.
type Options struct {
	StateDir string // of the memory
	Allowed  secret.Allowed
	Now      func() time.Time
}

// Read returns the state of a share, without git and without waiting. It fails with ErrNotShared.
func Read(stateDir string) (State, error) {
	var s State
	root, err := memory.OpenRoot(filepath.Join(stateDir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return s, ErrNotShared
	}
	if err != nil {
		return s, err
	}
	defer root.Close()
	data, err := memory.ReadBounded(root, stateFile, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return s, ErrNotShared
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// Open opens the share of a memory. It fails with ErrNotShared, or ErrBusy where another process has it open for longer than a moment.
func Open(ctx context.Context, o Options) (*Share, error) {
	state, err := Read(o.StateDir)
	if err != nil {
		return nil, err
	}
	return open(ctx, o, state)
}

// Begin makes a share of what is to be shared by remote. Nothing is sent and nothing is kept until Exchange.
func Begin(ctx context.Context, o Options, remote string, id Identity, machineName string, team bool) (*Share, error) {
	if err := CheckRemote(remote); err != nil {
		return nil, err
	}
	var machine [8]byte
	rand.Read(machine[:])
	return open(ctx, o, State{
		Identity: id, Remote: remote, Refs: customRefs, Team: team, Machine: hex.EncodeToString(machine[:]), MachineName: plainName(machineName),
	})
}

func open(ctx context.Context, o Options, state State) (*Share, error) {
	dir := filepath.Join(o.StateDir, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := memory.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Share{State: state, root: root, allowed: o.Allowed, now: o.Now, sinceBoot: sinceBoot, term: leaseTerm}
	if s.unlock, err = lock.Note(ctx, root, dir, lockFile, 2*time.Second); errors.Is(err, lock.ErrHeld) {
		err = ErrBusy
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if s.git, err = openGit(ctx, filepath.Join(dir, repo)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if now, err := Read(o.StateDir); err == nil && now.Machine == state.Machine {
		s.State = now // as the process before has left it
	}
	return s, nil
}

// Close lets other processes have the share.
func (s *Share) Close() error { return errors.Join(s.unlock(), s.root.Close()) }

// Forget ends the share on this machine. The remote and the memory stay as they are.
func (s *Share) Forget() error {
	err := s.root.Remove(stateFile)
	if err == nil {
		err = s.root.RemoveAll(repo)
	}
	return err
}

func (s *Share) save() error {
	data, err := json.MarshalIndent(s.State, "", " ")
	if err != nil {
		return err
	}
	return landing.Replace(s.root, stateFile, append(data, '\n'), time.Time{})
}

func (s *Share) author() author         { return author{s.Machine, s.MachineName} }
func (s *Share) ref(name string) string { return s.Refs + s.Identity.ID() + name }

// heads are the commits of the remote's refs; "" where there is none.
type heads struct{ memory, lease string }

func (s *Share) heads(ctx context.Context) (heads, error) {
	id := s.Identity.ID()
	all, err := s.git.heads(ctx, s.Remote, customRefs+id+"/*", branchRefs+id+"/*")
	if err != nil {
		return heads{}, err
	}
	if s.Base == "" && all[customRefs+id+memoryRef] == "" && all[branchRefs+id+memoryRef] != "" {
		s.Refs = branchRefs
	}
	return heads{all[s.ref(memoryRef)], all[s.ref(leaseRef)]}, nil
}
