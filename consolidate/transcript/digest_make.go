package transcript

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
)

// digestVersion is of the form of digests and of the reading that fills them: whoever changes what an utterance is
// raises it, and all digests are built again.
const digestVersion = 8

const (
	// maxPart is the size at which a digest is continued in another part, in bytes of memory: some 250 MB of transcript.
	// A part is larger by what one line says.
	maxPart = 8 << 20

	// sampleSize is what is compared of a transcript's head, and of the block before the offset where its digest goes on.
	sampleSize = 4 << 10
)

// errReplaced is the error of extending the digest of a transcript that is not the same any more.
var errReplaced = errors.New("the transcript is not the one that was digested")

// A making is what the digests of one Store are made with.
type making struct {
	classifier string
	classify   func(Speaker, string) uint16
	partSize   int // maxPart, or what a test sets
}

// digest reads a transcript, or what was appended to it since a digest of it was made; of nil, all of it. The file is
// read to the size that it has when it is opened. read counts the bytes. Each part that is full is handed to seal, with
// the digest that continues it.
func (m making) digest(ctx context.Context, f file, before *digest, read *atomic.Int64, seal func(full, next *digest) error) (*digest, error) {
	source, err := f.open()
	if err != nil {
		return nil, err
	}
	defer source.Close()
	if f.host.rewritten() {
		before = nil
	}
	var d digest
	if before != nil {
		d = *before
		prefix, block, err := samples(source, d.head.Settled.State.Offset)
		switch {
		case err != nil:
			return nil, err
		case d.head.Size > source.size || d.head.Inode != source.inode || d.head.Prefix != prefix || d.head.Block != block:
			return nil, errReplaced
		}
	}
	for {
		h := &d.head
		h.Version, h.Classifier, h.Path, h.ID = digestVersion, m.classifier, f.path, f.id
		h.Size, h.ModTime, h.Inode = source.size, nanoseconds(source.modTime), source.inode
		made, full, err := m.part(ctx, f, d, source, read)
		if err != nil {
			return nil, err
		}
		to := &made.head.Settled
		if made.head.Prefix, made.head.Block, err = samples(source, to.State.Offset); err != nil {
			return nil, err
		}
		if !full {
			return made, nil
		}
		made.head.Size, made.head.ModTime = to.State.Offset, -1 // it is not fresh, nor is what continues it
		d = digest{head: made.head}
		d.head.Sealed = append(slices.Clone(d.head.Sealed), sealed{Rows: len(made.rows), Untimed: made.head.Untimed, Sum: made.sum()})
		d.head.Settled = settled{Skipped: to.Skipped, State: to.State}
		d.head.Strings, d.head.Untimed = nil, false
		if err := seal(made, &d); err != nil {
			return nil, err
		}
	}
}

// part continues a part of a digest, and reports whether it is full.
func (m making) part(ctx context.Context, f file, d digest, source *source, read *atomic.Int64) (made *digest, full bool, err error) {
	from := d.head.Settled.State
	if _, err := source.Seek(from.Offset, io.SeekStart); err != nil {
		return nil, false, err
	}
	grown := source.length - from.Offset
	lines := lineReaders.Get().(*lineReader)
	defer lines.putBack()
	lines.reset(&meter{ctx: ctx, source: io.LimitReader(source, grown), read: read}, from.Line+1, from.Offset)
	b := newDigester(d, m.classify, grown)
	r := newReader(f, lines, b.add)
	r.restore(from)
	r.skipped.add(d.head.Settled.Skipped)
	r.settle = func() { b.settle(r) }
	r.full = func() bool { return b.size >= m.partSize }
	err = r.run()
	if full = err == errFull; full {
		err = nil
	}
	if err != nil {
		return nil, false, err
	}
	if f.host.rewritten() && !full {
		b.head.Settled = settled{}
	}
	return b.finish(r), full, nil
}

// samples sums the head of a transcript and the block before an offset.
func samples(source io.ReaderAt, offset int64) (prefix, block uint64, err error) {
	if offset == 0 {
		return 0, 0, nil
	}
	var room [sampleSize]byte
	n := min(offset, sampleSize)
	if _, err := source.ReadAt(room[:n], 0); err != nil {
		return 0, 0, orReplaced(err)
	}
	prefix = sumBytes(room[:n])
	if _, err := source.ReadAt(room[:n], offset-n); err != nil {
		return 0, 0, orReplaced(err)
	}
	return prefix, sumBytes(room[:n]), nil
}

