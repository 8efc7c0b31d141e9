package search

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/testdata/fixture"
)

func TestFoldersByRecordedDirectory(t *testing.T) {
	projects := t.TempDir()
	at := func(n int, cwd string) string {
		f := fixture.Talk(n)
		f.CWD = cwd
		return f.User(fmt.Sprint("session ", n)).Text()
	}
	none := func(n int) string { return fixture.Talk(n).UserWith("no directory", fixture.Fields{"cwd": nil}).Text() }
	files := map[string]string{
		fixture.Slug + "/" + fixture.ID(1) + ".jsonl":                     at(1, fixture.Root),
		fixture.Slug + "/" + fixture.ID(2) + ".jsonl":                     at(2, fixture.Root+"/docs"),
		fixture.Slug + "/" + fixture.ID(3) + ".jsonl":                     at(3, "/home/dev/light/house"), // another path, one slug
		fixture.Slug + "/" + fixture.ID(4) + ".jsonl":                     none(4),
		fixture.Slug + "-dl/" + fixture.ID(5) + ".jsonl":                  at(5, fixture.Root+"-dl"),
		fixture.Slug + "3/" + fixture.ID(6) + ".jsonl":                    at(6, fixture.Root+"3"),
		fixture.Slug + "-docs/" + fixture.ID(7) + ".jsonl":                at(7, fixture.Root+"/docs"),
		fixture.Slug + "--claude-worktrees-x/" + fixture.ID(8) + ".jsonl": at(8, fixture.Root+"/.claude/worktrees/x"),
		fixture.Slug + "--claude-worktrees-y/" + fixture.ID(9) + ".jsonl": none(9),
		strings.ToUpper(fixture.Slug) + "/" + fixture.ID(10) + ".jsonl":   at(10, fixture.Root),
		"-srv-wt-lamp/" + fixture.ID(11) + ".jsonl":                       at(11, "/srv/wt/lamp"),
		fixture.Slug + "-gone/" + fixture.ID(12) + ".jsonl": fixture.Talk(12).Add("worktree-state", fixture.Fields{"cwd": nil,
			"worktreeSession": fixture.Fields{"originalCwd": fixture.Root}}).UserWith("in a worktree that is gone", fixture.Fields{"cwd": "/gone"}).Text(),
	}
	folds := runtime.GOOS == "windows" // the folder of 10 would be that of 1
	for name, text := range files {
		if !folds || !strings.Contains(name, fixture.ID(10)) {
			fixture.Put(t, projects, name, text, 1)
		}
	}
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root, "/srv/wt/lamp"}})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, session := range sessions {
		got[session.ID] = true
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: false, 4: true, 5: false, 6: false, 7: true, 8: true,
		9: false, 10: !folds, 11: true, 12: true} {
		if got[fixture.ID(n)] != want {
			t.Errorf("session %d: ours %v, want %v", n, got[fixture.ID(n)], want)
		}
	}
	if skipped[said.OtherProject] != 3 { // 3, 5, 9; the folder of 6 was not even looked at
		t.Errorf("skipped %v, want 3 of other projects", skipped)
	}
	folders, err := s.Folders()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range folders {
		names = append(names, strings.TrimPrefix(f.Path, projects+string(os.PathSeparator)))
	}
	want := 6
	if folds {
		want = 5
	}
	if len(names) != want || names[0] != fixture.Slug && names[1] != fixture.Slug {
		t.Errorf("folders %q", names)
	}
}

