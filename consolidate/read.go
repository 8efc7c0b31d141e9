package consolidate

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"dream-mcp/memory"
)

// Shown is a file as it may be shown (secret.Allowed.Show).
type Shown struct {
	Name   memory.Name
	Sum    memory.Sum // of the file as it is: the base of a write
	Bytes  int        // of the file as it is
	Text   string
	Masked int // how many credentials the text hides
}

// ReadResult is a memory as the open dream would leave it, or as it is.
type ReadResult struct {
	Shown
	Disk *Shown // what is on disk, where it changed since it was staged
	Err  error
	Near string // where there is no such file, the one that is likeliest meant
}

// Read reads memories, the index and logs included.
func (p *Project) Read(ctx context.Context, paths []string) ([]ReadResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.enter(""); err != nil {
		return nil, err
	}
	p.tell(Event{Kind: EventRead, Text: strings.Join(paths, ", ")})
	dir, err := p.openDir()
	if err != nil {
		return nil, err
	}
	if dir != nil {
		defer dir.Close()
	}
	results := make([]ReadResult, len(paths))
	for i, s := range paths {
		r := &results[i]
		n, err := memory.ParseName(s)
		var f memory.File
		var disk *memory.File
		switch {
		case err != nil:
			r.Err = err
		case dir == nil:
			r.Err = &fs.PathError{Op: "read", Path: s, Err: fs.ErrNotExist}
		case p.dream != nil && n.IsIndex():
			f, r.Err = p.dream.readIndex()
		case p.dream != nil:
			f, disk, r.Err = p.dream.stage.Read(n)
		default:
			f, r.Err = dir.Read(n)
		}
		if dir != nil && errors.Is(r.Err, fs.ErrNotExist) {
			r.Near = dir.Nearest(s)
		}
		r.Shown = p.shown(n, f)
		if disk != nil {
			onDisk := p.shown(n, *disk)
			r.Disk = &onDisk
		}
	}
	return results, nil
}

func (p *Project) shown(n memory.Name, f memory.File) Shown {
	v := p.o.AllowSecrets.Show(string(f.Data))
	return Shown{Name: n, Sum: f.Sum, Bytes: len(f.Data), Text: v.Text, Masked: len(v.Spans)}
}
