package ops

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// State says how far the changes of a folder have come.
type State string

// The states. Only Landing is ever found half done, and then by recovery alone.
const (
	Staged  State = "staged"  // the memory knows nothing of them
	Landing State = "landing" // the plan is complete; each change has landed or not
	Landed  State = "landed"  // the memory has them; the folder is their archive
)

// Change is one file of a dream: what it held and what it will hold. The sum "" means no file.
type Change struct {
	Name       memory.Name `json:"name"`
	Before     memory.Sum  `json:"before,omitempty"`
	BeforeTime time.Time   `json:"before_time,omitzero"`
	BeforeMode fs.FileMode `json:"before_mode,omitempty"`
	After      memory.Sum  `json:"after,omitempty"`
	AfterTime  time.Time   `json:"after_time,omitzero"` // zero until it is planned
	NewFolder  bool        `json:"new_folder,omitempty"`
}

// Action names what c does: "created", "updated" or "deleted".
func (c Change) Action() string {
	switch {
	case c.Before == "":
		return "created"
	case c.After == "":
		return "deleted"
	}
	return "updated"
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

// Manifest is what a dream's folder says of its changes.
type Manifest struct {
	State     State        `json:"state"`
	Changes   []Change     `json:"changes"`
	Index     memory.Sum   `json:"index,omitempty"`      // of the index as it stood, where it is not one of Changes
	Landed    time.Time    `json:"landed,omitzero"`      // when they landed, or were to land
	Displaced []memory.Sum `json:"displaced,omitempty"`  // foreign contents met while landing, kept as blobs
	LeftAlone []Conflict   `json:"left_alone,omitempty"` // files that were found changed while landing, and were left so
}

// Archive is the folder of one dream: a manifest and the contents it speaks of, each in a file named
// by its sum. It begins as the dream's stage and stays as the record of what the dream replaced.
// It is owned by one goroutine of one process (the holder of the lock) until it has landed.
type Archive struct {
	root *os.Root
	Manifest
}

const (
	manifestFile = "manifest.json"
	progressFile = "landing" // see openProgress
	blobFolder   = "blobs"
	maxManifest  = 16 << 20 // 20,000 changes of 400 bytes are 8 MB
)

// OpenArchive opens the folder of a dream, which Close closes.
func OpenArchive(root *os.Root) (*Archive, error) {
	data, err := memory.ReadBounded(root, manifestFile, maxManifest)
	if err != nil {
		return nil, err
	}
	a := &Archive{root: root}
	if err := json.Unmarshal(data, &a.Manifest); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", manifestFile, err)
	}
	for _, c := range a.Changes {
		if err := c.Name.Writable(); err != nil && !c.Name.IsIndex() && a.State != Landed {
			return nil, fmt.Errorf("%s is damaged: %q can't be changed: %w", manifestFile, c.Name, err)
		}
	}
	return a, nil
}

// Close closes the folder.
func (a *Archive) Close() error { return a.root.Close() }

func (a *Archive) save() error {
	data, err := json.MarshalIndent(a.Manifest, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Replace(a.root, manifestFile, data, time.Time{})
}

// Content returns a content that the manifest names. A sum that does not fit is an error: the
// archive is damaged.
func (a *Archive) Content(sum memory.Sum) ([]byte, error) {
	if sum == "" {
		return nil, nil
	}
	data, err := memory.ReadBounded(a.root, path.Join(blobFolder, string(sum)), memory.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	if memory.SumOf(data) != sum {
		return nil, fmt.Errorf("the archived content %s is damaged", sum.Short())
	}
	return data, nil
}

// find returns the index of the change of n, or -1.
func (a *Archive) find(n memory.Name) int {
	return slices.IndexFunc(a.Changes, func(c Change) bool { return c.Name == n })
}

// after returns the file that c leaves.
func (a *Archive) after(c Change) (memory.File, error) {
	if c.After == "" {
		return memory.File{}, &fs.PathError{Op: "read", Path: c.Name.String(), Err: fs.ErrNotExist}
	}
	data, err := a.Content(c.After)
	return memory.File{Name: c.Name, Data: data, Sum: c.After, ModTime: c.AfterTime}, err
}

// Size returns how many bytes a content of the archive has. It fails with fs.ErrNotExist where the
// archive has lost it.
func (a *Archive) Size(sum memory.Sum) (int64, error) {
	info, err := a.root.Lstat(path.Join(blobFolder, string(sum)))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Keep keeps data, durably, so that Content returns it.
func (a *Archive) Keep(data []byte) (memory.Sum, error) {
	sum := memory.SumOf(data)
	name := path.Join(blobFolder, string(sum))
	if _, err := a.Content(sum); err == nil {
		return sum, nil
	}
	if err := a.root.MkdirAll(blobFolder, 0o700); err != nil {
		return "", err
	}
	return sum, atomicfile.Replace(a.root, name, data, time.Time{})
}

// keepDisplaced stores a displaced content, of any size, and notes it in the manifest, unless the archive
// has it already.
func (a *Archive) keepDisplaced(r *os.File) error {
	// Nearly always it is known; a full disk must not stop a landing for the sake of a copy.
	data, err := io.ReadAll(io.LimitReader(r, memory.MaxFileBytes+1))
	if err != nil || a.has(data) {
		return err
	}
	if err := a.root.MkdirAll(blobFolder, 0o700); err != nil {
		return err
	}
	f, temp, err := atomicfile.CreateTemp(a.root, blobFolder, 0o600)
	if err != nil {
		return err
	}
	defer a.root.Remove(temp)
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, hash), io.MultiReader(bytes.NewReader(data), r))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	sum := memory.Sum(hex.EncodeToString(hash.Sum(nil)))
	if err := atomicfile.Rename(a.root, temp, path.Join(blobFolder, string(sum))); err != nil {
		return err
	}
	if err := atomicfile.SyncFolder(a.root, blobFolder); err != nil {
		return err
	}
	if a.names(sum) {
		return nil // it was archived, and damaged since
	}
	a.Displaced = append(a.Displaced, sum)
	return a.save()
}

// has reports whether the archive has a content that was displaced. The beginning of a new content is what a crash
// leaves of a temporary.
func (a *Archive) has(data []byte) bool {
	if sum := memory.SumOf(data); a.names(sum) {
		_, err := a.Content(sum)
		return err == nil
	}
	return len(data) == 0 || slices.ContainsFunc(a.Changes, func(c Change) bool {
		whole, err := a.Content(c.After)
		return err == nil && bytes.HasPrefix(whole, data)
	})
}

// names reports whether the manifest speaks of a content.
func (a *Archive) names(sum memory.Sum) bool {
	return slices.ContainsFunc(a.Changes, func(c Change) bool { return sum == c.Before || sum == c.After })
}
