package search

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

// FuzzCachedSearch: a search over the database finds what a plain reading of every line finds, with the
// same ids and order, page by page, tools or not; and so does another process.
func FuzzCachedSearch(f *testing.F) {
	for seed, pattern := range []string{"lamp", "Lamp", "k", "É", "日本", "(?:lamp|bash)s?", "p$", `\bk`, `"`, `.`, "ss", "s", `a\.?m`,
		"lamp.*é", "u006c", "(é|lam)p", "[kK]", "é", "la", "ſ", "\u212a", `\\`, "p", "mp l", "x*", "lamp.*Bash", "(?i)command.*(lamp)", `lamp.?\PL?lam`, `[p-t]\b.+\w`, `^\w+$`} {
		f.Add(uint64(seed+300), pattern, true)
		f.Add(uint64(seed+400), pattern, false)
		f.Add(uint64(seed+500), pattern, false)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string, expression bool) {
		rng := rand.New(rand.NewPCG(seed, 1))
		first := fixture.RandomTalk(rng, 1, nil)
		plain := store(t, first, fixture.RandomTalk(rng, 2, first.Lines))
		q := Query{Pattern: text, Regex: expression, Limit: 1 + rng.IntN(20)}
		if rng.IntN(2) == 0 {
			q.Speakers = []said.Speaker{said.User, said.Assistant, said.Tool}[rng.IntN(3):]
		}
		full := q
		if full.complete() != nil {
			return
		}
		if _, err := compile(full, full.Pattern); err != nil {
			return
		}
		want := namesOf(oracle(t, plain, full))
		s := withCache(t, plain)
		if n, err := s.Read(t.Context()); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		again := openWith(s.Options, s.Cache)
		for _, s := range []*Store{s, again} {
			var got []string
			for q := q; ; {
				r := search(t, s, q)
				if r.Matches != len(want) {
					t.Fatalf("%d matches, want %d", r.Matches, len(want))
				}
				for _, h := range r.Hits {
					got = append(got, fmt.Sprint(h.ID, " ", h.Time, " ", h.Speaker))
				}
				if q.Cursor = r.Next; r.Next == "" {
					break
				}
			}
			fixture.Equal(t, "hits", got, want)
		}
	})
}

