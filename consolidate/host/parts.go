package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory"
)

// parts is the collection of the sessions in one file of text.
type parts struct {
	path  string
	most  int64 // bytes of a file that is read
	alone bool  // a file with a second name is not read
	cut   func(text string, at time.Time) []part
}

// A part is one session.
type part struct {
	id string
	said.Status
	lines func() []said.Record
}

func (p *parts) all() ([]part, error) {
	f, err := said.OpenFile(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stat, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case p.alone && !memory.Alone(f, stat):
		return nil, errors.New("it has another name")
	case stat.Size() > p.most:
		return nil, fmt.Errorf("it is larger than %d KB", p.most>>10)
	}
	text, err := io.ReadAll(io.LimitReader(f, p.most))
	return p.cut(string(text), stat.ModTime()), err
}

func (p *parts) List(since time.Time) (files []said.File, _ said.Skipped, err error) {
	all, err := p.all()
	for _, of := range all {
		if of.ModTime.After(since) {
			files = append(files, said.File{ID: of.id, Path: filepath.Join(p.path, of.id), Size: of.Size, ModTime: of.ModTime})
		}
	}
	return files, said.Skipped{}, err
}

func (p *parts) Read(id string) (lines []said.Record, at said.Status, err error) {
	all, err := p.all()
	for _, of := range all {
		if of.id == id {
			return of.lines(), of.Status, err
		}
	}
	if err == nil {
		err = fs.ErrNotExist
	}
	return nil, at, err
}
