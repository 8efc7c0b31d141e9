package consolidate

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"dream-mcp/consolidate/ops"
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

	NoLine []string // of the index: memories that it does not name because it is full
	Err    error
	Near   string // the nearest name, if there is no such file
}

// Read reads memories, the index and logs included.
func (p *Project) Read(ctx context.Context, paths []string) ([]ReadResult, error) {
	p.Lock()
	defer p.Unlock()
	r, err := openReader(p, strings.Join(paths, ", "))
	if err != nil {
		return nil, err
	}
	defer r.dir.Close()
	results := make([]ReadResult, len(paths))
	for i, path := range paths {
		results[i] = r.read(path)
	}
	return results, nil
}

// ReadAfter reads topics in the order of their names, beginning after name: as many as fit into room bytes, and at least one.
// left is the number of topics after those. The index follows the last topic if it fits too.
func (p *Project) ReadAfter(ctx context.Context, name string, room int) (results []ReadResult, left int, err error) {
	p.Lock()
	defer p.Unlock()
	r, err := openReader(p, strings.TrimSuffix("all, after "+name, ", after "))
	if err != nil || r.dir == nil {
		return nil, 0, err
	}
	defer r.dir.Close()
	names, err := r.dir.Topics()
	if err != nil {
		return nil, 0, err
	}
	if r.dream != nil {
		names = r.dream.Stage.Topics(names)
	}
	names = slices.DeleteFunc(names, func(n memory.Name) bool { return n.String() <= name })
	for i, n := range names {
		one := r.read(n.String())
		one.Name = n
		if room -= len(one.Text); room < 0 && i > 0 {
			return results, len(names) - i, nil
		}
		results = append(results, one)
	}
	if index := r.read(memory.IndexName.String()); len(results) > 0 && index.Err == nil && len(index.Text) <= room {
		results = append(results, index)
	}
	return results, 0, nil
}

// reader reads the memory as the open dream would leave it, or as it is.
type reader struct {
	dir   *memory.Dir // nil if there is none
	dream *dream
	store *ops.Store
}

// openReader begins a call that reads.
func openReader(p *Project, what string) (r reader, err error) {
	if err := p.enter(""); err != nil {
		return r, err
	}
	p.dream.log(Event{Kind: EventRead, Text: what})
	r.dream, r.store = p.dream, p.Store
	r.dir, err = p.Dir()
	return r, err
}

func (r reader) read(path string) (res ReadResult) {
	n, err := memory.ParseName(path)
	var f memory.File
	var disk *memory.File
	switch {
	case err != nil:
		res.Err = err
	case r.dir == nil:
		res.Err = &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	case r.dream != nil && n.IsIndex():
		f, res.Err = r.dream.ReadIndex()
	case r.dream != nil:
		f, disk, res.Err = r.dream.Stage.Read(n)
	default:
		f, res.Err = r.dir.Read(n)
	}
	if r.dir == nil {
		res.Name = n
		return res
	}
	if errors.Is(res.Err, fs.ErrNotExist) {
		res.Near = r.dir.Nearest(path)
	}
	show := func(f memory.File) Shown {
		v := r.dir.AllowSecrets.Show(string(f.Data))
		return Shown{Name: n, Sum: f.Sum, Bytes: len(f.Data), Text: v.Text, Masked: len(v.Spans)}
	}
	res.Shown = show(f)
	if n.IsIndex() && res.Err == nil {
		res.NoLine = r.store.WithoutLine(r.dir, memory.ParseIndex(f.Data))
	}
	if disk != nil {
		onDisk := show(*disk)
		res.Disk = &onDisk
	}
	return res
}
