package database

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// host opens a database as its program does.
func host(t *testing.T, path, pragmas string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)"+pragmas)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
}

// lamps are the lamps of a room, as a File shows them.
func lamps(f File, room string) (got []string, err error) {
	err = f.View(func(v View) error {
		got = nil
		return v.Rows("lamp", "room", room, []string{"id", "watts", "color"}, func(r Row) error {
			got = append(got, fmt.Sprint(r.Text(0), " ", r.Int(1), " ", r[2], " ", r.TooLong(0)))
			return nil
		})
	})
	return got, err
}

// folder is what can be seen of the files of a folder.
func folder(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		stat, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(e.Name(), stat.Size(), stat.Mode(), stat.ModTime().UnixNano()))
	}
	return all
}

var lampTable = []string{
	`CREATE TABLE lamp (id TEXT, room TEXT, watts INTEGER)`, `CREATE INDEX by_room ON lamp (room)`, `INSERT INTO lamp VALUES ('l1', 'hall', 40), ('l2', 'attic', 5)`,
}

// Rows that are only in the log are read, and the host's files, their times and its locks are as before.
func TestNothingOfTheHostChanges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "host.db")
	db := host(t, path, "")
	exec(t, db, lampTable...)
	exec(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`, `INSERT INTO lamp VALUES ('l3', 'hall', -7)`, `INSERT INTO lamp VALUES ('`+strings.Repeat("x", maxRow+1)+`', 'hall', 1)`)
	before := folder(t, dir)
	f := File{Path: path, Open: os.Open}
	got, err := lamps(f, "hall")
	if want := []string{"l1 40 <nil> false", "l3 -7 <nil> false", " 1 <nil> true"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	err = f.View(func(v View) error {
		if n, err := v.Count("lamp", "room", "hall"); n != 3 || err != nil {
			t.Errorf("%d lamps, %v", n, err)
		}
		if n, err := v.Count("lantern", "room", "hall"); n != 0 || err != nil {
			t.Errorf("%d lanterns, %v", n, err)
		}
		return nil
	})
	if after := folder(t, dir); err != nil || !slices.Equal(before, after) {
		t.Errorf("%v\n%q became\n%q", err, before, after)
	}
	// A reader's lock would keep the host's log from being emptied.
	tries := 0
	err = f.View(func(v View) error {
		if tries++; tries > 1 {
			return nil
		}
		var busy, frames, copied int
		if err := db.QueryRow(`PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &copied); err != nil || busy != 0 {
			t.Errorf("the host's checkpoint was blocked: %d, %v", busy, err)
		}
		return nil
	})
	if err != nil || tries < 2 {
		t.Errorf("%v after %d tries; a checkpoint in the middle is read again", err, tries)
	}
	db.Close()
	if got, err := lamps(f, "attic"); err != nil || len(got) != 1 {
		t.Errorf("without a log: %q, %v", got, err)
	}
	if names, _ := filepath.Glob(path + "*"); len(names) != 1 {
		t.Errorf("files were made: %q", names)
	}
}

// While another program writes and empties its log, each View sees one committed state, or says that it cannot.
func TestConcurrentWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.db")
	db := host(t, path, "&_pragma=synchronous(off)")
	db.SetMaxOpenConns(1)
	exec(t, db, `CREATE TABLE account (id TEXT, owner TEXT, n INTEGER, pad TEXT)`)
	for i := range 40 {
		exec(t, db, fmt.Sprintf(`INSERT INTO account VALUES ('%d', 'o', 1000, '%s')`, i, strings.Repeat("x", rand.IntN(9000))))
	}
	stop, stopped := make(chan bool), make(chan error)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			_, err := db.Exec(fmt.Sprintf(`BEGIN; UPDATE account SET n = n - %[1]d, pad = '%[4]s' WHERE id = '%[2]d'; UPDATE account SET n = n + %[1]d WHERE id = '%[3]d'; COMMIT`,
				n%100, rand.IntN(40), rand.IntN(40), strings.Repeat("y", rand.IntN(9000))))
			if err == nil && n%20 == 0 {
				_, err = db.Exec(`PRAGMA wal_checkpoint(` + []string{"PASSIVE", "RESTART", "TRUNCATE"}[rand.IntN(3)] + `)`)
				time.Sleep(40 * time.Millisecond) // or no reader ever comes to its end
			}
			if err != nil {
				stopped <- err
				return
			}
		}
	}()
	f := File{Path: path, Open: os.Open}
	read, busy := 0, 0
	for read < 30 && read+busy < 300 {
		total, rows := int64(0), 0
		err := f.View(func(v View) error {
			total, rows = 0, 0
			return v.Rows("account", "", "", []string{"n", "pad"}, func(r Row) error { total += r.Int(0); rows++; return nil })
		})
		if errors.Is(err, errBusy) {
			busy++
			continue
		}
		if read++; err != nil || total != 40_000 || rows != 40 {
			t.Fatalf("%d in %d rows, %v", total, rows, err)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d read, %d times too busy", read, busy); read < 10 {
		t.Error("hardly anything was read")
	}
}

// What is not a database, is damaged, or must not be opened is an error; a database in the middle of a change in place
// is busy.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "host.db")
	db := host(t, path, "")
	exec(t, db, lampTable...)
	db.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "at.db")
	for name, bytes := range map[string][]byte{"text": []byte("hello"), "cut off": whole[:len(whole)/2], "a page of zeros": append(slices.Clone(whole[:4096]), make([]byte, len(whole)-4096)...)} {
		if err := os.WriteFile(at, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := lamps(File{Path: at, Open: os.Open}, "hall"); err == nil || errors.Is(err, errBusy) || !strings.Contains(err.Error(), "at.db") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := lamps(File{Path: filepath.Join(dir, "none"), Open: os.Open}, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	refused := func(string) (*os.File, error) { return nil, fs.ErrPermission }
	if _, err := lamps(File{Path: path, Open: refused}, ""); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("what must not be read: %v", err)
	}
	if err := os.WriteFile(path+"-journal", []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := lamps(File{Path: path, Open: os.Open}, "hall"); !errors.Is(err, errBusy) {
		t.Errorf("with a journal: %v", err)
	}
}
