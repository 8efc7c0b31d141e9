package cache

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/memory/forgotten"
)

// version is of what rows are made by.
func (db *DB) version() string {
	return fmt.Sprintf("%d %x %x", said.Version, forgotten.Version(), db.mask.Rules)
}

const (
	// maxPart is how much is said, in bytes, before it is written: memory is bounded by it, and a reading that is cut
	// off goes on there.
	maxPart = 2 << 20

	// sampleSize is what is compared of a transcript's head, and of the block before the place where reading goes on.
	sampleSize = 4 << 10
)

// A session is what the database has of a transcript.
type session struct {
	id, revision   int64
	version        string
	size, modified int64
	inode          uint64
	head, block    uint64
	skipped        said.Skipped
	checkpoint
	kept [2]string // the checkpoint as the database has it, which may be large: decoded when reading goes on
}

// A checkpoint is the place where reading goes on.
type checkpoint struct {
	state  said.State
	passed said.Skipped // over, up to there
}

// is reports whether a session was read to the end of a transcript as it is.
func (s *session) is(f said.File) bool {
	return s != nil && s.size == f.Size && s.modified == Nanoseconds(f.ModTime)
}

// lastYear is the last whole year that nanoseconds can hold; the first is 1678.
const lastYear = 2261

// Nanoseconds is a time as a number that orders as times do; what lies beyond the numbers is not a time that
// a session had.
func Nanoseconds(t time.Time) int64 {
	if y := t.Year(); y < 1678 || y > lastYear {
		return 0
	}
	return t.UnixNano()
}

// errChanged is the error of writing what another process has written meanwhile.
var errChanged = errors.New("the session was read by another process")

