package said

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"dream-mcp/consolidate/transcript/sqlite"
)

// openCodeDB is a database of sessions. Two generations of tables may stand in it: session, with message and part, and
// since 2.0 session_v2 with session_message, into which it copies the older sessions, and leaves them where they were.
type openCodeDB struct {
	path string
	ours func([]string) bool
	db   sqlite.File

	mu     sync.Mutex
	listed listing // the last
}

// A listing is what a database held in one state.
type listing struct {
	settled bool // the state tells it from any later one
	state   sqlite.State
	since   time.Time
	files   []File
	skipped Skipped
}

func newOpenCodeDB(path string, ours func([]string) bool) Collection {
	return &openCodeDB{path: path, ours: ours, db: sqlite.File{Path: path, Open: OpenFile}}
}

// errNoSessions is the error of a database in which nothing is known.
var errNoSessions = errors.New("it has no table of sessions: an opencode that is not known")

// List reads all sessions of a database, and of those of the project how many parts they have: a session's own
// time is not stamped with each part.
func (d *openCodeDB) List(since time.Time) ([]File, Skipped, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	state, settled, err := d.db.State()
	if err != nil {
		return nil, nil, err
	}
	if l := &d.listed; !l.settled || l.state != state || since.Before(l.since) {
		next := listing{settled: settled, state: state, since: since}
		if err := d.db.View(func(s *sqlite.Snapshot) error { return next.read(s, d) }); err != nil {
			return nil, nil, err
		}
		d.listed = next
	}
	files := slices.DeleteFunc(slices.Clone(d.listed.files), func(f File) bool { return !f.ModTime.After(since) })
	return files, d.listed.skipped, nil
}

