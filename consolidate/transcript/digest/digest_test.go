package digest

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dream-mcp/consolidate/transcript/bench/fixture"
	"dream-mcp/consolidate/transcript/said"
)

// noParts fails where a digest has more than one part.
func noParts(full, next *Digest) error { return said.ErrTooBig }

// digested returns the digest of a file, made from the file or from an older digest.
func digested(t testing.TB, path string, before *Digest) *Digest {
	t.Helper()
	d, err := new(Store).digest(t.Context(), fileAt(t, path), before, new(atomic.Int64), noParts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fileAt(t testing.TB, path string) said.File {
	t.Helper()
	stat, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return said.File{
		ID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), Path: path,
		Size: stat.Size(), ModTime: stat.ModTime(), Trust: said.Whole,
	}
}

// whole is all that a digest says, as a file would hold it.
func (d *Digest) all() []byte { b, _ := d.encode(); return b }

// FuzzDigest is the law of digests: what is built from a transcript that was cut at any byte, and
// extended by the rest, is what is built from the whole; and its file holds all of it.
func FuzzDigest(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint16(seed*37), uint16(seed*101))
	}
	f.Fuzz(func(t *testing.T, seed uint64, first, second uint16) {
		rng := rand.New(rand.NewPCG(seed, 2))
		text := fixture.RandomTalk(rng, 1, fixture.RandomTalk(rng, 2, nil).Lines).Text()
		if seed%3 == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		path := filepath.Join(t.TempDir(), fixture.ID(1)+".jsonl")
		var cuts []int
		for _, n := range []uint16{first, second} {
			cuts = append(cuts, int(n)%(len(text)+1))
		}
		slices.Sort(cuts)
		fixture.Overwrite(t, path, text)
		whole := digested(t, path, nil)
		var grown *Digest
		for _, n := range append(cuts, len(text)) {
			fixture.Overwrite(t, path, text[:n])
			if grown = digested(t, path, grown); !bytes.Equal(grown.all(), digested(t, path, nil).all()) {
				t.Fatalf("cut at %v of %d: at %d it differs", cuts, len(text), n)
			}
		}
		if !bytes.Equal(grown.all(), whole.all()) {
			t.Fatalf("cut at %v of %d:\n%q\n%q\n%s", cuts, len(text), grown.all(), whole.all(), text)
		}
		read, err := decodeDigest(whole.all())
		if err != nil || !bytes.Equal(read.all(), whole.all()) {
			t.Fatalf("its file: %v", err)
		}
		// It says what a reading says.
		all, skipped := readAll(t, text)
		all = slices.DeleteFunc(all, func(u *said.Entry) bool { return u.Speaker == said.Tool })
		order := whole.Order()
		if len(all) != len(whole.Rows) || fmt.Sprint(skipped) != fmt.Sprint(whole.Head.Skipped) {
			t.Fatalf("%d utterances, skipped %v; want %d, %v", len(whole.Rows), whole.Head.Skipped, len(all), skipped)
		}
		for i, u := range all {
			n := order[i]
			got, want := whole.Utterance(n, &said.File{ID: fixture.ID(1)}), u.Utterance
			if got.Time = want.Time; got != want || whole.Rows[n].Key != u.Key() {
				t.Fatalf("utterance %d:\n%+v\n%+v", i, got, want)
			}
		}
	})
}

func readAll(t testing.TB, text string) ([]*said.Entry, said.Skipped) {
	t.Helper()
	var all []*said.Entry
	r := said.NewReader(said.File{ID: fixture.ID(1)}, said.NewLineReader(strings.NewReader(text), said.ReadBlock), func(u *said.Entry) error {
		all = append(all, u)
		return nil
	})
	r.Tools = func([]byte) bool { return true }
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *said.Entry) int { return cmp.Or(a.Line-b.Line, a.Place-b.Place) })
	return all, r.Skipped
}

// FuzzDigestFile: a digest's file may hold anything.
func FuzzDigestFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), fixture.ID(1)+".jsonl")
	fixture.Overwrite(f, path, fixture.Talk(1).User("a lamp").Reply("two\nlines").Text())
	d := digested(f, path, nil)
	d.Head.Path, d.Head.ModTime, d.Head.Inode = "", 0, 0 // each of the fuzzer's processes makes its own
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
		d, err := decodeDigest(file)
		if err != nil {
			return
		}
		if !bytes.Equal(file, good) {
			t.Fatal("a changed file was believed")
		}
		for i := range d.Rows {
			d.Utterance(i, &fileOfTest)
		}
		d.Order()
	})
}

var fileOfTest = said.File{ID: fixture.ID(1)}

