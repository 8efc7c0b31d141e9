package state

import (
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/transcript/listing"
	"dream-mcp/memory/related"
)

// openAt opens a new database whose time is *now.
func openAt(t *testing.T, now *time.Time) *DB {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "state"), Options{Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The newest entries are kept, whatever the session.
func TestShown(t *testing.T) {
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	db := openAt(t, &now)
	for i := range 10 {
		for _, add := range []bool{false, true} {
			err := db.Pushes().Add(&Push{Session: fmt.Sprint(i % 2), Event: "prompt", Files: []string{fmt.Sprint(i)}}, 3, func(before []Push) bool {
				if want := min(i/2, 1); len(before) != want {
					t.Errorf("%d: %d before, want %d", i, len(before), want)
				}
				return add
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var files []string
	for _, s := range must[[]Push](t)(db.Pushes().All()) {
		files = append(files, s.Files...)
	}
	if !slices.Equal(files, []string{"7", "8", "9"}) {
		t.Errorf("kept: %v", files)
	}
}

// What a dead process took is given to the next after a time, and what was delivered to nobody.
func TestReports(t *testing.T) {
	now := time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	db := openAt(t, &now)
	take := func(want ...string) []Report {
		t.Helper()
		taken := must[[]Report](t)(db.Reports().Take(time.Second))
		var dreams []string
		for _, r := range taken {
			dreams = append(dreams, r.Dream)
		}
		if !slices.Equal(dreams, want) {
			t.Errorf("took %v, want %v", dreams, want)
		}
		return taken
	}
	for _, dream := range []string{"a", "b", "c", "a"} {
		do(t, db.Reports().Queue(Report{Dream: dream}, 2))
	}
	take("c", "a")
	take()
	now = now.Add(2 * time.Second)
	taken := take("c", "a")
	do(t, db.Reports().Queue(Report{Dream: "a", Report: "a newer one"}, 2))
	do(t, db.Reports().End(taken, true))
	taken = take("a")
	do(t, db.Reports().End(taken, false))
	now = now.Add(-time.Hour) // the clock was wrong
	take("a")
	now = now.Add(-time.Hour)
	do(t, db.Reports().End(take("a"), true))
	take()
}

// An empty database, and one that does not exist, have nothing.
func TestNothingKept(t *testing.T) {
	now := time.Now()
	for _, db := range []*DB{openAt(t, &now), nil} {
		if p := must[Pause](t)(Offers.Get(db)); p != (Pause{}) {
			t.Errorf("%+v", p)
		}
		if must[bool](t)(db.Reports().Waiting()) || must[bool](t)(db.Pushes().Any()) {
			t.Error("something waits")
		}
		if n := len(must[[]Left](t)(LastLeft.Get(db))) + len(must[map[string]bool](t)(Declined.Get(db))); n != 0 {
			t.Error("something is kept")
		}
	}
}

// What is written is read again, with its time; what is not changed is not written. What is damaged reads as nothing,
// and is replaced.
func TestNotes(t *testing.T) {
	now := time.Date(2026, 11, 18, 9, 0, 0, 123456789, time.FixedZone("", 3600))
	db := openAt(t, &now)
	for _, n := range []Note[Pause]{Offers, {Name: "a cache", Cache: true}} {
		for i := range 4 {
			changed := must[bool](t)(n.Change(db, func(p *Pause) bool {
				if p.Failures != min(i, 2) {
					t.Errorf("%d: %d failures", i, p.Failures)
				}
				p.After, p.Failures = now, p.Failures+1
				return i < 2
			}))
			if changed != (i < 2) {
				t.Errorf("%d: changed is %t", i, changed)
			}
		}
		if p := must[Pause](t)(n.Get(db)); !p.After.Equal(now) || !p.Retry.IsZero() || p.Failures != 2 {
			t.Errorf("%+v", p)
		}
		for _, damaged := range []string{"no JSON", `{"Failures": 3, "Why": []}`} {
			do(t, db.exec("UPDATE notes SET value = ?", damaged))
			if p := must[Pause](t)(n.Get(db)); p != (Pause{}) {
				t.Errorf("of what is damaged was read: %+v", p)
			}
			must[bool](t)(n.Change(db, func(p *Pause) bool {
				p.Why += "a reason"
				return true
			}))
		}
		if p := must[Pause](t)(n.Get(db)); p != (Pause{Why: "a reason"}) {
			t.Errorf("%+v", p)
		}
	}
	if p := must[Pause](t)(Launches.Get(db)); p != (Pause{}) {
		t.Errorf("%+v", p)
	}
}

// Notes that cannot be decoded are named and removed; nothing is known of those of other versions.
func TestDamagedNotes(t *testing.T) {
	now := time.Now()
	db := openAt(t, &now)
	do(t, Machine.Set(db, "a machine"))
	do(t, db.exec(`INSERT OR REPLACE INTO notes VALUES ('left', '[{"Dream": 3}]'), ('copies', ''), ('of another version', '[')`))
	for _, want := range [][]string{{"copies", "left"}, nil} {
		if names := must[[]string](t)(db.DamagedNotes()); !slices.Equal(names, want) {
			t.Errorf("damaged: %q, want %q", names, want)
		}
		do(t, db.RemoveDamagedNotes())
	}
	kept := must[[]string](t)(db.ids("SELECT name FROM notes WHERE name IN ('left', 'copies', 'machine', 'of another version') ORDER BY name"))
	if !slices.Equal(kept, []string{"machine", "of another version"}) {
		t.Errorf("kept: %q", kept)
	}
}

// A database in which the notes were tables keeps them.
func TestNotesWereTables(t *testing.T) {
	const at = "2026-11-18T08:00:00.123456789Z"
	db := openEarlier(t, "15_notes.sql",
		"pauses VALUES ('offer', '"+at+"', NULL, 0, ''), ('launch', NULL, '"+at+"', 3, 'a \"reason\"')",
		"runs VALUES ('a run', '"+at+"', 7)", "counts VALUES (1, '"+at+"', '"+at+"', 2)", "doubts VALUES ('a.md', '1', 'a doubt')",
		"left_by_dreams VALUES ('a', '"+at+`', '{"a.md":"mark"}', 'shop', '/shop', '[]'), ('b', '`+at+"', '{}', '', '', '[]')",
		"declined VALUES ('b.md')", "unindexed VALUES (1, 'z.md'), (2, 'a.md')", "roots VALUES (1, '/z'), (2, '/a')",
		"listed VALUES (1, '', NULL, '"+at+`', '{"s":{"last":{"line":3}}}'), (2, 'b', '`+at+"', NULL, '{}')",
		`share VALUES (1, '{"remote":"a remote"}')`, "machine VALUES (1, 'a machine')", "dream_host VALUES (1, 'codex')",
		"copies VALUES ('a.md', 'a text', 1, 0, 1)", "gone VALUES ('"+at+"')",
	)
	when := time.Date(2026, 11, 18, 8, 0, 0, 123456789, time.UTC)
	stretch := listed.Stretch{Last: listing.Mark{Line: 3}}
	expectNote(t, db, Offers, Pause{After: when})
	expectNote(t, db, Launches, Pause{Retry: when, Failures: 3, Why: `a "reason"`})
	expectNote(t, db, Running, Run{"a run", when, 7})
	expectNote(t, db, LastCount, Count{when, lock.Stamp{Exists: true, Time: when}, 2})
	expectNote(t, db, Doubts, map[string]Doubt{"a.md": {"1", "a doubt"}})
	expectNote(t, db, LastLeft, []Left{{Dream: "b", Time: when, Files: map[string]string{}, About: []related.Document{}},
		{"a", when, map[string]string{"a.md": "mark"}, "shop", "/shop", []related.Document{}}})
	expectNote(t, db, Declined, map[string]bool{"b.md": true})
	expectNote(t, db, Unindexed, []string{"z.md", "a.md"})
	expectNote(t, db, Roots, []string{"/z", "/a"})
	expectNote(t, db, Listed, []listed.Marks{{Taken: when, Shown: map[string]listed.Stretch{"s": stretch}},
		{Dream: "b", From: when, Shown: map[string]listed.Stretch{}}})
	expectNote(t, db, Note[map[string]string]{Name: "share"}, map[string]string{"remote": "a remote"})
	expectNote(t, db, Machine, "a machine")
	expectNote(t, db, DreamHost, "codex")
	expectNote(t, db, Copies, map[string]Copy{"a.md": {Text: "a text", Ours: true, New: true}})
	expectNote(t, db, Gone, when)
}

// A database in which some times were texts keeps them, but for those that no column has now.
func TestTimesWereTexts(t *testing.T) {
	const at, odd = "2026-11-18T08:00:59.999999999Z", "9999-12-31T00:00:00.000000000Z"
	db := openEarlier(t, "17_times.sql",
		"words VALUES ('s:1', '', '', '"+at+"', 'said', '"+at+"'), ('s:2', '', '', NULL, '', '"+odd+"'), ('s:3', '', '', '"+odd+"', '', '2026 is not a time')",
		"reports VALUES ('a', '', '', '', NULL), ('b', '', '', '', '"+at+"')", "shown VALUES (1, '"+at+"', '', 's', '', '[]')",
		"events VALUES (1, 'a', '"+at+"', '', '', '', 0, '[]', '[]'), (2, 'a', NULL, '', '', '', 0, '[]', '[]')")
	when := time.Date(2026, 11, 18, 8, 0, 59, 999999999, time.UTC)
	for source, want := range map[string]time.Time{"s:1": when, "s:2": {}, "s:3": {}} {
		if w, _, err := db.Quotes().Get(source); err != nil || w.Said != want {
			t.Errorf("%s was said at %v, want %v; %v", source, w.Said, want, err)
		}
	}
	if old := must[[]string](t)(db.Quotes().Old(when)); !slices.Equal(old, []string{"s:2", "s:3"}) {
		t.Errorf("old: %v", old)
	}
	if old := must[[]string](t)(db.Quotes().Old(when.Add(1))); len(old) != 3 {
		t.Errorf("old a moment later: %v", old)
	}
	if p := must[[]Push](t)(db.Pushes().All()); len(p) != 1 || p[0].Time != when {
		t.Errorf("shown: %+v", p)
	}
	if e := must[[]Event](t)(db.Events("a").All()); len(e) != 2 || e[0].Time != when || !e[1].Time.IsZero() {
		t.Errorf("events: %+v", e)
	}
	if taken := must[[]Report](t)(db.Reports().Take(0)); len(taken) != 2 {
		t.Errorf("taken: %+v", taken)
	}
}

// openEarlier opens a database that was made before a migration and has some rows.
func openEarlier(t *testing.T, migration string, rows ...string) *DB {
	t.Helper()
	folder := t.TempDir()
	earlier, err := sql.Open("sqlite", filepath.Join(folder, File))
	do(t, err)
	execute := func(statements string) {
		_, err := earlier.Exec(statements)
		do(t, err)
	}
	files, err := fs.Glob(migrations, "migrations/*.sql")
	do(t, err)
	files = files[:slices.Index(files, "migrations/"+migration)]
	for _, name := range files {
		statements, err := migrations.ReadFile(name)
		do(t, err)
		execute(string(statements))
	}
	for _, row := range rows {
		execute("INSERT INTO " + row)
	}
	execute(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(files)))
	do(t, earlier.Close())
	return open(t, folder)
}

func expectNote[T any](t *testing.T, db *DB, n Note[T], want T) {
	t.Helper()
	if got := must[T](t)(n.Get(db)); !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %+v, want %+v", n.Name, got, want)
	}
}
