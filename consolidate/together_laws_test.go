//go:build linux

package consolidate

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Each law of a chronicle finds what breaks it, and nothing in a chronicle that is well.
func TestLawsOfChronicle(t *testing.T) {
	step := func(at int64, name string) event { return event{At: at, What: "step " + name} }
	write := func(from int64) []event {
		return []event{{At: from, What: "call"}, step(from+1, "record"), step(from+2, "landed"), {At: from + 3, What: "acknowledged write"}}
	}
	// A dream of ours from 10 to 50, which looks at Claude Code's lock for the last time from 30 to 31.
	dream := []event{
		{At: 9, What: "call"}, step(10, "record"), step(11, "host"), step(12, "claimed"), {At: 13, What: "held"},
		step(30, "plan"), step(31, "mark"), step(50, "clear"), {At: 51, What: "acknowledged dream"},
	}
	host := func(free, verified, released int64) []event {
		return []event{{Since: free - 1, At: free, What: "free"}, {At: verified, What: "verified"}, {At: released, What: "released"}}
	}
	const f = "f0.md"
	change := func(id, from, to string) archived {
		return archived{id: id, changes: []link{{f, from, to, from}}, kept: map[string]string{from: f}}
	}
	for _, test := range []struct {
		name      string
		processes map[string][]event
		archives  []archived
		last      string // of f, whose first content is "a"
		want      string // the law that is broken, "" for none
	}{
		{"one after the other", map[string][]event{"writer-0": write(10), "writer-1": write(20)}, nil, "a", ""},
		{"a write within a write", map[string][]event{"writer-0": write(10), "writer-1": write(11)}, nil, "a", "exclusion"},
		{"a write within a dream", map[string][]event{"dreamer-0": dream, "writer-1": write(20)}, nil, "a", "exclusion"},
		{"a write beside a dream that was killed", map[string][]event{"dreamer-0": dream[:5], "writer-1": write(20)}, nil, "a", ""},

		{"Claude Code before", map[string][]event{"dreamer-0": dream, "host-1": host(5, 6, 8)}, nil, "a", ""},
		{"Claude Code found it free in a dream", map[string][]event{"dreamer-0": dream, "host-1": host(15, 60, 61)}, nil, "a", "host"},
		{"Claude Code's was taken", map[string][]event{"dreamer-0": dream, "host-1": host(5, 6, 20)}, nil, "a", "host"},
		{"landing beside Claude Code", map[string][]event{"dreamer-0": dream, "host-1": host(5, 20, 40)}, nil, "a", "host"},
		{"Claude Code was slow, and the dream landed nothing", map[string][]event{"dreamer-0": dream[:6], "host-1": host(5, 20, 40)}, nil, "a", ""},

		{"a chain", nil, []archived{change("1", "a", "b"), change("2", "b", "")}, "", ""},
		{"and back", nil, []archived{change("1", "a", "b"), change("2", "b", "a"), change("3", "a", "c")}, "c", ""},
		{"with a foreign link", map[string][]event{"foreign-0": {{What: "edited", Path: f, From: "b", To: "x"}}}, []archived{change("1", "a", "b"), change("2", "x", "c")}, "c", ""},
		{"two on one base", nil, []archived{change("1", "a", "b"), change("2", "a", "c")}, "c", "chain"},
		{"out of nothing", nil, []archived{change("1", "a", "b")}, "c", "chain"},
		{"a foreign edit that was lost", map[string][]event{"foreign-0": {{What: "edited", Path: f, From: "a", To: "x"}}}, []archived{change("1", "a", "b")}, "b", "chain"},
		{"landed or not: landed", map[string][]event{"foreign-0": {{What: "edited", Path: f, From: "b", To: "x"}}}, []archived{{id: "1", maybe: []link{{f, "a", "b", "a"}}}}, "x", ""},
		{"landed or not: not", map[string][]event{"foreign-0": {{What: "edited", Path: f, From: "a", To: "x"}}}, []archived{{id: "1", maybe: []link{{f, "a", "b", "a"}}}}, "x", ""},

		{"one of two deletions landed", map[string][]event{"foreign-0": {{What: "edited", Path: f, From: "a", To: "x"}, {What: "edited", Path: f, To: "y"}}},
			[]archived{{id: "1", maybe: []link{{f, "a", "", "a"}}}, {id: "2", maybe: []link{{f, "x", "", "x"}}}}, "y", ""},
		{"neither of two deletions landed", map[string][]event{"foreign-0": {{What: "edited", Path: f, From: "a", To: "x"}, {What: "edited", Path: f, From: "x", To: "y"}, {What: "edited", Path: f, To: "z"}}},
			[]archived{{id: "1", maybe: []link{{f, "a", "", "a"}}}, {id: "2", maybe: []link{{f, "x", "", "x"}}}}, "z", "chain"},

		{"told the truth", map[string][]event{"writer-0": {{What: "acknowledged write", ID: "1", Path: f, From: "a", To: "b"}}}, []archived{change("1", "a", "b")}, "b", ""},
		{"told of what never landed", map[string][]event{"writer-0": {{What: "acknowledged write", ID: "1", Path: f, From: "a", To: "b"}}}, nil, "a", "acknowledged"},
		{"told of another content", map[string][]event{"writer-0": {{What: "acknowledged write", ID: "1", Path: f, From: "a", To: "c"}}}, []archived{change("1", "a", "b")}, "b", "acknowledged"},
		{"written over another base", map[string][]event{"writer-0": {{What: "acknowledged write", ID: "1", Path: f, From: "x", To: "b"}}}, []archived{change("1", "a", "b")}, "b", "acknowledged"},
		{"a dream that left one out", map[string][]event{"dreamer-0": {{What: "acknowledged dream", ID: "1", Staged: map[string]string{f: "b", "f1.md": "c"}}}}, []archived{change("1", "a", "b")}, "b", "acknowledged"},
		{"a dream that said so", map[string][]event{"dreamer-0": {{What: "acknowledged dream", ID: "1", Left: []string{"f1.md"}, Staged: map[string]string{f: "b", "f1.md": "c"}}}}, []archived{change("1", "a", "b")}, "b", ""},

		{"found again", map[string][]event{"foreign-0": {{What: "replaced", Path: f, To: "x"}, {What: "replaced", Path: f, From: "x", To: "y"}}}, nil, "a", "kept"}, // but not the last
		{"by one editor after another", map[string][]event{"foreign-0-0": {{At: 1, What: "replaced", Path: "g0.md", To: "x"}}, "foreign-0-1": {{At: 2, What: "replaced", Path: "g0.md", From: "x", To: "y"}}}, []archived{{id: "1", kept: map[string]string{"y": "g0.md"}}}, "a", ""},
		{"by one, and lost before the next", map[string][]event{"foreign-0-0": {{At: 1, What: "replaced", Path: "g0.md", To: "x"}}, "foreign-0-1": {{At: 2, What: "replaced", Path: "g0.md", From: "z", To: "y"}}}, []archived{{id: "1", kept: map[string]string{"y": "g0.md"}}}, "a", "kept"},
		{"in an archive", map[string][]event{"foreign-0": {{What: "replaced", Path: "g0.md", To: "x"}}}, []archived{{id: "1", kept: map[string]string{"x": "g0.md"}}}, "a", ""},
		{"in no archive", map[string][]event{"foreign-0": {{What: "replaced", Path: "g0.md", To: "x"}}}, nil, "a", "kept"},
		{"in place, while it was replaced", map[string][]event{"foreign-0": {{Since: 11, At: 15, What: "rewritten", Path: "g0.md", To: "x"}}, "writer-0": write(10)}, nil, "a", ""},
		{"in place, afterwards", map[string][]event{"foreign-0": {{Since: 14, At: 15, What: "rewritten", Path: "g0.md", To: "x"}}, "writer-0": write(10)}, nil, "a", "kept"},
	} {
		h := &chronicle{processes: test.processes, archives: test.archives, first: map[string]string{f: "a"}, last: map[string]string{f: test.last}}
		broken := map[string]bool{}
		for _, v := range h.violations() {
			law, _, _ := strings.Cut(v, ":")
			broken[law] = true
		}
		if got := strings.Join(slices.Sorted(maps.Keys(broken)), " "); got != test.want {
			t.Errorf("%s: broken is %q, want %q: %s", test.name, got, test.want, h.violations())
		}
	}
}
