package rule

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"dream-mcp/memory"
)

// Who may take what away: each cell of the law, and what does not count as a loss.
func TestLosses(t *testing.T) {
	const (
		say  = "Keep pull requests under 300 lines. A review of more is not read."
		long = "The harbour crane lifts 12 tons. Its brake is checked on Mondays by Mareike, with the winch. " +
			"The spare cable hangs in the north shed, behind the ladder. Divers are called at the tide office, and paid by the hour."
		team = "The staging host is harbour-7 in Trondheim."
		part = "The harbour crane lifts 12 tons. Its brake is checked on Mondays by Mareike."
	)
	type files = map[string]string
	memories := func(n int) files { // f, which is of type feedback, and n others
		all := files{"f.md": memo("f", "feedback", say)}
		for i := range n {
			name := string(rune('a'+i)) + "0"
			all[name+".md"] = memo(name, "project", "fact "+name)
		}
		return all
	}
	with := func(all files, more ...string) files {
		all = maps.Clone(all)
		for i := 0; i < len(more); i += 2 {
			if all[more[i]] = more[i+1]; more[i+1] == "" {
				delete(all, more[i])
			}
		}
		return all
	}
	person := strings.Replace(memo("p", "user", say), "metadata:\n", "metadata:\n  scope: person\n", 1)
	others := memories(20)
	type test struct {
		name                         string
		before, after                files
		attended, unattended, single string // what is lost, with its verdict
	}
	tests := []test{
		{"own, deleted", memories(20), with(memories(20), "f.md", ""), "f.md reason", "f.md person", "f.md person"},
		{"own, deleted, its type by its name", files{"feedback_a.md": "Ada."}, files{}, "feedback_a.md reason", "feedback_a.md person", "feedback_a.md person"},
		{"own, deleted, its type in capitals", files{"a.md": memo("a", "Feedback", "Ada.")}, files{}, "a.md reason", "a.md person", "a.md person"},
		{"own, deleted, its type at the top", files{"a.md": "---\ntype: user\n---\nAda."}, files{}, "a.md reason", "a.md person", "a.md person"},
		{"own, without text, deleted", files{"a.md": memo("a", "user", "")}, files{"b.md": memo("b", "user", "")}, "a.md reason", "a.md person", "a.md person"},
		{"own, merged into its kind", memories(20), with(memories(20), "f.md", "", "g.md", memo("g", "user", "More.\n"+say)), "", "", ""},
		{"own, renamed", memories(20), with(memories(20), "f.md", "", "g.md", memo("g", "feedback", say)), "", "", ""},
		{"own, merged into another kind", memories(20), with(memories(20), "f.md", "", "g.md", memo("g", "project", say)),
			"f.md reason", "f.md person", "f.md person"},
		{"own, merged by half", memories(20), with(memories(20), "f.md", "", "g.md", memo("g", "feedback", "Keep pull requests under 300 lines.")),
			"f.md reason", "f.md person", "f.md person"},
		{"own, of another type", memories(20), with(memories(20), "f.md", memo("f", "project", say)), "", "f.md person", "f.md person"},
		{"own, without its type", memories(20), with(memories(20), "f.md", say), "", "f.md person", "f.md person"},
		{"own, of the other own type", memories(20), with(memories(20), "f.md", memo("f", "user", say)), "", "", ""},
		{"own, cut by half", files{"f.md": memo("f", "user", long)}, files{"f.md": memo("f", "user", part)}, "f.md reason", "f.md person", "f.md person"},
		{"own, other words", files{"f.md": memo("f", "user", long)}, files{"f.md": memo("f", "user", strings.Repeat("blah ", 50))}, "f.md reason", "f.md person", "f.md person"},
		{"own, short, cut by half", memories(20), with(memories(20), "f.md", memo("f", "feedback", "Keep pull requests under 300")), "", "f.md person", ""},
		{"own, short, other words", memories(20), with(memories(20), "f.md", memo("f", "feedback", strings.Repeat("blah ", 20))), "", "f.md person", ""},
		{"own, short, emptied", memories(20), with(memories(20), "f.md", memo("f", "feedback", "")), "f.md reason", "f.md person", "f.md person"},
		{"own, cut, the rest moved", memories(20), with(memories(20), "f.md", memo("f", "feedback", "Keep pull requests under 300 lines."),
			"g.md", memo("g", "feedback", "A review of more is not read.")), "", "", ""},
		{"own, corrected", memories(20), with(memories(20), "f.md", memo("f", "feedback", strings.Replace(say, "300", "500", 1))), "", "", ""},

		{"another, deleted", memories(20), with(memories(20), "a0.md", ""), "", "", ""},
		{"another, cut by half", with(memories(20), "a0.md", memo("a0", "project", long)), with(memories(20), "a0.md", memo("a0", "project", part)), "a0.md reason", "", ""},
		{"another, cut by half, counted", files{"a.md": memo("a", "", long), "b.md": memo("b", "project", "the host is b")}, files{"a.md": memo("a", "", part)},
			"a.md reason", "a.md person b.md person", ""},
		{"another, short, cut by half, counted", files{"a.md": memo("a", "project", "the port is 80"), "b.md": memo("b", "project", "the host is b")},
			files{"a.md": memo("a", "project", "port")}, "", "a.md person b.md person", ""},
		{"others, short, corrected", files{"a.md": memo("a", "project", "the port is 80"), "b.md": memo("b", "project", "the host is b")},
			files{"a.md": memo("a", "project", "the port is 81 now"), "b.md": memo("b", "project", "the host is c")}, "", "", ""},
		{"others, short, emptied", files{"a.md": memo("a", "project", "the port is 80"), "b.md": memo("b", "project", "the host is b")},
			files{"a.md": memo("a", "project", "x"), "b.md": memo("b", "project", "y")}, "a.md reason b.md reason", "a.md person b.md person", ""},
		{"a quarter of eight", memories(7), with(memories(7), "a0.md", "", "b0.md", ""), "", "a0.md person b0.md person", ""},
		{"more than a quarter of eight", memories(7), with(memories(7), "a0.md", "", "b0.md", "", "c0.md", ""), "a0.md reason b0.md reason c0.md reason",
			"a0.md person b0.md person c0.md person", "a0.md person b0.md person c0.md person"},
		{"a tenth of twenty", memories(20), memories(18), "", "", ""},
		{"more than a tenth of twenty", memories(20), memories(17), "", "r0.md person s0.md person t0.md person", ""},
		{"more, but for what was merged", memories(20), with(memories(17), "a0.md", memo("a0", "project", "fact a0\nfact s0\nfact t0")), "", "", ""},
		{"one of two", files{"a.md": memo("a", "project", "x"), "b.md": memo("b", "project", "y")}, files{"a.md": memo("a", "project", "x")}, "", "", ""},
		{"two of two", files{"a.md": memo("a", "project", "x"), "b.md": memo("b", "project", "y")}, files{}, "", "a.md person b.md person", ""},

		{"in all projects, changed", files{"p.md": person}, files{"p.md": person + "More.\n"}, "", "p.md person", ""},
		{"in all projects, deleted", files{"p.md": person}, files{"q.md": memo("q", "user", say)}, "", "p.md person", ""},
		{"the team's, deleted", with(others, "team.md", memo("t", "project", team)), others, "team.md person", "team.md person", "team.md person"},
		{"the team's, changed", with(others, "team.md", memo("t", "project", team)), with(others, "team.md", memo("t", "project", "The staging host is harbour-8 in Bergen.")), "", "", ""},
		{"the team's, merged", with(others, "team.md", memo("t", "project", team)), with(others, "g.md", memo("g", "project", team)), "", "", ""},
		{"shared, kept in private", files{"team/f.md": memo("f", "feedback", say)}, files{"f.md": memo("f", "feedback", say)},
			"team/f.md reason", "team/f.md person", "team/f.md person"},
		{"private, kept in shared", files{"f.md": memo("f", "feedback", say)}, files{"team/f.md": memo("f", "feedback", say)}, "", "", ""},
		{"the only record", with(others, "MEMORY.md", "- [G](gone.md) — x\n"), with(others, "MEMORY.md", "- [G](gone.md) — y\n"), "gone.md reason", "gone.md refused", ""},
		{"a folder's index, changed", files{"team/MEMORY.md": long}, files{"team/MEMORY.md": ""}, "", "", ""},
		{"what nothing is known of before", nil, files{}, "", "", ""},
	}
	names := map[Verdict]string{Free: "free", Counted: "counted", Reason: "reason", Person: "person", Refused: "refused"}
	// taken returns the files that a change takes away, and how.
	take := func(before, after files, who Asker) string {
		c := Check{After: snapshotOf(t, after), Who: who, Now: ruleTime, Teams: func(n memory.Name) bool { return n.String() == "team.md" }}
		if before != nil {
			c.Before = snapshotOf(t, before)
		}
		losses, got := c.Losses(), []string{}
		for _, n := range memory.SortedNames(losses) {
			got = append(got, n.String()+" "+names[losses[n].Verdict])
		}
		return strings.Join(got, " ")
	}
	for _, test := range tests {
		for who, want := range []string{test.attended, test.unattended, test.single} {
			if got := take(test.before, test.after, Asker(who)); got != want {
				t.Errorf("%s, asker %d: got %q, want %q", test.name, who, got, want)
			}
		}
	}
	for row, cells := range law {
		for who := range 3 {
			other := cells
			cell := []*Verdict{&other.attended, &other.unattended, &other.single}[who]
			if *cell++; *cell < Refused {
				*cell = Refused
			} else if *cell > Refused {
				*cell = Free
			}
			law[row] = other
			if !slices.ContainsFunc(tests, func(test test) bool {
				return take(test.before, test.after, Asker(who)) != []string{test.attended, test.unattended, test.single}[who]
			}) {
				t.Errorf("%+v, asker %d: another verdict is not noticed", row, who)
			}
		}
		law[row] = cells
	}
}

// A reason is enough where the law asks for one, and for nothing else.
func TestLossAccepted(t *testing.T) {
	before := map[string]string{"f.md": memo("f", "user", "Keep pull requests small."), "MEMORY.md": "- [G](gone.md) — x\n"}
	for _, test := range []struct {
		who      Asker
		accepted string
		want     string
	}{
		{Attended, "", "f.md gone.md"}, {Attended, "f.md", "gone.md"}, {Attended, "f.md gone.md", ""},
		{Unattended, "f.md gone.md", "f.md gone.md"},
	} {
		c := Check{Before: snapshotOf(t, before), After: snapshotOf(t, map[string]string{"MEMORY.md": ""}), Who: test.who, Accepted: map[memory.Name]string{}, Now: ruleTime}
		for file := range strings.FieldsSeq(test.accepted) {
			c.Accepted[mustName(t, file)] = "the person said so"
		}
		var got []string
		for _, f := range only(c.Whole(), "loss") {
			got = append(got, f.File)
			if f.Severity != Error || f.Message == "" || strings.Contains(f.Message, "%") || f.Hint == "" {
				t.Errorf("%+v", f)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("asker %d, accepted %q: got %q, want %q", test.who, test.accepted, got, test.want)
		}
	}
}
