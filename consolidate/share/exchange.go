package share

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/memory/merge"
)

// Exchange takes over what others have changed and sends what has changed here; with release it gives our lease back in the same step.
// What it could not send is kept in State and sent at the next chance; the error says why.
func (s *Share) Exchange(ctx context.Context, l Local, release bool) error {
	if release {
		s.Notes = nil // a dream has seen them
	}
	err := s.exchange(ctx, l, release)
	s.Pending, s.Stopped = "", ""
	if stop := (*StopError)(nil); errors.As(err, &stop) {
		s.Stopped = err.Error()
	} else if err != nil {
		s.Pending = err.Error()
	} else {
		s.Last = s.now().UTC()
	}
	return errors.Join(err, s.save())
}

func (s *Share) exchange(ctx context.Context, l Local, release bool) error {
	id, commit, err := l.Landed()
	if err != nil {
		return err
	}
	if machine, commit, _ := strings.Cut(commit, " "); id != s.Landed && machine == s.Machine { // who merged died before it could say so
		s.Base, s.Landed = commit, id
		if err := s.save(); err != nil {
			return err
		}
	}
	var again againError
	for i := range tries {
		if i > 0 {
			time.Sleep(time.Duration(100+mathrand.IntN(400)) * time.Millisecond) // others try again just now too
		}
		h, err := s.heads(ctx)
		if err != nil {
			return err
		}
		s.see(h.lease)
		if err := s.in(ctx, l, &h); err != nil {
			return err
		}
		if err := s.out(ctx, l, h, release); !errors.As(err, &again) {
			return err
		}
	}
	return again.error
}

// in takes over what the remote has beyond Base.
func (s *Share) in(ctx context.Context, l Local, h *heads) error {
	if h.memory == "" && s.Base != "" {
		return &StopError{"the remote no longer has the memory, so it is no longer shared; what is here stays. dream-mcp share --stop ends it here, dream-mcp share REMOTE begins again"}
	}
	if h.memory == s.Base && (s.Base == "" || s.git.has(ctx, s.Base)) {
		return nil
	}
	base, theirs, err := s.fetch(ctx, h)
	if err != nil {
		return err
	}
	var notes []Note
	id, err := l.Land(ctx, s.Machine+" "+h.memory, "taken over from "+s.authors(ctx, h.memory), func(local Files) (Files, error) {
		merged, said, err := s.merge(base.files, local, theirs.files)
		for _, note := range said {
			notes = append(notes, Note{note.Name.String(), note.Why})
		}
		return merged, err
	})
	if err != nil {
		return err
	}
	for machine, m := range theirs.marks {
		if machine != s.Machine && m.Read.After(base.marks[machine].Read) {
			s.Dreamed, s.DreamedBy = s.now().UTC(), m.Name
		}
	}
	if id != "" {
		s.Landed = id
	}
	if len(notes) > 0 {
		s.Notes = notes[:min(len(notes), 20)]
	}
	return s.moveBase(ctx, h.memory)
}

// moveBase notes which commit the memory here holds.
func (s *Share) moveBase(ctx context.Context, commit string) error {
	s.Base = commit
	return errors.Join(s.save(), s.git.keep(ctx, commit))
}

// fetch brings the remote's memory here and judges it. h.memory becomes what was fetched.
func (s *Share) fetch(ctx context.Context, h *heads) (base, theirs content, err error) {
	const seen = "refs/ours/seen"
	if err := s.git.fetch(ctx, s.Remote, s.ref(memoryRef), seen); err != nil {
		return base, theirs, err
	}
	out, err := s.git.run(ctx, localTime, nil, "rev-parse", "--verify", "--quiet", seen+"^{commit}")
	if err != nil {
		return base, theirs, err
	}
	h.memory = strings.TrimSpace(string(out))
	if s.Base != "" {
		_, err := s.git.run(ctx, localTime, nil, "merge-base", "--is-ancestor", s.Base, h.memory)
		if failed := (*GitError)(nil); errors.As(err, &failed) && failed.Code == 1 {
			err = &StopError{fmt.Sprintf("the remote's history was replaced: it has %.12s, which does not continue %.12s, the last that this machine took over; what is here stays", h.memory, s.Base)}
		}
		if err != nil {
			return base, theirs, err
		}
	}
	if base, err = s.git.read(ctx, s.Base); err == nil {
		theirs, err = s.git.read(ctx, h.memory)
	}
	if err == nil {
		err = judge(base.files, theirs.files, s.allowed, false)
	}
	if refused := (*HostileError)(nil); errors.As(err, &refused) {
		err = &StopError{err.Error()}
	} else if text := (*TextError)(nil); errors.As(err, &text) {
		err = &StopError{err.Error()}
	}
	return base, theirs, err
}

// merge merges what travels, and keeps what does not.
func (s *Share) merge(base, local, theirs Files) (Files, []merge.Note, error) {
	if err := s.checkTeam(theirs, local); err != nil {
		return nil, nil, &StopError{err.Error()}
	}
	mine := s.view(local)
	merged, notes, err := merge.Files(base, mine, theirs)
	if err != nil {
		return nil, nil, err
	}
	all, _, err := merge.Files(mine, local, merged)
	return all, notes, err
}

