package digest

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
	"strings"

	"dream-mcp/consolidate/transcript/said"
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
func digestName(f said.File, part int) string {
	name := fmt.Sprintf("%016x%016x", said.Sum(f.Path, f.ID), said.Sum(f.ID, f.Path))
	if part != base {
		name += fmt.Sprintf(".%d", part)
	}
	return name + digestEnding
}

// sum is the checksum of a digest's file.
func (d *Digest) sum() uint32 {
	b := d.encode()
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b[len(digestMagic):])
}

// encode returns a digest as its file holds it, without the text, which is most of it.
func (d *Digest) encode() []byte {
	head, err := json.Marshal(&d.Head)
	if err != nil {
		return nil // a time that no transcript can hold
	}
	b := make([]byte, preambleSize, preambleSize+len(head)+len(d.Rows)*rowSize+len(d.uuids))
	b = append(b, head...)
	for i := range d.Rows {
		b = d.Rows[i].append(b)
	}
	b = append(b, d.uuids...)
	copy(b, digestMagic)
	sizes := b[len(digestMagic)+4 : len(digestMagic)+4 : preambleSize]
	for _, n := range []int{len(head), len(d.Rows), len(d.uuids), len(d.Text)} {
		sizes = binary.LittleEndian.AppendUint32(sizes, uint32(n))
	}
	sum := crc32.Update(0, castagnoli, b[len(digestMagic)+4:])
	var room [4 << 10]byte
	for text := d.Text; text != ""; {
		n := copy(room[:], text)
		sum, text = crc32.Update(sum, castagnoli, room[:n]), text[n:]
	}
	binary.LittleEndian.PutUint32(b[len(digestMagic):], sum)
	return b
}

func (r *row) append(b []byte) []byte {
	le := binary.LittleEndian
	for _, v := range [...]uint64{uint64(r.Offset), uint64(r.seconds), r.Key} {
		b = le.AppendUint64(b, v)
	}
	for _, v := range [...]uint32{uint32(r.nanos), uint32(r.Line), uint32(r.Place), r.Text, r.uuid, r.cwd, r.branch, r.origin} {
		b = le.AppendUint32(b, v)
	}
	speaker := uint16(r.Manner) << 1
	if r.User {
		speaker |= 1
	}
	return le.AppendUint16(le.AppendUint16(b, r.Signals), speaker)
}

func (r *row) read(b []byte) {
	le := binary.LittleEndian
	*r = row{
		Offset: int64(le.Uint64(b)), seconds: int64(le.Uint64(b[8:])), Key: le.Uint64(b[16:]),
		nanos: int32(le.Uint32(b[24:])), Line: int32(le.Uint32(b[28:])), Place: int32(le.Uint32(b[32:])),
		Text: le.Uint32(b[36:]), uuid: le.Uint32(b[40:]), cwd: le.Uint32(b[44:]), branch: le.Uint32(b[48:]), origin: le.Uint32(b[52:]),
		Signals: le.Uint16(b[56:]), User: b[58]&1 == 1, Manner: said.Manner(b[58] >> 1),
	}
}

// writeDigest replaces the file of one part of a digest, whole or not at all. It is not synced: a file that a crash
// leaves torn is noticed by its checksum.
func writeDigest(folder string, f said.File, part int, d *Digest) error {
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
		_, err = io.WriteString(out, d.Text)
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
func readDigest(folder string, f said.File, part int) (*Digest, error) {
	source, err := said.OpenFile(filepath.Join(folder, digestName(f, part)))
	if err != nil {
		return nil, err
	}
	defer source.Close()
	stat, err := source.Stat()
	if err != nil {
		return nil, err
	}
	d, err := decodeDigest(source, stat.Size())
	if err == nil && (d.Head.Path != f.Path || d.Head.ID != f.ID) {
		return nil, errNoDigest
	}
	return d, err
}

// decodeDigest reads a digest of such a length. A checksum finds damage; that nobody else writes there is for the folder to see to.
func decodeDigest(source io.Reader, length int64) (*Digest, error) {
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
		block := make([]byte, min(n, said.ReadBlock))
		for n > 0 {
			got, err := io.ReadFull(source, block[:min(n, said.ReadBlock)])
			if err != nil {
				return "", errNoDigest
			}
			sum = crc32.Update(sum, castagnoli, block[:got])
			all.Write(block[:got])
			n -= int64(got)
		}
		return all.String(), nil
	}
	d := &Digest{checksum: want}
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
	if d.Text, err = part(text); err != nil {
		return nil, err
	}
	if sum != want || json.Unmarshal([]byte(first), &d.Head) != nil || d.Head.Version != digestVersion {
		return nil, errNoDigest
	}
	d.Rows = make([]row, rows)
	packed := []byte(table)
	for i := range d.Rows {
		d.Rows[i].read(packed[i*rowSize:])
	}
	return d, nil
}

// digestOf reads the path of its transcript from a digest's file.
func digestOf(path string) (transcript string, err error) {
	source, err := said.OpenFile(path)
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
