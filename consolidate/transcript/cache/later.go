package cache

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"dream-mcp/consolidate/transcript/database"
	"dream-mcp/consolidate/transcript/parallel"
	"dream-mcp/consolidate/transcript/said"
)

// Read reads what was added to some transcripts, by several threads. It returns how many are up to date: the error of
// one stops no other.
func (db *DB) Read(ctx context.Context, files []said.File) (n int, err error) {
	var mu sync.Mutex
	err = parallel.Do(ctx, len(files), func(i int) error {
		err := db.do(ctx, func(conn *sql.DB) error {
			_, err := db.upToDate(ctx, conn, files[i])
			return err
		})
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			n++
		}
		return ctx.Err()
	})
	return n, err
}

// ReadLater does the same in the background, until Close, with the files that list returns. Then it removes the
// sessions that do not exist any more.
func (db *DB) ReadLater(list func(context.Context) ([]said.File, error), gone func(path string) bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.life.Err() != nil {
		return
	}
	db.done.Go(func() {
		if files, err := list(db.life); err == nil {
			if _, err := db.Read(db.life, files); err == nil {
				db.Sweep(db.life, gone)
			}
		}
	})
}

// Wait waits until nothing is done in the background.
func (db *DB) Wait() { db.done.Wait() }

// Sweep removes the sessions whose transcripts are gone; of those in other programs' databases, those of this project.
func (db *DB) Sweep(ctx context.Context, gone func(path string) bool) error {
	return db.do(ctx, func(conn *sql.DB) error {
		type row struct {
			id   int64
			path string
		}
		old, err := database.All(func(r *row) []any { return []any{&r.id, &r.path} })(
			conn.QueryContext(ctx, `SELECT id, path FROM session WHERE project IS NULL OR project = ?`, db.project))
		old = slices.DeleteFunc(old, func(r row) bool { return !gone(r.path) })
		if err != nil || len(old) == 0 {
			return err
		}
		tx, err := conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		for _, r := range old {
			if _, err := tx.Exec(`DELETE FROM utterance WHERE session = ?; DELETE FROM session WHERE id = ?`, r.id, r.id); err != nil {
				return err
			}
		}
		return tx.Commit()
	})
}

// claims are the transcripts that are read.
type claims struct {
	mu   sync.Mutex
	busy map[string]*claim
}

// A claim is a transcript that one reads and others may wait for.
type claim struct {
	turn  chan struct{} // full while it is read
	users int           // who reads or waits
}

// claim waits until nobody else in this process reads the same transcript. It returns what releases the claim.
func (c *claims) claim(ctx context.Context, path string) (free func(), err error) {
	c.mu.Lock()
	if c.busy == nil {
		c.busy = map[string]*claim{}
	}
	one := c.busy[path]
	if one == nil {
		one = &claim{turn: make(chan struct{}, 1)}
		c.busy[path] = one
	}
	one.users++
	c.mu.Unlock()
	leave := func() {
		c.mu.Lock()
		if one.users--; one.users == 0 {
			delete(c.busy, path)
		}
		c.mu.Unlock()
	}
	select {
	case one.turn <- struct{}{}:
		return func() { <-one.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
