package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// lengths is a classifier for tests: it is easy to tell what it must say.
func lengths(speaker Speaker, text string) uint16 {
	if speaker == User {
		return 1 << (len(text) % SignalKinds)
	}
	return 0
}

var testMaking = making{"lengths", lengths, maxPart}

// noParts fails where a digest has more than one part.
func noParts(full, next *digest) error { return errTooBig }

// digested returns the digest of a file, made anew or from another.
func digested(t testing.TB, path string, before *digest) *digest {
	t.Helper()
	d, err := testMaking.digest(t.Context(), fileAt(t, path), before, new(atomic.Int64), noParts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fileAt(t testing.TB, path string) file {
	t.Helper()
	stat, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return file{
		id: strings.TrimSuffix(filepath.Base(path), ".jsonl"), path: path,
		size: stat.Size(), modTime: stat.ModTime(), trust: whole,
	}
}

// whole is all that a digest says, as a file would hold it.
func (d *digest) all() []byte { return append(d.encode(), d.text...) }

// write puts text into a file, in place, with a time that does not change.
func overwrite(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, start, start); err != nil {
		t.Fatal(err)
	}
}

// FuzzDigest is the law of digests: what is built from a transcript that was cut at any byte, and
// extended by the rest, is what is built from the whole; and its file holds all of it.
func FuzzDigest(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint16(seed*37), uint16(seed*101))
	}
	f.Fuzz(func(t *testing.T, seed uint64, first, second uint16) {
		rng := rand.New(rand.NewPCG(seed, 2))
		text := randomTalk(rng, 1, randomTalk(rng, 2, nil).lines).text()
		if seed%3 == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		path := filepath.Join(t.TempDir(), id(1)+".jsonl")
		var cuts []int
		for _, n := range []uint16{first, second} {
			cuts = append(cuts, int(n)%(len(text)+1))
		}
		slices.Sort(cuts)
		overwrite(t, path, text)
		whole := digested(t, path, nil)
		var grown *digest
		for _, n := range append(cuts, len(text)) {
			overwrite(t, path, text[:n])
			if grown = digested(t, path, grown); !bytes.Equal(grown.all(), digested(t, path, nil).all()) {
				t.Fatalf("cut at %v of %d: at %d it differs", cuts, len(text), n)
			}
		}
		if !bytes.Equal(grown.all(), whole.all()) {
			t.Fatalf("cut at %v of %d:\n%q\n%q\n%s", cuts, len(text), grown.all(), whole.all(), text)
		}
		read, err := decodeDigest(bytes.NewReader(whole.all()), int64(len(whole.all())))
		if err != nil || !bytes.Equal(read.all(), whole.all()) {
			t.Fatalf("its file: %v", err)
		}
		// It says what a reading says.
		said, skipped := utterances(t, text)
		said = slices.DeleteFunc(said, func(u *utterance) bool { return u.Speaker == Tool })
		order := whole.order()
		if len(said) != len(whole.rows) || fmt.Sprint(skipped) != fmt.Sprint(whole.head.Skipped) {
			t.Fatalf("%d utterances, skipped %v; want %d, %v", len(whole.rows), whole.head.Skipped, len(said), skipped)
		}
		for i, u := range said {
			n := i
			if order != nil {
				n = order[i]
			}
			got, want := whole.utterance(n, &file{id: id(1)}), u.Utterance
			if got.Time = want.Time; got != want || whole.rows[n].key != u.key() {
				t.Fatalf("utterance %d:\n%+v\n%+v", i, got, want)
			}
		}
	})
}

// FuzzDigestFile: a digest's file may hold anything.
func FuzzDigestFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), id(1)+".jsonl")
	overwrite(f, path, talk(1).user("a lamp").reply("two\nlines").text())
	d := digested(f, path, nil)
	d.head.Path, d.head.ModTime, d.head.Inode = "", 0, 0 // each of the fuzzer's processes makes its own
	good := d.all()
	f.Add(good, 0, byte(0))
	for i := range len(good) {
		f.Add(good, i, byte(1+i%255))
		f.Add(good[:i], 0, byte(0))
	}
	f.Fuzz(func(t *testing.T, file []byte, at int, change byte) {
		file = bytes.Clone(file)
		if at >= 0 && at < len(file) {
			file[at] ^= change
		}
		d, err := decodeDigest(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		if !bytes.Equal(file, good) {
			t.Fatal("a changed file was believed")
		}
		for i := range d.rows {
			d.utterance(i, &fileOfTest)
		}
		d.order()
	})
}

