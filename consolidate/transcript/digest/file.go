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
	"sync"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/atomicfile"
)

// A digest's file: a preamble, the head as JSON, the rows, the UUIDs, the text. The preamble holds the magic, a checksum
// of all that follows the checksum, and the length of each section.
const (
	digestMagic  = "dreamdg\x01"
	sizesAt      = len(digestMagic) + 4
	preambleSize = sizesAt + 4*4
	rowSize      = 3*8 + 8*4 + 2
	digestEnding = ".digest"
)

// maxDigestFile bounds what is read of one file: a part, and what one line adds to it.
const maxDigestFile = 128 << 20

// base is the number of the part of a digest that is not sealed.
const base = -1

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

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
	b, err := d.encode()
	if err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b[len(digestMagic):])
}

// encode returns a digest as its file has it. The error is that of a time that no transcript can have.
func (d *Digest) encode() ([]byte, error) {
	head, err := json.Marshal(&d.Head)
	if err != nil {
		return nil, err
	}
	b := make([]byte, preambleSize, preambleSize+len(head)+len(d.Rows)*rowSize+len(d.uuids)+len(d.Text))
	b = append(b, head...)
	for i := range d.Rows {
		b = d.Rows[i].append(b)
	}
	b = append(append(b, d.uuids...), d.Text...)
	copy(b, digestMagic)
	for i, n := range [...]int{len(head), len(d.Rows), len(d.uuids), len(d.Text)} {
		binary.LittleEndian.PutUint32(b[sizesAt+4*i:], uint32(n))
	}
	binary.LittleEndian.PutUint32(b[len(digestMagic):], crc32.Checksum(b[sizesAt:], castagnoli()))
	return b, nil
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
	return le.AppendUint16(b, speaker)
}

func (r *row) read(b []byte) {
	le := binary.LittleEndian
	*r = row{
		Offset: int64(le.Uint64(b)), seconds: int64(le.Uint64(b[8:])), Key: le.Uint64(b[16:]),
		nanos: int32(le.Uint32(b[24:])), Line: int32(le.Uint32(b[28:])), Place: int32(le.Uint32(b[32:])),
		Text: le.Uint32(b[36:]), uuid: le.Uint32(b[40:]), cwd: le.Uint32(b[44:]), branch: le.Uint32(b[48:]), origin: le.Uint32(b[52:]),
		User: b[56]&1 == 1, Manner: said.Manner(b[56] >> 1),
	}
}

// writeDigest replaces the file of one part of a digest, whole or not at all. It is not synced: a file that a crash
// leaves torn is noticed by its checksum.
func writeDigest(folder string, f said.File, part int, d *Digest) error {
	b, err := d.encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.Cache(root, digestName(f, part), b)
}

// readDigest reads one part of the digest of a transcript.
func (ds *Store) readDigest(f said.File, part int) (*Digest, error) {
	source, err := said.OpenFile(filepath.Join(ds.folder, digestName(f, part)))
	if err != nil {
		return nil, err
	}
	defer source.Close()
	stat, err := source.Stat()
	if err != nil || stat.Size() > maxDigestFile {
		return nil, errNoDigest
	}
	b := make([]byte, stat.Size())
	if _, err := io.ReadFull(source, b); err != nil {
		return nil, errNoDigest
	}
	d, err := decodeDigest(b)
	if err == nil && (d.Head.Version != ds.version() || d.Head.Path != f.Path || d.Head.ID != f.ID) {
		return nil, errNoDigest
	}
	return d, err
}

// decodeDigest decodes a digest's file. A checksum finds damage, not forgery: the folder is private.
func decodeDigest(b []byte) (*Digest, error) {
	if len(b) < preambleSize || len(b) > maxDigestFile || !bytes.HasPrefix(b, []byte(digestMagic)) {
		return nil, errNoDigest
	}
	le := binary.LittleEndian
	d := &Digest{checksum: le.Uint32(b[len(digestMagic):])}
	if crc32.Checksum(b[sizesAt:], castagnoli()) != d.checksum {
		return nil, errNoDigest
	}
	var parts [4][]byte
	rest := b[preambleSize:]
	for i, unit := range [...]int{1, rowSize, 1, 1} {
		n := int64(le.Uint32(b[sizesAt+4*i:])) * int64(unit)
		if n > int64(len(rest)) {
			return nil, errNoDigest
		}
		parts[i], rest = rest[:n], rest[n:]
	}
	if len(rest) > 0 || json.Unmarshal(parts[0], &d.Head) != nil {
		return nil, errNoDigest
	}
	d.Rows = make([]row, len(parts[1])/rowSize)
	for i := range d.Rows {
		d.Rows[i].read(parts[1][i*rowSize:])
	}
	d.uuids, d.Text = string(parts[2]), string(parts[3])
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
	size := int64(binary.LittleEndian.Uint32(preamble[sizesAt:]))
	var head digestHead
	if err := json.NewDecoder(io.LimitReader(source, min(size, maxDigestFile))).Decode(&head); err != nil || head.Path == "" {
		return "", errNoDigest
	}
	return head.Path, nil
}
