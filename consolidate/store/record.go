package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"time"

	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/secret"
)

// The folders of operations in the state folder, and what is in each beside its archive.
const (
	dreamFolder = "dreams"
	InfoFile    = "dream.json"
)

// Info is what is known of an operation while it is open and after it ended. Any process may read it.
type Info struct {
	ID            string              `json:"id"`
	Kind          lock.Kind           `json:"kind"`
	Host          string              `json:"host,omitempty"`
	Session       string              `json:"session,omitempty"`
	Started       time.Time           `json:"started"`
	LastCall      time.Time           `json:"last_call"`
	Phase         string              `json:"phase,omitempty"`
	Since         lock.Stamp          `json:"since"`
	Sessions      int                 `json:"sessions"`
	Listed        *listed.Record      `json:"listed,omitempty"`
	ToolCalls     int                 `json:"tool_calls"`
	BytesSearched int64               `json:"bytes_searched"`
	Forced        bool                `json:"forced,omitempty"`
	Resumed       bool                `json:"resumed,omitempty"`
	Unattended    bool                `json:"unattended,omitempty"`
	IndexLines    []IndexLine         `json:"index_lines,omitempty"`   // asked for by writes, for the commit
	Evidence      map[string][]string `json:"evidence,omitempty"`      // by file: the hits that a write cited
	Waived        []Waiver            `json:"waived,omitempty"`        // once it lands, only those that were needed
	Accepted      map[string]string   `json:"accepted_loss,omitempty"` // why, by file
	Merges        map[string]*Merge   `json:"merges,omitempty"`        // by the memory that others were merged into
	Summary       string              `json:"summary,omitempty"`
	Proposed      []string            `json:"proposed,omitempty"` // files of which a change was kept for the person
	Request       *FinalizeRequest    `json:"request,omitempty"`  // what the person is to agree to
	Held          map[string]string   `json:"held,omitempty"`     // of changes that only the person may make: why, by file
	Dream         string              `json:"dream,omitempty"`    // in which those were held; "": in none
	Reviewed      time.Time           `json:"reviewed,omitzero"`  // when it was proposed
	Outcome       Outcome             `json:"outcome,omitempty"`  // empty while it is open
	Ended         time.Time           `json:"ended,omitzero"`
	Reason        string              `json:"reason,omitempty"`
	Undoes        string              `json:"undoes,omitempty"`
	Commit        string              `json:"commit,omitempty"`  // of a remote, that a merge brought
	Restamp       *Restamp            `json:"restamp,omitempty"` // by an undo
}

// FinalizeRequest says how the index should be when a dream ends, and what is agreed to.
type FinalizeRequest struct {
	Upsert     []IndexLine
	Remove     []string
	Content    *string
	Base       string
	Adopt      bool
	DryRun     bool
	AcceptLoss map[string]string // why, by file
	Summary    string
	Diff       string `json:"-"` // with DryRun: of this file, or of all
}

// Merge is what was merged into a memory in a dream.
type Merge struct {
	Replaced map[string]memory.Sum `json:"replaced"`           // by path, the text as it was; kept in the dream's folder
	Accepted map[string]string     `json:"accepted,omitempty"` // why, by the text of a fact
}

// IndexLine is a line of the index that should name File. What is empty stays as it is.
type IndexLine struct {
	File    string `json:"file"`
	Title   string `json:"title,omitempty"`
	Hook    string `json:"hook,omitempty"`
	Section string `json:"section,omitempty"`
}

// shown returns the Info with what a model or a person wrote as it may be shown. Index lines stay as they are:
// they are to land.
func (i Info) shown(allowed secret.Allowed) Info {
	show := func(text string) string { return allowed.Show(text).Text }
	reasons := func(byFile map[string]string) map[string]string {
		byFile = maps.Clone(byFile)
		for file, why := range byFile {
			byFile[file] = show(why)
		}
		return byFile
	}
	i.Summary, i.Reason = show(i.Summary), show(i.Reason)
	i.Waived, i.Accepted = ShownWaivers(i.Waived, allowed), reasons(i.Accepted)
	if i.Request != nil {
		r := *i.Request
		r.Summary, r.AcceptLoss = show(r.Summary), reasons(r.AcceptLoss)
		i.Request = &r
	}
	return i
}

// Info reads the record of operation id.
func (s *Records) Info(id string) (Info, error) {
	var info Info
	if !ValidID(id) {
		return info, ErrUnknown
	}
	root, err := s.Root()
	if err != nil {
		return info, err
	}
	data, err := memory.ReadBounded(root, path.Join(dreamFolder, id, InfoFile), maxNote)
	if err == nil {
		err = json.Unmarshal(data, &info)
	}
	if err == nil && info.ID != id {
		err = fmt.Errorf("%s of %s is of %q", InfoFile, id, info.ID)
	}
	return info, err
}

// Waits reports whether i was proposed to the person, and has not been answered.
func (i Info) Waits() bool {
	return i.Request != nil && i.Outcome != Committed && i.Outcome != Rejected
}

// consolidatedAt is the time of the last consolidation once a dream has landed or was rejected. What a person answered later reviewed
// no session after its own end, so that those are not passed over.
func (i Info) consolidatedAt(landed time.Time, prior lock.Stamp) lock.Stamp {
	if i.Request == nil {
		return lock.Stamp{Exists: true, Time: landed}
	}
	if prior.Exists && prior.Time.After(i.Reviewed) {
		return prior
	}
	return lock.Stamp{Exists: true, Time: i.Reviewed}
}

// Restamp is what an undo does to the time of the last consolidation, so that the sessions that a dream
// reviewed are to be reviewed again. It does nothing where that time is no longer From: the dream was not
// the last one.
type Restamp struct {
	From lock.Stamp `json:"from"`
	To   lock.Stamp `json:"to"`
	Done bool       `json:"-"` // the time is now To
}

// Undoing returns the restamp of undoing i, which landed at a time; nil for what has not changed the time of the last consolidation.
func (i Info) Undoing(landed time.Time) *Restamp {
	switch {
	case i.Kind == lock.KindDream && i.Request != nil:
		return &Restamp{From: lock.Stamp{Exists: true, Time: i.Reviewed}, To: i.Since}
	case i.Kind == lock.KindDream:
		return &Restamp{From: lock.Stamp{Exists: true, Time: landed}, To: i.Since}
	case i.Restamp != nil:
		return &Restamp{From: i.Restamp.To, To: i.Restamp.From}
	}
	return nil
}

// Earlier reports whether r was carried out and gave sessions back.
func (r *Restamp) Earlier() bool {
	return r != nil && r.Done && (!r.To.Exists || r.From.Exists && r.To.Time.Before(r.From.Time))
}

// String says what holds again, for a person.
func (r *Restamp) String() string {
	if !r.To.Exists {
		return "no dream counts as the last one: all sessions are to be reviewed"
	}
	return fmt.Sprintf("the last dream that counts is that of %s: the sessions since then are to be reviewed", r.To)
}

// Cloned returns a copy of m, which is not nil.
func Cloned[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return make(map[K]V)
	}
	return maps.Clone(m)
}