// authors names the machines that made what is new in commit.
func (s *Share) authors(ctx context.Context, commit string) string {
	args := []string{"log", "-n", "200", "--format=%an", commit}
	if s.Base != "" {
		args = append(args, "^"+s.Base)
	}
	out, err := s.git.run(ctx, localTime, nil, args...)
	var names []string
	for name := range strings.Lines(string(out)) {
		if name = plainName(strings.TrimSpace(name)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if err != nil || len(names) == 0 {
		return "another machine"
	}
	if len(names) > 5 {
		names = append(names[:5], "others")
	}
	return strings.Join(names, ", ")
}

// out sends what has changed here since Base, as one commit over it.
func (s *Share) out(ctx context.Context, l Local, h heads, release bool) error {
	next, changes, err := s.outgoing(ctx, l)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		if release {
			return s.Release(ctx)
		}
		return nil
	}
	made, err := s.git.commit(ctx, s.Base, changes, s.author(), s.now(), next)
	if err != nil {
		return err
	}
	updates := []update{{s.ref(memoryRef), s.Base, made}}
	if release && s.Held != "" && s.Held == h.lease {
		updates = append(updates, update{s.ref(leaseRef), s.Held, ""})
	}
	if err := s.git.push(ctx, s.Remote, updates...); err != nil {
		now, unreachable := s.heads(ctx)
		switch {
		case unreachable != nil:
			return err
		case now.memory == made: // it arrived, and the answer did not
		case now.memory != s.Base:
			return againError{errMoved}
		case s.Base == "" && s.Refs == customRefs:
			s.Refs = branchRefs // some servers take nothing but branches
			return againError{err}
		default:
			return againError{err}
		}
	}
	if len(updates) > 1 {
		s.Held = ""
	}
	if err := s.moveBase(ctx, made); err != nil || !release {
		return err
	}
	return s.Release(ctx)
}

// outgoing returns what has changed here since Base, by path in a commit, judged, and what a commit of it says.
func (s *Share) outgoing(ctx context.Context, l Local) (message string, changes map[string][]byte, err error) {
	base, err := s.git.read(ctx, s.Base)
	if err != nil {
		return "", nil, err
	}
	local, err := l.Read()
	if err != nil {
		return "", nil, err
	}
	read, err := l.LastRead()
	if err != nil {
		return "", nil, err
	}
	if len(local) == 0 && len(base.files) > 0 {
		return "", nil, &StopError{fmt.Sprintf("the memory here is empty, and the remote has %d files: that is not sent as their deletion. dream-mcp share REMOTE takes them over again", len(base.files))}
	}
	mine := content{s.view(local), map[string]Mark{s.Machine: {s.MachineName, read.UTC().Truncate(time.Second)}}}
	message = "memory"
	if was := base.marks[s.Machine]; mine.marks[s.Machine].Read.After(was.Read) {
		message = "dream"
	}
	changes = base.changes(mine)
	if s.Base == "" {
		changes[formatFile] = []byte(format)
	}
	if err := mine.files.checkTwins(); err != nil {
		return "", nil, fmt.Errorf("nothing is sent: this memory has %w", err)
	}
	return message, changes, judge(base.files, mine.files, s.allowed, true)
}

// A Preview is what joining would do.
type Preview struct {
	New     bool     // the remote has no memory of this project yet
	Here    []string // what would change here
	Sent    []string // what would be sent
	Kept    []string // what both have, and differently
	Authors string
}

// Preview looks what the first exchange would do. It changes nothing.
func (s *Share) Preview(ctx context.Context, l Local) (Preview, error) {
	h, err := s.heads(ctx)
	if err != nil {
		return Preview{}, err
	}
	local, err := l.Read()
	if err != nil {
		return Preview{}, err
	}
	if h.memory == "" {
		_, changes, err := s.outgoing(ctx, l)
		return Preview{New: true, Sent: memories(changes)}, err
	}
	_, theirs, err := s.fetch(ctx, &h)
	if err != nil {
		return Preview{}, err
	}
	merged, notes, err := s.merge(Files{}, local, theirs.files)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Authors: s.authors(ctx, h.memory), Here: memories(content{files: local}.changes(content{files: merged}))}
	sent := s.view(merged)
	p.Sent = memories(content{files: theirs.files}.changes(content{files: sent}))
	for _, note := range notes {
		p.Kept = append(p.Kept, note.Name.String())
	}
	return p, judge(theirs.files, sent, s.allowed, true)
}

// memories returns the files among the paths of changes.
func memories(changes map[string][]byte) (files []string) {
	for p := range changes {
		if dir, file := path.Split(p); strings.HasPrefix(dir, memoryFolder+"/") {
			files = append(files, strings.TrimPrefix(dir, memoryFolder+"/")+file)
		}
	}
	slices.Sort(files)
	return files
}