// upToDate returns what the database has of a transcript, after it was read to its end.
func (db *DB) upToDate(ctx context.Context, conn *sql.DB, f said.File) (*session, error) {
	free, err := db.claims.claim(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	defer free()
	for {
		before, err := db.find(ctx, conn, f.Path)
		if err != nil || before.is(f) {
			return before, err
		}
		if before != nil { // perhaps it is the listing that is old
			now, err := f.Now()
			if err != nil {
				return nil, err
			}
			f.Size, f.ModTime = now.Size, now.ModTime
			if before.is(f) {
				return before, nil
			}
		}
		read, err := db.readSession(ctx, conn, f, before)
		if err != errChanged {
			return read, err
		}
	}
}

// find returns what the database has of a transcript, nil if nothing of this version.
func (db *DB) find(ctx context.Context, conn *sql.DB, path string) (*session, error) {
	var s session
	var inode, head, block int64
	var skipped string
	row := conn.QueryRowContext(ctx, `SELECT id, revision, version, size, modified, inode, head, block, state, passed, skipped FROM session WHERE path = ?`, path)
	err := row.Scan(&s.id, &s.revision, &s.version, &s.size, &s.modified, &inode, &head, &block, &s.kept[0], &s.kept[1], &skipped)
	if errors.Is(err, sql.ErrNoRows) || err == nil && s.version != db.version() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.inode, s.head, s.block = uint64(inode), uint64(head), uint64(block)
	if json.Unmarshal([]byte(skipped), &s.skipped) != nil {
		return nil, nil
	}
	return &s, nil
}

// readSession reads a transcript, or what was appended to it since, and writes what was said.
func (db *DB) readSession(ctx context.Context, conn *sql.DB, f said.File, before *session) (*session, error) {
	source, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer source.Close()
	if before != nil {
		same := !f.Format.Rewritten() && before.size < source.Size && before.inode == source.Inode
		if same {
			same = json.Unmarshal([]byte(before.kept[0]), &before.state) == nil && json.Unmarshal([]byte(before.kept[1]), &before.passed) == nil
		}
		if same {
			head, block, err := samples(source, before.state.Offset)
			if err != nil && err != io.EOF {
				return nil, err
			}
			same = err == nil && before.head == head && before.block == block
		}
		if !same {
			before = nil
		}
	}
	for {
		p, full, err := db.next(ctx, f, source, before)
		if err != nil {
			return nil, err
		}
		p.version, p.inode = db.version(), source.Inode
		p.size, p.modified = source.Size, Nanoseconds(source.ModTime)
		if full { // it is not read to its end
			p.size, p.modified = p.state.Offset, -1
		}
		if p.head, p.block, err = samples(source, p.state.Offset); err != nil {
			return nil, err
		}
		if err := db.write(ctx, conn, f, before, &p); err != nil {
			return nil, err
		}
		if before = &p.session; !full {
			return before, nil
		}
	}
}

// samples sums the head of a transcript and the block before an offset. The error is io.EOF if the transcript is
// shorter.
func samples(source io.ReaderAt, offset int64) (head, block uint64, err error) {
	if offset == 0 {
		return 0, 0, nil
	}
	var room [sampleSize]byte
	n := min(offset, sampleSize)
	if _, err := source.ReadAt(room[:n], 0); err != nil {
		return 0, 0, err
	}
	head = said.SumOf(room[:n])
	if _, err := source.ReadAt(room[:n], offset-n); err != nil {
		return 0, 0, err
	}
	return head, said.SumOf(room[:n]), nil
}

// A part is what was read at once.
type part struct {
	session
	rows    []row
	settled int // so many of them stay as they are when reading goes on
}

type row struct {
	said.Entry
	key uint64
}

// next reads the next part of a transcript, and reports whether there may be more.
func (db *DB) next(ctx context.Context, f said.File, source *said.Source, before *session) (p part, full bool, err error) {
	p.passed = said.Skipped{}
	if before != nil {
		p.session = *before
	}
	lines := source.Lines(ctx, p.state.Line+1, p.state.Offset, new(atomic.Int64))
	defer lines.Close()
	size := 0
	r := said.NewReader(f, lines, func(u *said.Entry) error {
		if u.Speaker == said.Tool {
			return nil
		}
		one := row{*u, u.Key()}
		one.Text = db.mask.masked(u.Text)
		size += len(one.Text)
		p.rows = append(p.rows, one)
		return nil
	})
	r.Restore(p.state)
	r.Skipped.Add(p.passed)
	r.Settle = func() {
		p.settled, p.state, p.passed = len(p.rows), r.Checkpoint(), r.SettledSkips()
		p.state.Mask(db.mask.masked)
	}
	r.Full = func() bool { return size >= cmp.Or(db.part, maxPart) }
	err = r.Run()
	if full = err == said.ErrFull; full {
		err = nil
	}
	p.skipped = r.Skipped
	if f.Format.Rewritten() && !full {
		p.settled, p.state, p.passed = 0, said.State{}, said.Skipped{}
	}
	return p, full, err
}

// write writes a part after what was read before; nil: in place of all that there is.
func (db *DB) write(ctx context.Context, conn *sql.DB, f said.File, before *session, p *part) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id, revision int64
	switch err := tx.QueryRow(`SELECT id, revision FROM session WHERE path = ?`, f.Path).Scan(&id, &revision); {
	case errors.Is(err, sql.ErrNoRows) && before == nil:
	case err == nil && (before == nil || before.id == id && before.revision == revision):
	case err == nil || errors.Is(err, sql.ErrNoRows):
		return errChanged
	default:
		return err
	}
	p.revision = revision + 1
	var project any
	if f.Of != nil {
		project = db.project
	}
	err = tx.QueryRow(`
		INSERT INTO session (path, project, version, revision, size, modified, inode, head, block, state, passed, skipped)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET project = excluded.project, version = excluded.version, revision = excluded.revision,
			size = excluded.size, modified = excluded.modified, inode = excluded.inode, head = excluded.head, block = excluded.block,
			state = excluded.state, passed = excluded.passed, skipped = excluded.skipped
		RETURNING id`,
		f.Path, project, p.version, p.revision, p.size, p.modified, int64(p.inode), int64(p.head), int64(p.block),
		asJSON(p.state), asJSON(p.passed), asJSON(p.skipped)).Scan(&p.id)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM utterance WHERE session = ? AND open >= ?`, p.id, before != nil); err != nil {
		return err
	}
	insert, err := tx.Prepare(`INSERT OR REPLACE INTO utterance VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := range p.rows {
		u := &p.rows[i]
		var seconds any
		if !u.Time.IsZero() {
			seconds = u.Time.Unix()
		}
		_, err := insert.Exec(p.id, u.Line, u.Place, i >= p.settled, seconds, u.Time.Nanosecond(), slices.Index(speakers, u.Speaker), int(u.Manner), int64(u.key),
			u.Text, u.CWD, u.Branch, u.Origin, u.UUID)
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// asJSON is a value as JSON. The values of this package have no error.
func asJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
