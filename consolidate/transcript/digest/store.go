package digest

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/said"
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

// A Store keeps digests: all in its folder, if it has one, and the newest in memory, as many as fit.
type Store struct {
	folder   string
	limit    int64                         // of memory
	partSize int                           // of a test; 0: maxPart
	gone     func() func(path string) bool // returns what reports that a transcript no longer exists
	mask     Mask

	mu      sync.Mutex
	kept    map[string]*keptDigest // by path, sealed parts by partKey
	size    int64
	oldest  time.Time            // no kept digest is older, if the memory is full
	busy    map[string]*building // by path, while a digest is built or waited for
	waiting []said.File          // to be built in the background
	workers int
	swept   bool
	stop    context.CancelFunc
	life    context.Context
	done    sync.WaitGroup
}

// A Mask hides what digests may not hold. The zero value hides nothing.
type Mask struct {
	Text  func(text string) string
	Rules uint64 // another number for other rules: digests are then made again
}

// An identity distinguishes the states of a transcript.
type identity struct {
	size    int64
	modTime int64
}

func identityOf(f said.File) identity { return identity{f.Size, Nanoseconds(f.ModTime)} }

func (d *Digest) identity() identity { return identity{d.Head.Size, d.Head.ModTime} }

// Open returns the Store of a folder, which is created when it is first needed, or of memory only if folder is "". limit bounds the
// digests in memory, in bytes. Texts are masked before they are kept. gone returns a function that reports whether a transcript no longer exists. Open touches no file.
func Open(folder string, limit int64, gone func() func(path string) bool, mask Mask) *Store {
	ds := &Store{folder: folder, limit: limit, gone: gone, mask: mask, kept: map[string]*keptDigest{}, busy: map[string]*building{}}
	ds.life, ds.stop = context.WithCancel(context.Background())
	return ds
}

// none reports whether the Store keeps nothing.
func (ds *Store) none() bool { return ds.folder == "" && ds.limit <= 0 }

// Peek returns a digest that is in memory and fresh, or nil.
func (ds *Store) Peek(f said.File) *Digest {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if k := ds.kept[f.Path]; k != nil && k.identity() == identityOf(f) && k.Head.Version == ds.version() {
		return k.Digest
	}
	return nil
}

