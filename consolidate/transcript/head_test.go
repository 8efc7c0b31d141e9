package transcript

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// FuzzHeadParts: a head that was read as far as the judgement needs judges as the whole one does, and
// hides nothing from who asks for the whole later.
func FuzzHeadParts(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var all []*fixture
		for n := range 12 {
			f := talk(n + 1)
			for range 1 + rng.IntN(6) {
				f.cwd = []string{root, root + "/gallery", "/home/dev/light/house", "/elsewhere", ""}[rng.IntN(5)]
				switch rng.IntN(8) {
				case 0, 1:
					f.user([]string{"the lamp", "the door", warmUp, "the lens " + strings.Repeat("x", headBlock)}[rng.IntN(4)])
				case 2:
					f.reply("yes")
				case 3:
					f.add("custom-title", fields{"customTitle": "title"})
				case 4:
					f.userWith("aside", fields{"isSidechain": true})
				case 5:
					f.user(prompt)
				case 6:
					f.add("system", fields{"subtype": "x", "gitBranch": "later"})
				case 7:
					f.raw("{half")
				}
			}
			if rng.IntN(8) == 0 { // the end does not tell what the head told
				f.add("progress", fields{"data": strings.Repeat("x", headSize)})
			}
			all = append(all, f)
		}
		o := store(t, all...).options
		whole, counted := Open(o), Open(o)
		files, _, err := whole.files(time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, file := range files {
			h, err := whole.wholeHead(file)
			if err != nil {
				t.Fatal(err)
			}
			if h.reason == "" && whole.owns(file, h) {
				want++
			}
			if part, err := counted.head(file); err != nil || part.reason != h.reason || counted.owns(file, part) != whole.owns(file, h) {
				t.Errorf("%+v, %v; the whole is %+v", part, err, h)
			}
		}
		if n, err := counted.Count(t.Context(), time.Time{}, 0); n != want || err != nil {
			t.Errorf("%d sessions, %v; want %d", n, err, want)
		}
		first, skipped, err1 := whole.Sessions(t.Context(), time.Time{})
		second, met, err2 := counted.Sessions(t.Context(), time.Time{})
		if err1 != nil || err2 != nil || !reflect.DeepEqual(first, second) || !reflect.DeepEqual(skipped, met) {
			t.Errorf("%+v, %v, %v\nwant %+v, %v, %v", second, met, err2, first, skipped, err1)
		}
	})
}

// TestHeadPartsAreOfTheirRoots: a session that was ours by the first directory of its head is read on
// when that is no root any more.
func TestHeadPartsAreOfTheirRoots(t *testing.T) {
	f := talk(1).user("begin")
	f.cwd = "/home-dev/lighthouse" // another path, one slug
	f.user("go on")
	s := withDigests(t, store(t, f))
	count := func(s *Store, want int) {
		t.Helper()
		if n, err := s.Count(t.Context(), time.Time{}, 0); n != want || err != nil {
			t.Errorf("%d sessions of %q, %v; want %d", n, s.options.Roots, err, want)
		}
	}
	count(s, 1)
	for _, c := range s.heads {
		if !c.head.part || len(c.head.cwds) != 1 {
			t.Fatalf("more was read than the judgement needs: %+v", c.head)
		}
	}
	for _, test := range []struct {
		root string
		want int
	}{{root, 1}, {f.cwd, 1}, {"/home/dev-lighthouse", 0}} {
		o := s.options
		o.Roots = []string{test.root}
		count(Open(o), test.want)
	}
}
