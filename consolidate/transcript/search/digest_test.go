package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/bench/fixture"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
)

// withDigests is a store with a folder for its digests, and what a search built there.
func withDigests(t testing.TB, s *Store) *Store {
	t.Helper()
	with := openWith(s.Options, filepath.Join(t.TempDir(), "state", "digests"))
	with.Budget = time.Minute
	t.Cleanup(with.Close)
	return with
}

// FuzzDigestSearch: a search over digests finds what a plain reading of every line finds, with the
// same ids and order, page by page, tools or not; and so does one whose digests come from the folder.
func FuzzDigestSearch(f *testing.F) {
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
		plain.DigestMemory = 0
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
		s := withDigests(t, plain)
		if n, err := s.Digest(t.Context()); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		again := openWith(s.Options, s.Digests)
		again.Budget, again.DigestMemory = time.Minute, 0 // from the folder alone
		for _, s := range []*Store{s, again} {
			var got []string
			for q := q; ; {
				r := search(t, s, q)
				if r.Matches != len(want) || r.AtLeast {
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

// What was taken away or changed under a digest is never believed.
func TestDigestsFollowTheirTranscripts(t *testing.T) {
	f := fixture.Talk(1).User("a lamp at first")
	s := withDigests(t, store(t, f))
	files, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	path := files[0].Path
	settle := func() {
		if _, err := s.Digest(t.Context()); err != nil {
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
func TestDigestsOfEditedTranscripts(t *testing.T) {
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
		s := withDigests(t, store(t, f))
		files, _, err := s.Accepted(t.Context(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		fixture.Overwrite(t, files[0].Path, f.Text()+test.half)
		if test.unix && runtime.GOOS == "windows" {
			continue
		}
		for i, matches := range []int{1, test.want, test.want} {
			if n, err := s.Digest(t.Context()); n != 1 || err != nil {
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

// A folder of digests may hold anything, or be gone, at any moment.
func TestDamagedDigests(t *testing.T) {
	s := withDigests(t, store(t, fixture.Talk(1).User("one lamp"), fixture.Talk(2).User("two lamp")))
	files, _, err := s.Accepted(t.Context(), time.Time{})
	if err != nil || files[0].Size != files[1].Size {
		t.Fatal(files, err)
	}
	for _, f := range files { // nothing but the name differs
		if err := os.Chtimes(f.Path, fixture.Start, fixture.Start); err != nil {
			t.Fatal(err)
		}
	}
	folder := s.Digests
	harms := map[string]func(path string) error{
		"torn":    func(path string) error { return os.Truncate(path, 50) },
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"rubbish": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("{}\n"), 1000), 0o600) },
		"gone":    os.Remove,
		"a folder": func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700), os.WriteFile(path+"/x", nil, 0o600))
		},
		"a link": func(path string) error {
			return errors.Join(os.Rename(path, path+"2"), os.Symlink(path+"2", path))
		},
		"another's": func(path string) error {
			all, err := filepath.Glob(folder + "/*" + ".digest")
			if err != nil || len(all) < 2 {
				return err
			}
			other, err := os.ReadFile(all[0])
			return errors.Join(err, os.WriteFile(all[1], other, 0o600))
		},
		"the folder gone": func(path string) error { return os.RemoveAll(folder) },
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			os.RemoveAll(folder)
			fresh := func() *Store {
				s := withDigests(t, s)
				s.Digests = folder
				return s
			}
			if n, err := fresh().Digest(t.Context()); n != 2 || err != nil {
				t.Fatal(n, err)
			}
			paths, err := filepath.Glob(folder + "/*" + ".digest")
			if err != nil || len(paths) != 2 {
				t.Fatal(paths, err)
			}
			if err := harm(paths[0]); err != nil {
				t.Fatal(err)
			}
			after := fresh()
			for range 2 {
				r := search(t, after, Query{Pattern: "lamp"})
				fixture.Equal(t, "hits", hits(r), []string{"one lamp", "two lamp"})
				if n, err := after.Digest(t.Context()); n != 2 || err != nil {
					t.Fatal(n, err)
				}
			}
		})
	}
}

func TestDigestsArePrivateAndSwept(t *testing.T) {
	s := withDigests(t, store(t, fixture.Talk(1).User("one lamp"), fixture.Talk(2).User("two lamps")))
	search(t, s, Query{Pattern: "lamp"})
	wait(t, s)
	folder := s.Digests
	stat, err := os.Stat(folder)
	if err != nil || runtime.GOOS != "windows" && stat.Mode().Perm()&0o077 != 0 {
		t.Fatal(stat.Mode(), err)
	}
	paths, _ := filepath.Glob(folder + "/*" + ".digest")
	if len(paths) != 2 {
		t.Fatalf("digests %q", paths)
	}
	for _, path := range paths {
		if stat, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && stat.Mode().Perm()&0o077 != 0 {
			t.Error(stat.Mode(), err)
		}
		if strings.Contains(path, fixture.ID(1)[:8]) {
			t.Errorf("%q tells of its session", path)
		}
	}
	files, _, _ := s.Accepted(t.Context(), time.Time{})
	os.Remove(files[0].Path)
	os.WriteFile(folder+"/.dream-123.tmp", nil, 0o600)
	old := time.Now().Add(-2 * time.Hour)
	os.Chtimes(folder+"/.dream-123.tmp", old, old)
	os.WriteFile(folder+"/.dream-456.tmp", nil, 0o600)
	os.WriteFile(folder+"/x"+".digest", []byte("x"), 0o600)
	s.digests().Sweep()
	if left, _ := filepath.Glob(folder + "/*"); len(left) != 2 || !strings.HasSuffix(left[0], ".dream-456.tmp") {
		t.Errorf("left %q, want one digest and the fresh temporary", left)
	}
}

// wait waits for what is done in the background.
func wait(t testing.TB, s *Store) {
	t.Helper()
	s.digests().Wait()
}

func TestMemoryOfDigestsIsBounded(t *testing.T) {
	var all []*fixture.Transcript
	for n := range 40 {
		all = append(all, fixture.Talk(n+1).User("lamp "+strings.Repeat("x", 1000)))
	}
	plain := store(t, all...)
	for _, folder := range []bool{true, false} {
		s := withDigests(t, plain)
		if !folder {
			s.Digests = ""
		}
		s.DigestMemory = 30_000
		for range 3 {
			if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 40 {
				t.Errorf("%d matches", r.Matches)
			}
			wait(t, s)
		}
		newest, _, _ := s.Accepted(t.Context(), time.Time{})
		if s.digests().Peek(newest[0]) == nil || s.digests().Peek(newest[39]) != nil {
			t.Error("want the newest in memory, not the oldest")
		}
	}
}

func TestCloseStopsBuilding(t *testing.T) {
	var all []*fixture.Transcript
	for n := range 50 {
		all = append(all, fixture.Talk(n+1).User("lamp").User(strings.Repeat("x", 100_000)))
	}
	s := withDigests(t, store(t, all...))
	search(t, s, Query{Pattern: "lamp"})
	s.Close()
	before, _ := filepath.Glob(s.Digests + "/*")
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 50 {
		t.Errorf("%d matches after Close", r.Matches)
	}
	time.Sleep(10 * time.Millisecond)
	if after, _ := filepath.Glob(s.Digests + "/*"); len(after) != len(before) {
		t.Errorf("%d digests were built behind a closed store", len(after)-len(before))
	}
	s.Close()
}

// A session that says much is searched whole, and its digest is not built again by the next process.
func TestLargeSessions(t *testing.T) {
	f := fixture.Talk(1).User("a lamp").User(strings.Repeat("words ", said.MaxText/6))
	for n := range 4 {
		f.Raw(strings.Replace(f.Lines[1], `"content":"`, `"content":"`+fmt.Sprint(n), 1))
	}
	f.Reply("the last lamp")
	s := withDigests(t, store(t, f))
	if n, err := s.Digest(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d digests, %v", n, err)
	}
	again := withDigests(t, s)
	again.Digests = s.Digests
	for _, s := range []*Store{s, again} {
		r := search(t, s, Query{Pattern: "lamp"})
		fixture.Equal(t, "hits", hits(r), []string{"the last lamp", "a lamp"})
		for _, h := range r.Hits {
			if u, err := s.Lookup(t.Context(), h.ID); err != nil || !strings.Contains(u.Text, "lamp") {
				t.Errorf("Lookup(%q) = %q, %v", h.ID, u.Text, err)
			}
		}
		if ranked, r, err := s.Ranked(t.Context(), "which lamp is the last", Query{}); err != nil || r.Matches != 2 || len(ranked) < 2 || r.AtLeast {
			t.Errorf("%d hits, %+v, %v", len(ranked), r, err)
		}
	}
	files, _, _ := s.Accepted(t.Context(), time.Time{})
	third := withDigests(t, s)
	third.Digests = s.Digests
	read := atomic.Int64{}
	d, err := third.digests().Fresh(t.Context(), files[0], &read)
	if err != nil || len(d.Head.Sealed) < 3 || read.Load() != 0 {
		t.Errorf("%d sealed parts, %v, %d bytes read; want none read", len(d.Head.Sealed), err, read.Load())
	}
}

// Where a large session has no room for its parts, a search says so.
func TestLargeSessionsWithoutAFolder(t *testing.T) {
	f := fixture.Talk(1).User("a lamp").User(strings.Repeat("words ", said.MaxText/6)).User("a lamp")
	for range 2 {
		f.Raw(strings.Replace(f.Lines[1], `"uuid":"`, `"uuid":"`+fmt.Sprint(len(f.Lines)), 1))
	}
	s := store(t, f)
	if r := search(t, s, Query{Pattern: "lamp"}); r.Skipped[said.Unreadable] != 1 {
		t.Errorf("%+v", r)
	}
	if _, r, err := s.Ranked(t.Context(), "lamp", Query{}); err != nil || r.Skipped[said.Unreadable] != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Several processes build the digests of growing transcripts at once: what each finds is right.
func TestProcessesBuildingAtOnce(t *testing.T) {
	if folder := os.Getenv("TRANSCRIPT_TEST_DIGESTS"); folder != "" {
		s := openWith(sessions.Options{Projects: os.Getenv("TRANSCRIPT_TEST_PROJECTS"), Roots: []string{fixture.Root}}, folder)
		s.Budget = time.Minute
		for ctx := t.Context(); ctx.Err() == nil; {
			r := search(t, s, Query{Pattern: "lamp", Limit: 200, Context: 1})
			if r.Matches < 20 || len(r.Hits) < 20 || r.Skipped[said.BadLine] > 0 {
				t.Fatalf("%d matches, skipped %v", r.Matches, r.Skipped)
			}
			s.Digest(ctx)
			s.Close() // what it does in the background would end with the process, half done
			if r.Matches == 20*11 {
				return
			}
			s = openWith(s.Options, s.Digests) // another process's digests, again
			s.Budget = time.Minute
		}
		return
	}
	var all []*fixture.Transcript
	for n := range 20 {
		all = append(all, fixture.Talk(n+1).User("lamp"))
	}
	s := withDigests(t, store(t, all...))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var others []*exec.Cmd
	for range 2 {
		other := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProcessesBuildingAtOnce$")
		other.Env = append(os.Environ(), "TRANSCRIPT_TEST_DIGESTS="+s.Digests, "TRANSCRIPT_TEST_PROJECTS="+s.Options.Projects)
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
		s.Digest(ctx)
	}
	for _, other := range others {
		if err := other.Wait(); err != nil {
			t.Errorf("%v\n%s", err, other.Stdout)
		}
	}
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 20*11 {
		t.Errorf("%d matches, want %d", r.Matches, 20*11)
	}
	s.Close()
	left, _ := filepath.Glob(s.Digests + "/.dream-*")
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