// Fresh returns the digest of a transcript as it is now: from memory, from the folder, extended or built. Parts that are
// complete stay in the folder when the context ends, and the next call continues there. read counts the bytes read.
func (ds *Store) Fresh(ctx context.Context, f said.File, read *atomic.Int64) (*Digest, error) {
	if d := ds.Peek(f); d != nil {
		return d, nil
	}
	free, err := ds.claim(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	defer free()
	before, written := ds.before(f)
	if before != nil && before.identity() == identityOf(f) {
		return before, nil
	}
	if before != nil { // perhaps it is the listing that is old
		now, err := f.Now()
		if err != nil {
			return nil, err
		}
		f.Size, f.ModTime = now.Size, now.ModTime
		if before.identity() == identityOf(f) {
			return before, nil
		}
		if before.Head.Size == f.Size || f.Format.Rewritten() { // touched, or edited in place
			before = nil
		}
	}
	seal := func(full, next *Digest) error { return ds.seal(f, full, next) }
	if before == nil {
		ds.drop(f)
	}
	d, err := ds.digest(ctx, f, before, read, seal)
	if err == errReplaced || err == io.EOF {
		ds.drop(f)
		d, err = ds.digest(ctx, f, nil, read, seal)
	}
	if err != nil {
		return nil, err
	}
	if ds.folder != "" && (f.Format.Rewritten() || written < 0 || d.Head.Size-written >= rewriteGrowth || d.Head.Size < written) {
		if err := writeDigest(ds.folder, f, base, d); err == nil {
			written = d.Head.Size
		}
	}
	ds.keep(f.Path, keptDigest{Digest: d, modTime: f.ModTime, written: written})
	return d, nil
}

// seal stores a part that is full, and the digest that continues it.
func (ds *Store) seal(f said.File, full, next *Digest) error {
	if ds.folder == "" {
		return said.ErrTooBig
	}
	if err := writeDigest(ds.folder, f, len(full.Head.Sealed), full); err != nil {
		return err
	}
	return writeDigest(ds.folder, f, base, next)
}

// part returns a sealed part of a digest, from memory or from the folder.
func (ds *Store) part(f said.File, d *Digest, n int) (*Digest, error) {
	key, want := partKey(f.Path, n), d.Head.Sealed[n]
	ds.mu.Lock()
	k := ds.kept[key]
	ds.mu.Unlock()
	if k != nil && k.sum == want.Sum && k.Head.Version == ds.version() {
		return k.Digest, nil
	}
	part, err := ds.readDigest(f, n)
	if err == nil && (part.checksum != want.Sum || len(part.Rows) != want.Rows) {
		err = errNoDigest
	}
	if err != nil {
		ds.drop(f)
		return nil, err
	}
	ds.keep(key, keptDigest{Digest: part, modTime: f.ModTime, sum: want.Sum})
	return part, nil
}

func partKey(path string, n int) string { return path + "\x00" + strconv.Itoa(n) }

// Each calls do with each part of a digest, in their order, and how many rows are in those before it.
func (ds *Store) Each(f said.File, d *Digest, do func(part *Digest, first int) error) error {
	first := 0
	for n := range d.Head.Sealed {
		part, err := ds.part(f, d, n)
		if err == nil {
			err = do(part, first)
		}
		if err != nil {
			return err
		}
		first += len(part.Rows)
	}
	return do(d, first)
}

// Row returns the part of a digest that has a row, by its number among all, and its number there.
func (ds *Store) Row(f said.File, d *Digest, n int) (part *Digest, row int, err error) {
	for k, p := range d.Head.Sealed {
		if n < p.Rows {
			part, err = ds.part(f, d, k)
			return part, n, err
		}
		n -= p.Rows
	}
	if n >= len(d.Rows) {
		return nil, 0, errReplaced
	}
	return d, n, nil
}

// building is a digest that one builds and others may wait for.
type building struct {
	turn  chan struct{} // full while it is built
	users int           // who builds or waits; by mu
}

// claim waits until nobody else in this process builds the same digest. It returns what releases the claim.
func (ds *Store) claim(ctx context.Context, path string) (free func(), err error) {
	ds.mu.Lock()
	b := ds.busy[path]
	if b == nil {
		b = &building{turn: make(chan struct{}, 1)}
		ds.busy[path] = b
	}
	b.users++
	ds.mu.Unlock()
	leave := func() {
		ds.mu.Lock()
		if b.users--; b.users == 0 {
			delete(ds.busy, path)
		}
		ds.mu.Unlock()
	}
	select {
	case b.turn <- struct{}{}:
		return func() { <-b.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// before returns the last digest of a transcript, fresh or not, and the size that it was written with.
func (ds *Store) before(f said.File) (*Digest, int64) {
	ds.mu.Lock()
	k := ds.kept[f.Path]
	ds.mu.Unlock()
	if k != nil && k.Head.Version == ds.version() {
		return k.Digest, k.written
	}
	if ds.folder == "" {
		return nil, -1
	}
	d, err := ds.readDigest(f, base)
	if err != nil || !ds.complete(f, d) {
		return nil, -1
	}
	if d.identity() == identityOf(f) {
		ds.keep(f.Path, keptDigest{Digest: d, modTime: f.ModTime, written: d.Head.Size})
	}
	return d, d.Head.Size
}

// complete reports whether the sealed parts of a digest are there, by the checksums at their beginnings.
func (ds *Store) complete(f said.File, d *Digest) bool {
	for n, want := range d.Head.Sealed {
		source, err := said.OpenFile(filepath.Join(ds.folder, digestName(f, n)))
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

// drop forgets a digest that will be built from the beginning, and removes its sealed parts: no later digest may take
// them for its own.
func (ds *Store) drop(f said.File) {
	ds.mu.Lock()
	ds.forget(f.Path)
	for n := 0; ds.kept[partKey(f.Path, n)] != nil; n++ {
		ds.forget(partKey(f.Path, n))
	}
	ds.mu.Unlock()
	if ds.folder == "" {
		return
	}
	for n := 0; os.Remove(filepath.Join(ds.folder, digestName(f, n))) == nil; n++ {
	}
}
