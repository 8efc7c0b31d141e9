package ops

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"time"

	"dream-mcp/memory"
	"dream-mcp/memory/atomicfile"
)

// textsFolder has every text of the operations once, in a file named by its sum.
const textsFolder = "blobs"

// texts are the texts in a folder below root.
type texts struct {
	root   *os.Root
	folder string
}

func (t texts) file(sum memory.Sum) string { return path.Join(t.folder, string(sum)) }

// read returns a text; nil for the sum "". A text that does not have its sum is damaged, which is an error.
func (t texts) read(sum memory.Sum) ([]byte, error) {
	if sum == "" {
		return nil, nil
	}
	data, err := memory.ReadBounded(t.root, t.file(sum), memory.MaxFileBytes)
	if err != nil {
		return nil, err
	}
	if memory.SumOf(data) != sum {
		return nil, fmt.Errorf("the archived content %s is damaged", sum.Short())
	}
	return data, nil
}

// size returns the number of bytes of a text.
func (t texts) size(sum memory.Sum) (int64, error) {
	info, err := t.root.Lstat(t.file(sum))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// add makes texts durable, with one sync of the folder. It returns the number of bytes that were not there.
func (t texts) add(all map[memory.Sum][]byte) (added int64, err error) {
	if len(all) == 0 {
		return 0, nil
	}
	for sum, data := range all {
		if _, err := t.read(sum); err == nil {
			continue
		}
		if err := atomicfile.Write(t.root, t.file(sum), data, time.Time{}); err != nil {
			return added, err
		}
		added += int64(len(data))
	}
	// Also if all were there: whoever wrote them may have died before this.
	return added, atomicfile.SyncFolder(t.root, t.folder)
}

// copy makes a content of any size durable, and returns its sum.
func (t texts) copy(r io.Reader) (memory.Sum, error) {
	hash := sha256.New()
	temp := atomicfile.TempName(t.folder, "")
	if err := atomicfile.CopyTemp(t.root, temp, io.TeeReader(r, hash), 0o600, time.Time{}); err != nil {
		return "", err
	}
	sum := memory.Sum(hex.EncodeToString(hash.Sum(nil)))
	if err := atomicfile.Rename(t.root, temp, t.file(sum)); err != nil {
		return "", err
	}
	return sum, atomicfile.SyncFolder(t.root, t.folder)
}

// sums returns the size of each text by its sum.
func (t texts) sums() (map[memory.Sum]int64, error) {
	entries, _, err := memory.ReadFolder(t.root, t.folder, math.MaxInt32)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	sizes := make(map[memory.Sum]int64, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && len(e.Name()) == 2*sha256.Size {
			sizes[memory.Sum(e.Name())] = info.Size()
		}
	}
	return sizes, nil
}

// keepFile makes the content of a file durable, unless it is known, and returns its sum; "" if it was known. known are the sums
// that o names; the beginning of a new text is what a crash leaves of a temporary.
func (t texts) keepFile(f *os.File, o *Op) (memory.Sum, error) {
	// Nearly always it is known: a full disk must not stop a landing for the sake of a copy.
	data, err := io.ReadAll(io.LimitReader(f, memory.MaxFileBytes+1))
	if err != nil || len(data) == 0 {
		return "", err
	}
	sum := memory.SumOf(data)
	for _, c := range o.Changes {
		if sum == c.Before || sum == c.After {
			if _, err := t.read(sum); err == nil {
				return "", nil
			}
		} else if whole, err := t.read(c.After); err == nil && bytes.HasPrefix(whole, data) {
			return "", nil
		}
	}
	sum, err = t.copy(io.MultiReader(bytes.NewReader(data), f))
	if err != nil || o.names(sum) {
		return "", err // it was archived, and damaged since
	}
	return sum, nil
}
