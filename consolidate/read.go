package consolidate

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"dream-mcp/memory"
)

// Shown is a file that is safe to show (secret.Allowed.Show).
type Shown struct {
	Name   memory.Name
	Sum    memory.Sum // of the unmasked file, the base of a write
	Bytes  int        // of the unmasked file
	Text   string
	Masked int // number of masked credentials
}

// ReadResult is a memory as the open dream would leave it, or as it is.
type ReadResult struct {
	Shown
	Disk *Shown // the file on disk, if it changed after it was staged
	Err  error
	Near string // the nearest name, if there is no such file
}

// Read reads memories, the index and logs included.
func (p *Project) Read(ctx context.Context, paths []string) ([]ReadResult, error) {
	p.Lock()
	defer p.Unlock()
	dir, err := p.enterRead(strings.Join(paths, ", "))
	defer dir.Close()
	if err != nil {
		return nil, err
	}
	results := make([]ReadResult, len(paths))
	for i, path := range paths {
		results[i] = p.read(dir, path)
	}
	return results, nil
}

// ReadAfter reads topics in the order of their names, beginning after name: as many as fit into room bytes, and at least one.
// left is the number of topics after those.
func (p *Project) ReadAfter(ctx context.Context, name string, room int) (results []ReadResult, left int, err error) {
	p.Lock()
	defer p.Unlock()
	dir, err := p.enterRead(strings.TrimSuffix("all, after "+name, ", after "))
	if err != nil || dir == nil {
		return nil, 0, err
	}
	defer dir.Close()
	names, err := dir.Topics()
	if err != nil {
		return nil, 0, err
	}
	if p.dream != nil {
		names = p.dream.Stage.Topics(names)
	}
	names = slices.DeleteFunc(names, func(n memory.Name) bool { return n.String() <= name })
	for i, n := range names {
		r := p.read(dir, n.String())
		r.Name = n
		if room -= len(r.Text); room < 0 && i > 0 {
			return results, len(names) - i, nil
		}
		results = append(results, r)
	}
	return results, 0, nil
}

// enterRead begins a call that reads. The directory is nil if there is none.
func (p *Project) enterRead(what string) (*memory.Dir, error) {
	if err := p.enter(""); err != nil {
		return nil, err
	}
	p.dream.log(Event{Kind: EventRead, Text: what})
	return p.Dir()
}

func (p *Project) read(dir *memory.Dir, path string) (r ReadResult) {
	n, err := memory.ParseName(path)
	var f memory.File
	var disk *memory.File
	switch {
	case err != nil:
		r.Err = err
	case dir == nil:
		r.Err = &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	case p.dream != nil && n.IsIndex():
		f, r.Err = p.dream.ReadIndex()
	case p.dream != nil:
		f, disk, r.Err = p.dream.Stage.Read(n)
	default:
		f, r.Err = dir.Read(n)
	}
	if dir != nil && errors.Is(r.Err, fs.ErrNotExist) {
		r.Near = dir.Nearest(path)
	}
	r.Shown = p.shown(n, f)
	if disk != nil {
		onDisk := p.shown(n, *disk)
		r.Disk = &onDisk
	}
	return r
}

func (p *Project) shown(n memory.Name, f memory.File) Shown {
	v := p.AllowSecrets.Show(string(f.Data))
	return Shown{Name: n, Sum: f.Sum, Bytes: len(f.Data), Text: v.Text, Masked: len(v.Spans)}
}