// What was taken away or changed in a transcript is not found.
func TestTranscriptsAreFollowed(t *testing.T) {
	f := fixture.Talk(1).User("a lamp at first")
	s := withCache(t, store(t, f))
	files, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	path := files[0].Path
	settle := func() {
		if _, err := s.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, texts ...string) {
		t.Helper()
		for _, when := range []string{"at once", "digested"} {
			r := search(t, s, Query{Pattern: "lamp"})
			fixture.Equal(t, what+", "+when, hits(r), texts)
			settle()
		}
	}
	write := func(text string, second int) {
		t.Helper()
		fixture.Overwrite(t, path, text)
		when := fixture.Start.Add(time.Duration(second) * time.Second)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	want("built", "a lamp at first")
	f.User("a lamp then")
	write(f.Text(), 100)
	want("appended", "a lamp then", "a lamp at first")
	write(strings.Replace(f.Text(), "lamp at first", "lump at first", 1), 101)
	want("edited in place", "a lamp then")
	write(fixture.Talk(1).User("a lamp anew").Text(), 102)
	want("cut", "a lamp anew")
	write(fixture.Talk(1).User("another lamp anew").User("and a lamp more").Text(), 103)
	want("replaced by a longer one", "and a lamp more", "another lamp anew")
	write(fixture.Talk(1).User("another lamp anew").User("and a lamp more").Text(), 104)
	want("touched", "and a lamp more", "another lamp anew")
	os.Rename(path, path+".old")
	write(fixture.Talk(1).User("another lamp anew").User("and a lamp more").User("and a lamp in a new file").Text(), 105)
	want("another file", "and a lamp in a new file", "and a lamp more", "another lamp anew")
	write(fixture.Talk(1).User("another lamp anew").Text()+`{"type":"user","cwd":"`+fixture.Root+`","message":{"content":"half a la`, 106)
	want("half a line", "another lamp anew")
}

// What lies between the head of a transcript and its last block is compared with nothing: other
// things tell that it changed.
func TestEditedTranscripts(t *testing.T) {
	f := fixture.Talk(1)
	for range 100 {
		f.User("shine " + strings.Repeat("x", 500))
	}
	f.Lines[50] = strings.Replace(f.Lines[50], "shine", "a LAMP", 1)
	edited := strings.Replace(f.Text(), "a LAMP", "a door", 1)
	half := `{"type":"user","message":{"content":"half`
	last := f.Text()[:len(f.Text())-600] + strings.Replace(f.Text()[len(f.Text())-600:], "xxxx", "LAMP", 1)
	first := strings.Replace(f.Text(), "shine", "LAMP.", 1)
	more := fixture.Talk(1).User("more").Lines[0] + "\n"
	for name, test := range map[string]struct {
		edit func(path string) error
		half string
		unix bool
		want int
	}{
		"at its head, and longer":    {want: 2, edit: func(path string) error { return os.WriteFile(path, []byte(first+more), 0o600) }},
		"at its end, and longer":     {want: 2, edit: func(path string) error { return os.WriteFile(path, []byte(last+more), 0o600) }},
		"in place, less half a line": {half: half, edit: func(path string) error { return os.WriteFile(path, []byte(edited), 0o600) }},
		"in place":                   {edit: func(path string) error { return os.WriteFile(path, []byte(edited), 0o600) }},
		"in place, and cut": {edit: func(path string) error {
			return os.WriteFile(path, []byte(edited[:strings.LastIndex(strings.TrimSpace(edited), "\n")+1]), 0o600)
		}},
		"by another file that is longer": {unix: true, edit: func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, []byte(edited+more), 0o600))
		}},
	} {
		s := withCache(t, store(t, f))
		files, _, err := s.Accepted(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		fixture.Overwrite(t, files[0].Path, f.Text()+test.half)
		if test.unix && runtime.GOOS == "windows" {
			continue
		}
		for i, matches := range []int{1, test.want, test.want} {
			if n, err := s.Read(t.Context()); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if r := search(t, s, Query{Pattern: "LAMP"}); r.Matches != matches {
				t.Errorf("%s: %d matches, want %d", name, r.Matches, matches)
			}
			if i == 0 {
				if err := test.edit(files[0].Path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// The database may hold anything, or be gone, at any moment: also while it is open.
func TestDamagedCache(t *testing.T) {
	plain := store(t, fixture.Talk(1).User("one lamp"), fixture.Talk(2).User("two lamp"))
	for name, harm := range map[string]func(path string) error{
		"torn":    func(path string) error { return os.Truncate(path, 5000) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"rubbish": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("{}\n"), 1000), 0o600) },
		"zeros after the first page": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteAt(make([]byte, 30_000), 4096)
				f.Close()
			}
			return err
		},
		"gone": os.Remove,
		"a folder": func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700), os.WriteFile(path+"/x", nil, 0o600))
		},
		"another's": func(path string) error {
			db, err := sql.Open("sqlite", path)
			if err == nil {
				_, err = db.Exec("DROP TABLE session; CREATE TABLE session (x); PRAGMA wal_checkpoint(TRUNCATE)")
				db.Close()
			}
			return err
		},
		"of a newer program": func(path string) error {
			db, err := sql.Open("sqlite", path)
			if err == nil {
				_, err = db.Exec("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
				db.Close()
			}
			return err
		},
		"the folder gone": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name != "rubbish" {
				t.Skip("NOT TESTED: an open file cannot be replaced")
			}
			s := withCache(t, plain)
			if n, err := s.Read(t.Context()); n != 2 || err != nil {
				t.Fatal(n, err)
			}
			s.Close()
			if err := harm(s.Cache); err != nil {
				t.Fatal(err)
			}
			after := openWith(s.Options, s.Cache)
			t.Cleanup(after.Close)
			for range 2 {
				fixture.Equal(t, "hits", hits(search(t, after, Query{Pattern: "lamp"})), []string{"one lamp", "two lamp"})
				if n, err := after.Read(t.Context()); n != 2 || err != nil {
					t.Fatal(n, err)
				}
			}
			if stat, err := os.Lstat(s.Cache); name != "a folder" && (err != nil || !stat.Mode().IsRegular()) {
				t.Errorf("%v, %v", stat, err)
			}
		})
	}
}

// Where no database can be written, a search finds the same.
func TestWithoutACache(t *testing.T) {
	plain := store(t, fixture.Talk(1).User("one lamp"), fixture.Talk(2).User("two lamp"))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", filepath.Join(file, cache.FileName), filepath.Join("/proc/none", cache.FileName)} {
		s := openWith(plain.Options, path)
		t.Cleanup(s.Close)
		for range 2 {
			fixture.Equal(t, "hits", hits(search(t, s, Query{Pattern: "lamp"})), []string{"one lamp", "two lamp"})
		}
		s.ReadLater()
		s.cache().Wait()
	}
}

