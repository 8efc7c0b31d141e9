package recall

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// logFile is a file in the state folder of a memory. It has a line of JSON for each time that memories were shown.
const logFile = "recall.jsonl"

// maxLog is the size at which the older half of the log is dropped, in bytes: some thousand lines.
const maxLog = 256 << 10

// A Push is a line of the log: the memories that were shown at an event of a session.
type Push struct {
	Time    time.Time `json:"time"`
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session"`
	Event   string    `json:"event"` // a level, Forgot or Read
	Files   []string  `json:"files,omitempty"`
	ID      string    `json:"id"`
}

// Events that show nothing.
const (
	Forgot = "forgot" // the context of a session was compacted: what was shown before is no longer in it
	Read   = "read"   // the session read memories by itself
)

// Shows reports whether memories were shown.
func (p Push) Shows() bool { return p.Event != Forgot && p.Event != Read }

// NoteRead notes that the caller's session has read memories, so that they are not shown in it. Where nothing was ever shown, or
// the session is not known, it does nothing.
func (r *Recall) NoteRead(files []string) {
	state, err := memory.OpenRoot(r.Store.Records.StateDir())
	if err != nil {
		return
	}
	defer state.Close()
	if _, err := state.Lstat(logFile); err == nil && r.Store.Session != "" && len(files) > 0 {
		_, _ = r.Claim(Push{Host: r.Store.Host, Session: r.Store.Session, Event: Read, Files: files[:min(len(files), maxRead)]})
	}
}

// startSpan is the time within which a second beginning of a session is taken for the first.
const startSpan = 30 * time.Second

// maxRead bounds the memories of a line.
const maxRead = 200

// Claim writes p into the log, and returns the files of p that the caller may show: those that were not shown in the
// session before. If several processes claim a file at once, one gets it. A memory in the index does not count as
// shown, but the index is shown once when a session begins, also by a host that calls two hooks for that.
func (r *Recall) Claim(p Push) (fresh []string, err error) {
	r.Store.Lock()
	defer r.Store.Unlock()
	state, err := r.Store.Records.Root()
	if err != nil {
		return nil, err
	}
	p.Time, p.ID = r.Store.Now(), rand.Text()
	line, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	f, err := memory.OpenRegular(state, logFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(append(line, '\n')) // one write: lines of other processes stay whole
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	data, err := readLog(state)
	if err != nil {
		return nil, err
	}
	if len(data) > maxLog {
		_, newer, _ := bytes.Cut(data[len(data)/2:], []byte("\n"))
		err = atomicfile.Replace(state, logFile, newer, time.Time{}) // a line that is added meanwhile is lost
	}
	shown, begun := map[string]bool{}, time.Time{}
	for _, q := range pushes(data) {
		switch {
		case q.Session != p.Session:
		case q.ID == p.ID && p.Event == Start && p.Time.Sub(begun).Abs() < startSpan:
			return nil, err
		case q.ID == p.ID:
			return slices.DeleteFunc(p.Files, func(file string) bool { return shown[file] }), err
		case q.Event == Forgot:
			clear(shown)
			begun = time.Time{}
		case q.Event == Start:
			begun = q.Time
		default:
			for _, file := range q.Files {
				shown[file] = true
			}
		}
	}
	return nil, errors.Join(err, errors.New("the line that was just added is not in "+logFile))
}

func readLog(state *os.Root) ([]byte, error) {
	return memory.ReadBounded(state, logFile, 4*maxLog)
}

// pushes reads the lines of a log. It skips invalid lines.
func pushes(data []byte) (all []Push) {
	for line := range bytes.Lines(data) {
		var p Push
		if json.Unmarshal(line, &p) == nil {
			all = append(all, p)
		}
	}
	return all
}

// Pushes returns the log, the newest last. If there is none, it is empty.
func (r *Recall) Pushes() ([]Push, error) {
	state, err := memory.OpenRoot(r.Store.Records.StateDir())
	if err != nil {
		return nil, ignoreMissing(err)
	}
	defer state.Close()
	data, err := readLog(state)
	return pushes(data), ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
