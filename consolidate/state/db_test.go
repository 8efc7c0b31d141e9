package state

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dream-mcp/memory"
)

func open(t *testing.T, folder string) *DB {
	t.Helper()
	db, err := Open(folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func add(db *DB, text string) error {
	return db.update(func(tx *Tx) error {
		_, err := tx.addTexts(map[memory.Sum][]byte{memory.SumOf([]byte(text)): []byte(text)})
		return err
	})
}

func expectText(t *testing.T, db *DB, want string) {
	t.Helper()
	if text, err := db.Text(memory.SumOf([]byte(want))); err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
}

// files returns the content of each file of a folder.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		data, _ := os.ReadFile(filepath.Join(folder, e.Name()))
		found[e.Name()] = string(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOpen(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a folder? with #signs%20")
	db := open(t, folder)
	if err := add(db, "a text"); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		for name := range files(t, folder) {
			if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != 0o600 {
				t.Error(name, info.Mode(), err)
			}
		}
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Error(info.Mode(), err)
		}
	}
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if names := slices.Collect(maps.Keys(files(t, folder))); !slices.Equal(names, []string{File}) {
		t.Errorf("%q is left, not one database", names)
	}
	db = open(t, folder)
	expectText(t, db, "a text")
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "temp_store": "2"} {
		var is string
		if err := db.sql.QueryRow("PRAGMA " + pragma).Scan(&is); err != nil || is != want {
			t.Errorf("%s is %s, want %s: %v", pragma, is, want, err)
		}
	}
}

func TestLookOnly(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	if _, err := Open(folder, Options{LookOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("looking has made a folder")
	}
	if err := add(open(t, folder), "a text"); err != nil {
		t.Fatal(err)
	}
	db, err := Open(folder, Options{LookOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	expectText(t, db, "a text")
	if err := add(db, "another"); !errors.Is(err, ErrReadOnly) {
		t.Error(err)
	}
	if _, err := db.sql.Exec("DELETE FROM texts"); err == nil {
		t.Error("it can be written")
	}
}

// A folder that cannot be written, with a log that no process has copied into the database, and without.
func TestFixed(t *testing.T) {
	for _, closed := range []bool{false, true} {
		folder := t.TempDir()
		db := open(t, folder)
		if err := add(db, "a text in the log"); err != nil {
			t.Fatal(err)
		}
		if closed {
			db.Close()
		}
		checkFixed(t, folder)
	}
}

func checkFixed(t *testing.T, folder string) {
	before := files(t, folder)
	db := &DB{path: filepath.Join(folder, File), readOnly: true, now: time.Now}
	if err := db.openFixed(); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	expectText(t, db, "a text in the log")
	if !maps.Equal(before, files(t, folder)) {
		t.Error("reading has changed the folder")
	}
}

// What is there is refused, and stays as it is.
func TestRefused(t *testing.T) {
	whole := t.TempDir()
	db := open(t, whole)
	for i := range 100 {
		if err := add(db, strings.Repeat(fmt.Sprint(i), 200)); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	data := files(t, whole)[File]
	execute := func(statement string) func(string) error {
		return func(path string) error {
			other, err := sql.Open("sqlite", path)
			if err == nil {
				_, err = other.Exec(statement)
			}
			return errors.Join(err, other.Close())
		}
	}
	content := func(data string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(data), 0o600) }
	}
	for name, c := range map[string]struct {
		make func(path string) error
		want error
	}{
		"a folder":  {func(path string) error { return os.Mkdir(path, 0o700) }, ErrForeign},
		"a text":    {content(strings.Repeat("no database\n", 1000)), ErrDamaged},
		"cut short": {content(data[:len(data)/2]), ErrDamaged},
		"another's": {execute("CREATE TABLE notes (text)"), ErrForeign},
		"newer": {func(path string) error {
			return errors.Join(content(data)(path), execute("PRAGMA user_version=999")(path))
		}, ErrNewer},
		"gone, with a log":  {func(path string) error { return content("frames")(path + "-wal") }, ErrDamaged},
		"empty, with a log": {func(path string) error { return errors.Join(content("")(path), content("frames")(path+"-wal")) }, ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := c.make(filepath.Join(folder, File)); err != nil {
				t.Fatal(err)
			}
			before := files(t, folder)
			db, err := Open(folder, Options{})
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if err == nil {
				db.Close()
			}
			if !maps.Equal(before, files(t, folder)) {
				t.Error("the folder has changed")
			}
		})
	}
}

// Two processes, as far as SQLite knows, create and write one database.
func TestTogether(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			db, err := Open(folder, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			for j := range 20 {
				if err := add(db, fmt.Sprint("text ", i, " ", j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	db := open(t, folder)
	for i := range 2 {
		for j := range 20 {
			expectText(t, db, fmt.Sprint("text ", i, " ", j))
		}
	}
}

func TestReplaced(t *testing.T) {
	folder := t.TempDir()
	db := open(t, folder)
	if db.Replaced() {
		t.Error("at once")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the system keeps a file that is open")
	}
	if err := os.Remove(filepath.Join(folder, File)); err != nil {
		t.Fatal(err)
	}
	if !db.Replaced() {
		t.Error("it is gone")
	}
}

func TestTextDamaged(t *testing.T) {
	db := open(t, t.TempDir())
	if err := errors.Join(add(db, "a text"), add(db, "")); err != nil {
		t.Fatal(err)
	}
	if text, err := db.Text(memory.SumOf(nil)); text == nil || len(text) > 0 || err != nil {
		t.Error("the empty text is", text, err)
	}
	if _, err := db.Text(memory.SumOf([]byte("another"))); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := db.sql.Exec("UPDATE texts SET text = x'00' WHERE length(text) > 0"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Text(memory.SumOf([]byte("a text"))); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err := add(db, "a text"); err != nil {
		t.Fatal(err)
	}
	expectText(t, db, "a text")
}

// Check finds what a disk has changed in a row, though SQLite itself sees nothing wrong.
func TestCheck(t *testing.T) {
	n, _ := memory.ParseName("a.md")
	sum := memory.SumOf([]byte("text"))
	for _, damage := range []string{
		"",
		"UPDATE texts SET text = CAST('tixt' AS BLOB)",
		`UPDATE log SET entry = replace(entry, '"id"', '"ie"')`,
		`UPDATE log SET entry = replace(entry, 'committed', 'comnitted')`,
		"UPDATE log SET entry = substr(entry, 2)",
		"UPDATE log SET operation = '20261118-090000-000001'",
		"UPDATE log SET outcome = 'aborted'",
		"DELETE FROM log_files",
		"UPDATE operations SET state = 'staged'",
	} {
		db, err := Open(t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		o := Operation{ID: "20261118-090000-000000", Kind: "write", State: "landed", Landed: time.Unix(1, 0), Record: []byte("{}"),
			Changes: []Change{{Name: n, After: sum}}, Needs: []memory.Sum{sum}}
		entry := LogRow{Operation: o.ID, Kind: o.Kind, Outcome: "committed", Files: []string{"a.md"},
			Text: []byte(`{"id":"20261118-090000-000000","kind":"write","outcome":"committed"}`)}
		if err := db.Operations().Save(&o, map[memory.Sum][]byte{sum: []byte("text")}, &entry, nil); err != nil {
			t.Fatal(err)
		}
		err = db.update(func(tx *Tx) error { _, err := tx.Exec(damage); return err })
		if problems := db.Check(); err != nil || (problems == nil) != (damage == "") {
			t.Errorf("%s: %v, %v", damage, problems, err)
		}
	}
}
