package share

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
	"dream-mcp/memory/phrase"
	"dream-mcp/memory/rule"
)

// Traffic is what was exchanged and what was not.
type Traffic struct {
	Waiting []memory.Name `json:"waiting,omitempty"` // to be sent
	Staying []memory.Name `json:"staying,omitempty"` // never sent: some system could not have a file of that name
	Pulled  []memory.Name `json:"pulled,omitempty"`  // by the last sync that changed something here
	From    string        `json:"from,omitempty"`    // the machines that those came from
	At      time.Time     `json:"at,omitzero"`
	ID      string        `json:"id,omitempty"` // of that sync
}

// Traffic compares the memory here with what the remote had last, and reads the log. It does not ask the remote, and
// takes the mutex only to read the memory.
func (r *Share) Traffic(ctx context.Context) (t Traffic, err error) {
	s, err := r.State()
	if err != nil {
		return t, err
	}
	unlock := r.Store.Lock()
	local, err := r.read(ctx)
	if unlock(); err != nil {
		return t, err
	}
	for n := range local {
		if !travels(n) {
			t.Staying = append(t.Staying, n)
		}
	}
	slices.SortFunc(t.Staying, memory.Name.Compare)
	if base, err := (git{dir: filepath.Join(r.Store.Records.StateDir(), repo)}).read(ctx, s.Base); err == nil { // else the next sync fetches it
		t.Waiting = changed(base.files(), view(local, s.Team))
	}
	for e, err := range r.Store.Records.Newest(state.LogQuery{Kind: string(lock.KindSync), Changed: true}) {
		if err != nil {
			return t, err
		}
		if e.Outcome == ops.Committed {
			t.From, t.At, t.ID = strings.TrimPrefix(e.Reason, pulledFrom), e.Time, e.ID
			for _, file := range e.Files {
				if n, err := memory.ParseName(file); err == nil {
					t.Pulled = append(t.Pulled, n)
				}
			}
			break
		}
	}
	return t, nil
}

// Line describes a share in a line, "" if the memory is not shared. It takes the mutex only to read the memory. If git
// does not answer, the line does not say what is to be sent.
func (r *Share) Line(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	s, err := r.State()
	t, trafficErr := r.Traffic(ctx)
	if err != nil || trafficErr != nil {
		return ""
	}
	line := "as " + s.MachineName + ", last sync " + phrase.Ago(r.Store.Now(), s.Last)
	if s.Last.IsZero() {
		line = "as " + s.MachineName + ", never synced"
	}
	if n := len(t.Waiting); n > 0 {
		line += fmt.Sprintf("; %s to send", phrase.Plural(n, "file"))
	}
	if t.Pulled != nil {
		line += fmt.Sprintf("; pulled %s from %s %s", phrase.Plural(len(t.Pulled), "file"), t.From, phrase.Ago(r.Store.Now(), t.At))
	}
	return line
}

// Warnings returns the warnings of a status. They quote nothing from the remote. The caller holds the mutex.
func (r *Share) Warnings(dir *memory.Dir) (warnings []string) {
	s, err := r.State()
	if err == ErrNotShared {
		return nil
	}
	warn := func(text string) { warnings = append(warnings, "shared memory: "+text) }
	if err != nil {
		warn(err.Error())
	}
	if s.Pending != "" {
		warn("what changed here has not been sent yet; dream-mcp share says why")
	}
	if s.Stopped != "" {
		warn(s.Stopped)
	}
	if dir != nil {
		if names, _ := dir.Topics(); err == nil {
			if names = slices.DeleteFunc(names, travels); len(names) > 0 {
				warn(StayingHere(names))
			}
		}
	}
	for _, note := range s.Notes {
		warn(note.Name.String() + ": " + note.Why)
	}
	return warnings
}

// StayingHere says what is never sent.
func StayingHere(names []memory.Name) string {
	return "never sent, because some systems could not have a file of that name (name.md or folder/name.md, without special characters): " + phrase.Few(names, MaxNamed)
}

// Findings returns what a dream should look at first: what merges could not decide. The caller holds the mutex.
func (r *Share) Findings() (findings []rule.Finding) {
	s, _ := r.State() // without it there is less to look at
	for _, note := range s.Notes {
		findings = append(findings, rule.Finding{
			Rule: rule.Conflict, Severity: rule.Warning, File: note.Name.String(), Message: note.Why,
			Hint: "read it and write it again with what still holds",
		})
	}
	return findings
}

// Sign adds to each new line of the diff of a merge the name of the machine that wrote it, as it calls itself. commit
// is the merged commit. It needs no mutex.
func (r *Share) Sign(ctx context.Context, commit, diff string) string {
	g := git{dir: filepath.Join(r.Store.Records.StateDir(), repo)}
	var b strings.Builder
	var authors map[string]string // of the lines of a file
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if file, is := strings.CutPrefix(line, "+++ b/"); is {
			authors = g.blame(ctx, commit, memoryFolder+"/"+file)
		} else if name := authors[strings.TrimPrefix(line, "+")]; name != "" && line[0] == '+' {
			line += "  [" + name + "]"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// blame returns the author of each line of a file, as far as git knows.
func (g git) blame(ctx context.Context, commit, file string) map[string]string {
	out, _ := g.run(ctx, nil, "blame", "--line-porcelain", commit, "--", file)
	authors, name := make(map[string]string), ""
	for line := range strings.Lines(out) {
		if author, is := strings.CutPrefix(line, "author "); is {
			name = plainName(strings.TrimSpace(author))
		} else if text, is := strings.CutPrefix(line, "\t"); is && strings.TrimSpace(text) != "" {
			authors[strings.TrimRight(text, "\r\n")] = name
		}
	}
	return authors
}
