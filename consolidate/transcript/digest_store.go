package transcript

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// The bounds of digests, unless a Store is told otherwise.
const (
	// DefaultDigestMemory holds the digests of some 2 GiB of transcripts.
	DefaultDigestMemory = 96 << 20

	// maxDigests bounds the folder: the digests of some 50 GiB. The oldest go first.
	maxDigests = 2 << 30

	// inlineGrowth is what a search reads of a transcript that grew, before it answers: some
	// milliseconds. More is searched as it is, and digested behind the answer.
	inlineGrowth = 4 << 20

	// rewriteGrowth is how much a transcript grows before its digest is written again: less is read
	// again by the next process, in less time than the writing takes. What is not read on is written each time.
	rewriteGrowth = 256 << 10
)

// digests are those of one Store: in memory as many as fit, the newest; all in the folder, if there
// is one.
type digests struct {
	folder string
	limit  int64                         // of memory
	gone   func() func(path string) bool // what reports whether nobody has a transcript any more
	learn  func(f file, found plainness) // told what a transcript's digest knows of it

	mu      sync.Mutex
	kept    map[string]*keptDigest // by path
	size    int64
	oldest  time.Time // no kept digest is older, when the memory is full
	busy    map[string]chan struct{}
	absent  map[string]identity // transcripts whose digests were looked for in the folder in vain
	waiting []file
	workers int
	swept   bool
	stop    context.CancelFunc
	life    context.Context
	done    sync.WaitGroup
}

// A keptDigest lies in memory.
type keptDigest struct {
	*digest
	modTime time.Time
	written int64 // the transcript's size when the digest was last written to the folder; -1: never
}

// An identity tells one state of a transcript from another.
type identity struct {
	size    int64
	modTime int64
}

func (f file) identity() identity { return identity{f.size, nanoseconds(f.modTime)} }

func (d *digest) identity() identity { return identity{d.head.Size, d.head.ModTime} }

func newDigests(folder string, limit int64, gone func() func(path string) bool, learn func(file, plainness)) *digests {
	ds := &digests{folder: folder, limit: limit, gone: gone, learn: learn, kept: map[string]*keptDigest{}, busy: map[string]chan struct{}{}, absent: map[string]identity{}}
	ds.life, ds.stop = context.WithCancel(context.Background())
	return ds
}

// none reports whether digests have nowhere to lie.
func (ds *digests) none() bool { return ds.folder == "" && ds.limit <= 0 }

// close stops what is being built, and waits for it.
func (ds *digests) close() {
	ds.mu.Lock()
	ds.waiting = nil
	ds.stop()
	ds.mu.Unlock()
	ds.done.Wait()
}

// peek returns a digest that lies in memory and is fresh, or nil.
func (ds *digests) peek(f file) *digest {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if k := ds.kept[f.path]; k != nil && k.identity() == f.identity() {
		return k.digest
	}
	return nil
}