// FuzzParts: the parts of a digest are the same whether it was built at once or extended, and say together what one part
// says; whatever the folder has lost.
func FuzzParts(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint16(seed*97), uint16(200+seed*20))
	}
	f.Fuzz(func(t *testing.T, seed uint64, cut, size uint16) {
		rng := rand.New(rand.NewPCG(seed, 4))
		text := fixture.RandomTalk(rng, 1, nil).Text()
		path := filepath.Join(t.TempDir(), fixture.ID(1)+".jsonl")
		partSize := 1 + int(size)
		build := func(ds *Store) (all string, rows int) {
			ds.partSize = partSize
			d, err := ds.Fresh(t.Context(), fileAt(t, path), new(atomic.Int64))
			if err != nil {
				t.Fatal(err)
			}
			err = ds.Each(fileAt(t, path), d, func(part *Digest, first int) error {
				if first != rows {
					t.Errorf("a part begins with row %d, want %d", first, rows)
				}
				for i := range part.Rows {
					u := part.Utterance(i, &fileOfTest)
					all += fmt.Sprintf("%+v\n", u)
					if p, n, err := ds.Row(fileAt(t, path), d, first+i); err != nil || p.Utterance(n, &fileOfTest) != u {
						t.Errorf("row %d: %v", first+i, err)
					}
				}
				rows += len(part.Rows)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return all + fmt.Sprint(d.Head.Skipped, d.Head.Latest, d.Untimed()), rows
		}
		open := func(folder string) *Store { return Open(folder, 1<<20, nil, Mask{}) }
		folder := t.TempDir()
		fixture.Overwrite(t, path, text[:int(cut)%(len(text)+1)])
		grown := open(folder)
		build(grown)
		fixture.Overwrite(t, path, text)
		got, _ := build(grown)
		once := t.TempDir()
		if want, _ := build(open(once)); got != want {
			t.Fatalf("extended:\n%s\nat once:\n%s", got, want)
		}
		parts, _ := filepath.Glob(once + "/*")
		for _, part := range parts {
			a, _ := os.ReadFile(part)
			if b, err := os.ReadFile(filepath.Join(folder, filepath.Base(part))); !bytes.Equal(a, b) || err != nil {
				if filepath.Ext(strings.TrimSuffix(part, ".digest")) != "" {
					t.Fatalf("%s differs", part)
				}
			}
		}
		partSize = maxPart
		if want, _ := build(open("")); got != want {
			t.Fatalf("in parts:\n%s\nin one:\n%s", got, want)
		}
		partSize = 1 + int(size)
		os.Remove(parts[rng.IntN(len(parts))])
		if again, _ := build(open(once)); again != got {
			t.Fatalf("after a loss:\n%s\nwant:\n%s", again, got)
		}
	})
}

// some returns the files of so many sessions.
func some(t testing.TB, n int) (files []said.File) {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		files = append(files, fileAt(t, fixture.Put(t, folder, fixture.ID(i+1)+".jsonl", fixture.Talk(i+1).User("a lamp "+strings.Repeat("x", 1000)).Text(), i)))
	}
	return files
}

// The digests in memory are the newest, as many as fit.
func TestMemoryIsBounded(t *testing.T) {
	ds := Open(t.TempDir(), 30_000, nil, Mask{})
	files := some(t, 40)
	for _, f := range files {
		if _, err := ds.Fresh(t.Context(), f, new(atomic.Int64)); err != nil {
			t.Fatal(err)
		}
		if len(ds.kept) == 0 || ds.size > ds.limit {
			t.Errorf("%d digests of %d bytes in memory, %d are allowed", len(ds.kept), ds.size, ds.limit)
		}
	}
	if len(ds.busy) != 0 {
		t.Errorf("%d digests are still said to be built", len(ds.busy))
	}
	if ds.Peek(files[39]) == nil || ds.Peek(files[0]) != nil {
		t.Error("want the newest in memory, not the oldest")
	}
}

// What a narrow search lacks is built first, and the rest after it.
func TestLaterKeepsTheQueue(t *testing.T) {
	ds := Open(t.TempDir(), 1<<20, func() func(string) bool { return func(string) bool { return false } }, Mask{})
	files := some(t, 60)
	ds.workers = 1 << 20 // nothing is built yet
	ds.Later(files)
	ds.Later(files[59:])
	if len(ds.waiting) != 60 || ds.waiting[0].ID != fixture.ID(60) {
		t.Errorf("%d sessions are waiting, the first is %s", len(ds.waiting), ds.waiting[0].ID)
	}
	ds.workers = 0
	ds.Later(files[:1])
	ds.Wait()
	if built, _ := filepath.Glob(ds.folder + "/*.digest"); len(built) != 60 {
		t.Errorf("%d digests were built, want 60", len(built))
	}
}
