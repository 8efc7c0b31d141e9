package consolidate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/memory"
	"dream-mcp/memory/landing"
	"dream-mcp/memory/secret"
)

// The folders of dreams in our state folder, and what lies in each beside its archive.
const (
	dreamFolder = "dreams"
	infoFile    = "dream.json"
	stopFile    = "stop"
	maxInfo     = 1 << 20
)

// The phases of a dream.
const (
	Orienting     = "orienting"
	Gathering     = "gathering"
	Consolidating = "consolidating"
	Finalizing    = "finalizing"
)

// Info is what is known of a dream while it is open and after it ended. Any process may read it.
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
	Listed        *Listed             `json:"listed,omitempty"`
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
	Reviewed      time.Time           `json:"reviewed,omitzero"`  // when it was proposed
	Outcome       Outcome             `json:"outcome,omitempty"`  // empty while it is open
	Ended         time.Time           `json:"ended,omitzero"`
	Reason        string              `json:"reason,omitempty"`
	Undoes        string              `json:"undoes,omitempty"`
	Restamp       *restamp            `json:"restamp,omitempty"` // by an undo
	Commit        string              `json:"commit,omitempty"`  // of a remote, that a merge brought
}

// IndexLine is a line of the index that should name File. What is empty stays as it is.
type IndexLine struct {
	File    string `json:"file"`
	Title   string `json:"title,omitempty"`
	Hook    string `json:"hook,omitempty"`
	Section string `json:"section,omitempty"`
}

// dream is an open operation: a dream, or a single transaction.
type dream struct {
	Info
	dir     *memory.Dir
	lock    *lock.Lock
	record  lock.Record
	folder  *os.Root
	stage   *landing.Stage
	expiry  *time.Timer
	trail   *trail
	allowed secret.Allowed
	leased  time.Time       // when the lease on a shared memory was taken or renewed
	stolen  bool            // another machine took it over
	needed  []Waiver        // those without which the last check of the whole would have refused
	known   map[string]bool // the findings that were reported, by key; not kept for the next process
}

// save writes the dream's Info, as it may be shown.
func (d *dream) save() error {
	data, err := json.MarshalIndent(d.Info.shown(d.allowed), "", " ")
	if err != nil {
		return err
	}
	return landing.Replace(d.folder, infoFile, data, time.Time{})
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
	i.Waived, i.Accepted = shownWaivers(i.Waived, allowed), reasons(i.Accepted)
	if i.Request != nil {
		r := *i.Request
		r.Summary, r.AcceptLoss = show(r.Summary), reasons(r.AcceptLoss)
		i.Request = &r
	}
	return i
}

// checkFolder fails where the dream's folder is no longer where the next process looks for it: what lands
// could be carried on by nobody, and not be undone.
func (d *dream) checkFolder() error {
	ours, err := d.folder.Stat(".")
	if err != nil {
		return err
	}
	there, err := os.Stat(d.record.Stage)
	if err != nil || !os.SameFile(ours, there) {
		return fmt.Errorf("the folder %q was moved or replaced meanwhile; nothing has landed", d.record.Stage)
	}
	return nil
}

// readInfo reads the Info of dream id.
func readInfo(state *os.Root, id string) (Info, error) {
	var info Info
	if !validID(id) {
		return info, ErrUnknown
	}
	data, err := memory.ReadBounded(state, path.Join(dreamFolder, id, infoFile), maxInfo)
	if err == nil {
		err = json.Unmarshal(data, &info)
	}
	if err == nil && info.ID != id {
		err = fmt.Errorf("%s of %s tells of %q", infoFile, id, info.ID)
	}
	return info, err
}

// StatusURI is the resource that tells of the open dream.
const StatusURI = "dream://status"

// Abort ends the open dream without a trace in the memory, and returns what its stage held.
func (p *Project) Abort(ctx context.Context, reason string) (id string, staged []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dream == nil {
		return "", nil, cmp.Or(p.enter(""), ErrNoDream)
	}
	id, staged = p.dream.ID, p.dream.staged()
	return id, staged, p.end(Aborted, reason)
}

func (d *dream) staged() []string {
	files := make([]string, len(d.stage.Changes))
	for i, c := range d.stage.Changes {
		files[i] = c.Name.String()
	}
	slices.Sort(files)
	return files
}
