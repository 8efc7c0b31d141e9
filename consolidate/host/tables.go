package host

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// tables say how sessions are read from a database of many.
type tables struct {
	// sessions returns those that are wanted. It asks about each once, before it reads what takes time.
	sessions func(v database.View, wanted func(*session) bool) ([]session, error)

	// lines returns a session, a record for each line.
	lines func(v database.View, s session) ([]said.Record, error)
}

// A session is one in a database.
type session struct {
	ID, Directory string      // a directory, or several on lines of their own
	Here          bool        // the database is the project's
	Others        bool        // who typed may be anybody
	Reason        said.Reason // why it is not a person's; "" if it is

	said.Status // its time, and how many parts it has
}

// reason returns why a session is not one of the project, or "".
func (s *session) reason(ours func([]string) bool) said.Reason {
	switch {
	case !said.IsPlainName(s.ID):
		return said.NoSession
	case !s.Here && !ours(strings.Split(s.Directory, "\n")):
		return said.OtherProject
	}
	return s.Reason
}

// twoTables returns the tables of a database that has one of sessions and one of messages. of decodes a row of the
// first; read decodes a row of the second and adds what was said in it.
func twoTables(name string, ofSession []string, of func(database.Row) session, ofMessage []string,
	read func(row database.Row, b *budget, words, answers *said.Record) error) tables {
	sessions := func(v database.View, wanted func(*session) bool) (all []session, err error) {
		if has, err := v.Has("sessions"); !has || err != nil {
			return nil, errors.Join(err, errors.New("it has no table of sessions: an unknown version of "+name))
		}
		err = v.Rows("sessions", "", "", ofSession, func(row database.Row) error {
			if s := of(row); wanted(&s) {
				all = append(all, s)
			}
			return nil
		})
		for i := range all {
			if err == nil {
				all[i].Size, err = v.Count("messages", "session_id", all[i].ID)
			}
		}
		return all, err
	}
	return tables{sessions, func(v database.View, s session) ([]said.Record, error) {
		head := said.Record{Type: said.MetaType, CWD: said.Quoted(s.Directory)}
		lines := []said.Record{head}
		var b budget
		err := v.Rows("messages", "session_id", s.ID, ofMessage, func(row database.Row) error {
			words, answers := said.Record{CWD: head.CWD}, said.Record{CWD: head.CWD}
			err := read(row, &b, &words, &answers)
			if answers.Timestamp = words.Timestamp; s.Others && words.Type.Is("user") {
				words.Type = said.OtherType
			}
			lines = said.AppendMessage(lines, words, answers)
			return err
		})
		return said.AppendBad(lines, b.bad), err
	}}
}

// collect returns the collection at a path.
func (t tables) collect(path string, ours func([]string) bool) said.Collection {
	return &collection{t, path, ours, database.File{Path: path, Open: said.OpenFile}}
}

type collection struct {
	tables tables
	path   string
	ours   func([]string) bool
	db     database.File
}

// List reads all sessions of a database. Of the project's sessions it also counts the parts, since some hosts do not
// change the time of a session with each part.
func (c *collection) List(since time.Time) (files []said.File, skipped said.Skipped, err error) {
	err = c.db.View(func(v database.View) error {
		skipped = said.Skipped{}
		listed := 0
		found, err := c.tables.sessions(v, func(s *session) bool {
			if !s.ModTime.After(since) {
				return false
			}
			if reason := s.reason(c.ours); reason != "" {
				skipped[reason]++
				return false
			}
			if listed++; listed > said.MaxSessions {
				skipped[said.Unlisted] = 1
			}
			return listed <= said.MaxSessions
		})
		files = make([]said.File, len(found))
		for i, s := range found {
			files[i] = said.File{ID: s.ID, Path: filepath.Join(c.path, s.ID), Size: s.Size, ModTime: s.ModTime}
		}
		return err
	})
	return files, skipped, err
}

// Read returns a session in records.
func (c *collection) Read(id string) (lines []said.Record, at said.Status, err error) {
	err = c.db.View(func(v database.View) error {
		found, err := c.tables.sessions(v, func(s *session) bool { return s.ID == id })
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fs.ErrNotExist
		}
		at = found[0].Status
		lines, err = c.tables.lines(v, found[0])
		return err
	})
	return lines, at, err
}

// A budget bounds what is kept of a session, and counts what could not be read of it.
type budget struct{ bad, size int }

// value returns a value that is JSON; nil for one that cannot be read.
func (b *budget) value(text []byte, tooLong bool) (said.Raw, error) {
	v := said.Raw(bytes.TrimSpace(text))
	if b.size += len(v); b.size > said.MaxWhole {
		return nil, said.ErrTooBig
	}
	if tooLong || !v.IsWhole() {
		b.bad++
		return nil, nil
	}
	return v, nil
}
