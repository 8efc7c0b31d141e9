package ops

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/secret"
)

// Header is what the record and the log say of an operation.
type Header struct {
	Kind       lock.Kind         `json:"kind"`
	ID         string            `json:"id"`
	Host       string            `json:"host,omitempty"`
	Session    string            `json:"session,omitempty"`
	Started    time.Time         `json:"started,omitzero"`
	Unattended bool              `json:"unattended,omitempty"`
	Reason     string            `json:"reason,omitempty"`        // why it was done, or ended otherwise
	Waived     []Waiver          `json:"waived,omitempty"`        // of a dream or a write; once it lands, only those that were needed
	Accepted   map[string]string `json:"accepted_loss,omitempty"` // of a dream or a write: why, by file
	Undoes     string            `json:"undoes,omitempty"`        // of an undo: the operation
	OfDream
}

// OfDream has what the record and the log say of a dream alone.
type OfDream struct {
	Forced        bool     `json:"forced,omitempty"`
	Resumed       bool     `json:"resumed,omitempty"`
	ToolCalls     int      `json:"tool_calls,omitempty"`
	BytesSearched int64    `json:"bytes_searched,omitempty"`
	Summary       string   `json:"summary,omitempty"`
	Proposed      []string `json:"proposed,omitempty"` // files with a change that was kept for the person
}

// Op is an operation: a dream, a write, an undo, a restore, a proposal, a sync. It is in the database while it is open
// and after it ended. It has what all share, and a part for each kind, which is zero in the others.
type Op struct {
	Header
	Plan
	LastCall time.Time `json:"last_call"`
	Outcome  Outcome   `json:"outcome,omitempty"` // empty while it is open
	Ended    time.Time `json:"ended,omitzero"`

	Dreaming
	Proposing
	Restamp *Restamp `json:"restamp,omitempty"` // of an undo
	Commit  string   `json:"commit,omitempty"`  // of a sync: the commit of the remote that was merged
}

// Plan is the changes of an operation, and how far they have come.
type Plan struct {
	State     string         `json:"state"`
	Changes   []state.Change `json:"-"`
	Index     memory.Sum     `json:"index,omitempty"`      // of the index when it landed, if it is not one of Changes
	Landed    time.Time      `json:"landed,omitzero"`      // when it landed, or began to
	Displaced []memory.Sum   `json:"displaced,omitempty"`  // texts of others that the landing met
	LeftAlone []Conflict     `json:"left_alone,omitempty"` // files that others changed during the landing
	Bytes     int64          `json:"-"`                    // of the texts that it added
}

// Dreaming is the part of a dream, with what it knows between two calls.
type Dreaming struct {
	Phase      string              `json:"phase,omitempty"`
	Since      lock.Stamp          `json:"since,omitzero"`     // the time of the last consolidation
	Sessions   int                 `json:"sessions,omitempty"` // since then
	Listed     *listed.Record      `json:"listed,omitempty"`
	IndexLines []IndexLine         `json:"index_lines,omitempty"` // asked for by writes, for the commit
	Evidence   map[string][]string `json:"evidence,omitempty"`    // by file: the hits that a write cited
	Merges     map[string]*Merge   `json:"merges,omitempty"`      // by the memory that others were merged into
	Renamed    map[string]string   `json:"renamed,omitempty"`     // the new name by the old one
}

// Proposing is the part of a proposal: a dream, or a change of one, that waits for the person.
type Proposing struct {
	Request  *FinalizeRequest  `json:"request,omitempty"` // what lands if the person agrees
	Held     map[string]string `json:"held,omitempty"`    // why only the person may make a change, by file
	Dream    string            `json:"dream,omitempty"`   // the dream of the held changes, or ""
	Reviewed time.Time         `json:"reviewed,omitzero"` // when it was proposed
}

// Change returns the change of n.
func (o *Op) Change(n memory.Name) (state.Change, bool) {
	all := state.Operation{Changes: o.Changes}
	return all.Change(n)
}

// names reports whether a change of o has a text.
func (o *Op) names(sum memory.Sum) bool {
	return slices.ContainsFunc(o.Changes, func(c state.Change) bool { return sum == c.Before || sum == c.After })
}

// texts returns the sums of all texts that o needs.
func (o *Op) texts() []memory.Sum {
	sums := append([]memory.Sum{o.Index}, o.Displaced...)
	for _, c := range o.Changes {
		sums = append(sums, c.Before, c.After)
	}
	for _, c := range o.LeftAlone {
		sums = append(sums, c.Want, c.Lost)
	}
	for _, m := range o.Merges {
		sums = slices.AppendSeq(sums, maps.Values(m.Replaced))
	}
	return sums
}

// Asked reports whether a person asked at a terminal for a dream that runs unattended.
func (o *Op) Asked() bool { return o.Unattended && o.Forced }

// unplan makes the changes what they were before they were prepared to land.
func (o *Op) unplan() {
	o.Changes = slices.Clone(o.Changes)
	for i := range o.Changes {
		c := &o.Changes[i]
		if c.AfterTime.Equal(o.Landed) {
			c.AfterTime = time.Time{}
		}
		c.Temp = ""
	}
	// Each landing makes the index from the one on disk.
	o.Changes = slices.DeleteFunc(o.Changes, func(c state.Change) bool { return c.Name.IsIndex() })
	o.State, o.Landed, o.Index = state.Staged, time.Time{}, ""
}

