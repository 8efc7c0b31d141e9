package cache

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"time"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/said"
)

// A Said is an utterance of a person or the model.
type Said struct {
	Line    int // with Place, its place in the transcript and in its ID
	Place   int // among the utterances of its line, from 1
	Time    time.Time
	Speaker said.Speaker
	Manner  said.Manner // of a person's words
	Text    string      // valid UTF-8, masked, not made visible
	Key     uint64      // the same for copies of one record in resumed sessions; 0: none are known
}

// Said returns what a person and the model said in a session, in the order of its transcript, and what was passed over.
// What was added to the transcript is read first.
func (db *DB) Said(ctx context.Context, f said.File) (all []Said, skipped said.Skipped, err error) {
	err = db.do(ctx, func(conn *sql.DB) error {
		all = nil
		s, err := db.upToDate(ctx, conn, f)
		if err != nil {
			return err
		}
		skipped = s.skipped
		rows, err := conn.QueryContext(ctx, `
			SELECT line, place, seconds, nanos, user, manner, key, text FROM utterance WHERE session = ? ORDER BY line, place`, s.id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var u Said
			var at stamp
			var user int
			var key int64
			if err := rows.Scan(&u.Line, &u.Place, &at.seconds, &at.nanos, &user, &u.Manner, &key, &u.Text); err != nil {
				return err
			}
			u.Time, u.Speaker, u.Key = at.time(f), speakers[user], uint64(key)
			all = append(all, u)
		}
		return rows.Err()
	})
	return all, skipped, err
}

// LongLines returns how many lines of each transcript were too long to be read, by its path, of all that were read so
// far. It reads no transcript, and makes no database.
func (db *DB) LongLines() map[string]int {
	db.mu.Lock()
	_, err := os.Lstat(db.path)
	none := db.conn == nil && err != nil
	db.mu.Unlock()
	if none {
		return nil
	}
	lines := map[string]int{}
	_ = db.do(context.Background(), func(conn *sql.DB) error { // it is only a cache
		type row struct{ path, skipped string }
		rows, err := database.All(func(r *row) []any { return []any{&r.path, &r.skipped} })(
			conn.Query(`SELECT path, skipped FROM session WHERE instr(skipped, 'oversized lines') AND version = ?`, db.version()))
		for _, r := range rows {
			var counts said.Skipped
			_ = json.Unmarshal([]byte(r.skipped), &counts) // as it was written
			lines[r.path] = counts[said.LongLine]
		}
		return err
	})
	return lines
}

// At returns what a person or the model said at a place in a session, and whether there is such an utterance.
func (db *DB) At(ctx context.Context, f said.File, line, place int) (u said.Utterance, found bool, err error) {
	err = db.do(ctx, func(conn *sql.DB) error {
		s, err := db.upToDate(ctx, conn, f)
		if err != nil {
			return err
		}
		var at stamp
		var user int
		u = said.Utterance{ID: said.HitID(f.Key(), line, place), Session: f.Key(), Host: f.Host(), Line: line}
		row := conn.QueryRowContext(ctx, `
			SELECT seconds, nanos, user, text, cwd, branch, origin, uuid FROM utterance WHERE session = ? AND line = ? AND place = ?`, s.id, line, place)
		err = row.Scan(&at.seconds, &at.nanos, &user, &u.Text, &u.CWD, &u.Branch, &u.Origin, &u.UUID)
		if found = err == nil; errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		u.Time, u.Speaker = at.time(f), speakers[user]
		return err
	})
	return u, found, err
}

// A stamp is a time as the database has it.
type stamp struct {
	seconds sql.NullInt64
	nanos   int64
}

// time is the time of an utterance: the transcript's own where it has none.
func (s stamp) time(f said.File) time.Time {
	if !s.seconds.Valid {
		return f.ModTime.UTC()
	}
	return time.Unix(s.seconds.Int64, s.nanos).UTC()
}

// speakers are those of the column user.
var speakers = []said.Speaker{said.Assistant, said.User, said.Others, said.Memory}
