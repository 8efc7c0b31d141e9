package listing

import (
	"context"
	"dream-mcp/consolidate/transcript/cache"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

const root = "/home/dev/lighthouse"

// start is the time of the first line of a session; each line is a minute later.
var start = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)

func id(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

// A written is a transcript being written.
type written struct {
	n     int
	time  time.Time
	lines []string
}

func newSession(n int, day int) *written { return &written{n: n, time: start.AddDate(0, 0, day)} }

type fields = map[string]any

func (s *written) add(kind string, more fields) *written {
	rec := fields{
		"type": kind, "uuid": fmt.Sprintf("%d/%d", s.n, len(s.lines)), "sessionId": id(s.n), "cwd": root, "gitBranch": "main",
		"timestamp": s.time.Add(time.Duration(len(s.lines)) * time.Minute).Format("2006-01-02T15:04:05.000Z"),
	}
	for k, v := range more {
		rec[k] = v
	}
	line, err := json.Marshal(rec)
	if err != nil {
		panic(err)
	}
	s.lines = append(s.lines, string(line))
	return s
}

func (s *written) user(text string) *written {
	return s.add("user", fields{"message": fields{"role": "user", "content": text}})
}

func (s *written) reply(text string) *written {
	return s.add("assistant", fields{"message": fields{"id": fmt.Sprintf("m%d/%d", s.n, len(s.lines)), "content": []any{fields{"type": "text", "text": text}}}})
}

func (s *written) queue(text string) *written {
	return s.add("queue-operation", fields{"operation": "enqueue", "content": text, "uuid": nil})
}

// write writes the transcript, last touched an hour after its last line.
func (s *written) write(t testing.TB, folder string) {
	t.Helper()
	path := filepath.Join(folder, id(s.n)+".jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(s.lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	when := s.time.Add(time.Hour)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

// open opens a project with these transcripts.
func open(t testing.TB, talks ...*written) (*search.Store, string) {
	t.Helper()
	top := t.TempDir()
	folder := filepath.Join(top, "-home-dev-lighthouse")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, s := range talks {
		s.write(t, folder)
	}
	store := search.Open(sessions.Options{Projects: top, Roots: []string{root}})
	store.Cache = filepath.Join(t.TempDir(), cache.FileName)
	t.Cleanup(store.Close)
	return store, folder
}

// pages returns all pages of a listing.
func pages(t testing.TB, store *search.Store, q Query, room, limit int, between func()) []Page {
	t.Helper()
	l, err := New(t.Context(), store, q)
	if err != nil {
		t.Fatal(err)
	}
	var book Book
	page, err := book.First(t.Context(), store, l, room, limit)
	all := []Page{page}
	for err == nil && page.Cursor != "" {
		if between != nil {
			between()
		}
		page, err = book.Next(t.Context(), store, page.Cursor, room, limit)
		all = append(all, page)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// whole is the text of all pages.
func whole(all []Page) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.Text)
	}
	return b.String()
}

var (
	headerForm = regexp.MustCompile(`^(\S+) \d{4}-\d\d-\d\d [A-Z][a-z]{2}\b`)
	lineForm   = regexp.MustCompile(`^:([0-9.]+) [\d: -]*\d\d:\d\d(?: \[\+(\d+) more\])?`)
)

// FuzzComplete is the law of the listing: every utterance of its window is on exactly one page, in its order, whole or
// abridged, or counted by a line with the same words, while sessions grow between the pages.
func FuzzComplete(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 5))
		texts := []string{"yes", "continue", "review src/a.go", "review src/b.go", "mind the lens", "never caulk the lantern room, replace the gasket",
			trace, strings.Repeat("lamp ", 300), "v1 ends 2026-11-18", ":7 09:00 not a line", "0000 2026-11-16 Mon claude-code"}
		var talks []*written
		for n := range 1 + rng.IntN(6) {
			s := newSession(n+1, rng.IntN(4))
			if n > 0 && rng.IntN(3) == 0 { // resumed from another
				s.lines = append(s.lines, talks[rng.IntN(n)].lines...)
			}
			for range rng.IntN(25) {
				switch rng.IntN(8) {
				case 0:
					s.reply("Shall I go on? " + texts[rng.IntN(len(texts))])
				case 1:
					s.queue(texts[rng.IntN(len(texts))])
				case 2:
					s.user("[Request interrupted by user]")
				case 3:
					s.time = s.time.Add(time.Duration(rng.IntN(80)-20) * time.Hour)
				default:
					s.user(texts[rng.IntN(len(texts))])
				}
			}
			talks = append(talks, s)
		}
		store, folder := open(t, talks...)
		q := Query{After: map[string]Mark{}}
		if rng.IntN(2) == 0 {
			q.Speakers = []said.Speaker{said.User, said.Assistant}
		}
		for _, s := range talks {
			if rng.IntN(4) == 0 && len(s.lines) > 0 {
				q.After[id(s.n)] = Mark{1 + rng.IntN(len(s.lines)), 1}
			}
		}
		want := expected(t, store, q)
		between := func() {
			s := talks[rng.IntN(len(talks))]
			s.user("typed between two pages")
			s.write(t, folder)
		}
		all := pages(t, store, q, 200+rng.IntN(3000), rng.IntN(3)*rng.IntN(30), between)
		missing := map[string]int{} // by text, less those that lines count
		got := map[string]bool{}
		for line, n := range linesOf(t, all) {
			text, wanted := want[line]
			if !wanted || got[line] {
				t.Errorf("%s is listed twice, or for nothing", line)
			}
			got[line] = true
			missing[text] -= n
		}
		for id, text := range want {
			if !got[id] {
				missing[text]++
			}
		}
		for text, n := range missing {
			if n != 0 {
				t.Errorf("of %q %d are missing", text, n)
			}
		}
		shown := map[string]Mark{}
		n := 0
		for _, page := range all {
			for _, r := range page.Shown {
				if before := shown[r.Session]; r.After.Before(before) || before.Before(r.After) && before != (Mark{}) {
					t.Errorf("%s: %v follows %v", r.Session, r.After, before)
				}
				shown[r.Session] = r.Last
			}
			n = page.Utterances
		}
		last := all[len(all)-1]
		if fmt.Sprint(shown) != fmt.Sprint(last.List.Ends()) || n != last.Of || last.Sessions != last.List.Sessions || last.Number != len(all) {
			t.Errorf("shown %v of %v; %d of %d; %d of %d sessions", shown, last.List.Ends(), n, last.Of, last.Sessions, last.List.Sessions)
		}
	})
}

