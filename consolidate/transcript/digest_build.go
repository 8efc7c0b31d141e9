package transcript

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
)

// digestVersion is of the form of digests and of the reading that fills them: whoever changes what an
// utterance is raises it, and all digests are built anew.
const digestVersion = 5

// sampleSize is what is compared of a transcript's head, and of the block before the place where its
// digest goes on, before that is believed.
const sampleSize = 4 << 10

// errReplaced is the error of extending a digest of what is another transcript by now.
var errReplaced = errors.New("the transcript is not the one that was digested")

// A making is what the digests of one Store are made with.
type making struct {
	classifier string
	classify   func(Speaker, string) uint16
}

// digest reads a transcript, or what was appended to it since a digest of it was made; of nil, all of
// it. The file is read to the size that it has when it is opened. read counts the bytes.
func (m making) digest(ctx context.Context, f file, before *digest, read *atomic.Int64) (*digest, error) {
	source, err := f.open()
	if err != nil {
		return nil, err
	}
	defer source.Close()
	if f.host.rewritten() {
		before = nil
	}
	d := digest{}
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
	h := &d.head
	h.Version, h.Classifier, h.Path, h.ID = digestVersion, m.classifier, f.path, f.id
	h.Size, h.ModTime, h.Inode = source.size, nanoseconds(source.modTime), source.inode
	if h.TooBig {
		return d.emptied(), nil
	}
	from := h.Settled.State
	if _, err := source.Seek(from.Offset, io.SeekStart); err != nil {
		return nil, err
	}
	grown := source.length - from.Offset
	lines := lineReaders.Get().(*lineReader)
	defer lines.putBack()
	lines.reset(&meter{ctx: ctx, source: io.LimitReader(source, grown), read: read}, from.Line+1, from.Offset)
	b := newDigester(d, m.classify, grown)
	r := newReader(f, lines, b.add)
	r.goOn(from)
	r.skipped.add(h.Settled.Skipped)
	r.tools = deaf
	if !f.host.rewritten() {
		r.settle = func() { b.settle(r) }
	}
	switch err := r.run(); {
	case errors.Is(err, errTooBig):
		return b.emptied(), nil
	case err != nil:
		return nil, err
	}
	made := b.finish(r)
	made.head.Prefix, made.head.Block, err = samples(source, made.head.Settled.State.Offset)
	return made, err
}

// samples sums the head of a transcript and the block before an offset, which is all of it when that
// is near.
func samples(source io.ReaderAt, offset int64) (prefix, block uint64, err error) {
	if offset == 0 {
		return 0, 0, nil
	}
	var room [sampleSize]byte
	n := min(offset, sampleSize)
	if _, err := source.ReadAt(room[:n], 0); err != nil {
		return 0, 0, notShorter(err)
	}
	prefix = sumBytes(room[:n])
	if _, err := source.ReadAt(room[:n], offset-n); err != nil {
		return 0, 0, notShorter(err)
	}
	return prefix, sumBytes(room[:n]), nil
}

// notShorter tells a transcript that shrank from one that cannot be read.
func notShorter(err error) error {
	if err == io.EOF {
		return errReplaced
	}
	return err
}