// orReplaced is errReplaced for a transcript that is shorter than it was.
func orReplaced(err error) error {
	if err == io.EOF {
		return errReplaced
	}
	return err
}

// A digester makes a part of a digest of what a reader emits.
type digester struct {
	digest
	classify func(Speaker, string) uint16
	classed  int // how many rows have their signals
	said     strings.Builder
	names    strings.Builder
	index    map[string]uint32 // of Strings
	size     int               // of what was added, in bytes of memory
}

// newDigester continues where the settled part of a digest ends. grown is how many bytes will be read.
func newDigester(d digest, classify func(Speaker, string) uint16, grown int64) *digester {
	to := &d.head.Settled
	b := &digester{digest: d, classify: classify, index: map[string]uint32{}, classed: to.Rows}
	b.rows = append(make([]row, 0, to.Rows+8+int(min(grown, maxPart)/4096)), d.rows[:to.Rows]...)
	b.said.Grow(to.Text + int(min(grown, 16*maxPart)/32))
	b.said.WriteString(d.text[:to.Text])
	b.names.WriteString(d.uuids[:to.UUIDs])
	b.head.Strings = slices.Clone(d.head.Strings[:to.Strings])
	b.head.Skipped = nil
	b.size = to.Rows*rowSize + to.Text + to.UUIDs
	for i, s := range b.head.Strings {
		b.index[s] = uint32(i)
		b.size += len(s)
	}
	b.intern("")
	return b
}

func (b *digester) intern(s string) uint32 {
	i, ok := b.index[s]
	if !ok {
		i = uint32(len(b.head.Strings))
		s = strings.Clone(s)
		b.index[s] = i
		b.head.Strings = append(b.head.Strings, s)
		b.size += len(s)
	}
	return i
}

// add takes in an utterance.
func (b *digester) add(u *utterance) error {
	if u.Speaker == Tool {
		return nil
	}
	b.said.WriteString(u.Text)
	end := b.said.Len()
	b.said.WriteString(gap)
	b.names.WriteString(u.UUID)
	b.size += rowSize + len(u.Text) + len(gap) + len(u.UUID)
	r := row{
		offset:  u.offset,
		seconds: u.Time.Unix(),
		nanos:   int32(u.Time.Nanosecond()),
		key:     u.key(),
		line:    int32(min(u.Line, math.MaxInt32)),
		place:   int32(u.place),
		text:    uint32(end),
		uuid:    uint32(b.names.Len()),
		cwd:     b.intern(u.CWD),
		branch:  b.intern(u.Branch),
		origin:  b.intern(u.Origin),
		user:    u.Speaker == User,
		manner:  u.manner,
	}
	if u.Time.IsZero() {
		r.seconds, r.nanos = untimed, 0
	}
	b.rows = append(b.rows, r)
	return nil
}

// settle marks that what was added stays, whatever the transcript's next lines say.
func (b *digester) settle(r *reader) {
	to := &b.head.Settled
	to.Rows, to.Text, to.UUIDs, to.Strings = len(b.rows), b.said.Len(), b.names.Len(), len(b.head.Strings)
	to.State = r.state()
	to.Skipped = Skipped{}
	to.Skipped.add(r.skipped)
	if n := r.lines.settled.skipped; n > 0 {
		to.Skipped[LongLine] += n
	}
}

// finish returns the part.
func (b *digester) finish(r *reader) *digest {
	d := b.digest
	d.head.Skipped, d.head.Latest = r.skipped, r.latest
	d.text, d.uuids = b.said.String(), b.names.String()
	d.head.Untimed = slices.ContainsFunc(d.rows, func(r row) bool { return r.seconds == untimed })
	if b.classify != nil {
		// One speaker after the other: the rules are others for each, and it takes half the time.
		for _, speaker := range [...]Speaker{User, Assistant} {
			for i := b.classed; i < len(d.rows); i++ {
				if r := &d.rows[i]; r.user == (speaker == User) {
					r.signals = b.classify(speaker, d.said(i))
				}
			}
		}
	}
	return &d
}