// linesOf returns the ID of each line of pages, with the number of others that it counts.
func linesOf(t *testing.T, all []Page) iter.Seq2[string, int] {
	t.Helper()
	return func(yield func(string, int) bool) {
		session := ""
		for _, page := range all {
			for line := range strings.Lines(page.Text) {
				switch {
				case strings.HasPrefix(line, "  "):
				case strings.HasPrefix(line, ":"):
					m := lineForm.FindStringSubmatch(line)
					if m == nil {
						t.Fatalf("not a line: %q", line)
					}
					if n, _ := strconv.Atoi(m[2]); !yield(session+":"+m[1], n) {
						return
					}
				default:
					m := headerForm.FindStringSubmatch(line)
					if m == nil {
						t.Fatalf("not a header: %q", line)
					}
					session = m[1]
				}
			}
		}
	}
}

// expected finds by plain means what is to be listed: the texts, by ID.
func expected(t *testing.T, store *search.Store, q Query) map[string]string {
	t.Helper()
	talks, _, err := store.Sessions(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(talks, func(a, b sessions.Session) int { return b.ModTime.Compare(a.ModTime) })
	home := map[uint64]string{}
	want := map[string]string{}
	for pass := range 2 {
		for _, s := range talks {
			if q.Session != "" && q.Session != s.Short() {
				continue
			}
			spoken, err := store.Said(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			listed := func(u cache.Said) bool {
				return q.After[s.ID].Before(Mark{u.Line, u.Place})
			}
			wanted := func(u cache.Said) bool {
				return listed(u) && (u.Speaker == said.User || len(q.Speakers) == 2)
			}
			if !slices.ContainsFunc(spoken, wanted) { // it is not in the list, only what was listed before counts
				for _, u := range spoken {
					if pass == 0 && u.Key != 0 && !listed(u) {
						home[u.Key] = "before"
					}
				}
				continue
			}
			for _, u := range spoken {
				switch {
				case pass == 0 && u.Key != 0 && !listed(u):
					home[u.Key] = "before"
				case pass == 0 && u.Key != 0 && home[u.Key] != "before":
					home[u.Key] = s.ID
				case pass == 1 && wanted(u) && (u.Key == 0 || home[u.Key] == s.ID):
					id := s.Short() + ":" + strconv.Itoa(u.Line)
					if u.Place > 1 {
						id += "." + strconv.Itoa(u.Place)
					}
					want[id] = u.Text
				}
			}
		}
	}
	return want
}

// TestGolden holds the listing of a noisy fixture in seven languages.
func TestGolden(t *testing.T) {
	noisy := func(s *written) *written {
		return s.user("<local-command-stdout>ok</local-command-stdout>").
			queue("<cross-session-message from=\"b\">push to main</cross-session-message>").
			add("user", fields{"isMeta": true, "message": fields{"content": "Caveat: injected"}}).
			queue("/compact").user("Unknown skill: reveiw")
	}
	english := noisy(newSession(1, 0)).user("worklets go into their own files").reply("I can put them into one file, too. Shall I use one file each?").
		user("yes, exactly").queue("and never touch vendor/").reply("Working on it.").
		user("[Request interrupted by user]").user("no, the other one").
		user("it fails with\n" + trace + "\nI think the settings are not loaded").
		user("v1 ends 2026-11-18").user("v1 ends 2026-12-01").
		user("review src/a.go").user("review src/b.go").user("review src/lib/c.go").
		user("the key is api_key=9fK3xQ7vL2mZ8pR4tW6yB1nC for now").
		user(strings.TrimSpace(strings.Repeat("the lamp must turn evenly, whatever the wind does, ", 20)))
	german := noisy(newSession(2, 0)).user("die Abrechnung läuft ab sofort über den neuen Dienst").reply("Soll ich den alten Dienst abschalten?").user("nein").user("erst am 25.01.2027")
	french := noisy(newSession(3, 1)).user("les factures partent le premier lundi du mois").reply("Je garde l'ancien format ? C'est plus simple.").user("non, pas du tout")
	spanish := noisy(newSession(4, 1)).user("siempre ejecuta las pruebas antes de confirmar").reply("¿Confirmo los cambios ahora?").user("sí, la segunda")
	chinese := noisy(newSession(5, 2)).user("数据库每天晚上会重置，所以不要在上面存放测试数据").reply("我已经改好了。要提交吗？").user("对，就是这个")
	japanese := noisy(newSession(6, 2)).user("ワークレットはそれぞれ別のファイルに置いてください").reply("終わりました。次に進みますか？").user("はい、それで")
	korean := noisy(newSession(7, 3)).user("워크릿은 항상 자기 파일에 따로 둔다").reply("이 파일을 쓸까요?").user("그래 이거야").reply("커밋할까요?").user("네")
	resumed := newSession(8, 4)
	resumed.lines = slices.Clone(korean.lines)
	resumed.user("커밋 메시지는 영어로")
	store, _ := open(t, english, german, french, spanish, chinese, japanese, korean, resumed)
	store.Mask = func(text string, from, to int) (string, int, int) {
		return strings.ReplaceAll(text, "9fK3xQ7vL2mZ8pR4tW6yB1nC", "[secret: key]"), from, to
	}
	got := whole(pages(t, store, Query{Zone: time.FixedZone("KST", 9*3600)}, 100_000, 0, nil))
	const golden = "testdata/seven.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
	}
}

// A list shows sessions in the order of their days, and what it cannot show it counts.
func TestWindow(t *testing.T) {
	early := newSession(1, 0).user("use npm")
	early.time = early.time.AddDate(0, 0, 2)
	early.user("use pnpm")
	late := newSession(2, 1).user("use yarn")
	silent := newSession(3, 1).reply("only the model")
	store, _ := open(t, early, late, silent)
	all := pages(t, store, Query{}, 10_000, 0, nil)
	var order []string
	for _, line := range strings.Split(whole(all), "\n") {
		if _, text, ok := strings.Cut(line, " use "); ok {
			order = append(order, text)
		}
	}
	if fmt.Sprint(order) != "[npm yarn pnpm]" || all[0].List.Sessions != 2 || all[0].List.Silent != 1 {
		t.Errorf("%v, %d sessions, %d silent:\n%s", order, all[0].List.Sessions, all[0].List.Silent, whole(all))
	}
	if l := pages(t, store, Query{Newest: 1}, 10_000, 0, nil)[0].List; l.Sessions != 1 || l.Older != 2 {
		t.Errorf("the newest: %d sessions, %d older", l.Sessions, l.Older)
	}
	if l := pages(t, store, Query{Since: start.AddDate(0, 0, 1), Until: start.AddDate(0, 0, 2)}, 10_000, 0, nil)[0].List; l.utterances != 1 || l.Tracked() {
		t.Errorf("a day: %d utterances, tracked %v", l.utterances, l.Tracked())
	}
	if l := pages(t, store, Query{Session: id(1)[:8]}, 10_000, 0, nil)[0].List; l.utterances != 2 {
		t.Errorf("a session: %d utterances", l.utterances)
	}
	var wrong *search.QueryError
	if _, err := New(t.Context(), store, Query{Session: "none"}); !errors.As(err, &wrong) {
		t.Errorf("no such session: %v", err)
	}
	var book Book
	for _, cursor := range []string{"", "x", "abcdef-0-0-2", "abcdef-9-9-9"} {
		if _, err := book.Next(t.Context(), store, cursor, 100, 0); !errors.As(err, &wrong) {
			t.Errorf("cursor %q: %v", cursor, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(ended, store, Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What a session copied that was resumed from one that was listed before is not listed again, and from one that was
// not, is.
func TestResumed(t *testing.T) {
	first := newSession(1, 0).user("use pnpm").reply("ok").user("mind the lens")
	other := newSession(2, 0).user("keep the lamp lit")
	resumed, again := newSession(3, 5), newSession(4, 5)
	resumed.lines = slices.Clone(first.lines)
	resumed.user("and never npm")
	again.lines = slices.Clone(other.lines)
	again.user("day and night")
	store, _ := open(t, first, other, resumed, again)
	q := Query{Modified: start.AddDate(0, 0, 3), After: map[string]Mark{id(1): {3, 1}}}
	text := whole(pages(t, store, q, 10_000, 0, nil))
	for words, want := range map[string]bool{"use pnpm": false, "mind the lens": false, "and never npm": true, "keep the lamp lit": true, "day and night": true} {
		if strings.Contains(text, words) != want {
			t.Errorf("%q is listed: %v:\n%s", words, !want, text)
		}
	}
}

// A file system may date a file a little before what it holds.
func TestCoarseTimes(t *testing.T) {
	late := start.Add(time.Hour + time.Second) // the file is dated a second earlier
	store, _ := open(t, newSession(1, 0).add("user", fields{"message": fields{"role": "user", "content": "use pnpm"}, "timestamp": late.Format(time.RFC3339)}))
	for _, q := range []Query{{Modified: late}, {Since: late}} {
		if l, err := New(t.Context(), store, q); err != nil || l.utterances != 1 {
			t.Errorf("after %v, since %v: %v", q.Modified, q.Since, err)
		}
	}
}

// What is gone when a page would show it is named there, and does not count as shown.
func TestGone(t *testing.T) {
	store, folder := open(t, newSession(1, 0).user("use pnpm"), newSession(2, 1).user("mind the lens").user("and the lamp"), newSession(3, 2).user("never npm"))
	l, err := New(t.Context(), store, Query{})
	if err != nil {
		t.Fatal(err)
	}
	replaced := newSession(2, 1).user("another")
	replaced.lines = append(make([]string, 4), replaced.lines...)
	replaced.write(t, folder)
	later := search.Open(sessions.Options{Projects: filepath.Dir(folder), Roots: []string{root}}) // that knows no digest
	page, err := l.page(t.Context(), later, position{}, 1, 10_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" use pnpm\n", " never npm\n", ":1 [cannot be read any more]\n", ":2 [cannot be read any more]\n"} {
		if strings.Count(page.Text, want) != 1 {
			t.Errorf("%q is not listed once:\n%s", want, page.Text)
		}
	}
	if os.Remove(filepath.Join(folder, id(2)+".jsonl")); len(page.Shown) != 2 || page.Shown[1].Session != id(3) {
		t.Errorf("shown: %+v", page.Shown)
	}
	gone, err := l.page(t.Context(), search.Open(sessions.Options{Projects: filepath.Dir(folder), Roots: []string{root}}), position{}, 1, 10_000, 0)
	if err != nil || gone.Text != page.Text {
		t.Errorf("without the transcript: %v\n%s", err, gone.Text)
	}
}

// A day on which more was pasted than is read for a page is on several pages.
func TestLongDay(t *testing.T) {
	s := newSession(1, 0)
	paste := "```\n" + strings.Repeat("code()\n", maxRead/70) + "```"
	for n := range 60 {
		s.user(fmt.Sprintf("number %d of them is this:\n%s", n, paste)).reply("Done. Next?")
	}
	store, _ := open(t, s)
	all := pages(t, store, Query{}, 100_000, 0, nil)
	text := whole(all)
	for n := range 60 {
		if want := fmt.Sprintf(" number %d of them is this:\n  [pasted: %d lines]\n", n, maxRead/70); strings.Count(text, want) != 1 {
			t.Errorf("%d is on %d pages", n, strings.Count(text, want))
		}
	}
	if len(all) < 3 {
		t.Errorf("%d pages", len(all))
	}
}

// BenchmarkList lists 40 sessions of 1 MB that were read before: what a person waits for in a new process.
func BenchmarkList(b *testing.B) {
	var talks []*written
	for n := range 40 {
		s := newSession(n+1, n/4)
		for len(s.lines) < 200 {
			s.user("mind the lens, and replace the gasket").reply("I will.")
			s.add("user", fields{"message": fields{"content": []any{fields{"type": "tool_result", "tool_use_id": "t", "content": strings.Repeat("output ", 2_000)}}}})
		}
		talks = append(talks, s)
	}
	store, folder := open(b, talks...)
	cached := filepath.Join(b.TempDir(), cache.FileName)
	o := sessions.Options{Projects: filepath.Dir(folder), Roots: []string{root}}
	first := search.Open(o)
	first.Cache = cached
	if _, err := first.Read(b.Context()); err != nil {
		b.Fatal(err)
	}
	first.Close()
	_ = store
	for b.Loop() {
		fresh := search.Open(o)
		fresh.Cache = cached
		pages(b, fresh, Query{}, 9_000, 0, nil)
		fresh.Close()
	}
}

// What is said again later in the same words is shown once, where it was said last. Nothing else is left out: two
// utterances that differ in one word may contradict each other.
func TestFold(t *testing.T) {
	var talks []*written
	for n, says := range []string{"node18 v1 srv-a1 arm64 release/a src/a.go 8080", "node20 v2 srv-b2 amd64 main/b src/b.go 8081", "node22 v3 srv-c3 riscv main/c src/c.go 8082"} {
		s := newSession(n+1, n).user("run the tests, then commit").user("use npm")
		for word := range strings.FieldsSeq(says) {
			s.user("please take " + word + " for the worker")
		}
		talks = append(talks, s.user("run the tests").user("pay on the day after tomorrow"))
	}
	talks[0].user("use pnpm").user("USE PNPM").reply("Shall I paint it?").user("yes").queue("run the tests")
	talks[1].lines[1] = newSession(2, 1).add("x", fields{}).user("use yarn").lines[1]
	talks[2].reply("Shall I sink it?").user("yes").reply("Shall I sink it?").user("yes")
	store, _ := open(t, talks...)
	all := pages(t, store, Query{}, 10_000, 0, nil)
	want := `00000001-000 2026-11-16 Mon claude-code on main (3 said again later)
:3 09:02 please take node18 for the worker
:4 09:03 please take v1 for the worker
:5 09:04 please take srv-a1 for the worker
:6 09:05 please take arm64 for the worker
:7 09:06 please take release/a for the worker
:8 09:07 please take src/a.go for the worker
:9 09:08 please take 8080 for the worker
:11 09:10 pay on the day after tomorrow (2026-11-18)
:12 09:11 use pnpm
:13 09:12 USE PNPM
:15 09:14 [assistant: Shall I paint it?] yes
:16 09:15 [busy] run the tests
00000002-000 2026-11-17 Tue (2 said again later)
:2 09:01 use yarn
:3 09:02 please take node20 for the worker
:4 09:03 please take v2 for the worker
:5 09:04 please take srv-b2 for the worker
:6 09:05 please take amd64 for the worker
:7 09:06 please take main/b for the worker
:8 09:07 please take src/b.go for the worker
:9 09:08 please take 8081 for the worker
:11 09:10 pay on the day after tomorrow (2026-11-19)
00000003-000 2026-11-18 Wed (1 said again later)
:1 09:00 [+2 more] run the tests, then commit
:2 09:01 [+1 more] use npm
:3 09:02 please take node22 for the worker
:4 09:03 please take v3 for the worker
:5 09:04 please take srv-c3 for the worker
:6 09:05 please take riscv for the worker
:7 09:06 please take main/c for the worker
:8 09:07 please take src/c.go for the worker
:9 09:08 please take 8082 for the worker
:10 09:09 [+2 more] run the tests
:11 09:10 pay on the day after tomorrow (2026-11-20)
:15 09:14 [+1 more] [assistant: Shall I sink it?] yes
`
	if len(all) != 1 || all[0].Text != want {
		t.Errorf("%d pages:\n%s", len(all), all[0].Text)
	}
	// A list of one session shows each, and so does one with what the model said.
	for _, q := range []Query{{Session: id(3)}, {Speakers: []said.Speaker{said.User, said.Assistant}}} {
		if one := whole(pages(t, store, q, 10_000, 0, nil)); strings.Contains(one, "more]") || strings.Contains(one, "again later") {
			t.Errorf("%v:\n%s", q, one)
		}
	}
}

// What a reply confirms, corrects or answers is shown, however long the reply is.
func TestReplies(t *testing.T) {
	result := func(id, text string) fields {
		return fields{"role": "user", "content": []any{fields{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": true}}}
	}
	const rejection = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
	s := newSession(1, 0).user("paint the buoy and the lens, then write down in the log what was done").
		reply("I take the red paint.").user("no, we agreed on green paint for everything that floats").
		reply("Green it is. Two coats?").user("the log is in the cabin, behind the charts and the old lamps").
		reply("I throw the charts away.").
		add("user", fields{"message": result("t1", rejection+"keep the charts until the pilot has seen every one"), "toolUseResult": "Error: " + rejection}).
		add("user", fields{"message": result("t2", "answered"), "toolUseResult": fields{
			"questions": []any{fields{"question": "Which coat dries first?", "options": []any{fields{"label": "The thin one, in the sun of the morning"}}}},
			"answers":   fields{"Which coat dries first?": "The thin one, in the sun of the morning"},
		}})
	store, _ := open(t, s)
	want := `00000001-000 2026-11-16 Mon claude-code on main
:1 09:00 paint the buoy and the lens, then write down in the log what was done
:3 09:02 [assistant: I take the red paint.] no, we agreed on green paint for everything that floats
:5 09:04 the log is in the cabin, behind the charts and the old lamps
:7.2 09:06 [rejected] [assistant: I throw the charts away.] keep the charts until the pilot has seen every one
:8.3 09:07 [chosen] [assistant: Which coat dries first?] The thin one, in the sun of the morning
`
	if got := pages(t, store, Query{}, 10_000, 0, nil)[0].Text; got != want {
		t.Errorf("got\n%s", got)
	}
	for text, want := range map[string]bool{
		"that's the shape I want for buoys, more like it": true, "This isn't a buoy that we have": false, "that's not what I meant by it at all": true,
		"No, we agreed on green": true, "genau, und dann weiter": true, "네, 그렇게 해 주세요": true, "不是这样的，应该是绿色": true, "OK — but paint it twice": true,
		"don't know about that. leave it, the pilot looks": true, "leave it, the pilot looks": true, "who painted this? the pilot asks": false, "the log of the pilot says that it rained, read it": false,
		"noise is what I hear": false, "we agreed on green": false, "正在下雨": false, "": false,
	} {
		if got := isReaction(text); got != want {
			t.Errorf("%q: a reaction %v, want %v", text, got, want)
		}
	}
}

// A cursor keeps the limit of the first page, unless the call has another.
func TestCursorKeepsTheLimit(t *testing.T) {
	s := newSession(1, 0)
	for i := range 9 {
		s.user(fmt.Sprintf("the %c lamp is out", 'a'+i))
	}
	store, _ := open(t, s)
	l, err := New(t.Context(), store, Query{})
	if err != nil {
		t.Fatal(err)
	}
	var book Book
	page, err := book.First(t.Context(), store, l, 1_000, 2)
	for _, test := range []struct{ limit, want int }{{0, 4}, {3, 7}, {0, 9}} {
		if err != nil || page.Cursor == "" {
			t.Fatal(page, err)
		}
		if page, err = book.Next(t.Context(), store, page.Cursor, 9_000, test.limit); page.Utterances != test.want {
			t.Errorf("limit %d: %d utterances up to page %d, want %d", test.limit, page.Utterances, page.Number, test.want)
		}
	}
}

// Some hosts queue whatever is typed: what is taken out at once was not typed while the model worked. What was, is so
// marked whether the transcript grows after it or not.
func TestQueuedAtOnce(t *testing.T) {
	taken := func(s *written, after time.Duration) *written {
		at := s.time.Add(time.Duration(len(s.lines)-1)*time.Minute + after)
		return s.add("queue-operation", fields{"operation": "dequeue", "uuid": nil, "timestamp": at.Format("2006-01-02T15:04:05.000Z")})
	}
	s := newSession(1, 0)
	taken(s.queue("water the ferns"), 9*time.Millisecond)
	taken(s.reply("Working.").queue("and the moss"), 5*time.Second)
	taken(s.add("user", fields{"message": fields{"role": "user", "content": "[Request interrupted by user]"}}).queue("stop, only the moss"), time.Millisecond)
	s.queue("then the lawn")
	store, folder := open(t, s)
	want := ":1 09:00 water the ferns\n:4 09:03 [busy] [assistant: Working.] and the moss\n:7 09:06 [interrupted] stop, only the moss\n:9 09:08 [busy] then the lawn\n"
	if all := pages(t, store, Query{}, 10_000, 0, nil); !strings.HasSuffix(all[0].Text, want) {
		t.Errorf("got\n%s", all[0].Text)
	}
	taken(s, time.Millisecond).write(t, folder) // the reading goes on where it ended
	want = strings.Replace(want, "[busy] then", "then", 1)
	if all := pages(t, store, Query{}, 10_000, 0, nil); !strings.HasSuffix(all[0].Text, want) {
		t.Errorf("later\n%s", all[0].Text)
	}
}

// A page that would leave out a few utterances has them, too.
func TestNearlyAll(t *testing.T) {
	session := newSession(1, 0)
	for i := range 20 {
		session = session.user(fmt.Sprintf("paint lamp %d in a colour that is not red", i))
	}
	store, _ := open(t, session)
	whole := len(pages(t, store, Query{}, 10_000, 0, nil)[0].Text)
	for room, want := range map[int]int{whole * 15 / 16: 2, whole*17/18 + 10: 1} {
		if got := len(pages(t, store, Query{}, room, 0, nil)); got != want {
			t.Errorf("%d bytes in pages of %d: %d pages, want %d", whole, room, got, want)
		}
	}
}

// An utterance names the passages that it touches, however the list is cut into pages, and whenever a page is asked for
// again.
func TestTouched(t *testing.T) {
	store, _ := open(t, newSession(1, 0).user("paint the lamp").user("then oil the horn").user("paint it white"))
	touch := func(text string) (touched []string) {
		if strings.Contains(text, "paint") {
			touched = []string{"paint.md:4"}
		}
		return touched
	}
	want := []string{"paint the lamp → paint.md:4", "then oil the horn", "paint it white → paint.md:4"}
	for _, limit := range []int{1, 2, 0} {
		l, err := New(t.Context(), store, Query{Touch: touch})
		if err != nil {
			t.Fatal(err)
		}
		var book Book
		page, err := book.First(t.Context(), store, l, 1000, limit)
		if err != nil {
			t.Fatal(err)
		}
		got, passages := page.Text, page.Touched
		for page.Cursor != "" {
			cursor := page.Cursor
			for range 2 {
				if page, err = book.Next(t.Context(), store, cursor, 1000, limit); err != nil {
					t.Fatal(err)
				}
			}
			got, passages = got+page.Text, append(passages, page.Touched...)
		}
		for i, line := range want {
			if !regexp.MustCompile(`(?m)^:\d+ \d\d:\d\d ` + line + "$").MatchString(got) {
				t.Errorf("%d on a page: utterance %d is not %q in\n%s", limit, i, line, got)
			}
		}
		if strings.Join(passages, " ") != "paint.md:4 paint.md:4" {
			t.Errorf("%d on a page: the pages name %v", limit, passages)
		}
	}
}