func TestSessionsAreFilesOfPeople(t *testing.T) {
	projects := t.TempDir()
	write := func(name, text string) { fixture.Put(t, projects, fixture.Slug+"/"+name, text, 1) }
	write(fixture.ID(1)+".jsonl", fixture.Talk(1).User("a real one").Text())
	write(fixture.ID(2)+".jsonl", fixture.Talk(2).Reply("the model alone").Text())
	write(fixture.ID(3)+".jsonl", fixture.Talk(3).Add("file-history-snapshot", nil).Add("summary", fixture.Fields{"summary": "s"}).Text())
	write(fixture.ID(4)+".jsonl", fixture.Talk(4).User("Warmup").Reply("ready").Text())
	write(fixture.ID(5)+".jsonl", fixture.Talk(5).UserWith("a task", fixture.Fields{"isSidechain": true}).Text())
	write(fixture.ID(6)+".jsonl", fixture.Talk(6).User("<dream-mcp-prompt v=1> go").Reply("dreaming").Text())
	write(fixture.ID(7)+".jsonl", fixture.Talk(7).User("<dream-mcp-prompt v=1> go").Reply("dreaming").User("thanks").Text())
	write(fixture.ID(8)+".jsonl", "")
	write("agent-0a1b2c3.jsonl", fixture.Talk(9).User("Warmup").Text())
	write("notes.jsonl", fixture.Talk(10).User("no uuid").Text())
	write(fixture.ID(1)+"/subagents/agent-a0123456789abcdef.jsonl", fixture.Talk(11).User("below").Text())
	write(fixture.ID(1)+"/tool-results/x.txt", "below")
	write("sessions-index.json", "{}")
	link := fixture.ID(12) + ".jsonl"
	linked := os.Symlink(fixture.Put(t, projects, "elsewhere.jsonl", fixture.Talk(12).User("linked").Text(), 1), projects+"/"+fixture.Slug+"/"+link) == nil
	if _, err := os.Lstat(projects + "/" + fixture.Slug + "/" + link); err != nil {
		linked = false // Wine makes no link, and says that it has
	}

	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}, Current: fixture.ID(7)})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, session := range sessions {
		got[session.ID] = true
		if session.Current != (session.ID == fixture.ID(7)) {
			t.Errorf("session %s: current %v", session.ID, session.Current)
		}
	}
	if len(got) != 3 || !got[fixture.ID(1)] || !got[fixture.ID(2)] || !got[fixture.ID(7)] {
		t.Errorf("sessions %v, want 1, 2 and 7", got)
	}
	want := said.Skipped{said.Ghost: 2, said.WarmUp: 1, said.Subagent: 2, said.Dream: 1, said.NoSession: 1}
	if linked {
		want[said.NoSession]++
	}
	if fmt.Sprint(skipped) != fmt.Sprint(want) {
		t.Errorf("skipped %v, want %v", skipped, want)
	}
	if n, err := s.Count(t.Context(), time.Time{}, 0); n != 2 || err != nil {
		t.Errorf("Count = %d, %v; want 2: the current one does not count", n, err)
	}
}

// Most lines of a file may be broken: the rest is read.
func TestMostOfAFileIsBroken(t *testing.T) {
	f := fixture.Talk(1)
	for n := range 40 {
		f.User(fmt.Sprint("lamp ", n))
		whole := f.Lines[len(f.Lines)-1]
		f.Raw(whole[:len(whole)/2]).Raw(whole[len(whole)/3:]).Raw(strings.Replace(whole, `"content":`, `"content" `, 1))
	}
	s := store(t, f)
	for when := range 2 {
		r := search(t, s, Query{Pattern: "lamp", Limit: 100})
		if r.Matches != 40 || r.Skipped[said.BadLine] != 120 {
			t.Errorf("%d: %d matches, skipped %v; want 40, and 120 bad lines", when, r.Matches, r.Skipped)
		}
	}
}

func TestLinesInAnyForm(t *testing.T) {
	s := store(t, fixture.Talk(1).
		Raw(`{"message":{"content":"the lantern, keys in another order"},"parentUuid":null,"cwd":"`+fixture.Root+`","type":"user"}`).
		Raw(`{ "type" : "user" , "message" : { "content" : [ { "text" : "the lantern, with spaces" , "type" : "text" } ] } }`).
		Raw(`{"type":"user","message":{"content":"the \u006cantern, escaped"}}`).
		Raw(`{"\u0074ype":"user","message":{"content":"the lantern, an escaped key"}}`))
	if got := hits(search(t, s, Query{Pattern: "the lantern"})); len(got) != 4 {
		t.Errorf("hits %q, want 4", got)
	}
}

