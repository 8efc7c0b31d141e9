package host

import (
	"bytes"
	"cmp"
	"dream-mcp/consolidate/transcript/sqlite"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"dream-mcp/consolidate/transcript/said"
)

// openCodeDB is a database of sessions. It may have two generations of tables: session, with message and part, and since
// 2.0 session_v2 with session_message, into which it copies the older sessions, and leaves them where they were.
type openCodeDB struct {
	path string
	ours func([]string) bool
	db   sqlite.File
}

func newOpenCodeDB(path string, ours func([]string) bool) said.Collection {
	return &openCodeDB{path: path, ours: ours, db: sqlite.File{Path: path, Open: said.OpenFile}}
}

// List reads all sessions of a database, and of those of the project how many messages and parts they have: the time of a
// session does not change with each part.
func (d *openCodeDB) List(since time.Time) (files []said.File, skipped said.Skipped, err error) {
	err = d.db.View(func(s *sqlite.Snapshot) error {
		skipped = said.Skipped{}
		listed := 0
		found, err := openCodeSessions(s, func(session *openCodeSession) bool {
			if !session.ModTime.After(since) {
				return false
			}
			if reason := session.reason(d.ours); reason != "" {
				skipped[reason]++
				return false
			}
			if listed++; listed > said.MaxSessions {
				skipped[said.Unlisted] = 1
			}
			return listed <= said.MaxSessions
		})
		files = make([]said.File, len(found))
		for i, session := range found {
			files[i] = said.File{ID: session.ID, Path: filepath.Join(d.path, session.ID), Size: session.Size, ModTime: session.ModTime}
		}
		return err
	})
	return files, skipped, err
}

// openCodeSessions returns the sessions of a database that are wanted, each as the newest generation has it.
func openCodeSessions(s *sqlite.Snapshot, wanted func(*openCodeSession) bool) (all []openCodeSession, err error) {
	messages, err := s.Table("session_message", "session_id")
	if err != nil {
		return nil, err
	}
	parts, err := s.Table("part", "session_id")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	tables := 0
	for _, name := range []string{"session_v2", "session"} {
		table, err := s.Table(name, "id", "parent_id", "directory", "time_updated")
		if err != nil {
			return nil, err
		}
		if !table.Missing {
			tables++
		}
		err = table.Each(func(row sqlite.Row) error {
			o := openCodeSession{
				ID: string(row[0].Text), Parent: string(row[1].Text), Directory: string(row[2].Text),
				Status: said.Status{ModTime: openCodeTime(row[3].Int)},
			}
			known := seen[o.ID]
			if seen[o.ID] = true; known || !wanted(&o) {
				return nil
			}
			newer, err := messages.Count(o.ID)
			if err != nil {
				return err
			}
			older, err := parts.Count(o.ID)
			o.Size = int64(newer + older)
			all = append(all, o)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if tables == 0 {
		err = errors.New("it has no table of sessions: an unknown version of opencode")
	}
	return all, err
}

// Read returns a session by the messages of 2.0, or if there are none, by those of older versions.
func (d *openCodeDB) Read(id string) (lines []byte, at said.Status, err error) {
	err = d.db.View(func(s *sqlite.Snapshot) error {
		found, err := openCodeSessions(s, func(session *openCodeSession) bool { return session.ID == id })
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fs.ErrNotExist
		}
		var r reading
		if err = r.messages(s, id); err == nil && len(r.all) == 0 {
			err = r.parts(s, id)
		}
		lines, at = openCodeLines(found[0], r.all, r.bad), found[0].Status
		return err
	})
	return lines, at, err
}

// A reading is the messages of a session.
type reading struct {
	all  []openCodeMessage
	bad  int // what could not be read
	size int // of what is kept
}

// rows calls do with each row of a session in a table that is wanted: its id, its data and what else is asked for. It bounds
// what is kept.
func (r *reading) rows(s *sqlite.Snapshot, table, session string, columns []string, do func(row sqlite.Row, data said.Raw)) error {
	t, err := s.Table(table, append([]string{"session_id", "id", "data"}, columns...)...)
	if err != nil {
		return err
	}
	err = t.Where(session, func(row sqlite.Row) error {
		data := said.Raw(bytes.TrimSpace(row[2].Text))
		if kind := data.Field("type"); table == "part" && !kind.Is("text") && !kind.Is("tool") { // a file, a snapshot, a step, a thought
			return nil
		}
		if r.size += len(data); r.size > said.MaxWhole {
			return said.ErrTooBig
		}
		if !data.IsWhole() {
			r.bad++
			data = nil
		}
		do(row, data)
		return nil
	})
	r.bad += t.TooLong
	return err
}

// messages reads those of 2.0.
func (r *reading) messages(s *sqlite.Snapshot, session string) error {
	err := r.rows(s, "session_message", session, []string{"type", "seq", "time_created"}, func(row sqlite.Row, data said.Raw) {
		r.all = append(r.all, openCodeMessage{
			id: string(row[1].Text), role: said.Quoted(string(row[3].Text)), seq: row[3].Int, created: row[5].Int, data: data,
		})
	})
	slices.SortStableFunc(r.all, func(a, b openCodeMessage) int { return cmp.Compare(a.seq, b.seq) })
	return err
}

// parts reads the messages of older versions, and their parts. Both are ordered by their IDs, which grow.
func (r *reading) parts(s *sqlite.Snapshot, session string) error {
	err := r.rows(s, "message", session, []string{"time_created"}, func(row sqlite.Row, data said.Raw) {
		r.all = append(r.all, openCodeMessage{id: string(row[1].Text), role: data.Field("role"), created: row[3].Int, data: data})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(r.all, func(a, b openCodeMessage) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	places := map[string]int{}
	for i := range r.all {
		places[r.all[i].id] = i
	}
	err = r.rows(s, "part", session, []string{"message_id"}, func(row sqlite.Row, data said.Raw) {
		if place, known := places[string(row[3].Text)]; known {
			r.all[place].parts = append(r.all[place].parts, openCodePart{string(row[1].Text), data})
		}
	})
	for i := range r.all {
		slices.SortFunc(r.all[i].parts, func(a, b openCodePart) int { return cmp.Compare(a.id, b.id) })
	}
	return err
}
