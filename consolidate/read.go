package consolidate

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dream-mcp/consolidate/indexing"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/trail"
	"dream-mcp/memory"
	"dream-mcp/memory/related"
)

// Shown is a file that is safe to show (secret.Allowed.Show).
type Shown struct {
	Name    memory.Name
	Sum     memory.Sum // of the unmasked file, the base of a write
	Bytes   int        // of the unmasked file
	Written time.Time  // of a topic, as memory.Topic.Written
	Text    string
	Masked  int // number of masked credentials
}

// ReadResult is a memory as the open dream would leave it, or as it is.
type ReadResult struct {
	Shown
	Disk *Shown // the file on disk, if it changed after it was staged

	NoLine []string // of the index: memories that it does not name because it is full
	Err    error
	Near   string   // the nearest name, if there is no such file
	Beside []string // in the first dream: the memories that share most with it and are on other pages
}

// Read reads memories, the index and logs included.
func (p *Project) Read(ctx context.Context, paths []string) ([]ReadResult, error) {
	p.Store.Lock()
	defer p.Store.Unlock()
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

// A Reading is a page of all memories.
type Reading struct {
	Files []ReadResult
	Left  int  // topics after those
	News  bool // what is left, nothing new touches
}

// ReadAfter reads topics, beginning after name, or with the index before the first: as many as fit into pageBytes, and at
// least one. They are in the order of their names. In the first dream those that share most are on one page; in a later one,
// of a memory of more than maxWhole, the first page has those that the map was about.
func (p *Project) ReadAfter(ctx context.Context, name string, pageBytes int) (page Reading, err error) {
	p.Store.Lock()
	defer p.Store.Unlock()
	r, err := openReader(p, strings.TrimSuffix("all, after "+name, ", after "))
	if err != nil || r.dir == nil {
		return page, err
	}
	defer r.dir.Close()
	names, err := r.dir.Topics()
	if err != nil {
		return page, err
	}
	news := -1
	if r.dream != nil {
		names = r.dream.Stage.Topics(names)
		if news, err = r.dream.readingOrder(names, pageBytes, name == ""); err != nil {
			return page, err
		}
	}
	after := 0
	if name != "" && name != memory.IndexName.String() {
		after = r.dream.after(names, name)
	}
	if index := r.read(memory.IndexName.String()); name == "" && index.Err == nil {
		page.Files = append(page.Files, index)
		pageBytes -= len(index.Text)
	}
	for i, n := range names[after:] {
		if i == news {
			page.Left, page.News = len(names)-i, true
			break
		}
		one := r.read(n.String())
		one.Name = n
		if r.dream != nil {
			one.Beside = r.dream.near[n.String()]
		}
		if pageBytes -= len(one.Text); pageBytes < 0 && len(page.Files) > 0 {
			page.Left = len(names) - after - i
			break
		}
		page.Files = append(page.Files, one)
	}
	page.elsewhere()
	return page, nil
}

// elsewhere leaves in Beside what the page does not hold.
func (r *Reading) elsewhere() {
	here := map[string]bool{}
	for _, f := range r.Files {
		here[f.Name.String()] = true
	}
	for i, f := range r.Files {
		r.Files[i].Beside = slices.DeleteFunc(slices.Clone(f.Beside), func(file string) bool { return here[file] })
	}
}

// maxWhole is the size, in bytes, of a memory that is read whole in each dream.
const maxWhole = 10_000

// readingOrder sorts names as d shows them, which the first page fixes, and returns how many are news if that page has only these,
// or else -1.
func (d *dream) readingOrder(names []memory.Name, pageBytes int, first bool) (news int, err error) {
	news = -1
	switch later := d.before() != nil; {
	case later && first:
		news, err = d.newsFirst(names)
	case !later && d.order == nil:
		err = d.together(pageBytes)
	}
	if d.order != nil {
		slices.SortStableFunc(names, func(a, b memory.Name) int { return d.place(a.String()) - d.place(b.String()) })
	}
	return news, err
}

// together sets the order of a first dream: what shares most is on one page.
func (d *dream) together(pageBytes int) error {
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil {
		return err
	}
	size := map[string]int{}
	for n, t := range s.Topics {
		size[n.String()] = len(t.Bytes()) + fileOverhead
	}
	order, near := related.New(related.Documents(s.Shown(nil))).Order(pageBytes, maxNear, func(file string) int { return size[file] })
	d.order, d.near = map[string]int{}, near
	for i, file := range order {
		d.order[file] = i
	}
	return nil
}

// newsFirst sets the order of a later dream, of which names has all memories, and returns how many are news; -1 where the map was
// not asked for, or all are read at once.
func (d *dream) newsFirst(names []memory.Name) (news int, err error) {
	d.order = nil
	_, s, err := indexing.Foresee(d.Tx, nil)
	if err != nil {
		return 0, err
	}
	size := 0
	for _, t := range s.Topics {
		size += len(t.Bytes())
	}
	if d.news == nil || size <= maxWhole {
		return -1, nil
	}
	d.order = map[string]int{}
	add := func(news bool) {
		for _, n := range names {
			if d.news[n.String()] == news {
				d.order[n.String()] = len(d.order)
			}
		}
	}
	add(true)
	news = len(d.order)
	add(false)
	return news, nil
}

// place returns the place of a memory when all are read; new ones are last.
func (d *dream) place(name string) int {
	if i, ok := d.order[name]; ok {
		return i
	}
	return len(d.order)
}

// after returns the index of the first name after one that may be gone.
func (d *dream) after(names []memory.Name, name string) int {
	if i := slices.IndexFunc(names, func(n memory.Name) bool { return n.String() == name }); i >= 0 {
		return i + 1
	}
	i := slices.IndexFunc(names, func(n memory.Name) bool {
		if d != nil && d.order != nil {
			return d.place(n.String()) > d.place(name)
		}
		return n.String() > name
	})
	if i < 0 {
		return len(names)
	}
	return i
}

const (
	fileOverhead = 120 // bytes of what a page says of a file
	maxNear      = 3
)

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
	p.dream.log(trail.Event{Kind: trail.EventRead, Text: what})
	r.dream, r.store = p.dream, p.Store
	r.dir, err = p.Store.Dir()
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
	show := func(f memory.File) Shown {
		v := r.dir.AllowSecrets.Show(string(f.Data))
		s := Shown{Name: n, Sum: f.Sum, Bytes: len(f.Data), Text: v.Text, Masked: len(v.Spans)}
		if n.IsTopic() {
			s.Written = memory.ParseTopic(f.Data).Written(n, f.ModTime, r.store.Now())
		}
		return s
	}
	res.Shown = show(f)
	if n.IsIndex() && res.Err == nil {
		res.NoLine = indexing.WithoutLine(&r.store.Records.Folder, r.dir, memory.ParseIndex(f.Data))
	}
	if disk != nil {
		onDisk := show(*disk)
		res.Disk = &onDisk
	}
	return res
}