func (l *listing) read(s *sqlite.Snapshot, d *openCodeDB) error {
	l.files, l.skipped = nil, Skipped{}
	seen := map[string]bool{}
	err := eachGeneration(s, func(g generation) error {
		return g.sessions.Each(func(row sqlite.Row) error {
			session := g.session(row)
			if seen[session.ID] || !session.status.ModTime.After(l.since) {
				return nil
			}
			seen[session.ID] = true
			if reason := session.reason(d.ours); reason != "" {
				l.skipped[reason]++
				return nil
			}
			if len(l.files) >= MaxSessions {
				l.skipped[Unlisted] = 1
				return nil
			}
			l.files = append(l.files, session.file(d.path, d))
			return nil
		})
	})
	if err != nil {
		return err
	}
	for i := range l.files {
		if l.files[i].Size, err = parts(s, l.files[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// A generation is one of the tables of sessions.
type generation struct {
	v2       bool
	sessions *sqlite.Table
}

// eachGeneration calls do with each generation that a database has, the newest first.
func eachGeneration(s *sqlite.Snapshot, do func(generation) error) error {
	known := false
	for _, name := range []string{"session_v2", "session"} {
		table, err := s.Table(name, "id", "parent_id", "directory", "title", "time_updated")
		if errors.Is(err, sqlite.ErrNoTable) {
			continue
		}
		known = true
		if err == nil {
			err = do(generation{name == "session_v2", table})
		}
		if err != nil {
			return err
		}
	}
	if !known {
		return errNoSessions
	}
	return nil
}

// session is a row of eachGeneration's.
func (g generation) session(row sqlite.Row) openCodeSession {
	return openCodeSession{
		ID: string(row[0].Text()), Parent: string(row[1].Text()), Directory: string(row[2].Text()), Title: string(row[3].Text()),
		status: Status{ModTime: openCodeTime(row[4].Int())},
	}
}

// parts counts what a session has in either generation.
func parts(s *sqlite.Snapshot, session string) (n int64, err error) {
	for _, name := range []string{"session_message", "part"} {
		table, err := s.Table(name, "session_id")
		if errors.Is(err, sqlite.ErrNoTable) {
			continue
		}
		if err != nil {
			return 0, err
		}
		more, err := table.Count(session)
		if err != nil {
			return 0, err
		}
		n += int64(more)
	}
	return n, nil
}

// errFound ends a walk that has found what it looked for.
var errFound = errors.New("found")

// Read tells a session: as session_v2 has it, where there are messages beside it, or nothing else; else as session does.
func (d *openCodeDB) Read(id string) (lines []byte, at Status, err error) {
	err = d.db.View(func(s *sqlite.Snapshot) error {
		var found openCodeSession
		v2 := false
		err := eachGeneration(s, func(g generation) error {
			return g.sessions.Where(id, func(row sqlite.Row) error {
				found, v2 = g.session(row), g.v2
				return errFound
			})
		})
		if err != errFound {
			return cmp.Or(err, fs.ErrNotExist)
		}
		if found.status.Size, err = parts(s, id); err != nil {
			return err
		}
		var read reading
		var older reading
		if err := read.messages(s, id); err != nil && !errors.Is(err, sqlite.ErrNoTable) {
			return err
		}
		if !v2 || len(read.all) == 0 {
			if err := older.parts(s, id); err != nil && !errors.Is(err, sqlite.ErrNoTable) {
				return err
			}
			if len(older.all) > 0 {
				read = older
			}
		}
		lines, at = openCodeLines(found, read.all, read.bad), found.status
		return nil
	})
	return lines, at, err
}

// A reading is the messages of a session.
type reading struct {
	all  []openCodeMessage
	bad  int // what could not be read
	size int // of what is kept
}

// take bounds what is kept, and counts what is none.
func (r *reading) take(data []byte, into any) (ok bool, err error) {
	if r.size += len(data); r.size > maxWhole {
		return false, ErrTooBig
	}
	if tolerate(json.Unmarshal(data, into)) != nil {
		r.bad++
		return false, nil
	}
	return true, nil
}

// messages reads those of 2.0.
func (r *reading) messages(s *sqlite.Snapshot, session string) error {
	table, err := s.Table("session_message", "session_id", "type", "seq", "data")
	if err != nil {
		return err
	}
	err = table.Where(session, func(row sqlite.Row) error {
		m := openCodeMessage{}
		if _, err := r.take(row[3].Text(), &m); err != nil {
			return err
		}
		m.Role, m.Type, m.seq = "", string(row[1].Text()), row[2].Int()
		r.all = append(r.all, m)
		return nil
	})
	slices.SortStableFunc(r.all, func(a, b openCodeMessage) int { return cmp.Compare(a.seq, b.seq) })
	r.bad += table.TooLong
	return err
}

// parts reads the messages of older versions, and their parts.
func (r *reading) parts(s *sqlite.Snapshot, session string) error {
	messages, err := s.Table("message", "session_id", "id", "time_created", "data")
	if err != nil {
		return err
	}
	err = messages.Where(session, func(row sqlite.Row) error {
		m := openCodeMessage{}
		_, err := r.take(row[3].Text(), &m)
		m.ID, m.Time.Created = string(row[1].Text()), row[2].Int()
		r.all = append(r.all, m)
		return err
	})
	if err != nil {
		return err
	}
	parts, err := s.Table("part", "session_id", "message_id", "id", "data")
	if err != nil {
		return err
	}
	var all []openCodePart
	err = parts.Where(session, func(row sqlite.Row) error {
		data := row[3].Text()
		if !bytes.Contains(data, []byte(`"text"`)) && !bytes.Contains(data, []byte(`"tool"`)) { // a file, a snapshot, a step
			return nil
		}
		var p openCodePart
		ok, err := r.take(data, &p)
		if ok && (p.Type == "text" || p.Type == "tool") { // thoughts hold text too
			p.Message, p.ID = string(row[1].Text()), string(row[2].Text())
			all = append(all, p)
		}
		return err
	})
	r.bad += messages.TooLong + parts.TooLong
	r.join(all)
	return err
}

// join gives messages their parts, both in their order: ids grow.
func (r *reading) join(parts []openCodePart) {
	slices.SortFunc(r.all, func(a, b openCodeMessage) int {
		return cmp.Or(cmp.Compare(a.Time.Created, b.Time.Created), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(parts, func(a, b openCodePart) int { return cmp.Compare(a.ID, b.ID) })
	places := map[string]int{}
	for i := range r.all {
		places[r.all[i].ID] = i
	}
	for _, p := range parts {
		if place, ok := places[p.Message]; ok {
			r.all[place].parts = append(r.all[place].parts, p)
		}
	}
}
