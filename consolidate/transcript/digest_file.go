package transcript

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A digest's file: a preamble, the head as JSON, the rows, the UUIDs, the text. The preamble holds the magic, a checksum
// of all that follows the checksum, and the length of each section.
const (
	digestMagic   = "dreamdg\x01"
	preambleSize  = len(digestMagic) + 4 + 4*4
	rowSize       = 3*8 + 8*4 + 2 + 2
	digestEnding  = ".digest"
	temporaryName = ".new-*"
)

// maxDigestFile bounds what is read of one file: a part, and what one line adds to it.
const maxDigestFile = 128 << 20

// base stands for the part of a digest that is not sealed.
const base = -1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errNoDigest is the error of reading a file that is not a digest, or is damaged.
var errNoDigest = errors.New("not a digest")

// digestName is the name of the file of one part of a digest. It says nothing of the session.
func digestName(f file, part int) string {
	name := fmt.Sprintf("%016x%016x", sum64(f.path, f.id), sum64(f.id, f.path))
	if part != base {
		name += fmt.Sprintf(".%d", part)
	}
	return name + digestEnding
}

// sum is the checksum of a digest's file.
func (d *digest) sum() uint32 {
	b := d.encode()
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b[len(digestMagic):])
}

// encode returns a digest as its file holds it, without the text, which is most of it.
func (d *digest) encode() []byte {
	head, err := json.Marshal(&d.head)
	if err != nil {
		return nil // a time that no transcript can hold
	}
	b := make([]byte, preambleSize, preambleSize+len(head)+len(d.rows)*rowSize+len(d.uuids))
	b = append(b, head...)
	for i := range d.rows {
		b = d.rows[i].append(b)
	}
	b = append(b, d.uuids...)
	copy(b, digestMagic)
	sizes := b[len(digestMagic)+4 : len(digestMagic)+4 : preambleSize]
	for _, n := range []int{len(head), len(d.rows), len(d.uuids), len(d.text)} {
		sizes = binary.LittleEndian.AppendUint32(sizes, uint32(n))
	}
	sum := crc32.Update(0, castagnoli, b[len(digestMagic)+4:])
	var room [4 << 10]byte
	for text := d.text; text != ""; {
		n := copy(room[:], text)
		sum, text = crc32.Update(sum, castagnoli, room[:n]), text[n:]
	}
	binary.LittleEndian.PutUint32(b[len(digestMagic):], sum)
	return b
}

func (r *row) append(b []byte) []byte {
	le := binary.LittleEndian
	for _, v := range [...]uint64{uint64(r.offset), uint64(r.seconds), r.key} {
		b = le.AppendUint64(b, v)
	}
	for _, v := range [...]uint32{uint32(r.nanos), uint32(r.line), uint32(r.place), r.text, r.uuid, r.cwd, r.branch, r.origin} {
		b = le.AppendUint32(b, v)
	}
	speaker := uint16(r.manner) << 1
	if r.user {
		speaker |= 1
	}
	return le.AppendUint16(le.AppendUint16(b, r.signals), speaker)
}

func (r *row) read(b []byte) {
	le := binary.LittleEndian
	*r = row{
		offset: int64(le.Uint64(b)), seconds: int64(le.Uint64(b[8:])), key: le.Uint64(b[16:]),
		nanos: int32(le.Uint32(b[24:])), line: int32(le.Uint32(b[28:])), place: int32(le.Uint32(b[32:])),
		text: le.Uint32(b[36:]), uuid: le.Uint32(b[40:]), cwd: le.Uint32(b[44:]), branch: le.Uint32(b[48:]), origin: le.Uint32(b[52:]),
		signals: le.Uint16(b[56:]), user: b[58]&1 == 1, manner: Manner(b[58] >> 1),
	}
}

