package transcript

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// The bounds of digests, unless a Store sets others.
const (
	// DefaultDigestMemory holds the digests of some 1.5 GiB of transcripts.
	DefaultDigestMemory = 64 << 20

	// maxDigests bounds the folder: the digests of some 50 GiB. The oldest are removed first.
	maxDigests = 2 << 30

	// rewriteGrowth is how much a transcript grows before its digest is written again. The next process reads less than
	// that again, in less time than the writing takes.
	rewriteGrowth = 256 << 10
)

// digests are those of one Store: in memory the newest, as many as fit; all in the folder, if there is one.
type digests struct {
	folder string
	limit  int64                         // of memory
	gone   func() func(path string) bool // what reports whether a transcript does not exist any more

	mu      sync.Mutex
	kept    map[string]*keptDigest // by path, sealed parts by partKey
	size    int64
	oldest  time.Time // no kept digest is older, when the memory is full
	busy    map[string]chan struct{}
	waiting []file
	workers int
	swept   bool
	stop    context.CancelFunc
	life    context.Context
	done    sync.WaitGroup
}

// A keptDigest is in memory.
type keptDigest struct {
	*digest
	modTime time.Time
	written int64  // the transcript's size when the digest was last written to the folder; -1: never
	sum     uint32 // of a sealed part
}

// An identity distinguishes the states of a transcript.
type identity struct {
	size    int64
	modTime int64
}

func (f file) identity() identity { return identity{f.size, nanoseconds(f.modTime)} }

func (d *digest) identity() identity { return identity{d.head.Size, d.head.ModTime} }

func newDigests(folder string, limit int64, gone func() func(path string) bool) *digests {
	ds := &digests{folder: folder, limit: limit, gone: gone, kept: map[string]*keptDigest{}, busy: map[string]chan struct{}{}}
	ds.life, ds.stop = context.WithCancel(context.Background())
	return ds
}

// none reports whether digests are kept nowhere.
func (ds *digests) none() bool { return ds.folder == "" && ds.limit <= 0 }

// close stops what is being built in the background, and waits for it.
func (ds *digests) close() {
	ds.mu.Lock()
	ds.waiting = nil
	ds.stop()
	ds.mu.Unlock()
	ds.done.Wait()
}

// peek returns a digest that is in memory and fresh, or nil.
func (ds *digests) peek(m making, f file) *digest {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if k := ds.kept[f.path]; k != nil && k.identity() == f.identity() && k.head.Classifier == m.classifier {
		return k.digest
	}
	return nil
}

// fresh returns the digest of a transcript as it is now: from memory, from the folder, extended or built. Parts that are
// complete stay in the folder when the context ends, and the next call continues there. read counts the bytes read.
func (ds *digests) fresh(ctx context.Context, m making, f file, read *atomic.Int64) (*digest, error) {
	if d := ds.peek(m, f); d != nil {
		return d, nil
	}
	free, err := ds.claim(ctx, f.path)
	if err != nil {
		return nil, err
	}
	defer free()
	before, written := ds.before(m, f)
	if before != nil && before.identity() == f.identity() {
		return before, nil
	}
	if before != nil { // perhaps it is the listing that is old
		now, err := f.now()
		if err != nil {
			return nil, err
		}
		f.size, f.modTime = now.size, now.modTime
		if before.identity() == f.identity() {
			return before, nil
		}
		if before.head.Size == f.size || f.host.rewritten() { // touched, or edited in place
			before = nil
		}
	}
	seal := func(full, next *digest) error { return ds.seal(f, full, next) }
	if before == nil {
		ds.drop(f)
	}
	d, err := m.digest(ctx, f, before, read, seal)
	if errors.Is(err, errReplaced) {
		ds.drop(f)
		d, err = m.digest(ctx, f, nil, read, seal)
	}
	if err != nil {
		return nil, err
	}
	if ds.folder != "" && (f.host.rewritten() || written < 0 || d.head.Size-written >= rewriteGrowth || d.head.Size < written) {
		if err := writeDigest(ds.folder, f, base, d); err == nil {
			written = d.head.Size
		}
	}
	ds.keep(f.path, keptDigest{digest: d, modTime: f.modTime, written: written})
	return d, nil
}

// errTooBig is the error of a session that is too large: for one part where parts cannot be kept, or to be read whole.
var errTooBig = errors.New("the session is too large")

// seal stores a part that is full, and the digest that continues it.
func (ds *digests) seal(f file, full, next *digest) error {
	if ds.folder == "" {
		return errTooBig
	}
	if err := writeDigest(ds.folder, f, len(full.head.Sealed), full); err != nil {
		return err
	}
	return writeDigest(ds.folder, f, base, next)
}