// fresh returns the digest of a transcript as it is now: from memory, from the folder, or, after a
// small growth, extended. Where that would take long it returns nil, unless it is told to build. It
// returns nil too for a transcript whose digest would be too big. The error is one of reading the
// transcript, or the context's.
func (ds *digests) fresh(ctx context.Context, m making, f file, read *atomic.Int64, build bool) (*digest, error) {
	if ds.none() && !build {
		return nil, nil
	}
	if d := ds.peek(f); d != nil {
		return d.usable(m), nil
	}
	free, err := ds.claim(ctx, f.path, build)
	if free == nil || err != nil {
		return nil, err
	}
	defer free()
	before, written := ds.before(m, f)
	if before != nil && before.identity() == f.identity() {
		return before.usable(m), nil
	}
	if before != nil { // perhaps it is the listing that is old
		now, err := f.now()
		if err != nil {
			return nil, err
		}
		f.size, f.modTime = now.size, now.modTime
		if before.identity() == f.identity() {
			return before.usable(m), nil
		}
		if before.head.Size == f.size || f.host.rewritten() { // touched, or edited in place
			before = nil
		} else if f.size-before.head.Size > inlineGrowth && !build {
			return nil, nil
		}
	}
	if before == nil && !build {
		return nil, nil
	}
	d, err := m.digest(ctx, f, before, read)
	if errors.Is(err, errReplaced) && build {
		d, err = m.digest(ctx, f, nil, read)
	} else if errors.Is(err, errReplaced) {
		ds.drop(f.path)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if ds.folder != "" && (f.host.rewritten() || written < 0 || d.head.Size-written >= rewriteGrowth || d.head.Size < written) && os.MkdirAll(ds.folder, 0o700) == nil {
		if _, err := writeDigest(ds.folder, f, d); err == nil {
			written = d.head.Size
		}
	}
	ds.keep(f, d, written)
	ds.learn(f, d.head.Plain)
	return d.usable(m), nil
}

// usable is nil for a digest that holds nothing.
func (d *digest) usable(m making) *digest {
	if d.head.TooBig || d.head.Classifier != m.classifier {
		return nil
	}
	return d
}

// claim makes sure that nobody else of this process builds the same digest. It returns what gives the
// claim back, or nil where somebody does and wait is false.
func (ds *digests) claim(ctx context.Context, path string, wait bool) (free func(), err error) {
	for {
		ds.mu.Lock()
		other := ds.busy[path]
		if other == nil {
			mine := make(chan struct{})
			ds.busy[path] = mine
			ds.mu.Unlock()
			return func() {
				ds.mu.Lock()
				delete(ds.busy, path)
				ds.mu.Unlock()
				close(mine)
			}, nil
		}
		ds.mu.Unlock()
		if !wait {
			return nil, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// before returns the last digest of a transcript, be it fresh or not, and the size that it was written
// with.
func (ds *digests) before(m making, f file) (*digest, int64) {
	ds.mu.Lock()
	k, absent := ds.kept[f.path], ds.absent[f.path] == f.identity()
	ds.mu.Unlock()
	if k != nil && k.head.Classifier == m.classifier {
		return k.digest, k.written
	}
	if ds.folder == "" || absent {
		return nil, -1
	}
	d, err := readDigest(ds.folder, f)
	if err != nil || d.head.Classifier != m.classifier {
		ds.mu.Lock()
		if len(ds.absent) >= maxHeads {
			clear(ds.absent)
		}
		ds.absent[f.path] = f.identity()
		ds.mu.Unlock()
		return nil, -1
	}
	if d.identity() == f.identity() {
		ds.keep(f, d, d.head.Size)
		ds.learn(f, d.head.Plain)
	}
	return d, d.head.Size
}

// keep lays a digest into memory, if there is room, or older ones to make room.
func (ds *digests) keep(f file, d *digest, written int64) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	delete(ds.absent, f.path)
	ds.forget(f.path)
	n := d.bytes()
	for ds.size+n > ds.limit {
		if !f.modTime.After(ds.oldest) || len(ds.kept) == 0 {
			return
		}
		oldest := ""
		for path, k := range ds.kept {
			if oldest == "" || k.modTime.Before(ds.kept[oldest].modTime) {
				oldest = path
			}
		}
		if ds.oldest = ds.kept[oldest].modTime; !f.modTime.After(ds.oldest) {
			return
		}
		ds.forget(oldest)
	}
	ds.kept[f.path] = &keptDigest{digest: d, modTime: f.modTime, written: written}
	ds.size += n
}

// forget takes a digest out of memory. ds.mu is held.
func (ds *digests) forget(path string) {
	if k := ds.kept[path]; k != nil {
		ds.size -= k.bytes()
		ds.oldest = time.Time{}
		delete(ds.kept, path)
	}
}

// drop forgets a digest of what is another transcript by now.
func (ds *digests) drop(path string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.forget(path)
}

// later has digests built behind an answer, in the order given, by fewer threads than there are.
func (ds *digests) later(m making, files []file) {
	if ds.none() || len(files) == 0 {
		return
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.life.Err() != nil {
		return
	}
	ds.waiting = files
	for ds.workers < max(1, runtime.GOMAXPROCS(0)-1) && ds.workers < len(files) {
		ds.workers++
		ds.done.Go(func() { ds.work(m) })
	}
}

// behind does something behind an answer.
func (ds *digests) behind(f func()) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.life.Err() == nil {
		ds.done.Go(f)
	}
}

// work builds what is waiting, until nothing is.
func (ds *digests) work(m making) {
	for {
		ds.mu.Lock()
		full := ds.folder == "" && ds.size >= ds.limit
		if len(ds.waiting) == 0 || full || ds.life.Err() != nil {
			ds.workers--
			last := ds.workers == 0 && !ds.swept && !full && ds.life.Err() == nil
			ds.swept = ds.swept || last
			ds.mu.Unlock()
			if last {
				ds.sweep()
			}
			return
		}
		f := ds.waiting[0]
		ds.waiting = ds.waiting[1:]
		ds.mu.Unlock()
		_, _ = ds.fresh(ds.life, m, f, new(atomic.Int64), true) // what cannot be read is searched as it is
	}
}
