package proposal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"dream-mcp/consolidate/store"
	"dream-mcp/memory"
)

// Earlier versions of this program kept each change that only the person may make in a file of its own.
const (
	earlierFolder  = "proposals"
	maxEarlier     = 200
	maxEarlierFile = 6*memory.MaxFileBytes + 1<<16 // a byte may need six in JSON
)

// earlier is a change in such a file.
type earlier struct {
	ID      string           `json:"id"`
	Made    time.Time        `json:"made"`
	Dream   string           `json:"dream"`
	Path    string           `json:"path"`
	Base    memory.Sum       `json:"base"`
	Delete  bool             `json:"delete"`
	Content string           `json:"content"`
	Reason  string           `json:"reason"`
	Waived  []store.Waiver   `json:"waived"`
	Index   *store.IndexLine `json:"index"`
}

// id returns the name of the file, a hash of its content, so that no other file is mistaken for one.
func (m earlier) id() string {
	text := fmt.Appendf(nil, "%q %s %v %q", m.Path, m.Base, m.Delete, m.Content)
	if m.Index != nil {
		text = fmt.Appendf(text, " %q", *m.Index)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// Earlier returns the names of the files of an earlier version.
func (r *Room) Earlier() []string {
	root, err := r.Root()
	if err != nil {
		return nil
	}
	entries, _, _ := memory.ReadFolder(root, earlierFolder, maxEarlier)
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			files = append(files, earlierFolder+"/"+e.Name())
		}
	}
	return files
}

// Adopt converts the changes that an earlier version kept into proposals. It leaves files that it cannot read or that do not
// match their name. The caller holds the lock.
func (r *Room) Adopt(dir *memory.Dir) error {
	root, err := r.Root()
	if err != nil {
		return err
	}
	for _, file := range r.Earlier() {
		var m earlier
		data, err := memory.ReadBounded(root, file, maxEarlierFile)
		if err != nil || json.Unmarshal(data, &m) != nil || file != earlierFolder+"/"+m.id()+".json" || m.ID != m.id() {
			continue
		}
		n, err := memory.ParseName(m.Path)
		if err != nil || n.Writable() != nil {
			continue
		}
		c := Change{ID: store.NewID(r.Now()), Dream: m.Dream, Name: n, Base: m.Base, Reason: m.Reason, Waived: m.Waived, Index: m.Index}
		if !m.Delete {
			c.Data = []byte(m.Content)
		}
		if _, err := r.Hold(dir, c); err != nil {
			return err
		}
		if err := r.RemoveNote(file); err != nil {
			return err
		}
	}
	return nil
}