// The database is private, says nothing of sessions that do not exist any more, and of none once it was cleared.
func TestTheCacheIsPrivateAndSwept(t *testing.T) {
	s := withCache(t, store(t, fixture.Talk(1).User("one lamp"), fixture.Talk(2).User("two zephyrs")))
	s.ReadLater()
	s.cache().Wait()
	for _, path := range []string{filepath.Dir(s.Cache), s.Cache} {
		if stat, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && stat.Mode().Perm()&0o077 != 0 {
			t.Error(stat.Mode(), err)
		}
	}
	has := func(text string) bool {
		t.Helper()
		s.Close()
		names, err := filepath.Glob(s.Cache + "*")
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(text)) {
				return true
			}
		}
		return false
	}
	if !has("zephyrs") {
		t.Fatal("what was said is not kept")
	}
	files, _, _ := s.Accepted(t.Context(), time.Time{})
	os.Remove(files[0].Path)
	if err := s.cache().Sweep(t.Context(), s.Gone()); err != nil || has("zephyrs") || !has("lamp") {
		t.Errorf("%v: of a session that is gone something stays, or of another nothing", err)
	}
	if err := cache.Clear(s.Cache); err != nil || has("lamp") {
		t.Errorf("%v: something stays", err)
	}
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 1 {
		t.Errorf("%d matches after it was cleared", r.Matches)
	}
}

// A session that says more than is written at once is searched whole.
func TestLargeSessions(t *testing.T) {
	f := fixture.Talk(1).User("a lamp").User(strings.Repeat("words ", said.MaxText/6))
	for n := range 2 {
		f.Raw(strings.Replace(f.Lines[1], `"content":"`, `"content":"`+fmt.Sprint(n), 1))
	}
	f.Reply("the last lamp")
	s := withCache(t, store(t, f))
	if n, err := s.Read(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d sessions, %v", n, err)
	}
	again := withCache(t, s)
	again.Cache = s.Cache
	for _, s := range []*Store{s, again} {
		r := search(t, s, Query{Pattern: "lamp"})
		fixture.Equal(t, "hits", hits(r), []string{"the last lamp", "a lamp"})
		for _, h := range r.Hits {
			if u, err := s.Lookup(t.Context(), h.ID); err != nil || !strings.Contains(u.Text, "lamp") {
				t.Errorf("Lookup(%q) = %q, %v", h.ID, u.Text, err)
			}
		}
		if ranked, r, err := s.Ranked(t.Context(), "which lamp is the last", Query{}); err != nil || r.Matches != 2 || len(ranked) < 2 {
			t.Errorf("%d hits, %+v, %v", len(ranked), r, err)
		}
	}
}

// Several processes read growing transcripts at once: what each finds is right.
func TestProcessesReadingAtOnce(t *testing.T) {
	if folder := os.Getenv("TRANSCRIPT_TEST_CACHE"); folder != "" {
		s := openWith(sessions.Options{Projects: os.Getenv("TRANSCRIPT_TEST_PROJECTS"), Roots: []string{fixture.Root}}, folder)
		for ctx := t.Context(); ctx.Err() == nil; {
			r := search(t, s, Query{Pattern: "lamp", Limit: 200, Context: 1})
			if r.Matches < 20 || len(r.Hits) < 20 || r.Skipped[said.BadLine] > 0 {
				t.Fatalf("%d matches, skipped %v", r.Matches, r.Skipped)
			}
			s.Read(ctx)
			s.Close()
			if r.Matches == 20*11 {
				return
			}
			s = openWith(s.Options, s.Cache) // as another process does
		}
		return
	}
	var all []*fixture.Transcript
	for n := range 20 {
		all = append(all, fixture.Talk(n+1).User("lamp"))
	}
	s := withCache(t, store(t, all...))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var others []*exec.Cmd
	for range 2 {
		other := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProcessesReadingAtOnce$")
		other.Env = append(os.Environ(), "TRANSCRIPT_TEST_CACHE="+s.Cache, "TRANSCRIPT_TEST_PROJECTS="+s.Options.Projects)
		var out bytes.Buffer
		other.Stdout, other.Stderr = &out, &out
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		others = append(others, other)
	}
	for range 10 {
		for n, f := range all {
			line := f.User("another lamp").Lines[len(f.Lines)-1] + "\n"
			out, err := os.OpenFile(filepath.Join(s.Options.Projects, fixture.Slug, fixture.ID(n+1)+".jsonl"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			out.WriteString(line[:len(line)/2])
			out.WriteString(line[len(line)/2:])
			out.Close()
		}
		s.Read(ctx)
	}
	for _, other := range others {
		if err := other.Wait(); err != nil {
			t.Errorf("%v\n%s", err, other.Stdout)
		}
	}
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 20*11 {
		t.Errorf("%d matches, want %d", r.Matches, 20*11)
	}
}
