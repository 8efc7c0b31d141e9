package transcript

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// headsFile lies beside the digests: what the heads and ends of transcripts tell, so that a new process
// does not read them all again. What is said there of a digest's file holds for it.
const (
	headsFile  = "heads"
	headsMagic = "dreamhd\x06"

	// maxHeadsFile bounds what is read of it: maxHeads of 512 bytes each.
	maxHeadsFile = maxHeads * 512

	// unsavedHeads is how many may be lost with the process: to read them again takes milliseconds.
	unsavedHeads = 64
)

// loadHeads reads the heads that another process left. s.mu is held.
func (s *Store) loadHeads() {
	if s.headsLoaded || s.options.Digests == "" {
		return
	}
	s.headsLoaded = true
	f, err := openFile(filepath.Join(s.options.Digests, headsFile))
	if err != nil {
		return
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil || stat.Size() > maxHeadsFile {
		return
	}
	text := make([]byte, stat.Size())
	if _, err := f.ReadAt(text, 0); err != nil {
		return
	}
	if heads, err := decodeHeads(text); err == nil {
		s.heads = heads
	}
}

// saveHeads writes the heads behind an answer, when enough of them are new.
func (s *Store) saveHeads() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Digests == "" || s.unsaved < unsavedHeads {
		return
	}
	s.unsaved = 0
	s.digests().behind(s.writeHeads)
}

// writeHeads writes all heads that are known.
func (s *Store) writeHeads() {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	text := s.encodeHeads()
	s.mu.Unlock()
	folder := s.options.Digests
	if len(text) > maxHeadsFile || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	out, err := os.CreateTemp(folder, temporaryName)
	if err != nil {
		return
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), filepath.Join(folder, headsFile))
	}
	if err != nil {
		os.Remove(out.Name())
	}
}

// encodeHeads returns what the file holds: magic, checksum, heads. Of sessions of other projects it
// holds no words. s.mu is held.
func (s *Store) encodeHeads() []byte {
	b := append([]byte(headsMagic), 0, 0, 0, 0)
	for path, c := range s.heads {
		h, t := c.head, c.tail
		if !s.owns(file{trust: c.trust}, h) {
			h.first, h.title, h.branch, t = "", "", "", head{last: t.last}
		}
		b = appendText(b, path)
		b = binary.AppendVarint(b, c.size)
		b = binary.AppendVarint(b, c.modTime.UnixNano())
		b = append(b, byte(c.trust))
		for _, text := range []string{string(h.reason), h.branch, h.title, h.first, t.title, timeText(h.last), timeText(t.last)} {
			b = appendText(b, text)
		}
		b = append(b, boolByte(c.ended), boolByte(h.part), byte(c.plain))
		b = binary.AppendUvarint(b, uint64(len(h.cwds)))
		for _, cwd := range h.cwds {
			b = appendText(b, cwd)
		}
	}
	binary.LittleEndian.PutUint32(b[len(headsMagic):], crc32.Checksum(b[len(headsMagic)+4:], castagnoli))
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// timeText is a time in few bytes, the zero time in none.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	b, _ := t.MarshalBinary() // the zone is UTC
	return string(b)
}

// decodeHeads reads what encodeHeads wrote.
func decodeHeads(b []byte) (map[string]cachedHead, error) {
	rest, ok := strings.CutPrefix(string(b), headsMagic)
	if !ok || len(rest) < 4 || crc32.Checksum(b[len(headsMagic)+4:], castagnoli) != binary.LittleEndian.Uint32(b[len(headsMagic):]) {
		return nil, errNoDigest
	}
	r := headsReader{rest: rest[4:]}
	all := map[string]cachedHead{}
	same := map[string]string{} // directories and branches, which many sessions share
	shared := func(text string) string {
		if _, ok := same[text]; !ok {
			same[text] = text
		}
		return same[text]
	}
	for r.rest != "" && len(all) < maxHeads {
		path := r.text()
		c := cachedHead{size: r.number(), modTime: time.Unix(0, r.number())}
		c.trust = trust(r.byte())
		c.head.reason = Reason(r.text())
		r.bad = r.bad || !slices.Contains([]Reason{"", Subagent, Ghost, WarmUp, Dream, Automated, Untyped}, c.head.reason)
		c.head.branch, c.head.title, c.head.first = shared(r.text()), r.text(), r.text()
		c.tail.title, c.head.last, c.tail.last = r.text(), r.time(), r.time()
		c.ended, c.head.part = r.byte() == 1, r.byte() == 1
		c.plain = plainness(r.byte())
		n := r.count()
		if n > maxCWDs {
			return nil, errNoDigest
		}
		for range n {
			c.head.cwds = append(c.head.cwds, shared(r.text()))
		}
		if r.bad {
			return nil, errNoDigest
		}
		all[path] = c
	}
	return all, nil
}

// A headsReader reads values one behind the other; bad says that one was not there.
type headsReader struct {
	rest string
	bad  bool
}

func (r *headsReader) byte() byte {
	if r.rest == "" {
		r.bad = true
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

func (r *headsReader) count() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		c := r.byte()
		if n |= uint64(c&0x7f) << shift; c < 0x80 {
			return n
		}
	}
	r.bad = true
	return 0
}

func (r *headsReader) number() int64 {
	n := r.count()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *headsReader) text() string {
	n := r.count()
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, ""
		return ""
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func (r *headsReader) time() (t time.Time) {
	if text := r.text(); text != "" && t.UnmarshalBinary([]byte(text)) != nil {
		r.bad = true
	}
	return t
}