// Conflict is a file that somebody else changed: it should have the sum Want, and has Have.
type Conflict struct {
	Name memory.Name `json:"name"`
	Want memory.Sum  `json:"want"`
	Have memory.Sum  `json:"have"`
	Lost memory.Sum  `json:"lost,omitempty"` // what was to land there and is in the archive
}

func (c Conflict) String() string {
	return fmt.Sprintf("%s was expected %s and is %s", c.Name, cmp.Or(c.Want.Short(), "absent"), cmp.Or(c.Have.Short(), "absent"))
}

// FinalizeRequest describes the index at the end of a dream, and the losses that are accepted.
type FinalizeRequest struct {
	Upsert     []IndexLine
	Remove     []string
	Content    *string
	Base       string
	Adopt      bool
	DryRun     bool
	AcceptLoss map[string]string // the reason, by file
	Summary    string
	Diff       string `json:"-"` // with DryRun: the file to diff, or all
}

// Merge describes what was merged into a memory in a dream.
type Merge struct {
	Replaced map[string]memory.Sum `json:"replaced"`           // the replaced texts by path
	Accepted map[string]string     `json:"accepted,omitempty"` // the reason, by the text of a fact
}

// IndexLine is the wanted line of File in the index. An empty field leaves that part of an existing line as it is.
type IndexLine struct {
	File    string `json:"file"`
	Title   string `json:"title,omitempty"`
	Hook    string `json:"text,omitempty"`
	Section string `json:"section,omitempty"`

	Inherited bool `json:"inherited,omitempty"` // from the memory that File is a new name of
}

// Op reads operation id.
func (s *Records) Op(id string) (o Op, err error) {
	if !ValidID(id) {
		return o, ErrUnknown
	}
	db := s.Look()
	row, err := db.Operations().Get(id)
	if err != nil {
		return o, err
	}
	if err := json.Unmarshal(row.Record, &o); err != nil {
		return Op{}, fmt.Errorf("the record of %s: %w: %w", id, state.ErrDamaged, err)
	}
	if o.ID != id || o.State != row.State {
		return Op{}, fmt.Errorf("the record of %s is of %q: %w", id, o.ID, state.ErrDamaged)
	}
	o.Changes, o.Bytes = row.Changes, row.Bytes
	for _, c := range o.Changes {
		if err := c.Name.Writable(); err != nil && !c.Name.IsIndex() && o.State != state.Landed {
			return Op{}, fmt.Errorf("the record of %s is damaged: %q cannot be changed: %w", id, c.Name, err)
		}
	}
	return o, nil
}

// row returns o as the database keeps it, with credentials masked.
func (o *Op) row(allowed secret.Allowed) (*state.Operation, error) {
	record, err := json.Marshal(o)
	record = mapWords(record, maskedWords, func(text string) string { return allowed.Show(text).Text }, same)
	deletes := slices.ContainsFunc(o.Changes, func(c state.Change) bool { return c.After == "" })
	return &state.Operation{
		ID: o.ID, Kind: string(o.Kind), Undoes: o.Undoes, State: o.State, Waits: o.Waits(), LastCall: o.LastCall, Landed: o.Landed,
		OnlyCopy: deletes && o.State == state.Landed || len(o.Displaced)+len(o.LeftAlone) > 0, Bytes: o.Bytes, Record: record, Changes: o.Changes, Needs: o.texts(),
	}, err
}

// Waits reports whether i waits for the person's answer.
func (i Op) Waits() bool {
	return i.Request != nil && i.Outcome != Committed && i.Outcome != Rejected
}

// consolidatedAt returns the time of the last consolidation after a dream landed or was rejected. If the person
// answered later, it is the end of the dream, so that no session after that is skipped.
func (i Op) consolidatedAt(landed time.Time, prior lock.Stamp) lock.Stamp {
	if i.Request == nil {
		return lock.Stamp{Exists: true, Time: landed}
	}
	if prior.Exists && prior.Time.After(i.Reviewed) {
		return prior
	}
	return lock.Stamp{Exists: true, Time: i.Reviewed}
}

// Restamp sets back the time of the last consolidation in an undo, so that the sessions of the dream are reviewed
// again. It does nothing if that time is no longer From, because a later dream has set it.
type Restamp struct {
	From lock.Stamp `json:"from"`
	To   lock.Stamp `json:"to"`
	Done bool       `json:"-"` // the time is now To
}

// Undoing returns the restamp for an undo of i, which landed at that time, or nil if i did not change the time of the
// last consolidation.
func (i Op) Undoing(landed time.Time) *Restamp {
	switch {
	case i.Kind == lock.KindDream:
		return &Restamp{From: i.consolidatedAt(landed, lock.Stamp{}), To: i.Since}
	case i.Restamp != nil:
		return &Restamp{From: i.Restamp.To, To: i.Restamp.From}
	}
	return nil
}

// Earlier reports whether r was done and set the time back.
func (r *Restamp) Earlier() bool {
	return r != nil && r.Done && (!r.To.Exists || r.From.Exists && r.To.Time.Before(r.From.Time))
}

// String describes the new time for a person.
func (r *Restamp) String() string {
	if !r.To.Exists {
		return "there is no last dream, so all sessions will be reviewed"
	}
	return fmt.Sprintf("the last dream is that of %s, so the sessions since then will be reviewed", r.To)
}

// Cloned returns a copy of m that is not nil.
func Cloned[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return make(map[K]V)
	}
	return maps.Clone(m)
}
