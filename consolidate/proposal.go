package consolidate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/rule"
)

// Proposal is a change that a dream was not allowed to make by itself, kept for the person. Each lies in
// a file of its own in our state folder, and is never changed: its ID stands for what the person has seen.
type Proposal struct {
	ID      string     `json:"id"`
	Made    time.Time  `json:"made"`
	Dream   string     `json:"dream"` // "": it was a write outside a dream
	Host    string     `json:"host,omitempty"`
	Path    string     `json:"path"`
	Base    memory.Sum `json:"base"`
	Delete  bool       `json:"delete,omitempty"`
	Content string     `json:"content,omitempty"` // the whole new text, where it is no deletion
	Reason  string     `json:"reason"`            // why the dream may not make it
	Waived  []Waiver   `json:"waived,omitempty"`
	Index   *IndexLine `json:"index,omitempty"` // asked for with the change

	Replaces []Replaced `json:"replaces,omitempty"` // merged into it, and removed with the change

	Stale bool   `json:"stale"` // the memory is no longer what the change was based on; not stored
	Diff  string `json:"diff,omitempty"`
}

const (
	proposalFolder  = "proposals"
	maxProposals    = 100                           // that wait; a person who has so many reads none
	maxProposalFile = 6*memory.MaxFileBytes + 1<<16 // in JSON a byte may need six
)

// obey keeps the law of unattended dreams, and that of memories that a team shares: where the change of n to data (nil: no file) is
// not allowed, it is kept as a proposal and refused with a *RuleError.
func (p *Project) obey(d *dream, n memory.Name, have memory.File, r WriteRequest, data []byte, merged map[memory.Name]memory.File) error {
	teams := data == nil && p.isTeams(have.Data)
	if !d.Unattended && !teams {
		return nil
	}
	before, err := d.dir.Snapshot()
	if err != nil {
		return err
	}
	after, err := d.stage.Over(before)
	if err != nil {
		return err
	}
	delete(after.Topics, n)
	if data != nil {
		after.Topics[n] = memory.ParseTopic(data)
	}
	for o := range merged {
		delete(after.Topics, o)
	}
	check := rule.Check{Before: before, After: after, Unattended: d.Unattended, Now: p.o.Now()}
	findings := check.Forbidden(n)
	for _, o := range sortedNames(merged) {
		findings = append(findings, check.Forbidden(o)...)
	}
	if len(findings) == 0 && teams && !check.KeptElsewhere(n) && !p.contradicted(before, n) {
		findings = []rule.Finding{{Rule: "loss", Severity: rule.Error, File: n.String(), Message: "the team's memory would be deleted, and nothing in the code contradicts it"}}
	}
	if len(findings) == 0 {
		return nil
	}
	made := Proposal{
		Made: p.o.Now().UTC(), Dream: d.ID, Host: d.Host, Path: n.String(), Base: have.Sum, Delete: data == nil, Content: string(data),
		Reason: p.o.AllowSecrets.Line(findings[0].Message), Waived: shownWaivers(r.Waive, p.o.AllowSecrets), Index: r.Index,
	}
	for _, o := range sortedNames(merged) {
		f, err := d.dir.Read(o)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was created in this dream
		}
		if err != nil {
			return err
		}
		made.Replaces = append(made.Replaces, Replaced{o.String(), string(f.Sum)})
	}
	hint := "kept as a proposal for the person (dream-mcp proposals); do not try again, go on with the rest"
	switch kept, err := p.propose(made); {
	case err != nil:
		return err
	case !kept:
		hint = fmt.Sprintf("not kept: %d proposals wait for the person already; go on with the rest, and tell of it in the summary", maxProposals)
	case !slices.Contains(d.Proposed, made.Path):
		d.Proposed = append(d.Proposed, made.Path)
		if err := d.save(); err != nil {
			return err
		}
	}
	findings[0].Hint = hint + "; where another memory is to say the same, write that first, with every fact of this one"
	return &RuleError{Findings: findings}
}