var fileOfTest = file{id: id(1)}

// What points beyond a digest is refused even where the checksum is right.
func TestUnsoundDigests(t *testing.T) {
	path := filepath.Join(t.TempDir(), id(1)+".jsonl")
	overwrite(t, path, talk(1).user("a lamp").reply("another").text())
	tests := map[string]func(*digest){
		"text beyond the end":     func(d *digest) { d.rows[0].text = 1 << 30 },
		"text that goes back":     func(d *digest) { d.rows[1].text = 0 },
		"text without a gap":      func(d *digest) { d.text = strings.ReplaceAll(d.text, gap, "x") },
		"text that is no UTF-8":   func(d *digest) { d.text = "\xfe" + d.text[1:] },
		"a string beyond the end": func(d *digest) { d.rows[0].cwd = 9 },
		"no strings":              func(d *digest) { d.head.Strings = nil },
		"a UUID beyond the end":   func(d *digest) { d.rows[1].uuid = 1 << 31 },
		"a line before the first": func(d *digest) { d.rows[0].line = 0 },
		"more settled than there": func(d *digest) { d.head.Settled.Rows = 3 },
		"less than none settled":  func(d *digest) { d.head.Settled.Rows = -1 },
		"settled text elsewhere":  func(d *digest) { d.head.Settled.Text++ },
		"settled strings fewer":   func(d *digest) { d.head.Settled.Strings = 0 },
		"another version":         func(d *digest) { d.head.Version++ },
		"going on before":         func(d *digest) { d.head.Settled.State.Offset = -1 },
		"going on behind":         func(d *digest) { d.head.Settled.State.Offset = 1 << 40 },
	}
	for name, harm := range tests {
		d := digested(t, path, nil)
		if _, err := decodeDigest(bytes.NewReader(d.all()), int64(len(d.all()))); err != nil {
			t.Fatal(err)
		}
		harm(d)
		if _, err := decodeDigest(bytes.NewReader(d.all()), int64(len(d.all()))); err == nil {
			t.Errorf("%s: it was believed", name)
		}
	}
}

// withDigests is a store with a folder for its digests, and what a search has built behind it.
func withDigests(t testing.TB, s *Store) *Store {
	t.Helper()
	o := s.options
	o.Digests = filepath.Join(t.TempDir(), "state", "digests")
	with := Open(o)
	with.Budget = time.Minute
	with.Classify, with.Classifier = lengths, "lengths"
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
		first := randomTalk(rng, 1, nil)
		plain := store(t, first, randomTalk(rng, 2, first.lines))
		plain.DigestMemory = 0
		q := Query{Pattern: text, Regex: expression, Limit: 1 + rng.IntN(20)}
		if rng.IntN(2) == 0 {
			q.Speakers = []Speaker{User, Assistant, Tool}[rng.IntN(3):]
		}
		full := q
		if full.complete() != nil {
			t.Skip()
		}
		if _, err := compile(full); err != nil {
			t.Skip()
		}
		want := namesOf(oracle(t, plain, full))
		s := withDigests(t, plain)
		if n, err := s.Digest(t.Context()); err != nil || n == 0 {
			t.Fatal(n, err)
		}
		again := Open(s.options)
		again.Classifier, again.Budget, again.DigestMemory = "lengths", time.Minute, 0 // from the folder alone
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
			equal(t, "hits", got, want)
		}
	})
}

