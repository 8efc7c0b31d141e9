package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The floors are a little below what was measured when the numbers were chosen. The held-out third was not used for
// that.
func TestFloor(t *testing.T) {
	talk, noisyTalk, worked, err := own()
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]map[string]*score{
		"talk": measure([]set{talk}, nil), "noisy talk": measure([]set{noisyTalk}, nil), "work": measure([]set{worked}, nil),
	}
	five := func(t tally) float64 { return t.five / float64(t.n) }
	mrr := func(t tally) float64 { return t.reciprocal / float64(t.n) }
	for _, c := range []struct {
		set, group             string
		atLeast, margin, ranks float64 // recall at five, its lead over plain BM25, and the lead in mean reciprocal rank
	}{
		{"talk", "all", 0.58, 0.24, 0.19},
		{"talk", "held out", 0.52, 0.22, 0.20},
		{"talk", "lang en", 0.50, 0.24, 0.16},
		{"talk", "lang de", 0.80, 0.20, 0.15},
		{"talk", "lang zh", 0.70, 0, 0.05},
		{"talk", "lang ja", 0.80, 0, 0.05},
		{"talk", "lang ko", 0.70, 0.25, 0.25},
		{"talk", "lang fr", 0.60, 0.10, 0.05},
		{"talk", "lang es", 0.45, 0.10, 0.05},
		{"noisy talk", "all", 0.55, 0.20, 0.17},
		{"noisy talk", "held out", 0.48, 0.20, 0.19},
		{"work", "all", 0.85, 0.35, 0.15},
		{"work", "held out", 0.85, 0.30, 0.20},
		{"work", "elliptic", 0.80, 0.50, 0.20},
		{"work", "date", 0.90, 0.10, 0.10},
	} {
		name := c.set + ", " + c.group
		g := measured[c.set][c.group]
		if g == nil {
			t.Fatalf("no questions in %q", name)
		}
		if got := five(g.ours); got < c.atLeast || got < five(g.plain)+c.margin {
			t.Errorf("%s: recall at five %.3f against %.3f of plain BM25; want %.2f and a lead of %.2f", name, got, five(g.plain), c.atLeast, c.margin)
		}
		if got := mrr(g.ours); got < mrr(g.plain)+c.ranks {
			t.Errorf("%s: mean reciprocal rank %.3f against %.3f; want a lead of %.2f", name, got, mrr(g.plain), c.ranks)
		}
	}
}

// Every piece of evidence names a turn, every question is asked once, and the set is as large and as mixed as it
// claims.
func TestSet(t *testing.T) {
	talk, _, worked, err := own()
	if err != nil {
		t.Fatal(err)
	}
	s := set{turns: append(talk.turns, worked.turns...), questions: append(talk.questions, worked.questions...)}
	turns, sessions, asked, english := map[string]bool{}, map[string]bool{}, map[string]bool{}, 0
	for _, turn := range s.turns {
		turns[turn.id], sessions[turn.session] = true, true
	}
	for _, q := range s.questions {
		if asked[q.Question] {
			t.Errorf("%q is asked twice", q.Question)
		}
		asked[q.Question] = true
		if q.Lang == "en" {
			english++
		}
		if len(q.Evidence) == 0 {
			t.Errorf("%q has no evidence", q.Question)
		}
		for _, e := range q.Evidence {
			if !turns[e] {
				t.Errorf("%q: no turn %q", q.Question, e)
			}
		}
	}
	if len(sessions) < 40 || len(s.turns) < 800 || len(s.questions) < 150 || 10*english < 6*len(s.questions) {
		t.Errorf("%d sessions, %d turns, %d questions, %d of them English", len(sessions), len(s.turns), len(s.questions), english)
	}
}

const locomo = `[{"conversation": {"speaker_a": "Ruta", "speaker_b": "Emil",
 "session_1_date_time": "1:56 pm on 8 May, 2023",
 "session_1": [{"speaker": "Emil", "dia_id": "D1:1", "text": "I adopted a parrot."}, {"speaker": "Ruta", "dia_id": "D1:2", "text": "Lovely!"}],
 "session_10": [{"speaker": "Ruta", "dia_id": "D10:1", "text": "My kite is lost."}],
 "session_2": [{"speaker": "Emil", "dia_id": "D2:1", "text": "The parrot learned to whistle."}]},
 "qa": [{"question": "Which bird did Emil adopt?", "evidence": ["D1:1; D2:1"], "category": 4},
        {"question": "What did Ruta lose?", "evidence": ["D10:1"], "category": 2, "answer": 7},
        {"question": "Nothing?", "evidence": [], "category": 5}]}]`

func TestLocomo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locomo.json")
	if err := os.WriteFile(path, []byte(locomo), 0o600); err != nil {
		t.Fatal(err)
	}
	sets, err := readLocomo(path, true)
	if err != nil {
		t.Fatal(err)
	}
	s := sets[0]
	var ids []string
	for _, turn := range s.turns {
		ids = append(ids, turn.id)
	}
	if got := strings.Join(ids, " "); got != "D1:1 D1:2 D2:1 D10:1" {
		t.Errorf("turns %s", got)
	}
	if first := s.turns[0]; first.user || first.text != "Emil: I adopted a parrot." || first.time.Year() != 2023 || !s.turns[1].user {
		t.Errorf("%+v", first)
	}
	if len(s.questions) != 2 || len(s.questions[0].Evidence) != 2 || s.questions[1].Category != "temporal" {
		t.Errorf("%+v", s.questions)
	}
	var out, errs strings.Builder
	if code := run([]string{"--locomo", path}, &out, &errs); code != 0 || !strings.Contains(out.String(), "temporal") {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
	for _, bad := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if code := run([]string{"--locomo", bad}, &out, &errs); code != 1 {
			t.Errorf("%q: exit %d", bad, code)
		}
	}
}

const longMemEval = `[{"question": "Which bird did I adopt?", "question_type": "single", "haystack_session_ids": ["a", "b"], "answer_session_ids": ["b"],
 "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
 "haystack_sessions": [[{"role": "user", "content": "My kite is lost."}],
  [{"role": "user", "content": "I adopted a parrot.", "has_answer": true}, {"role": "assistant", "content": "Lovely!"}]]},
 {"question": "Nothing?", "question_type": "none", "haystack_sessions": [[{"role": "user", "content": "Hello."}]]}]`

func TestLongMemEval(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.json")
	if err := os.WriteFile(path, []byte(longMemEval), 0o600); err != nil {
		t.Fatal(err)
	}
	sets, err := readLongMemEval(path)
	if err != nil || len(sets) != 1 || len(sets[0].turns) != 3 || strings.Join(sets[0].questions[0].Evidence, " ") != "1:1" || sets[0].turns[1].time.Day() != 21 {
		t.Errorf("%+v, %v", sets, err)
	}
	var out, errs strings.Builder
	if code := run([]string{"-longmemeval", path}, &out, &errs); code != 0 || !strings.Contains(out.String(), "single") {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
}
