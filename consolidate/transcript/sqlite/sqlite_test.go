package sqlite

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// python runs a program with Python's SQLite as the oracle. Where there is none, what it would show is not shown.
func python(t testing.TB, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(path, "-c", "import sqlite3").Run()
	}
	if err != nil {
		t.Skip("NOT TESTED against SQLite itself: there is no python3 with sqlite3")
	}
	cmd := exec.Command(path, append([]string{"-c", program}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// line shows a row as the oracle's program does.
func line(row Row) string {
	var fields []string
	for _, v := range row {
		switch v.kind {
		case null, blob:
			fields = append(fields, "-")
		case number:
			fields = append(fields, fmt.Sprint(v.Int))
		default:
			fields = append(fields, fmt.Sprintf("%x", sha256.Sum256(v.Text))[:12])
		}
	}
	return strings.Join(fields, " ")
}

// making writes databases whose pages have a size, and leaves their logs; it prints the truth: all rows of both tables,
// and those of one owner.
const making = `
import sqlite3, sys, random, hashlib, os
def show(rows):
    def field(v):
        if v is None or isinstance(v, bytes): return "-"
        if isinstance(v, float): return "0"
        if isinstance(v, int): return str(v)
        return hashlib.sha256(v.encode()).hexdigest()[:12]
    for r in rows: print(" ".join(field(v) for v in r))
def word(most):
    return "".join(random.choice("abcäöü漢字 🎈\n") for _ in range(random.choice([0, 1, 5, 40, most])))
def make(path, size, journal):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma page_size = %d" % size)
    db.execute("pragma journal_mode = " + journal)
    db.execute("pragma synchronous = off")
    db.execute("pragma wal_autocheckpoint = %d" % random.choice([0, 3, 1000]))
    db.execute("create table \"part\" ( -- a comment, with a comma\n id text primary key, ` + "`owner`" + ` text not null default 'a,(b)', n integer, data text, constraint c check (n > -1e30))")
    db.execute("create table other(a, b blob /* (x, */, c real)")
    db.execute("create index part_owner_desc on part(owner desc)")
    db.execute("create index part_owner_some on part(owner) where n > 5")
    db.execute("create index part_owner_idx on part(owner, id)")
    db.execute("alter table other add column d text")
    for i in range(random.choice([0, 1, 30, 150])):
        if random.random() < .2: db.execute("begin")
        for _ in range(random.choice([1, 3])):
            db.execute("insert into part values (?, ?, ?, ?)", ("p%08x" % random.getrandbits(32), "owner%d" % random.randrange(12), random.choice([0, 1, -1, 127, 128, -32769, 2**31, -2**47, 2**62, None]), word(min(3 * size, 9000))))
            db.execute("insert into other values (?, ?, ?, ?)", (random.choice([None, "x", 7]), os.urandom(random.choice([0, 9, size])), random.random(), word(9)))
        if db.in_transaction: db.execute(random.choice(["commit", "commit", "rollback"]))
        if random.random() < .1: db.execute("delete from part where n = ?", (random.choice([0, 1, 127]),))
        if random.random() < .05: db.execute("update part set data = substr(data || data, 1, 9999) where owner = 'owner3'")
    if db.in_transaction: db.execute("commit")
    show(db.execute("select data, n, id from part order by rowid"))
    print("==")
    show(db.execute("select a, b, c, d from other order by rowid"))
    print("==")
    show(db.execute("select owner, id, n, data from part where owner = 'owner3' order by id"))
    print("====")
    return db
kept = []
for case in sys.argv[1:]:
    seed, size, journal, path = case.split(" ", 3)
    random.seed(int(seed))
    kept.append(make(path, int(size), journal))
sys.stdout.flush()
os._exit(0) # nothing is closed, so that the logs stay
`

// Databases of any page size, with and without a log, are read as SQLite reads them.
func TestOracle(t *testing.T) {
	dir := t.TempDir()
	var cases []string
	for _, size := range []int{512, 1024, 4096, 65536} {
		for _, journal := range []string{"wal", "wal", "wal", "delete"} {
			cases = append(cases, fmt.Sprintf("%d %d %s %s", len(cases), size, journal, filepath.Join(dir, fmt.Sprint(len(cases)))))
		}
	}
	truths := strings.Split(python(t, making, cases...), "====\n")
	before, _ := os.ReadDir(dir)
	for i, c := range cases {
		f := File{Path: filepath.Join(dir, fmt.Sprint(i)), Open: os.Open}
		for range 2 { // the second time with what is known of the log
			if got := all(t, &f); got != truths[i] {
				t.Errorf("%s:\n%s\nwant\n%s", c, got, truths[i])
			}
		}
	}
	if after, _ := os.ReadDir(dir); len(after) != len(before) {
		t.Errorf("%v became %v", before, after)
	}
}

// all reads what making prints.
func all(t testing.TB, f *File) string {
	var lines []string
	err := f.View(func(s *Snapshot) error {
		lines = nil
		add := func(r Row) error { lines = append(lines, line(r)); return nil }
		parts, err := s.Table("part", "data", "n", "id")
		if err != nil {
			return err
		}
		others, err := s.Table("OTHER", "a", "b", "c", "d")
		if err != nil {
			return err
		}
		if err = parts.Each(add); err == nil {
			add(nil)
			if err = others.Each(add); err == nil {
				add(nil)
			}
		}
		if err != nil {
			return err
		}
		owned, err := s.Table("part", "owner", "id", "n", "data")
		if err != nil {
			return err
		}
		before := len(lines)
		if err := owned.Where("owner3", add); err != nil {
			return err
		}
		if n, err := owned.Count("owner3"); err != nil || n != len(lines)-before {
			t.Errorf("%d of %d counted, %v", n, len(lines)-before, err)
		}
		return owned.Where("owner33", func(Row) error { return errors.New("a row of nobody") })
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines {
		if l == "" {
			lines[i] = "=="
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// writing moves amounts between two tables, whose sum stays, in a log that is copied into the database all the time.
const writing = `
import sqlite3, sys, random, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("pragma journal_mode = wal")
db.execute("pragma wal_autocheckpoint = 7")
db.execute("create table a(id text primary key, owner text, n integer, pad text)")
db.execute("create table b(id text primary key, owner text, n integer, pad text)")
db.execute("create index ai on a(owner)")
db.execute("create index bi on b(owner)")
for i in range(40):
    for t in "ab": db.execute("insert into %s values (?, 'o', 1000, ?)" % t, ("%s%d" % (t, i), "x" * random.randrange(9000)))
print("ready", flush=True)
generation = 0
while True:
    n = random.randrange(100); generation += 1
    f, t = random.sample("ab", 2)
    i, j = random.randrange(40), random.randrange(40)
    db.execute("begin")
    db.execute("update %s set n = n - ?, pad = ? where id = ?" % f, (n, "y" * random.randrange(9000), f + str(i)))
    if random.random() < .3:
        row = db.execute("select * from %s where id = ?" % t, (t + str(j),)).fetchone()
        db.execute("delete from %s where id = ?" % t, (t + str(j),))
        db.execute("insert into %s values (?, ?, ?, ?)" % t, row)
    db.execute("update %s set n = n + ? where id = ?" % t, (n, t + str(j)))
    db.execute("commit")
    if generation % 50 == 0: db.execute("pragma wal_checkpoint(%s)" % random.choice(["passive", "restart", "truncate"]))
    if generation % 20 == 0: time.sleep(.03) # or else, where files lie in memory, no reader ever comes to its end
`

// While another program writes, each View sees one committed state, or says that it can't.
func TestConcurrentWriter(t *testing.T) {
	python(t, "")
	path := filepath.Join(t.TempDir(), "db")
	cmd := exec.Command("python3", "-c", writing, path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	f := File{Path: path, Open: os.Open}
	seen, busy := map[int64]bool{}, 0
	for n := 0; n < 150 || len(seen) < 10 && n < 3000; n++ {
		var total, first, rows, counted int64
		err := f.View(func(s *Snapshot) error {
			total, rows, counted, first = 0, 0, 0, 0
			for _, name := range []string{"a", "b"} {
				table, err := s.Table(name, "owner", "n")
				if err != nil {
					return err
				}
				if err := table.Each(func(r Row) error { total += r[1].Int; rows++; return nil }); err != nil {
					return err
				}
				if name == "a" {
					first = total
				}
				if err := table.Where("o", func(r Row) error { counted += r[1].Int; return nil }); err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, ErrBusy) {
			busy++
			continue
		}
		if err != nil || total != 80_000 || counted != total || rows != 80 {
			t.Fatalf("%d rows of %d and %d, %v", rows, total, counted, err)
		}
		seen[first] = true
	}
	if len(seen) < 10 {
		t.Errorf("%d states seen, %d times too busy: nothing was written", len(seen), busy)
	}
	t.Logf("%d states seen, %d times too busy", len(seen), busy)
}

// The fixtures were written once by SQLite: lantern.db has its newest rows in its log.
func TestFixture(t *testing.T) {
	f := File{Path: "testdata/lantern.db", Open: os.Open}
	var got []string
	err := f.View(func(s *Snapshot) error {
		got = nil
		lamps, err := s.Table("lamp", "room", "id", "watts", "note")
		if err != nil {
			return err
		}
		return lamps.Where("hall", func(r Row) error {
			got = append(got, fmt.Sprintf("%s %d %d %v", r[1].Text, r[2].Int, len(r[3].Text), r[3].Text == nil))
			return nil
		})
	})
	if want := []string{"l1 40 5000 false", "l3 -7 0 true", "l9 60 3 false"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// What is not a database, or one of another kind, is refused with its reason.
func TestRefused(t *testing.T) {
	whole, err := os.ReadFile("testdata/lantern.db")
	if err != nil {
		t.Fatal(err)
	}
	patched := func(at int, bytes ...byte) []byte {
		b := slices.Clone(whole)
		copy(b[at:], bytes)
		return b
	}
	for _, tt := range []struct {
		name string
		db   []byte
		want string
	}{
		{"empty", nil, "not a SQLite database"},
		{"text", []byte("hello"), "not a SQLite database"},
		{"another encoding", patched(56, 0, 0, 0, 2), "not UTF-8"},
		{"a page size that is none", patched(16, 3, 0), "pages of 768 bytes"},
		{"a later format", patched(18, 3, 3), "later format"},
		{"hardly usable pages", patched(20, 200), "usable"},
		{"payload fractions", patched(21, 63), "fractions"},
		{"cut off", whole[:512*3], "page"},
		{"a root that is not a tree", patched(100, 7), "kind 7"},
	} {
		path := filepath.Join(t.TempDir(), "db")
		if err := os.WriteFile(path, tt.db, 0o600); err != nil {
			t.Fatal(err)
		}
		err := (&File{Path: path, Open: os.Open}).View(readAll)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if err := (&File{Path: filepath.Join(t.TempDir(), "none"), Open: os.Open}).View(readAll); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	err = (&File{Path: "testdata/lantern.db", Open: os.Open}).View(func(s *Snapshot) error {
		table, err := s.Table("lamps", "id")
		if err == nil && table.Missing {
			err = errors.Join(table.Each(nil), table.Where("l1", nil))
		}
		return err
	})
	if err != nil {
		t.Errorf("no table: %v", err)
	}
	err = (&File{Path: "testdata/lantern.db", Open: os.Open}).View(func(s *Snapshot) error {
		table, err := s.Table("lamp", "watts")
		if err != nil {
			return err
		}
		return table.Where("40", func(Row) error { return nil })
	})
	if err == nil || !strings.Contains(err.Error(), "no index") {
		t.Errorf("no index: %v", err)
	}
}

// copyWithoutLog makes a database that is changed in place.
func copyWithoutLog(t *testing.T, path string) {
	t.Helper()
	copyFile(t, "testdata/lantern.db", path)
	db, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.WriteAt([]byte{1, 1}, 18); err != nil { // both versions: no log
		t.Fatal(err)
	}
}

// A database that is in the middle of a change in place is not read, nor one whose log was replaced meanwhile.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	copyWithoutLog(t, path)
	if err := os.WriteFile(path+"-journal", []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&File{Path: path, Open: os.Open}).View(readAll); !errors.Is(err, ErrBusy) {
		t.Errorf("with a journal: %v", err)
	}
	os.Remove(path + "-journal")
	copyFile(t, "testdata/lantern.db", path)
	copyFile(t, "testdata/lantern.db-wal", path+"-wal")
	tries := 0
	f := File{Path: path, Open: func(name string) (*os.File, error) {
		if name != path {
			copyFile(t, "testdata/lantern.db-wal", name)
		}
		return os.Open(name)
	}}
	err := f.View(func(*Snapshot) error {
		tries++
		log, err := os.OpenFile(path+"-wal", os.O_RDWR, 0)
		if err == nil {
			log.WriteAt(make([]byte, logHeader), 0)
			log.Close()
		}
		return err
	})
	if !errors.Is(err, ErrBusy) || tries != maxTries {
		t.Errorf("a log that was reset: %v after %d tries", err, tries)
	}
}

// A database without a log that was changed while it was read, and closed so that there is no log again, is read again.
func TestChangedWithoutLog(t *testing.T) {
	for name, log := range map[string][]byte{"no log": nil, "an empty log": {}} {
		path := filepath.Join(t.TempDir(), "db")
		copyFile(t, "testdata/lantern.db", path)
		if log != nil {
			if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tries := 0
		err := (&File{Path: path, Open: os.Open}).View(func(*Snapshot) error {
			if tries++; tries > 1 {
				return nil
			}
			return os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)) // as a checkpoint does
		})
		if err != nil || tries != 2 {
			t.Errorf("%s: %v after %d tries, want 2", name, err, tries)
		}
	}
}

// A commit whose first pages already were in the log when that was read is seen none the less: its pages may be in the
// database by now.
func TestCommittedMeanwhile(t *testing.T) {
	whole, err := os.ReadFile("testdata/lantern.db-wal")
	if err != nil {
		t.Fatal(err)
	}
	commits := func(frame int) bool {
		return binary.BigEndian.Uint32(whole[logHeader+frame*(frameHeader+512)+4:]) > 0
	}
	last := (len(whole)-logHeader)/(frameHeader+512) - 1
	if !commits(last) || commits(last-1) {
		t.Fatal("the last transaction of the fixture has one page")
	}
	path := filepath.Join(t.TempDir(), "db")
	copyFile(t, "testdata/lantern.db", path)
	if err := os.WriteFile(path+"-wal", whole[:len(whole)-frameHeader-512], 0o600); err != nil {
		t.Fatal(err)
	}
	tries := 0
	err = (&File{Path: path, Open: os.Open}).View(func(*Snapshot) error {
		tries++
		return os.WriteFile(path+"-wal", whole, 0o600)
	})
	if err != nil || tries != 2 {
		t.Errorf("%v after %d tries, want 2", err, tries)
	}
}

// Whatever lies in the place of a file of the database, whoever uses the package says how it is opened; and what can't be
// opened is not called busy.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	copyWithoutLog(t, path)
	var opened []string
	f := File{Path: path, Open: func(path string) (*os.File, error) {
		opened = append(opened, filepath.Base(path))
		return os.Open(path)
	}}
	if err := f.View(readAll); err != nil || !slices.Contains(opened, "db-wal") {
		t.Errorf("%v, opened %q", err, opened)
	}
	f.Open = func(string) (*os.File, error) { return nil, fs.ErrPermission }
	if err := f.View(readAll); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("what must not be read: %v", err)
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readAll reads every row of every table, and looks some up by each index.
func readAll(s *Snapshot) error {
	var names []string
	failed := s.walk(1, 1, everything, func(c cell) error {
		v, err := s.values(c)
		if err == nil && len(v) > 2 && len(names) < 100 {
			names = append(names, string(v[2].Text))
		}
		return err
	})
	for _, name := range names {
		table, err := s.Table(name)
		if err == nil {
			err = table.Each(func(Row) error { return nil })
		}
		failed = errors.Join(failed, err)
		for _, column := range []string{"id", "room", "note"} {
			if table, err = s.Table(name, column); err == nil {
				table.Where("hall", func(Row) error { return nil })
			}
		}
	}
	return failed
}

// FuzzBytes: whatever a database and its log hold, reading it ends, in an error or with rows.
func FuzzBytes(f *testing.F) {
	db, err := os.ReadFile("testdata/lantern.db")
	if err != nil {
		f.Fatal(err)
	}
	log, err := os.ReadFile("testdata/lantern.db-wal")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(db, log)
	f.Add(db, []byte{})
	for at := 0; at < len(db); at += 97 { // one byte each
		b := slices.Clone(db)
		b[at] ^= 0x81
		f.Add(b, log[:len(log)/2])
	}
	f.Fuzz(func(t *testing.T, db, log []byte) {
		path := filepath.Join(t.TempDir(), "db")
		if os.WriteFile(path, db, 0o600) != nil || os.WriteFile(path+"-wal", log, 0o600) != nil {
			return
		}
		os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)) // or each is tried again
		_ = (&File{Path: path, Open: os.Open}).View(readAll)
	})
}

// A commit whose bytes in the log are damaged is not read, and a row that an index names wrongly is an error.
func TestDamaged(t *testing.T) {
	db, err := os.ReadFile("testdata/lantern.db")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile("testdata/lantern.db-wal")
	if err != nil {
		t.Fatal(err)
	}
	inHall := func(db, log []byte) (rows int, err error) {
		path := filepath.Join(t.TempDir(), "db")
		if err := errors.Join(os.WriteFile(path, db, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
			t.Fatal(err)
		}
		err = (&File{Path: path, Open: os.Open}).View(func(s *Snapshot) error {
			rows = 0
			table, err := s.Table("lamp", "room", "id")
			if err != nil {
				return err
			}
			return table.Where("hall", func(r Row) error {
				if rows++; string(r[0].Text) != "hall" {
					t.Errorf("a row of %q", r[0].Text)
				}
				return nil
			})
		})
		return rows, err
	}
	whole, err := inHall(db, log)
	if err != nil || whole != 3 {
		t.Fatal(whole, err)
	}
	log[len(log)-1] ^= 1 // of a page, which has a checksum only
	if rows, err := inHall(db, log); err != nil || rows >= whole {
		t.Errorf("a damaged log: %d rows, %v", rows, err)
	}
	wrong := 0
	for at := 0; at+4 <= len(db); at++ {
		if string(db[at:at+4]) == "hall" {
			b := slices.Clone(db)
			b[at] = 'b'
			if _, err := inHall(b, nil); errors.Is(err, ErrCorrupt) {
				wrong++
			}
		}
	}
	if wrong == 0 {
		t.Error("no row differs from what the index says")
	}
}

// Columns and indexes are found in the statements that made them.
func TestStatements(t *testing.T) {
	columns := []string{"b", "a"}
	for sql, want := range map[string]string{
		"create table t(a, b)": "[1 0] true <nil>",
		"CREATE TABLE \"x (y\" (`a` text default ')', [b] text, primary key (a))": "[1 0] true <nil>",
		"create table t(a, -- b, c\n c /* b */, b text collate nocase)":           "[1 -1 0] false <nil>",
		"create table t(a, b) without rowid":                                      "[] false not one of rows",
		"create table t(a, b as (a))":                                             "[] false it has generated columns",
		"create table t(a)":                                                       `[] false it has no column "b"`,
		"create virtual table t using x":                                          "[] false not one of rows",
		"create table t((":                                                        `[] false it has no column "b"`,
	} {
		wanted, bytewise, err := layout(sql, columns)
		if got := fmt.Sprint(wanted, bytewise, err); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	for sql, want := range map[string]bool{
		"create index i on t(b)": true, "create index i on t(`b` asc, a)": true, "create index i on t(a, b)": false, "create index i on t(b desc)": false,
		"create index i on t(b collate nocase)": false, "create index i on t(b) where a > 1": false, "create index i on t(lower(b))": false, "": false,
	} {
		if got := indexes(sql, columns); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}
