package transcript

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
)

// maxDigest bounds the text of one digest. A session that says more, some 800 MB of transcript as
// they are written, is searched itself.
const maxDigest = 32 << 20

var errTooBig = errors.New("a digest would be too big")

// A digester makes a digest of what a reader emits.
type digester struct {
	digest
	classify func(Speaker, string) uint16
	classed  int // how many rows have their signals
	said     strings.Builder
	names    strings.Builder
	index    map[string]uint32 // of Strings
}

// newDigester goes on where the settled part of a digest ends; of an empty one, at the beginning.
// grown is how many bytes will be read.
func newDigester(d digest, classify func(Speaker, string) uint16, grown int64) *digester {
	to := &d.head.Settled
	b := &digester{digest: d, classify: classify, index: map[string]uint32{}, classed: to.Rows}
	b.rows = append(make([]row, 0, to.Rows+8+int(min(grown, maxDigest)/4096)), d.rows[:to.Rows]...)
	b.said.Grow(to.Text + int(min(grown, 16*maxDigest)/32))
	b.said.WriteString(d.text[:to.Text])
	b.names.WriteString(d.uuids[:to.UUIDs])
	b.head.Strings = slices.Clone(d.head.Strings[:to.Strings])
	b.head.Skipped = nil
	for i, s := range b.head.Strings {
		b.index[s] = uint32(i)
	}
	b.intern("")
	return b
}

func (b *digester) intern(s string) uint32 {
	i, ok := b.index[s]
	if !ok {
		i = uint32(len(b.head.Strings))
		b.index[s] = i
		b.head.Strings = append(b.head.Strings, strings.Clone(s))
	}
	return i
}

// add takes in an utterance.
func (b *digester) add(u *utterance) error {
	if u.Speaker == Tool {
		return nil
	}
	if b.said.Len()+len(u.Text) > maxDigest {
		return errTooBig
	}
	b.said.WriteString(u.Text)
	end := b.said.Len()
	b.said.WriteString(gap)
	b.names.WriteString(u.UUID)
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

// settle marks that what was added stands, whatever the transcript's next lines say.
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

// finish returns the digest.
func (b *digester) finish(r *reader) *digest {
	d := b.digest
	d.head.Skipped, d.head.Plain = r.skipped, r.bears
	d.head.Latest = r.latest
	d.text, d.uuids = b.said.String(), b.names.String()
	if state, err := json.Marshal(d.head.Settled.State); err != nil || len(state) > maxDigest {
		d.head.TooBig = true
	}
	if d.head.TooBig {
		return d.emptied()
	}
	d.head.Untimed = slices.ContainsFunc(d.rows, func(r row) bool { return r.seconds == untimed })
	b.class(&d)
	return &d
}

// class fills in the signals of each row. The rules, which are others for each speaker, lie in the processor's cache
// only while nothing else is done: row by row, as they are read, it takes twice as long.
func (b *digester) class(d *digest) {
	if b.classify == nil {
		return
	}
	for _, speaker := range [...]Speaker{User, Assistant} {
		for i := b.classed; i < len(d.rows); i++ {
			if r := &d.rows[i]; r.user == (speaker == User) {
				r.signals = b.classify(speaker, d.said(i))
			}
		}
	}
}

// emptied is what stands for a digest that is too big.
func (d *digest) emptied() *digest {
	h := &d.head
	return &digest{head: digestHead{
		Version: h.Version, Classifier: h.Classifier, Path: h.Path, ID: h.ID,
		Size: h.Size, ModTime: h.ModTime, Inode: h.Inode, TooBig: true,
	}}
}