func TestJoinsMessages(t *testing.T) {
	f := fixture.Talk(1).User("go").
		Says("m1", fixture.Fields{"type": "thinking", "thinking": "a secret thought", "signature": "x"}).
		Says("m1", fixture.Words("first part")).
		Says("m1", fixture.Use("t1", "Bash", fixture.Fields{"command": "ls -l", "description": "list"})).
		User([]any{fixture.Result("t1", "a.go")}).
		Says("m1", fixture.Words("second part")).
		Says("m2", fixture.Words("another message"))
	want := []string{
		"1 user: go", "3 assistant: first part\n\nsecond part", "4 tool: Bash: command=ls -l\ndescription=list",
		"5 tool: a.go", "7 assistant: another message",
	}
	fixture.Equal(t, "said", linesOf(t, f.Text()), want)
	twice := &fixture.Transcript{Session: f.Session, Lines: append(f.Lines[:3:3], f.Lines[2:]...)}
	if got := linesOf(t, twice.Text()); got[1] != "3 assistant: first part\n\nsecond part" {
		t.Errorf("a record written twice: %q", got)
	}
	r := search(t, store(t, f), Query{Pattern: "second"})
	if len(r.Hits) != 1 || r.Hits[0].Line != 3 || !strings.HasPrefix(r.Hits[0].Before, "first part") {
		t.Errorf("hits %+v, want the message, named by its first line", r.Hits)
	}
	if r := search(t, store(t, f), Query{Pattern: "secret thought", Speakers: []said.Speaker{said.User, said.Assistant, said.Tool}}); r.Matches != 0 {
		t.Errorf("a thought was found: %+v", r.Hits)
	}
}

func TestDedupesCopies(t *testing.T) {
	old := fixture.Talk(1).User("turn the lamp").Reply("the lamp turns")
	resumed := fixture.Talk(2)
	resumed.Lines = append(resumed.Lines, old.Lines...)
	resumed.User("the lamp again")
	s := store(t, old, resumed)
	r := search(t, s, Query{Pattern: "lamp"})
	if r.Matches != 3 || len(r.Hits) != 3 {
		t.Fatalf("matches %d: %q", r.Matches, hits(r))
	}
	for i, want := range []string{fixture.ID(2), fixture.ID(1), fixture.ID(1)} {
		if r.Hits[i].Session != want {
			t.Errorf("hit %d is of %s, want %s: the copy in the older file", i, r.Hits[i].Session, want)
		}
	}
}

