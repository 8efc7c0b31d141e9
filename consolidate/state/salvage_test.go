package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dream-mcp/memory"
)

func nthID(n int) string { return fmt.Sprintf("20261118-090000-%06x", n) }

// saveNth adds an operation with a text of its own that fills much of a page, and its entry in the log.
func saveNth(db *DB, n int, state, outcome string) error {
	text := fmt.Appendf(nil, "text %03d %s", n, strings.Repeat("x", 1500))
	sum := memory.SumOf(text)
	name, _ := memory.ParseName("a.md")
	o := Operation{ID: nthID(n), Kind: "write", State: state, Landed: time.Unix(1, 0), Record: []byte("{}"),
		Changes: []Change{{Name: name, After: sum}}, Needs: []memory.Sum{sum}}
	return db.Operations().Save(&o, map[memory.Sum][]byte{sum: text}, &LogRow{Operation: o.ID, Kind: o.Kind, Outcome: outcome, Files: []string{"a.md"},
		Text: fmt.Appendf(nil, `{"id":%q,"kind":"write","outcome":%q,"files":["a.md"]}`, o.ID, outcome)}, nil)
}

// zeroPage zeroes the page of a database that has some bytes.
func zeroPage(db *DB, has string) error {
	f, err := os.OpenFile(db.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	at := bytes.Index(data, []byte(has))
	if err != nil || at < 0 {
		return errors.Join(err, fmt.Errorf("no page has %q", has))
	}
	_, err = f.WriteAt(make([]byte, 4096), int64(at&^4095))
	return err
}

// What is damaged in the middle costs the operations that need it, and no other. A server may have the damaged database
// open meanwhile: nothing of what SQLite keeps beside that remains beside the new one.
func TestSalvage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: Windows removes and moves no database that is open")
	}
	const count, damaged = 12, 6 // of the operations; the last is staged
	run := func(statement string) func(*DB) error {
		return func(db *DB) error {
			return db.update(func(tx *Tx) error { _, err := tx.Exec(statement, nthID(damaged)); return err })
		}
	}
	text := "WHERE sum = (SELECT sum FROM needs WHERE operation = ?)"
	for _, test := range []struct {
		name        string
		damage      func(*DB) error
		least, most int // that are lost
	}{
		{"nothing", run("SELECT ?"), 0, 0},
		{"a page of texts", func(db *DB) error { return zeroPage(db, fmt.Sprintf("text %03d ", damaged)) }, 1, 3},
		{"the page of changes", func(db *DB) error { return zeroPage(db, nthID(damaged)+"a.md") }, count, count},
		{"a text", run("UPDATE texts SET text = CAST('tixt' AS BLOB) " + text), 1, 1},
		{"a text that is gone", run("DELETE FROM texts " + text), 1, 1},
		{"a change", run("DELETE FROM changes WHERE operation = ?"), 1, 1},
		{"an entry", run("UPDATE log SET entry = substr(entry, 2) WHERE operation = ?"), 1, 1},
		{"a file of an entry", run("DELETE FROM log_files WHERE seq = (SELECT seq FROM log WHERE operation = ?)"), 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			db := open(t, folder) // until the end
			var want []string
			for n := range count {
				want = append(want, nthID(n))
				state, outcome := Landed, Committed
				if n == count-1 {
					state, outcome = Staged, "aborted"
				}
				if err := saveNth(db, n, state, outcome); err != nil {
					t.Fatal(err)
				}
			}
			at := time.Unix(1, 0).UTC()
			err := errors.Join(db.pragma("wal_checkpoint(truncate)"), test.damage(db), Gone.Set(db, at), // in the log only
				os.WriteFile(filepath.Join(folder, File+"-journal"), []byte{0}, 0o600))
			if err == nil {
				err = Salvage(folder, time.Now())
			}
			if err != nil {
				t.Fatal(err)
			}
			aside, _ := filepath.Glob(filepath.Join(folder, Aside+"*", "*"))
			var kept []string
			for _, path := range aside {
				kept = append(kept, strings.TrimPrefix(filepath.Base(path), File))
			}
			beside, _ := filepath.Glob(filepath.Join(folder, File+"-*"))
			if !slices.Equal(kept, []string{"", "-journal", "-shm", "-wal"}) || beside != nil {
				t.Errorf("kept %q, and beside the new one are %q", kept, beside)
			}
			fresh := open(t, folder)
			if problems := fresh.Check(); problems != nil {
				t.Errorf("the new one: %q", problems)
			}
			ids, err := fresh.Operations().IDs()
			gone := slices.DeleteFunc(want, func(id string) bool { return slices.Contains(ids, id) })
			if err != nil || len(gone) < test.least || len(gone) > test.most || test.least > 0 && !slices.Contains(gone, nthID(damaged)) {
				t.Errorf("lost %q, %v; want %d to %d", gone, err, test.least, test.most)
			}
			if note, err := Gone.Get(fresh); !note.Equal(at) {
				t.Errorf("of the log was lost %v, %v", note, err)
			}
		})
	}
}
