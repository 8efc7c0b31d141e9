package memory

import (
	"errors"
	"io/fs"
	"time"

	"dream-mcp/memory/secret"
)

// Snapshot is a memory as it is or as it would be.
type Snapshot struct {
	Topics map[Name]*Topic // without logs and the index
	Index  *Index          // nil: there is no MEMORY.md
	Other  []Other         // files that cannot be memories
	// ModTimes are the times at which the files were last modified, where they are known.
	ModTimes map[Name]time.Time
	// Limited says that the directory holds more than was looked at: of what is missing here, nothing
	// is known.
	Limited bool
	// AllowSecrets are values that the person has declared to be no secret.
	AllowSecrets secret.Allowed
}

// Snapshot reads the memory as it is: every topic and the index.
func (d *Dir) Snapshot() (*Snapshot, error) {
	l, err := d.List()
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Topics: make(map[Name]*Topic), ModTimes: make(map[Name]time.Time), Other: l.Other, Limited: l.Limited, AllowSecrets: d.AllowSecrets}
	for _, e := range l.Files {
		if !e.Name.IsTopic() && !e.Name.IsIndex() {
			continue
		}
		f, err := d.Read(e.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			s.Other = append(s.Other, Other{e.Name.path, "unreadable"})
			continue
		}
		s.Put(e.Name, f.Data)
		s.ModTimes[e.Name] = f.ModTime
	}
	return s, nil
}

// Put adds a topic, or the index, to the snapshot.
func (s *Snapshot) Put(n Name, data []byte) {
	if n.IsIndex() {
		s.Index = ParseIndex(data)
		return
	}
	s.Topics[n] = ParseTopic(data)
}

// Shown returns the memory as it may be shown; nil of nil. A topic that is the same in another snapshot is
// looked at once for both.
func (s *Snapshot) Shown(other *Snapshot) *Snapshot {
	if s == nil {
		return nil
	}
	shown := *s
	shown.Topics = make(map[Name]*Topic, len(s.Topics))
	for n, t := range s.Topics {
		if other != nil && t.masked == nil && other.Topics[n] != nil && other.Topics[n].Equal(t) {
			t.masked = other.Topics[n].masked
		}
		shown.Topics[n] = t.Shown(s.AllowSecrets)
	}
	if s.Index != nil {
		shown.Index = s.Index.Shown(s.AllowSecrets)
	}
	return &shown
}