func TestOrderAndTimes(t *testing.T) {
	f := fixture.Talk(1).
		UserWith("lamp one", fixture.Fields{"timestamp": "2026-11-01T10:00:00Z"}).
		UserWith("lamp two", fixture.Fields{"timestamp": "2026-11-01T09:59:00.500Z"}).
		Add("ai-title", fixture.Fields{"timestamp": nil, "aiTitle": "Lamps"}).
		UserWith("lamp three", fixture.Fields{"timestamp": nil}).
		UserWith("lamp four", fixture.Fields{"timestamp": "yesterday"})
	fixture.Equal(t, "in the order of the file", linesOf(t, f.Text()), []string{"1 user: lamp one", "2 user: lamp two", "4 user: lamp three", "5 user: lamp four"})
	s := store(t, f)
	r := search(t, s, Query{Pattern: "lamp"})
	fixture.Equal(t, "newest first", hits(r), []string{"lamp one", "lamp four", "lamp three", "lamp two"})
	if got := r.Hits[1].Time.Format(time.RFC3339Nano); got != "2026-11-01T09:59:00.5Z" {
		t.Errorf("inherited time %s", got)
	}
	// The filter passes over the line that the time is inherited from; in a file that is known to be plain, over many
	// at once.
	for range 2 {
		if r := search(t, s, Query{Pattern: "four", Speakers: []said.Speaker{said.User, said.Tool}}); len(r.Hits) != 1 || r.Hits[0].Time.Minute() != 59 {
			t.Errorf("inherited across lines passed over: %+v", r.Hits)
		}
		search(t, s, Query{Pattern: "nowhere", Speakers: []said.Speaker{said.Tool}})
	}
	sessions, _, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 || !sessions[0].Last.Equal(fixture.Start.Add(time.Hour)) {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	bare := fixture.Talk(2).UserWith("no time at all", fixture.Fields{"timestamp": nil})
	sessions, _, err = store(t, bare).Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 || !sessions[0].Last.Equal(sessions[0].ModTime) {
		t.Errorf("sessions %+v, %v: want the file's time", sessions, err)
	}
}

func TestResumedCopiesSayWhence(t *testing.T) {
	f := fixture.Talk(1).UserWith("an old lamp", fixture.Fields{"sessionId": fixture.ID(7)}).User("a new lamp")
	r := search(t, store(t, f), Query{Pattern: "lamp"})
	if len(r.Hits) != 2 || r.Hits[0].Origin != "" || r.Hits[1].Origin != fixture.ID(7) || r.Hits[1].Session != fixture.ID(1) {
		t.Errorf("hits %+v", r.Hits)
	}
}

func TestControlCharactersAndSurrogates(t *testing.T) {
	f := fixture.Talk(1).
		Raw(`{"type":"user","cwd":"` + fixture.Root + `","message":{"content":"a lone \ud88d lamp\u0000\u0000\u001b[31m red\u001b[0m"}}`).
		Raw(`{"type":"user","message":{"content":"it looks like \\u00e9, \\/ but is not"}}`)
	s := store(t, f)
	fixture.Equal(t, "hits", hits(search(t, s, Query{Pattern: "LAMP", CaseSensitive: new(bool)})), []string{"a lone \uFFFD lamp⟨U+0000×2⟩ red"})
	fixture.Equal(t, "what looks like an escape", hits(search(t, s, Query{Pattern: `\u00e9`})), []string{`it looks like \u00e9, \/ but is not`})
	if r := search(t, s, Query{Pattern: "é"}); r.Matches != 0 {
		t.Errorf("found %q", hits(r))
	}
}

func TestSkipsWhatIsNotText(t *testing.T) {
	f := fixture.Talk(1).User("look").
		Says("m", fixture.Use("t1", "Read", fixture.Fields{"file_path": "/x/lamp.go"})).
		Add("user", fixture.Fields{
			"message": fixture.Fields{"content": []any{fixture.Result("t1", []any{fixture.Words("the lamp<system-reminder>lamp of memory</system-reminder>"),
				fixture.Fields{"type": "image", "source": fixture.Fields{"data": "lamp"}}})}},
			"toolUseResult": fixture.Fields{"stdout": "lamp lamp lamp"},
		}).
		User(strings.Repeat("long ", 80_000) + "lamp" + strings.Repeat(" paste", 80_000))
	s := store(t, f)
	r := search(t, s, Query{Pattern: "lamp", Speakers: []said.Speaker{said.User, said.Assistant, said.Tool}})
	if r.Matches != 3 || len(r.Hits) != 3 {
		t.Fatalf("matches %d: %q", r.Matches, hits(r))
	}
	if n := len([]rune(hits(r)[0])); n > 2*DefaultContext+len("lamp")+2 {
		t.Errorf("an excerpt of %d runes", n)
	}
	if got := hits(r)[1:]; got[0] != "the lamp" || got[1] != "Read: file_path=/x/lamp.go" {
		t.Errorf("hits %q", got)
	}
}

func TestRereadsWhatChanged(t *testing.T) {
	projects := t.TempDir()
	name := fixture.Slug + "/" + fixture.ID(1) + ".jsonl"
	s := Open(sessions.Options{Projects: projects, Roots: []string{fixture.Root}})
	for i, step := range []struct {
		text  string
		hours int
		want  int
	}{
		{fixture.Talk(1).Add("mode", nil).Text(), 0, 0},
		{fixture.Talk(1).Add("mode", nil).User("grown").Text(), 1, 1},
		{fixture.Talk(1).User("<dream-mcp-prompt>").Text(), 2, 0},
		{fixture.Talk(1).User("shrunk").Text(), 3, 1},
		{fixture.Talk(1).Add("mode", nil).Text(), 3, 0}, // another size at the same time
	} {
		fixture.Put(t, projects, name, step.text, step.hours)
		if n, err := s.Count(t.Context(), time.Time{}, 0); n != step.want || err != nil {
			t.Errorf("step %d: Count = %d, %v; want %d", i, n, err, step.want)
		}
	}
}
