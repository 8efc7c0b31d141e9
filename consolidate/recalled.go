package consolidate

import (
	"os"
	"path/filepath"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/recall"
	"dream-mcp/memory"
	"dream-mcp/memory/rule"
)

// doubtsFile keeps what the rules drift and deadline found last: a hook has no time to ask them.
const doubtsFile = "doubts.json"

// A doubt is a finding about a file, while the file is as it was.
type doubt struct {
	Sum     string `json:"sum"`
	Message string `json:"message"`
}

// keepDoubts keeps what was found of the files that have a sum, where there is a state folder yet. What cannot be kept is not known to hooks.
func (p *base) keepDoubts(findings []rule.Finding, sums map[string]string) {
	if _, err := os.Stat(p.StateDir()); err != nil {
		return
	}
	doubts := map[string]doubt{}
	for _, f := range findings {
		if _, known := doubts[f.File]; !known && sums[f.File] != "" && (f.Rule == "drift" || f.Rule == "deadline") {
			doubts[f.File] = doubt{sums[f.File], f.Message}
		}
	}
	if p.o.ProjectDir != "" { // without a project drift was not asked
		_ = p.SetNote(doubtsFile, doubts)
	}
}

// Recallable returns the topics on disk, with what the last lint or map found doubtful in them. It does not count as a call of an open dream.
func (p *base) Recallable() ([]recall.Memory, error) {
	p.Lock()
	defer p.Unlock()
	dir, err := p.Dir()
	if err != nil || dir == nil {
		return nil, err
	}
	defer dir.Close()
	s, err := dir.Snapshot()
	if err != nil {
		return nil, err
	}
	known, messages := map[string]doubt{}, map[string]string{}
	p.Note(doubtsFile, &known)
	for n, t := range s.Topics {
		if d, ok := known[n.String()]; ok && memory.SumOf(t.Bytes()).Short() == d.Sum {
			messages[n.String()] = d.Message
		}
	}
	return recall.Memories(s, messages), nil
}

// Recalled writes into the log that files are about to be shown at an event of a session, and returns those that the session has not been shown.
func (p *base) Recalled(push recall.Push) (fresh []string, err error) {
	p.Lock()
	defer p.Unlock()
	state, err := p.Root()
	if err != nil {
		return nil, err
	}
	push.Time = p.Now()
	return recall.Claim(state, push)
}

// A Dreamer is who has an attended dream open.
type Dreamer struct {
	Dream   string
	Session string // "" where it is not known
	PID     int    // of the server
}

// Dreaming returns who has an attended dream open, in whichever process; nil: nobody has. Without an open operation it costs one stat.
func (p *base) Dreaming() (*Dreamer, error) {
	info, err := os.Lstat(filepath.Join(p.MemoryDir, lock.File))
	if err != nil || info.Size() <= 1 {
		return nil, nil // a lock that cannot be seen was not taken by a server of this person
	}
	root, err := memory.OpenRoot(p.MemoryDir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r, err := lock.Read(root)
	if err != nil || r.Kind != lock.KindDream || r.Dead() {
		return nil, err
	}
	d := &Dreamer{Dream: r.Dream, PID: r.PID}
	p.Lock()
	defer p.Unlock()
	if open, err := p.Info(r.Dream); err == nil {
		d.Session = open.Session
		if open.Unattended {
			return nil, nil // its host has no tool of its own that writes
		}
	}
	return d, nil
}
