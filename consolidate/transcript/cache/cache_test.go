package cache

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dream-mcp/consolidate/host"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

func fileAt(t testing.TB, path string) said.File {
	t.Helper()
	stat, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return said.File{
		ID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), Path: path,
		Size: stat.Size(), ModTime: stat.ModTime(), Trust: said.ByFolder,
	}
}

// kept is all that a database says of a session.
func kept(t testing.TB, db *DB, f said.File) (all []string) {
	t.Helper()
	said, skipped, err := db.Said(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range said {
		u, found, err := db.At(t.Context(), f, s.Line, s.Place)
		if err != nil || !found || u.Text != s.Text || !u.Time.Equal(s.Time) || u.Speaker != s.Speaker {
			t.Fatalf("%+v is %+v, %v", s, u, err)
		}
		all = append(all, fmt.Sprintf("%+v %d %x", u, s.Manner, s.Key))
	}
	return append(all, fmt.Sprint(skipped))
}

// plain is the same of a plain reading.
func plain(t testing.TB, f said.File) (all []string) {
	t.Helper()
	source, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	var entries []*said.Entry
	r := said.NewReader(f, source.Lines(t.Context(), 1, 0, new(atomic.Int64)), func(u *said.Entry) error {
		if u.Speaker != said.Tool {
			entries = append(entries, u)
		}
		return nil
	})
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(entries, func(a, b *said.Entry) int { return cmp.Or(a.Line-b.Line, a.Place-b.Place) })
	for _, e := range entries {
		u := e.Utterance
		if u.Time.IsZero() {
			u.Time = f.ModTime
		}
		u.Time = u.Time.UTC()
		all = append(all, fmt.Sprintf("%+v %d %x", u, e.Manner, e.Key()))
	}
	return append(all, fmt.Sprint(r.Skipped))
}

// grow reads a transcript that is cut at some places, one after the other, and compares each with a plain reading.
func grow(t *testing.T, db *DB, format *said.Format, text string, cuts ...int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), fixture.ID(1)+".jsonl")
	slices.Sort(cuts)
	for _, n := range append(cuts, len(text)) {
		fixture.Overwrite(t, path, text[:n])
		f := fileAt(t, path)
		f.Format = format
		got, want := kept(t, db, f), plain(t, f)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("cut at %v of %d, at %d: utterance %d is\n%q, want\n%q", cuts, len(text), n, i, got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
			}
		}
	}
}

// FuzzGrown: what is kept of a transcript that was cut at any byte and grew, in parts of any size, is what a plain
// reading of it says.
func FuzzGrown(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint16(seed*37), uint16(seed*101))
	}
	f.Fuzz(func(t *testing.T, seed uint64, first, second uint16) {
		rng := rand.New(rand.NewPCG(seed, 2))
		text := fixture.RandomTalk(rng, 1, fixture.RandomTalk(rng, 2, nil).Lines).Text()
		if seed%3 == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		db := Open("", "", Mask{})
		defer db.Close()
		db.part = []int{0, 1, 50, 500}[seed%4]
		grow(t, db, nil, text, int(first)%(len(text)+1), int(second)%(len(text)+1))
	})
}

// FuzzForeign: the same of whatever a host's file holds.
func FuzzForeign(f *testing.F) {
	f.Add(fixture.CodexSession(fixture.ID(1), fixture.Root,
		fixture.CodexLineAt(4, "session_meta", fixture.Fields{"id": fixture.ID(2)}), fixture.CodexLineAt(6, "response_item",
			fixture.Fields{"type": "function_call", "name": "shell", "arguments": `{"command":["a"]}`, "call_id": "c1"})), uint16(700))
	f.Add(fixture.OpenClawSession(fixture.ID(1), fixture.Root, fixture.Speaks("user", fixture.Words("always light the lantern")), fixture.Speaks("assistant", fixture.Words("Lit."))), uint16(150))
	f.Add(fixture.GeminiLogText, uint16(300))
	f.Add("{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"\xff\\ud800\"}}{\"a\":[[[[", uint16(20))
	f.Fuzz(func(t *testing.T, text string, cut uint16) {
		for _, h := range host.List {
			for i := range h.Sessions {
				if format := &h.Sessions[i].Format; format.Collect == nil {
					db := Open("", "", Mask{})
					grow(t, db, format, text, int(cut)%(len(text)+1))
					db.Close()
				}
			}
		}
	})
}

// A reading that is cut off goes on where it was, and what is written is masked, the state of the reader too.
func TestCutOffAndMasked(t *testing.T) {
	talk := fixture.Talk(1)
	for n := range 50 {
		talk.User(fmt.Sprint("a secret lamp ", n)).Reply(fmt.Sprint("a secret answer ", n))
	}
	path := filepath.Join(t.TempDir(), fixture.ID(1)+".jsonl")
	fixture.Overwrite(t, path, talk.Text())
	f := fileAt(t, path)
	for _, cached := range []string{"", filepath.Join(t.TempDir(), FileName)} {
		masks := 0
		ctx, cancel := context.WithCancel(t.Context())
		db := Open(cached, "", Mask{Text: func(text string) string {
			if masks++; masks == 30 {
				cancel()
			}
			return strings.ReplaceAll(text, "secret", "*")
		}})
		db.part = 200
		if _, _, err := db.Said(ctx, f); err == nil {
			t.Fatal("it was not cut off")
		}
		all, _, err := db.Said(t.Context(), f)
		if err != nil || len(all) != 100 || !strings.Contains(all[0].Text, "a * lamp") || masks > 101+40 {
			t.Errorf("%q: %d utterances, %d texts were read, %v", cached, len(all), masks, err)
		}
		db.Close()
		if cached == "" {
			continue
		}
		data, err := os.ReadFile(cached)
		if err != nil || strings.Contains(string(data), "secret") {
			t.Errorf("a text is kept unmasked, or %v", err)
		}
	}
}