// What was taken away or changed under a digest is never believed.
func TestDigestsFollowTheirTranscripts(t *testing.T) {
	f := talk(1).user("a lamp at first")
	s := withDigests(t, store(t, f))
	files, _, err := s.files(time.Time{})
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	path := files[0].path
	settle := func() {
		if _, err := s.Digest(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, texts ...string) {
		t.Helper()
		for _, when := range []string{"at once", "digested"} {
			r := search(t, s, Query{Pattern: "lamp"})
			equal(t, what+", "+when, hits(r), texts)
			settle()
		}
	}
	write := func(text string, second int) {
		t.Helper()
		overwrite(t, path, text)
		when := start.Add(time.Duration(second) * time.Second)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	want("built", "a lamp at first")
	f.user("a lamp then")
	write(f.text(), 100)
	want("appended", "a lamp then", "a lamp at first")
	write(strings.Replace(f.text(), "lamp at first", "lump at first", 1), 101)
	want("edited in place", "a lamp then")
	write(talk(1).user("a lamp anew").text(), 102)
	want("cut", "a lamp anew")
	write(talk(1).user("another lamp anew").user("and a lamp more").text(), 103)
	want("replaced by a longer one", "and a lamp more", "another lamp anew")
	write(talk(1).user("another lamp anew").user("and a lamp more").text(), 104)
	want("touched", "and a lamp more", "another lamp anew")
	os.Rename(path, path+".old")
	write(talk(1).user("another lamp anew").user("and a lamp more").user("and a lamp in a new file").text(), 105)
	want("another file", "and a lamp in a new file", "and a lamp more", "another lamp anew")
	write(talk(1).user("another lamp anew").text()+`{"type":"user","cwd":"`+root+`","message":{"content":"half a la`, 106)
	want("half a line", "another lamp anew")
}

// What lies between the head of a transcript and its last block is compared with nothing: other
// things tell that it changed.
func TestDigestsOfEditedTranscripts(t *testing.T) {
	f := talk(1)
	for range 100 {
		f.user("shine " + strings.Repeat("x", 500))
	}
	f.lines[50] = strings.Replace(f.lines[50], "shine", "a LAMP", 1)
	edited := strings.Replace(f.text(), "a LAMP", "a door", 1)
	half := `{"type":"user","message":{"content":"half`
	last := f.text()[:len(f.text())-600] + strings.Replace(f.text()[len(f.text())-600:], "xxxx", "LAMP", 1)
	first := strings.Replace(f.text(), "shine", "LAMP.", 1)
	more := talk(1).user("more").lines[0] + "\n"
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
		files, _, err := s.files(time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		overwrite(t, files[0].path, f.text()+test.half)
		if test.unix && inode(must(os.Stat(files[0].path))) == 0 {
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
				if err := test.edit(files[0].path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A folder of digests may hold anything, or be gone, at any moment.
func TestDamagedDigests(t *testing.T) {
	s := withDigests(t, store(t, talk(1).user("one lamp"), talk(2).user("two lamp")))
	files, _, err := s.files(time.Time{})
	if err != nil || files[0].size != files[1].size {
		t.Fatal(files, err)
	}
	for _, f := range files { // nothing but its name tells one from the other
		if err := os.Chtimes(f.path, start, start); err != nil {
			t.Fatal(err)
		}
	}
	folder := s.options.Digests
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
			all, err := filepath.Glob(folder + "/*" + digestEnding)
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
				s.options.Digests = folder
				return s
			}
			if n, err := fresh().Digest(t.Context()); n != 2 || err != nil {
				t.Fatal(n, err)
			}
			paths, err := filepath.Glob(folder + "/*" + digestEnding)
			if err != nil || len(paths) != 2 {
				t.Fatal(paths, err)
			}
			if err := harm(paths[0]); err != nil {
				t.Fatal(err)
			}
			after := fresh()
			for range 2 {
				r := search(t, after, Query{Pattern: "lamp"})
				equal(t, "hits", hits(r), []string{"one lamp", "two lamp"})
				if n, err := after.Digest(t.Context()); n != 2 || err != nil {
					t.Fatal(n, err)
				}
			}
		})
	}
}

func TestDigestsArePrivateAndSwept(t *testing.T) {
	s := withDigests(t, store(t, talk(1).user("one lamp"), talk(2).user("two lamps")))
	search(t, s, Query{Pattern: "lamp"})
	wait(t, s)
	folder := s.options.Digests
	stat, err := os.Stat(folder)
	if err != nil || stat.Mode().Perm()&0o077 != 0 {
		t.Fatal(stat.Mode(), err)
	}
	paths, _ := filepath.Glob(folder + "/*" + digestEnding)
	if len(paths) != 2 {
		t.Fatalf("digests %q", paths)
	}
	for _, path := range paths {
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm()&0o077 != 0 {
			t.Error(stat.Mode(), err)
		}
		if strings.Contains(path, id(1)[:8]) {
			t.Errorf("%q tells of its session", path)
		}
	}
	files, _, _ := s.files(time.Time{})
	os.Remove(files[0].path)
	os.WriteFile(folder+"/.new-123", nil, 0o600)
	old := time.Now().Add(-2 * staleTemporary)
	os.Chtimes(folder+"/.new-123", old, old)
	os.WriteFile(folder+"/.new-456", nil, 0o600)
	os.WriteFile(folder+"/x"+digestEnding, []byte("x"), 0o600)
	s.digests().sweep()
	if left, _ := filepath.Glob(folder + "/*"); len(left) != 2 || !strings.HasSuffix(left[0], ".new-456") {
		t.Errorf("left %q, want one digest and the fresh temporary", left)
	}
}

// wait waits for what is done behind an answer.
func wait(t testing.TB, s *Store) {
	t.Helper()
	s.digests().done.Wait()
}

func TestMemoryOfDigestsIsBounded(t *testing.T) {
	var all []*fixture
	for n := range 40 {
		all = append(all, talk(n+1).user("lamp "+strings.Repeat("x", 1000)))
	}
	plain := store(t, all...)
	for _, folder := range []bool{true, false} {
		s := withDigests(t, plain)
		if !folder {
			s.options.Digests = ""
		}
		s.DigestMemory = 30_000
		for range 3 {
			if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 40 {
				t.Errorf("%d matches", r.Matches)
			}
			wait(t, s)
			ds := s.digests()
			if len(ds.kept) == 0 || ds.size > ds.limit {
				t.Errorf("%d digests of %d bytes in memory, %d are allowed", len(ds.kept), ds.size, ds.limit)
			}
		}
		newest, _, _ := s.files(time.Time{})
		if s.digests().peek(s.making(), newest[0]) == nil || s.digests().peek(s.making(), newest[39]) != nil {
			t.Error("want the newest in memory, not the oldest")
		}
	}
}

func TestCloseStopsBuilding(t *testing.T) {
	var all []*fixture
	for n := range 50 {
		all = append(all, talk(n+1).user("lamp").user(strings.Repeat("x", 100_000)))
	}
	s := withDigests(t, store(t, all...))
	search(t, s, Query{Pattern: "lamp"})
	s.Close()
	before, _ := filepath.Glob(s.options.Digests + "/*")
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 50 {
		t.Errorf("%d matches after Close", r.Matches)
	}
	time.Sleep(10 * time.Millisecond)
	if after, _ := filepath.Glob(s.options.Digests + "/*"); len(after) != len(before) {
		t.Errorf("%d digests were built behind a closed store", len(after)-len(before))
	}
	s.Close()
}

// FuzzParts: the parts of a digest are the same whether it was built at once or extended, and say together what one part
// says; whatever the folder has lost.
func FuzzParts(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint16(seed*97), uint16(200+seed*20))
	}
	f.Fuzz(func(t *testing.T, seed uint64, cut, size uint16) {
		rng := rand.New(rand.NewPCG(seed, 4))
		text := randomTalk(rng, 1, nil).text()
		path := filepath.Join(t.TempDir(), id(1)+".jsonl")
		m := testMaking
		m.partSize = 1 + int(size)
		build := func(ds *digests) (all string, rows int) {
			d, err := ds.fresh(t.Context(), m, fileAt(t, path), new(atomic.Int64))
			if err != nil {
				t.Fatal(err)
			}
			err = ds.each(fileAt(t, path), d, func(part *digest, first int) error {
				if first != rows {
					t.Errorf("a part begins with row %d, want %d", first, rows)
				}
				for i := range part.rows {
					u := part.utterance(i, &fileOfTest)
					all += fmt.Sprintf("%+v\n", u)
					if p, n, err := ds.row(fileAt(t, path), d, first+i); err != nil || p.utterance(n, &fileOfTest) != u {
						t.Errorf("row %d: %v", first+i, err)
					}
				}
				rows += len(part.rows)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return all + fmt.Sprint(d.head.Skipped, d.head.Latest, d.untimed()), rows
		}
		open := func(folder string) *digests { return newDigests(folder, 1<<20, nil) }
		folder := t.TempDir()
		overwrite(t, path, text[:int(cut)%(len(text)+1)])
		grown := open(folder)
		build(grown)
		overwrite(t, path, text)
		got, _ := build(grown)
		once := t.TempDir()
		if want, _ := build(open(once)); got != want {
			t.Fatalf("extended:\n%s\nat once:\n%s", got, want)
		}
		parts, _ := filepath.Glob(once + "/*")
		for _, part := range parts {
			a, _ := os.ReadFile(part)
			if b, err := os.ReadFile(filepath.Join(folder, filepath.Base(part))); !bytes.Equal(a, b) || err != nil {
				if filepath.Ext(strings.TrimSuffix(part, digestEnding)) != "" {
					t.Fatalf("%s differs", part)
				}
			}
		}
		m.partSize = maxPart
		if want, _ := build(open("")); got != want {
			t.Fatalf("in parts:\n%s\nin one:\n%s", got, want)
		}
		m.partSize = 1 + int(size)
		os.Remove(parts[rng.IntN(len(parts))])
		if again, _ := build(open(once)); again != got {
			t.Fatalf("after a loss:\n%s\nwant:\n%s", again, got)
		}
	})
}

// A session that says much is searched whole, and its digest is not built again by the next process.
func TestLargeSessions(t *testing.T) {
	f := talk(1).user("a lamp").user(strings.Repeat("words ", maxText/6))
	for range 4 {
		f.raw(strings.Replace(f.lines[1], `"uuid":"`, `"uuid":"`+fmt.Sprint(len(f.lines)), 1))
	}
	f.reply("the last lamp")
	s := withDigests(t, store(t, f))
	if n, err := s.Digest(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d digests, %v", n, err)
	}
	again := withDigests(t, s)
	again.options.Digests = s.options.Digests
	for _, s := range []*Store{s, again} {
		r := search(t, s, Query{Pattern: "lamp"})
		equal(t, "hits", hits(r), []string{"the last lamp", "a lamp"})
		for _, h := range r.Hits {
			if u, err := s.Lookup(t.Context(), h.ID); err != nil || !strings.Contains(u.Text, "lamp") {
				t.Errorf("Lookup(%q) = %q, %v", h.ID, u.Text, err)
			}
		}
		if ranked, r, err := s.Ranked(t.Context(), "which lamp is the last", Query{}); err != nil || r.Matches != 2 || len(ranked) < 2 || r.AtLeast {
			t.Errorf("%d hits, %+v, %v", len(ranked), r, err)
		}
	}
	files, _, _ := s.files(time.Time{})
	third := withDigests(t, s)
	third.options.Digests = s.options.Digests
	read := atomic.Int64{}
	d, err := third.digests().fresh(t.Context(), third.making(), files[0], &read)
	if err != nil || len(d.head.Sealed) < 3 || read.Load() != 0 {
		t.Errorf("%d sealed parts, %v, %d bytes read; want none read", len(d.head.Sealed), err, read.Load())
	}
}

// Where a large session has no room for its parts, a search says so.
func TestLargeSessionsWithoutAFolder(t *testing.T) {
	f := talk(1).user("a lamp").user(strings.Repeat("words ", maxText/6)).user("a lamp")
	for range 2 {
		f.raw(strings.Replace(f.lines[1], `"uuid":"`, `"uuid":"`+fmt.Sprint(len(f.lines)), 1))
	}
	s := store(t, f)
	if r := search(t, s, Query{Pattern: "lamp"}); r.Skipped[Unreadable] != 1 {
		t.Errorf("%+v", r)
	}
	if _, r, err := s.Ranked(t.Context(), "lamp", Query{}); err != nil || r.Skipped[Unreadable] != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Several processes build the digests of growing transcripts at once: what each finds is right.
func TestProcessesBuildingAtOnce(t *testing.T) {
	if folder := os.Getenv("TRANSCRIPT_TEST_DIGESTS"); folder != "" {
		s := Open(Options{Projects: os.Getenv("TRANSCRIPT_TEST_PROJECTS"), Roots: []string{root}, Digests: folder})
		s.Budget = time.Minute
		for ctx := t.Context(); ctx.Err() == nil; {
			r := search(t, s, Query{Pattern: "lamp", Limit: 200, Context: 1})
			if r.Matches < 20 || len(r.Hits) < 20 || r.Skipped[BadLine] > 0 {
				t.Fatalf("%d matches, skipped %v", r.Matches, r.Skipped)
			}
			s.Digest(ctx)
			s.Close() // what it does behind its answers would end with the process, half done
			if r.Matches == 20*11 {
				return
			}
			s = Open(s.options) // another process's digests, again
			s.Budget = time.Minute
		}
		return
	}
	var all []*fixture
	for n := range 20 {
		all = append(all, talk(n+1).user("lamp"))
	}
	s := withDigests(t, store(t, all...))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var others []*exec.Cmd
	for range 2 {
		other := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProcessesBuildingAtOnce$")
		other.Env = append(os.Environ(), "TRANSCRIPT_TEST_DIGESTS="+s.options.Digests, "TRANSCRIPT_TEST_PROJECTS="+s.options.Projects)
		var out bytes.Buffer
		other.Stdout, other.Stderr = &out, &out
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		others = append(others, other)
	}
	for range 10 {
		for n, f := range all {
			line := f.user("another lamp").lines[len(f.lines)-1] + "\n"
			out, err := os.OpenFile(filepath.Join(s.options.Projects, slug, id(n+1)+".jsonl"), os.O_APPEND|os.O_WRONLY, 0)
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
	left, _ := filepath.Glob(s.options.Digests + "/.new*")
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// The folder of former versions is removed when they are not in use any more, and nothing else in it.
func TestFormerDigestsAreRemoved(t *testing.T) {
	s := withDigests(t, store(t, talk(1).user("a lamp")))
	s.options.Digests = filepath.Join(t.TempDir(), "said")
	former := filepath.Join(filepath.Dir(s.options.Digests), formerFolder)
	fill := func(names ...string) {
		t.Helper()
		if err := os.MkdirAll(former, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(former, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() string {
		s.digests().sweep()
		entries, err := os.ReadDir(former)
		return fmt.Sprint(entries, errors.Is(err, os.ErrNotExist))
	}
	old := time.Now().Add(-formerAge - time.Hour)
	fill("0"+digestEnding, "heads", ".new-1")
	if got := left(); got != "[- .new-1 - 0.digest - heads] false" {
		t.Errorf("in use: %s", got)
	}
	os.Chtimes(former, old, old)
	if got := left(); got != "[] true" {
		t.Errorf("unused: %s", got)
	}
	fill("heads", "a person's")
	os.Chtimes(former, old, old)
	if got := left(); got != "[- a person's] false" {
		t.Errorf("with another file: %s", got)
	}
}

// What a narrow search lacks is built first, and the rest after it.
func TestNarrowSearchKeepsTheQueue(t *testing.T) {
	var all []*fixture
	for n := range 60 {
		all = append(all, talk(n+1).user("a lamp "+strings.Repeat("x", 1000)))
	}
	s := withDigests(t, store(t, all...))
	s.Budget, s.Counting = time.Nanosecond, 0
	s.digests().workers = 1 << 20 // nothing is built yet
	if r := search(t, s, Query{Pattern: "lamp"}); !r.AtLeast {
		t.Fatalf("%+v", r)
	}
	s.DigestLater()
	s.digests().done.Wait()
	s.digests().later(s.making(), []file{fileAt(t, filepath.Join(s.options.Projects, slug, id(1)+".jsonl"))})
	if waiting := s.digests().waiting; len(waiting) != 60 || waiting[0].id != id(1) {
		t.Errorf("%d sessions are waiting, the first is %s", len(waiting), waiting[0].id)
	}
	s.digests().workers = 0
	s.DigestLater()
	wait(t, s)
	if built, _ := filepath.Glob(s.options.Digests + "/*" + digestEnding); len(built) != 60 {
		t.Errorf("%d digests were built, want 60", len(built))
	}
}
