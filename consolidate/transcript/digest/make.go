package digest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/forgotten"
)

// digestVersion is of the form of digests and of the reading that fills them: whoever changes what an utterance is
// raises it, and all digests are built again.
const digestVersion = 17

// A version says what a digest was made by. One of another version is made again.
type version struct {
	Form      int    // digestVersion
	Forgotten int    // the number of forgotten texts
	Rules     uint64 // of the mask
}

func (ds *Store) version() version { return version{digestVersion, forgotten.Count(), ds.mask.Rules} }

const (
	// maxPart is the size at which a digest is continued in another part, in bytes of memory: some 250 MB of transcript.
	// A part is larger by the texts of one line.
	maxPart = 8 << 20

	// sampleSize is what is compared of a transcript's head, and of the block before the offset where its digest goes on.
	sampleSize = 4 << 10
)

// errReplaced is the error of extending the digest of a transcript that is not the same any more.
var errReplaced = errors.New("the transcript is not the one that was digested")

// digest reads a transcript, or what was appended to it since a digest of it was made; of nil, all of it. The file is
// read to the size that it has when it is opened. read counts the bytes. Each part that is full is handed to seal, with
// the digest that continues it.
func (ds *Store) digest(ctx context.Context, f said.File, before *Digest, read *atomic.Int64, seal func(full, next *Digest) error) (*Digest, error) {
	source, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer source.Close()
	if f.Format.Rewritten() {
		before = nil
	}
	var d Digest
	if before != nil {
		d = *before
		prefix, block, err := samples(source, d.Head.Settled.State.Offset)
		switch {
		case err != nil:
			return nil, err
		case d.Head.Size > source.Size || d.Head.Inode != source.Inode || d.Head.Prefix != prefix || d.Head.Block != block:
			return nil, errReplaced
		}
	}
	for {
		h := &d.Head
		h.Version, h.Path, h.ID = ds.version(), f.Path, f.ID
		h.Size, h.ModTime, h.Inode = source.Size, Nanoseconds(source.ModTime), source.Inode
		made, full, err := ds.continued(ctx, f, d, source, read)
		if err != nil {
			return nil, err
		}
		to := &made.Head.Settled
		if made.Head.Prefix, made.Head.Block, err = samples(source, to.State.Offset); err != nil {
			return nil, err
		}
		if !full {
			return made, nil
		}
		made.Head.Size, made.Head.ModTime = to.State.Offset, -1 // it is not fresh, nor is what continues it
		d = Digest{Head: made.Head}
		d.Head.Sealed = append(slices.Clone(d.Head.Sealed), sealed{Rows: len(made.Rows), Untimed: made.Head.Untimed, Sum: made.sum()})
		d.Head.Settled = settled{Skipped: to.Skipped, State: to.State}
		d.Head.Strings, d.Head.Untimed = nil, false
		if err := seal(made, &d); err != nil {
			return nil, err
		}
	}
}

// continued continues a part of a digest, and reports whether it is full.
func (ds *Store) continued(ctx context.Context, f said.File, d Digest, source *said.Source, read *atomic.Int64) (made *Digest, full bool, err error) {
	from := d.Head.Settled.State
	grown := source.Length - from.Offset
	lines := source.Lines(ctx, from.Line+1, from.Offset, read)
	defer lines.Close()
	b := newDigester(d, grown)
	b.mask = ds.mask.Text
	r := said.NewReader(f, lines, b.add)
	r.Restore(from)
	r.Skipped.Add(d.Head.Settled.Skipped)
	r.Settle = func() { b.settle(r) }
	r.Full = func() bool { return b.size >= cmp.Or(ds.partSize, maxPart) }
	err = r.Run()
	if full = err == said.ErrFull; full {
		err = nil
	}
	if err != nil {
		return nil, false, err
	}
	if f.Format.Rewritten() && !full {
		b.Head.Settled = settled{}
	}
	return b.finish(r), full, nil
}