// propose keeps a proposal in place of an earlier one about the same memory, and reports whether there
// was room. A crash between the two leaves both.
func (p *Project) propose(made Proposal) (kept bool, err error) {
	state, err := p.openState()
	if err != nil {
		return false, err
	}
	waiting, err := readProposals(state)
	if err != nil {
		return false, err
	}
	made.ID = made.id()
	earlier := slices.DeleteFunc(slices.Clone(waiting), func(o Proposal) bool { return o.Path != made.Path })
	if len(waiting) >= maxProposals && len(earlier) == 0 {
		return false, nil
	}
	err = state.Mkdir(proposalFolder, 0o700)
	if err == nil {
		err = landing.SyncFolder(state, ".")
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	data, err := json.Marshal(made)
	if err != nil {
		return false, err
	}
	p.step("propose")
	if err := landing.Replace(state, proposalFile(made.ID), data, time.Time{}); err != nil {
		return false, err
	}
	for _, o := range earlier {
		if o.ID != made.ID {
			state.Remove(proposalFile(o.ID)) // what stays is refused as stale, or rejected
		}
	}
	p.o.Changed(StatusURI)
	return true, nil
}

// id names what is proposed: the same change has the same ID whenever it is proposed.
func (m Proposal) id() string {
	text := fmt.Appendf(nil, "%q %s %v %q", m.Path, m.Base, m.Delete, m.Content)
	if m.Index != nil {
		text = fmt.Appendf(text, " %q", *m.Index)
	}
	if m.Replaces != nil {
		text = fmt.Appendf(text, " %q", m.Replaces)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

func proposalFile(id string) string { return path.Join(proposalFolder, id+".json") }

// readProposals returns the proposals that wait, the oldest first. One that can't be read, or is not what
// its name says, is left out.
func readProposals(state *os.Root) ([]Proposal, error) {
	f, err := memory.OpenFolder(state, proposalFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var waiting []Proposal
	for _, e := range entries {
		id, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || len(waiting) == 2*maxProposals {
			continue
		}
		var m Proposal
		data, err := memory.ReadBounded(state, proposalFile(id), maxProposalFile)
		if err == nil && json.Unmarshal(data, &m) == nil && m.ID == id && m.id() == id {
			waiting = append(waiting, m)
		}
	}
	slices.SortFunc(waiting, func(a, b Proposal) int {
		if c := a.Made.Compare(b.Made); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return waiting, nil
}

// describeProposals tells that proposals wait.
func (p *Project) describeProposals(s *Status) error {
	state, err := p.openState()
	if err != nil {
		return err
	}
	waiting, err := readProposals(state)
	if len(waiting) > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s of unattended dreams for the person to decide: dream-mcp proposals", plural(len(waiting), "proposal")))
	}
	return err
}

// Proposals returns the changes that wait for the person, the oldest first, each with its diff against the
// memory as it is.
func (p *Project) Proposals() ([]Proposal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state, err := p.openState()
	if err != nil {
		return nil, err
	}
	waiting, err := readProposals(state)
	if err != nil || len(waiting) == 0 {
		return []Proposal{}, err
	}
	dir, err := p.openDir()
	if err != nil {
		return nil, err
	}
	if dir != nil {
		defer dir.Close()
	}
	for i := range waiting {
		m := &waiting[i]
		n, f, err := m.target(dir)
		if m.Stale = err != nil || f.Sum != m.Base; m.Stale {
			continue
		}
		var after []byte
		if !m.Delete {
			after = []byte(m.Content)
		}
		m.Diff = string(landing.DiffOf(n, f.Data, after, p.o.AllowSecrets))
		for _, r := range m.Replaces {
			gone := Proposal{Path: r.Path}
			o, f, err := gone.target(dir)
			if m.Stale = m.Stale || err != nil || string(f.Sum) != r.Base; !m.Stale {
				m.Diff += string(landing.DiffOf(o, f.Data, nil, p.o.AllowSecrets))
			}
		}
		if m.Index == nil {
			continue
		}
		index, err := dir.Read(indexName)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		line := *m.Index
		if proposed := rule.ProposeEntry(n, memory.ParseTopic(after)); !m.Delete && indexLines(index.Data)[m.Path] == (IndexLine{}) {
			line.Title, line.Hook = cmp.Or(line.Title, proposed.Title), cmp.Or(line.Hook, proposed.Hook)
		}
		edited := memory.ParseIndex(index.Data)
		edited.Upsert(n, line.Title, line.Hook, line.Section)
		m.Diff += string(landing.DiffOf(indexName, index.Data, edited.Bytes(), p.o.AllowSecrets))
	}
	return waiting, nil
}

// target reads the memory that is to change; without one, the zero File.
func (m Proposal) target(dir *memory.Dir) (memory.Name, memory.File, error) {
	n, err := memory.ParseName(m.Path)
	if err != nil || dir == nil {
		return n, memory.File{}, err
	}
	f, err := dir.Read(n)
	if errors.Is(err, fs.ErrNotExist) {
		return n, memory.File{}, nil
	}
	return n, f, err
}

// Accept makes the change of a proposal, by its ID or the beginning of it, as the person's own: a small
// transaction, archived and undoable. It fails with a *memory.BaseError where the memory is no longer what
// the change was based on. What is gone already is deleted without a trace. A crash after the change has
// landed leaves a stale proposal, to be rejected.
func (p *Project) Accept(ctx context.Context, id string) (Proposal, WriteResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream != nil {
		return Proposal{}, WriteResult{}, &lock.BusyError{Holder: p.dream.record.String()}
	}
	m, err := p.proposal(id)
	if err != nil {
		return m, WriteResult{}, err
	}
	if err := p.recoverHere(ctx); err != nil { // what a crash cut off may be this very change
		return m, WriteResult{}, err
	}
	res, err := p.carryOut(ctx, m)
	if err != nil {
		return m, res, err
	}
	_ = p.dropProposal(m) // the change has landed: what stays of the proposal is stale, and to be rejected
	return m, res, nil
}

// carryOut makes the change of a proposal.
func (p *Project) carryOut(ctx context.Context, m Proposal) (WriteResult, error) {
	dir, err := p.openDir()
	if err != nil {
		return WriteResult{}, err
	}
	if dir != nil {
		defer dir.Close()
	}
	n, f, err := m.target(dir)
	if err != nil {
		return WriteResult{}, err
	}
	if m.Delete && f.Sum == "" {
		return WriteResult{Path: m.Path, Action: "unchanged", Findings: []rule.Finding{}}, nil
	}
	r := WriteRequest{Path: m.Path, Delete: m.Delete, Base: string(m.Base), Waive: m.Waived, Index: m.Index, Replaces: m.Replaces, Agreed: "the person accepted proposal " + m.ID}
	if !m.Delete {
		r.Content = &m.Content
	}
	why := r.Agreed
	if m.Dream != "" {
		why += " of dream " + m.Dream
	}
	return p.writeAlone(ctx, Info{Kind: lock.KindWrite, Reason: why}, n, r, nil)
}

// Reject forgets a proposal, by its ID or the beginning of it.
func (p *Project) Reject(id string) (Proposal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m, err := p.proposal(id)
	if err == nil {
		err = p.dropProposal(m)
	}
	return m, err
}

func (p *Project) dropProposal(m Proposal) error {
	err := p.state.Remove(proposalFile(m.ID))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	p.o.Changed(StatusURI)
	return err
}

func (p *Project) proposal(id string) (Proposal, error) {
	state, err := p.openState()
	if err != nil {
		return Proposal{}, err
	}
	waiting, err := readProposals(state)
	if err != nil {
		return Proposal{}, err
	}
	meant := slices.DeleteFunc(waiting, func(m Proposal) bool { return id == "" || !strings.HasPrefix(m.ID, id) })
	switch len(meant) {
	case 0:
		return Proposal{}, &RequestError{fmt.Sprintf("no proposal has the ID %q", id), "dream-mcp proposals lists those that wait; one that was replaced since has another ID"}
	case 1:
		return meant[0], nil
	}
	return Proposal{}, &RequestError{fmt.Sprintf("%q is the beginning of %d IDs", id, len(meant)), "give more of it"}
}
