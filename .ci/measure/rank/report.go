package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dream-mcp/consolidate/transcript/rank"
)

// depth is how far down an answer the evidence is looked for.
const depth = 100

// A tally adds up how questions fared.
type tally struct {
	n               int
	first, five     float64 // questions with an evidence turn at the first place, among five
	all, reciprocal float64 // questions with all of them among five; sum of 1/rank
	session         float64 // questions with a session of the evidence among the first five sessions
}

func (t *tally) add(ranked []string, evidence []string, session map[string]string) {
	t.n++
	if sessionAmong(5, ranked, evidence, session) {
		t.session++
	}
	among := 0
	for i, id := range ranked {
		if !slices.Contains(evidence, id) {
			continue
		}
		if i == 0 {
			t.first++
		}
		if i < 5 {
			if among++; among == 1 {
				t.five++
			}
		}
		if t.reciprocal == 0 || !slices.ContainsFunc(ranked[:i], func(id string) bool { return slices.Contains(evidence, id) }) {
			t.reciprocal += 1 / float64(i+1)
		}
	}
	if among == len(evidence) {
		t.all++
	}
}

func sessionAmong(n int, ranked, evidence []string, session map[string]string) bool {
	var first []string
	for _, id := range ranked {
		if s := session[id]; !slices.Contains(first, s) {
			first = append(first, s)
		}
		if len(first) == n {
			break
		}
	}
	return slices.ContainsFunc(evidence, func(id string) bool { return slices.Contains(first, session[id]) })
}

func (t tally) String() string {
	n := float64(max(1, t.n)) / 100
	return fmt.Sprintf("%5.1f %5.1f %5.1f %5.1f %6.3f", t.first/n, t.five/n, t.all/n, t.session/n, t.reciprocal/n/100)
}

// A score is what one group of questions came to under both rankings.
type score struct{ plain, ours tally }

// measure runs every question. The groups are "all", "held out", "tuning", and each language and category.
func measure(sets []set, missed func(q question, ranked []string)) map[string]*score {
	groups := map[string]*score{}
	for _, s := range sets {
		baseline, session := newPlain(s.turns), map[string]string{}
		for _, t := range s.turns {
			session[t.id] = t.session
		}
		for _, q := range s.questions {
			plain := ids(s.turns, baseline.rank(q.Question))
			ours := ranked(s.turns, q.Question)
			part := "tuning"
			if q.held() {
				part = "held out"
			}
			for _, group := range []string{"all", part, "lang " + q.Lang, q.Category} {
				if groups[group] == nil {
					groups[group] = &score{}
				}
				groups[group].plain.add(plain, q.Evidence, session)
				groups[group].ours.add(ours, q.Evidence, session)
			}
			if missed != nil && !slices.ContainsFunc(ours[:min(5, len(ours))], func(id string) bool { return slices.Contains(q.Evidence, id) }) {
				missed(q, ours)
			}
		}
	}
	return groups
}

func ids(turns []turn, order []int) []string {
	var list []string
	for _, i := range order[:min(depth, len(order))] {
		list = append(list, turns[i].id)
	}
	return list
}

// ranked asks package rank, through two rankings as two workers would.
func ranked(turns []turn, query string) []string {
	q, err := rank.Parse(query)
	if err != nil {
		return nil
	}
	workers := []*rank.Ranking{q.Ranking(), q.Ranking()}
	sessions := 0
	for i, t := range turns {
		if i > 0 && turns[i-1].session != t.session {
			sessions++
		}
		workers[sessions%2].Add(rank.Doc{Text: t.text, User: t.user, Time: t.time, Session: t.session, Position: int64(i)})
	}
	workers[0].Merge(workers[1])
	var list []string
	for _, hit := range workers[0].Top(depth) {
		list = append(list, turns[hit.Position].id)
	}
	return list
}

func report(w io.Writer, title string, sets []set, misses string) {
	texts := map[string]string{}
	for _, s := range sets {
		for _, t := range s.turns {
			texts[t.id] = t.text
		}
	}
	var missed func(question, []string)
	if misses != "" {
		missed = func(q question, ranked []string) {
			if misses != "all" && q.held() {
				return
			}
			fmt.Fprintf(w, "%s\n", q.Question)
			for _, e := range q.Evidence {
				fmt.Fprintf(w, "   wanted %d %s %s\n", 1+slices.Index(ranked, e), e, texts[e])
			}
			for i, id := range ranked[:min(3, len(ranked))] {
				fmt.Fprintf(w, "   %d %s %s\n", i+1, id, texts[id])
			}
		}
	}
	groups := measure(sets, missed)
	fmt.Fprintf(w, "%s\n%-12s %5s | %-30s | %-30s\n", title, "", "", "plain BM25", "ours")
	fmt.Fprintf(w, "%-12s %5s |", "questions", "n")
	for range 2 {
		fmt.Fprintf(w, " %5s %5s %5s %5s %6s |", "R@1", "R@5", "all@5", "ses@5", "MRR")
	}
	fmt.Fprintln(w)
	for _, group := range slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		if order := groups[b].ours.n - groups[a].ours.n; order != 0 {
			return order
		}
		return strings.Compare(a, b)
	}) {
		g := groups[group]
		fmt.Fprintf(w, "%-12s %5d | %s | %s\n", group, g.ours.n, g.plain, g.ours)
	}
}