// part returns a sealed part of a digest, from memory or from the folder.
func (ds *digests) part(f file, d *digest, n int) (*digest, error) {
	key, want := partKey(f.path, n), d.head.Sealed[n]
	ds.mu.Lock()
	k := ds.kept[key]
	ds.mu.Unlock()
	if k != nil && k.sum == want.Sum {
		return k.digest, nil
	}
	part, err := readDigest(ds.folder, f, n)
	if err == nil && (part.checksum != want.Sum || len(part.rows) != want.Rows) {
		err = errNoDigest
	}
	if err != nil {
		ds.drop(f)
		return nil, err
	}
	ds.keep(key, keptDigest{digest: part, modTime: f.modTime, sum: want.Sum})
	return part, nil
}

func partKey(path string, n int) string { return path + "\x00" + strconv.Itoa(n) }

// each calls do with each part of a digest, in their order, and how many rows are in those before it.
func (ds *digests) each(f file, d *digest, do func(part *digest, first int) error) error {
	first := 0
	for n := range d.head.Sealed {
		part, err := ds.part(f, d, n)
		if err == nil {
			err = do(part, first)
		}
		if err != nil {
			return err
		}
		first += len(part.rows)
	}
	return do(d, first)
}

// row returns the part of a digest that has a row, by its number among all, and its number there.
func (ds *digests) row(f file, d *digest, n int) (part *digest, row int, err error) {
	for k, p := range d.head.Sealed {
		if n < p.Rows {
			part, err = ds.part(f, d, k)
			return part, n, err
		}
		n -= p.Rows
	}
	if n >= len(d.rows) {
		return nil, 0, errReplaced
	}
	return d, n, nil
}

// claim waits until nobody else in this process builds the same digest. It returns what releases the claim.
func (ds *digests) claim(ctx context.Context, path string) (free func(), err error) {
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
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// before returns the last digest of a transcript, fresh or not, and the size that it was written with.
func (ds *digests) before(m making, f file) (*digest, int64) {
	ds.mu.Lock()
	k := ds.kept[f.path]
	ds.mu.Unlock()
	if k != nil && k.head.Classifier == m.classifier {
		return k.digest, k.written
	}
	if ds.folder == "" {
		return nil, -1
	}
	d, err := readDigest(ds.folder, f, base)
	if err != nil || d.head.Classifier != m.classifier || !ds.complete(f, d) {
		return nil, -1
	}
	if d.identity() == f.identity() {
		ds.keep(f.path, keptDigest{digest: d, modTime: f.modTime, written: d.head.Size})
	}
	return d, d.head.Size
}

// complete reports whether the sealed parts of a digest are there, by the checksums at their beginnings.
func (ds *digests) complete(f file, d *digest) bool {
	for n, want := range d.head.Sealed {
		source, err := openFile(filepath.Join(ds.folder, digestName(f, n)))
		if err != nil {
			return false
		}
		var begin [len(digestMagic) + 4]byte
		_, err = io.ReadFull(source, begin[:])
		source.Close()
		if err != nil || binary.LittleEndian.Uint32(begin[len(digestMagic):]) != want.Sum {
			return false
		}
	}
	return true
}

// keep keeps a digest in memory, if there is room, or older ones to make room.
func (ds *digests) keep(key string, d keptDigest) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.forget(key)
	n := d.bytes()
	for ds.size+n > ds.limit {
		if !d.modTime.After(ds.oldest) || len(ds.kept) == 0 {
			return
		}
		oldest := ""
		for path, k := range ds.kept {
			if oldest == "" || k.modTime.Before(ds.kept[oldest].modTime) {
				oldest = path
			}
		}
		if ds.oldest = ds.kept[oldest].modTime; !d.modTime.After(ds.oldest) {
			return
		}
		ds.forget(oldest)
	}
	ds.kept[key] = &d
	ds.size += n
}

// forget removes a digest from memory. ds.mu is held.
func (ds *digests) forget(key string) {
	if k := ds.kept[key]; k != nil {
		ds.size -= k.bytes()
		ds.oldest = time.Time{}
		delete(ds.kept, key)
	}
}

// drop forgets a digest that will be built from the beginning, and removes its sealed parts: no later digest may take
// them for its own.
func (ds *digests) drop(f file) {
	ds.mu.Lock()
	ds.forget(f.path)
	for n := 0; ds.kept[partKey(f.path, n)] != nil; n++ {
		ds.forget(partKey(f.path, n))
	}
	ds.mu.Unlock()
	if ds.folder == "" {
		return
	}
	for n := 0; os.Remove(filepath.Join(ds.folder, digestName(f, n))) == nil; n++ {
	}
}

// later has digests built in the background, before those that are waiting, by one thread fewer than there are.
func (ds *digests) later(m making, files []file) {
	if ds.none() || len(files) == 0 {
		return
	}
	first := make(map[string]bool, len(files))
	for _, f := range files {
		first[f.path] = true
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.life.Err() != nil {
		return
	}
	for _, f := range ds.waiting {
		if !first[f.path] {
			files = append(files, f)
		}
	}
	ds.waiting = files
	for ds.workers < max(1, runtime.GOMAXPROCS(0)-1) && ds.workers < len(files) {
		ds.workers++
		ds.done.Go(func() { ds.work(m) })
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
		_, _ = ds.fresh(ds.life, m, f, new(atomic.Int64)) // a search says what cannot be read
	}
}
