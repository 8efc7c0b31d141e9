package consolidate

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/state"
	"dream-mcp/memory"
)

// ShownFile is a file that is safe to show (secret.Allowed.Show).
type ShownFile struct {
	Name    memory.Name
	Sum     memory.Sum // of the unmasked file, the base of a write
	Written time.Time  // of a topic, as memory.Topic.Written
	Text    string
	Type    string // of a topic; "": the text has it
	Part    bool   // of a topic: Text has only the passages that something new touches
	Masked  int    // number of masked credentials
}

// ReadResult is a memory as the open dream would leave it, or as it is.
type ReadResult struct {
	ShownFile
	Disk *ShownFile // the file on disk, if it changed after it was staged

	NoLine []string // of the index: memories that it does not name because it is full
	Err    error
	Near   string // the nearest name, if there is no such file
}

// Read reads memories, the index and logs included.
func (p *Project) Read(ctx context.Context, paths []string) ([]ReadResult, error) {
	defer p.Store.Lock()()
	results := make([]ReadResult, len(paths))
	err := p.view(ctx, func(r reader) error {
		for i, path := range paths {
			results[i] = r.read(path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.dream.log(state.Event{Kind: state.EventRead, Text: strings.Join(paths, ", ")})
	return results, nil
}

// Look reads a memory as Read does, but is not a call of the open dream.
func (p *Project) Look(ctx context.Context, path string) (res ReadResult, err error) {
	defer p.Store.Lock()()
	err = p.withReader(ctx, func(r reader) error {
		res = r.read(path)
		return nil
	})
	return res, err
}

// A Reading is a page of all memories.
type Reading struct {
	Index  *ReadResult // on the first page, as memory.Index.Outline; nil: there is none
	Loaded bool        // the host has loaded the index into the session
	Files  []ReadResult
	Left   int // topics on the pages after this one
	Others int // topics that the map is not about and no listing touched; they are on no page, but their cursor

	// Unlisted is the arguments of grep_transcripts that list what was not listed yet, so that more may be touched;
	// empty: all was.
	Unlisted string
}

// ReadAfter reads topics, beginning after name, or with the index before the first: as many as fit into pageBytes, and
// at least one. They are in the order of their names. In the first dream those that share most are on one page. In a
// later one, of a memory of more than maxWhole, the pages have only those that the map is about and the listing
// touched. client is the name of the program that asks.
func (p *Project) ReadAfter(ctx context.Context, name string, pageBytes int, client string) (page Reading, err error) {
	defer p.Store.Lock()()
	e := state.Event{Kind: state.EventRead, Text: strings.TrimSuffix("all, after "+name, ", after ")}
	err = p.view(ctx, func(r reader) error {
		page, err = r.pageAfter(name, pageBytes, client)
		return err
	})
	if err != nil {
		return Reading{}, err
	}
	for _, one := range page.Files {
		e.Files = append(e.Files, one.Name.String())
	}
	p.dream.log(e)
	return page, nil
}

// pageAfter is ReadAfter on a directory.
func (r reader) pageAfter(name string, pageBytes int, client string) (page Reading, err error) {
	if r.dir == nil {
		return page, nil
	}
	names, err := r.dir.Topics()
	if err != nil {
		return page, err
	}
	pages := &topicPages{}
	if d := r.dream; d != nil {
		names = d.Stage.Topics(names)
		if err = d.arrange(names, pageBytes, name == ""); err != nil {
			return page, err
		}
		pages = &d.pages
	}
	names, news, others := pages.after(names, name)
	if page.Others = others; others > 0 && name == "" {
		page.Unlisted = pages.unlisted
	}
	if index := r.read(memory.IndexFile); name == "" && index.Err == nil {
		page.Loaded = r.indexLoaded(client)
		index.Text = memory.ParseIndex([]byte(index.Text)).Outline()
		page.Index = &index
		if !page.Loaded {
			pageBytes -= len(index.Text)
		}
	}
	for i, n := range names {
		one := r.read(n.String())
		if news {
			r.dream.excerpt(&one)
		}
		if pageBytes -= shownBytes(n, one.Text); pageBytes < 0 && len(page.Files) > 0 {
			page.Left = len(names) - i
			break
		}
		page.Files = append(page.Files, one)
	}
	return page, nil
}

// indexLoaded reports whether the model has the index before it already: the host loads it, whole, at the beginning of
// a session. What the host starts has its environment, and is another client.
func (r reader) indexLoaded(client string) bool {
	d := r.dream
	if client != r.store.Host || d == nil || d.Unattended || d.Resumed || !d.p.options.LoadsIndex {
		return false
	}
	f, err := r.dir.Read(memory.IndexName)
	return err == nil && !f.ModTime.After(d.p.options.Began) && !memory.ParseIndex(f.Data).Exceeds()
}

// reader reads the memory as the open dream would leave it, or as it is.
type reader struct {
	dir   *memory.Dir // nil if there is none
	dream *dream
	store *ops.Store
}

// view begins a call that reads, and calls do, as ops.Store.View.
func (p *Project) view(ctx context.Context, do func(reader) error) error {
	if err := p.enter(""); err != nil {
		return err
	}
	return p.withReader(ctx, do)
}

func (p *Project) withReader(ctx context.Context, do func(reader) error) error {
	return p.Store.View(ctx, func(dir *memory.Dir) error { return do(reader{dir, p.dream, p.Store}) })
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
		f, res.Err = indexing.Read(r.dream.Tx)
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
	show := func(f memory.File) ShownFile {
		v := r.dir.AllowSecrets.Show(string(f.Data))
		s := ShownFile{Name: n, Sum: f.Sum, Text: v.Text, Masked: len(v.Spans)}
		if n.IsTopic() {
			s.Written = memory.ParseTopic(f.Data).Written(n, f.ModTime, r.store.Now())
		}
		return s
	}
	res.ShownFile = show(f)
	if n.IsIndex() && res.Err == nil {
		res.NoLine = indexing.WithoutLine(r.store.Records, r.dir, memory.ParseIndex(f.Data))
	}
	if disk != nil {
		onDisk := show(*disk)
		res.Disk = &onDisk
	}
	return res
}

// asWritten returns the memory as the dream would leave it; outside dreams, as it is.
func (p *Project) asWritten(ctx context.Context) (*memory.Snapshot, error) {
	if p.dream != nil {
		_, s, err := indexing.Foresee(p.dream.Tx, nil)
		return s, err
	}
	s, err := p.Store.Snapshot(ctx)
	return cmp.Or(s, &memory.Snapshot{}), err
}
