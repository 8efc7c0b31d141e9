package state

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dream-mcp/consolidate/listed"
	"dream-mcp/consolidate/transcript/listing"
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
			err := db.AddShown(&Shown{Session: fmt.Sprint(i % 2), Event: "prompt", Files: []string{fmt.Sprint(i)}}, 3, func(before []Shown) bool {
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
	for _, s := range must[[]Shown](t)(db.Shown()) {
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
		taken := must[[]Report](t)(db.TakeReports(time.Second))
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
		do(t, db.QueueReport(Report{Dream: dream}, 2))
	}
	take("c", "a")
	take()
	now = now.Add(2 * time.Second)
	taken := take("c", "a")
	do(t, db.QueueReport(Report{Dream: "a", Report: "a newer one"}, 2))
	do(t, db.EndReports(taken, true))
	taken = take("a")
	do(t, db.EndReports(taken, false))
	now = now.Add(-time.Hour) // the clock was wrong
	take("a")
	now = now.Add(-time.Hour)
	do(t, db.EndReports(take("a"), true))
	take()
}

// An empty database, and one that does not exist, have nothing.
func TestNothingKept(t *testing.T) {
	now := time.Now()
	for _, db := range []*DB{openAt(t, &now), nil} {
		if p := must[Pause](t)(db.Pause(Offers)); p != (Pause{}) {
			t.Errorf("%+v", p)
		}
		if c := must[Count](t)(db.Count()); c != (Count{}) {
			t.Errorf("%+v", c)
		}
		if r := must[Run](t)(db.Run()); r != (Run{}) {
			t.Errorf("%+v", r)
		}
		if must[bool](t)(db.Reports()) || must[bool](t)(db.AnyShown()) {
			t.Error("something waits")
		}
		n := len(must[[]Left](t)(db.Left())) + len(must[map[string]bool](t)(db.Declined())) + len(must[[]string](t)(db.Unindexed())) +
			len(must[map[string]Doubt](t)(db.Doubts())) + len(must[[]Terms](t)(db.Terms()))
		if n != 0 {
			t.Error("something is kept")
		}
	}
}

// What is written is read again, with its time; of what a dream left the last two stay.
func TestNotes(t *testing.T) {
	now := time.Date(2026, 11, 18, 9, 0, 0, 123456789, time.FixedZone("", 3600))
	db := openAt(t, &now)
	for i, dream := range []string{"a", "b", "c", "c"} {
		do(t, db.SetLeft(Left{Dream: dream, Time: now, Files: map[string]string{"f.md": fmt.Sprint(i)}}))
	}
	left := must[[]Left](t)(db.Left())
	if len(left) != 2 || left[0].Dream != "c" || left[1].Dream != "b" || left[0].Files["f.md"] != "3" || !left[0].Time.Equal(now) {
		t.Errorf("%+v", left)
	}
	type shared struct{ Remote string }
	for _, remote := range []string{"a", "b"} {
		var was shared
		do(t, db.ChangeShare(&was, func(before bool) any {
			if before != (remote == "b") || before && was.Remote != "a" {
				t.Errorf("before %q: %v, %+v", remote, before, was)
			}
			return shared{remote}
		}))
		do(t, db.ChangeShare(&was, func(bool) any { return nil }))
		do(t, db.SetMachine(remote))
		do(t, db.SetDreamHost(remote))
	}
	var s shared
	if !must[bool](t)(db.Share(&s)) || s.Remote != "b" || must[string](t)(db.Machine()) != "b" || must[string](t)(db.DreamHost()) != "b" {
		t.Errorf("%+v", s)
	}
	do(t, db.EndShare())
	if must[bool](t)(db.Share(&s)) || must[string](t)(db.Machine()) != "b" {
		t.Error("it is shared, or the machine has another name")
	}
	do(t, db.SetCopies(map[string]Copy{"a.md": {Text: "a"}, "b.md": {}}))
	do(t, db.SetCopies(map[string]Copy{"a.md": {Text: "b", Ours: true, New: true}}))
	if copies := must[map[string]Copy](t)(db.Copies()); len(copies) != 1 || copies["a.md"] != (Copy{Text: "b", Ours: true, New: true}) {
		t.Errorf("%v", copies)
	}
	do(t, db.Decline("f.md"))
	do(t, db.Decline("f.md"))
	if declined := must[map[string]bool](t)(db.Declined()); !declined["f.md"] || len(declined) != 1 {
		t.Errorf("%v", declined)
	}
	do(t, db.SetUnindexed([]string{"z.md", "a.md"}))
	do(t, db.SetUnindexed([]string{"z.md", "b.md", "a.md"}))
	if files := must[[]string](t)(db.Unindexed()); !slices.Equal(files, []string{"z.md", "b.md", "a.md"}) {
		t.Errorf("%v", files)
	}
	do(t, db.SetDoubts([]Doubt{{"a.md", "1", "first"}, {"a.md", "1", "second"}}))
	if doubts := must[map[string]Doubt](t)(db.Doubts()); doubts["a.md"].Message != "first" {
		t.Errorf("%v", doubts)
	}
	marks := []listed.Marks{{From: now, Shown: map[string]listed.Stretch{"s": {Last: listing.Mark{Line: 3, Place: 1}}}}, {Dream: "b", Taken: now}}
	do(t, db.SetListed(marks[:1]))
	do(t, db.SetListed(marks))
	if got := must[[]listed.Marks](t)(db.Listed()); len(got) != 2 || got[0].Shown["s"] != marks[0].Shown["s"] || !got[0].From.Equal(now) || got[0].Taken != (time.Time{}) || got[1].Dream != "b" {
		t.Errorf("%+v", got)
	}
	do(t, db.SetTerms([]Terms{{File: "a.md", Size: 1, Modified: 2, Hashes: []byte("abc")}, {File: "b.md"}}, nil))
	do(t, db.SetTerms([]Terms{{File: "a.md", Size: 3}}, []string{"b.md"}))
	if terms := must[[]Terms](t)(db.Terms()); len(terms) != 1 || terms[0].Size != 3 {
		t.Errorf("%v", terms)
	}
}