// samples sums the head of a transcript and the block before an offset. The error is io.EOF if the transcript is shorter.
func samples(source io.ReaderAt, offset int64) (prefix, block uint64, err error) {
	if offset == 0 {
		return 0, 0, nil
	}
	var room [sampleSize]byte
	n := min(offset, sampleSize)
	if _, err := source.ReadAt(room[:n], 0); err != nil {
		return 0, 0, err
	}
	prefix = said.SumOf(room[:n])
	if _, err := source.ReadAt(room[:n], offset-n); err != nil {
		return 0, 0, err
	}
	return prefix, said.SumOf(room[:n]), nil
}

// A digester makes a part of a digest of what a reader emits.
type digester struct {
	Digest
	mask  func(string) string
	said  strings.Builder
	names strings.Builder
	index map[string]uint32 // of Strings
	size  int               // of what was added, in bytes of memory
}

// newDigester continues where the settled part of a digest ends. grown is how many bytes will be read.
func newDigester(d Digest, grown int64) *digester {
	to := &d.Head.Settled
	b := &digester{Digest: d, index: map[string]uint32{}}
	b.Rows = append(make([]row, 0, to.Rows+8+int(min(grown, maxPart)/4096)), d.Rows[:to.Rows]...)
	b.said.Grow(to.Text + int(min(grown, 16*maxPart)/32))
	b.said.WriteString(d.Text[:to.Text])
	b.names.WriteString(d.uuids[:to.UUIDs])
	b.Head.Strings = slices.Clone(d.Head.Strings[:to.Strings])
	b.Head.Skipped = nil
	b.size = to.Rows*rowSize + to.Text + to.UUIDs
	for i, s := range b.Head.Strings {
		b.index[s] = uint32(i)
		b.size += len(s)
	}
	b.intern("")
	return b
}

func (b *digester) intern(s string) uint32 {
	i, ok := b.index[s]
	if !ok {
		i = uint32(len(b.Head.Strings))
		s = strings.Clone(s)
		b.index[s] = i
		b.Head.Strings = append(b.Head.Strings, s)
		b.size += len(s)
	}
	return i
}

// add adds an utterance.
func (b *digester) add(u *said.Entry) error {
	if u.Speaker == said.Tool {
		return nil
	}
	text := u.Text
	if b.mask != nil {
		text = b.mask(text)
	}
	b.said.WriteString(text)
	end := b.said.Len()
	b.said.WriteString(Gap)
	b.names.WriteString(u.UUID)
	b.size += rowSize + len(text) + len(Gap) + len(u.UUID)
	r := row{
		Offset:  u.Offset,
		seconds: u.Time.Unix(),
		nanos:   int32(u.Time.Nanosecond()),
		Key:     u.Key(),
		Line:    int32(min(u.Line, math.MaxInt32)),
		Place:   int32(u.Place),
		Text:    uint32(end),
		uuid:    uint32(b.names.Len()),
		cwd:     b.intern(u.CWD),
		branch:  b.intern(u.Branch),
		origin:  b.intern(u.Origin),
		User:    u.Speaker == said.User,
		Manner:  u.Manner,
	}
	if u.Time.IsZero() {
		r.seconds, r.nanos = untimed, 0
	}
	b.Rows = append(b.Rows, r)
	return nil
}

// settle marks what was added as final: no later line of the transcript changes it.
func (b *digester) settle(r *said.Reader) {
	to := &b.Head.Settled
	to.Rows, to.Text, to.UUIDs, to.Strings = len(b.Rows), b.said.Len(), b.names.Len(), len(b.Head.Strings)
	to.State = r.Checkpoint()
	to.State.Mask(b.mask)
	to.Skipped = r.SettledSkips()
}

// finish returns the part.
func (b *digester) finish(r *said.Reader) *Digest {
	d := b.Digest
	d.Head.Skipped, d.Head.Latest = r.Skipped, r.Latest
	d.Text, d.uuids = b.said.String(), b.names.String()
	d.Head.Untimed = slices.ContainsFunc(d.Rows, func(r row) bool { return r.seconds == untimed })
	return &d
}
