package host

import (
	"bytes"
	"cmp"
	"dream-mcp/consolidate/transcript/database"
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
	db   database.File
}

func newOpenCodeDB(path string, ours func([]string) bool) said.Collection {
	return &openCodeDB{path: path, ours: ours, db: database.File{Path: path, Open: said.OpenFile}}
}

// List reads all sessions of a database, and of those of the project how many messages and parts they have: the time of a
// session does not change with each part.
func (d *openCodeDB) List(since time.Time) (files []said.File, skipped said.Skipped, err error) {
	err = d.db.View(func(v database.View) error {
		skipped = said.Skipped{}
		listed := 0
		found, err := openCodeSessions(v, func(session *openCodeSession) bool {
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
func openCodeSessions(v database.View, wanted func(*openCodeSession) bool) (all []openCodeSession, err error) {
	seen := map[string]bool{}
	tables := 0
	for _, table := range []string{"session_v2", "session"} {
		has, err := v.Has(table)
		if err != nil {
			return nil, err
		}
		if has {
			tables++
		}
		err = v.Rows(table, "", "", []string{"id", "parent_id", "directory", "time_updated"}, func(row database.Row) error {
			o := openCodeSession{
				ID: row.Text(0), Parent: row.Text(1), Directory: row.Text(2), Status: said.Status{ModTime: openCodeTime(row.Int(3))},
			}
			if known := seen[o.ID]; !known && wanted(&o) {
				all = append(all, o)
			}
			seen[o.ID] = true
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if tables == 0 {
		return nil, errors.New("it has no table of sessions: an unknown version of opencode")
	}
	for i := range all {
		for _, table := range []string{"session_message", "part"} {
			n, err := v.Count(table, "session_id", all[i].ID)
			if err != nil {
				return nil, err
			}
			all[i].Size += n
		}
	}
	return all, nil
}

// Read returns a session by the messages of 2.0, or if there are none, by those of older versions.
func (d *openCodeDB) Read(id string) (lines []byte, at said.Status, err error) {
	err = d.db.View(func(v database.View) error {
		found, err := openCodeSessions(v, func(session *openCodeSession) bool { return session.ID == id })
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fs.ErrNotExist
		}
		var r reading
		if err = r.messages(v, id); err == nil && len(r.all) == 0 {
			err = r.parts(v, id)
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
func (r *reading) rows(v database.View, table, session string, columns []string, do func(row database.Row, data said.Raw)) error {
	return v.Rows(table, "session_id", session, append([]string{"id", "data"}, columns...), func(row database.Row) error {
		if row.TooLong(1) {
			r.bad++
			return nil
		}
		data := said.Raw(bytes.TrimSpace([]byte(row.Text(1))))
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
}

// messages reads those of 2.0.
func (r *reading) messages(v database.View, session string) error {
	err := r.rows(v, "session_message", session, []string{"type", "seq", "time_created"}, func(row database.Row, data said.Raw) {
		r.all = append(r.all, openCodeMessage{
			id: row.Text(0), role: said.Quoted(row.Text(2)), seq: row.Int(3), created: row.Int(4), data: data,
		})
	})
	slices.SortStableFunc(r.all, func(a, b openCodeMessage) int { return cmp.Compare(a.seq, b.seq) })
	return err
}

// parts reads the messages of older versions, and their parts. Both are ordered by their IDs, which grow.
func (r *reading) parts(v database.View, session string) error {
	err := r.rows(v, "message", session, []string{"time_created"}, func(row database.Row, data said.Raw) {
		r.all = append(r.all, openCodeMessage{id: row.Text(0), role: data.Field("role"), created: row.Int(2), data: data})
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
	err = r.rows(v, "part", session, []string{"message_id"}, func(row database.Row, data said.Raw) {
		if place, known := places[row.Text(2)]; known {
			r.all[place].parts = append(r.all[place].parts, openCodePart{row.Text(0), data})
		}
	})
	for i := range r.all {
		slices.SortFunc(r.all[i].parts, func(a, b openCodePart) int { return cmp.Compare(a.id, b.id) })
	}
	return err
}