// writeDigest replaces the file of one part of a digest, whole or not at all. It is not synced: a file that a crash
// leaves torn is noticed by its checksum.
func writeDigest(folder string, f file, part int, d *digest) error {
	rest := d.encode()
	if rest == nil {
		return errNoDigest
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	out, err := os.CreateTemp(folder, temporaryName)
	if err != nil {
		return err
	}
	_, err = out.Write(rest)
	if err == nil {
		_, err = io.WriteString(out, d.text)
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(out.Name(), filepath.Join(folder, digestName(f, part)))
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return err
}

// readDigest reads one part of the digest of a transcript.
func readDigest(folder string, f file, part int) (*digest, error) {
	source, err := openFile(filepath.Join(folder, digestName(f, part)))
	if err != nil {
		return nil, err
	}
	defer source.Close()
	stat, err := source.Stat()
	if err != nil {
		return nil, err
	}
	d, err := decodeDigest(source, stat.Size())
	if err == nil && (d.head.Path != f.path || d.head.ID != f.id) {
		return nil, errNoDigest
	}
	return d, err
}

// decodeDigest reads a digest of such a length, and checks every number by which something will be found in it.
func decodeDigest(source io.Reader, length int64) (*digest, error) {
	var preamble [preambleSize]byte
	if _, err := io.ReadFull(source, preamble[:]); err != nil || !bytes.HasPrefix(preamble[:], []byte(digestMagic)) {
		return nil, errNoDigest
	}
	want := binary.LittleEndian.Uint32(preamble[len(digestMagic):])
	sizes := preamble[len(digestMagic)+4:]
	size := func(i int) int64 { return int64(binary.LittleEndian.Uint32(sizes[4*i:])) }
	head, rows, uuids, text := size(0), size(1), size(2), size(3)
	if length > maxDigestFile || head+rows*rowSize+uuids+text != length-int64(preambleSize) {
		return nil, errNoDigest
	}
	sum := crc32.Update(0, castagnoli, sizes)
	part := func(n int64) (string, error) {
		var all strings.Builder
		all.Grow(int(n))
		block := make([]byte, min(n, readBlock))
		for n > 0 {
			got, err := io.ReadFull(source, block[:min(n, readBlock)])
			if err != nil {
				return "", errNoDigest
			}
			sum = crc32.Update(sum, castagnoli, block[:got])
			all.Write(block[:got])
			n -= int64(got)
		}
		return all.String(), nil
	}
	d := &digest{checksum: want}
	first, err := part(head)
	if err != nil {
		return nil, err
	}
	table, err := part(rows * rowSize)
	if err != nil {
		return nil, err
	}
	if d.uuids, err = part(uuids); err != nil {
		return nil, err
	}
	if d.text, err = part(text); err != nil {
		return nil, err
	}
	if sum != want || json.Unmarshal([]byte(first), &d.head) != nil || d.head.Version != digestVersion {
		return nil, errNoDigest
	}
	d.rows = make([]row, rows)
	packed := []byte(table)
	for i := range d.rows {
		d.rows[i].read(packed[i*rowSize:])
	}
	if !d.sound() {
		return nil, errNoDigest
	}
	return d, nil
}

// sound reports whether nothing in a digest points beyond it: a checksum finds damage, not forgery.
func (d *digest) sound() bool {
	text, uuid := -len(gap), uint32(0)
	for i := range d.rows {
		r := &d.rows[i]
		start, end := text+len(gap), int(r.text)
		if end < start || end >= len(d.text) || d.text[end] != gap[0] || !utf8.ValidString(d.text[start:end]) ||
			r.uuid < uuid || int64(r.uuid) > int64(len(d.uuids)) || r.line < 1 || r.place < 1 || r.offset < 0 || r.nanos < 0 || r.nanos >= 1e9 ||
			int64(max(r.cwd, r.branch, r.origin)) >= int64(len(d.head.Strings)) {
			return false
		}
		text, uuid = end, r.uuid
	}
	h, to := &d.head, &d.head.Settled
	if text+len(gap) != len(d.text) || int(uuid) != len(d.uuids) || h.Size < 0 ||
		slices.ContainsFunc(h.Sealed, func(p sealed) bool { return p.Rows < 0 }) || to.Rows < 0 || to.Rows > len(d.rows) || to.Strings < 0 || to.Strings > len(h.Strings) ||
		to.State.Offset < 0 || to.State.Offset > h.Size || to.State.Line < 0 {
		return false
	}
	wantText, wantUUIDs := 0, 0
	if to.Rows > 0 {
		wantText, wantUUIDs = int(d.rows[to.Rows-1].text)+len(gap), int(d.rows[to.Rows-1].uuid)
	}
	for i := range d.rows[:to.Rows] {
		if r := &d.rows[i]; int(max(r.cwd, r.branch, r.origin)) >= to.Strings {
			return false
		}
	}
	return to.Text == wantText && to.UUIDs == wantUUIDs
}

// digestOf reads the path of its transcript from a digest's file.
func digestOf(path string) (transcript string, err error) {
	source, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer source.Close()
	var preamble [preambleSize]byte
	if _, err := io.ReadFull(source, preamble[:]); err != nil || !bytes.HasPrefix(preamble[:], []byte(digestMagic)) {
		return "", errNoDigest
	}
	size := int64(binary.LittleEndian.Uint32(preamble[len(digestMagic)+4:]))
	var head digestHead
	if err := json.NewDecoder(io.LimitReader(source, min(size, maxDigestFile))).Decode(&head); err != nil || head.Path == "" {
		return "", errNoDigest
	}
	return head.Path, nil
}
