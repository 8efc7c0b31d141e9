package transcript

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The tests here are named after the requirements of CENSUS 5.

func TestCensus1FoldersByRecordedDirectory(t *testing.T) {
	projects := t.TempDir()
	at := func(n int, cwd string) string {
		f := talk(n)
		f.cwd = cwd
		return f.user(fmt.Sprint("session ", n)).text()
	}
	none := func(n int) string { return talk(n).userWith("no directory", fields{"cwd": nil}).text() }
	files := map[string]string{
		slug + "/" + id(1) + ".jsonl":                     at(1, root),
		slug + "/" + id(2) + ".jsonl":                     at(2, root+"/docs"),
		slug + "/" + id(3) + ".jsonl":                     at(3, "/home/dev/light/house"), // another path, one slug
		slug + "/" + id(4) + ".jsonl":                     none(4),
		slug + "-dl/" + id(5) + ".jsonl":                  at(5, root+"-dl"),
		slug + "3/" + id(6) + ".jsonl":                    at(6, root+"3"),
		slug + "-docs/" + id(7) + ".jsonl":                at(7, root+"/docs"),
		slug + "--claude-worktrees-x/" + id(8) + ".jsonl": at(8, root+"/.claude/worktrees/x"),
		slug + "--claude-worktrees-y/" + id(9) + ".jsonl": none(9),
		strings.ToUpper(slug) + "/" + id(10) + ".jsonl":   at(10, root),
		"-srv-wt-lamp/" + id(11) + ".jsonl":               at(11, "/srv/wt/lamp"),
		slug + "-gone/" + id(12) + ".jsonl": talk(12).add("worktree-state", fields{"cwd": nil,
			"worktreeSession": fields{"originalCwd": root}}).userWith("in a worktree that is gone", fields{"cwd": "/gone"}).text(),
	}
	for name, text := range files {
		put(t, projects, name, text, 1)
	}
	s := Open(Options{Projects: projects, Roots: []string{root, "/srv/wt/lamp"}})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, session := range sessions {
		got[session.ID] = true
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: false, 4: true, 5: false, 6: false, 7: true, 8: true,
		9: false, 10: true, 11: true, 12: true} {
		if got[id(n)] != want {
			t.Errorf("session %d: ours %v, want %v", n, got[id(n)], want)
		}
	}
	if skipped[OtherProject] != 3 { // 3, 5, 9; the folder of 6 was not even looked at
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
	if len(names) != 6 || names[0] != slug && names[1] != slug {
		t.Errorf("folders %q", names)
	}
}

func TestCensus2SessionsAreFilesOfPeople(t *testing.T) {
	projects := t.TempDir()
	write := func(name, text string) { put(t, projects, slug+"/"+name, text, 1) }
	write(id(1)+".jsonl", talk(1).user("a real one").text())
	write(id(2)+".jsonl", talk(2).reply("the model alone").text())
	write(id(3)+".jsonl", talk(3).add("file-history-snapshot", nil).add("summary", fields{"summary": "s"}).text())
	write(id(4)+".jsonl", talk(4).user("Warmup").reply("ready").text())
	write(id(5)+".jsonl", talk(5).userWith("a task", fields{"isSidechain": true}).text())
	write(id(6)+".jsonl", talk(6).user("<dream-mcp-prompt v=1> go").reply("dreaming").text())
	write(id(7)+".jsonl", talk(7).user("<dream-mcp-prompt v=1> go").reply("dreaming").user("thanks").text())
	write(id(8)+".jsonl", "")
	write("agent-0a1b2c3.jsonl", talk(9).user("Warmup").text())
	write("notes.jsonl", talk(10).user("no uuid").text())
	write(id(1)+"/subagents/agent-a0123456789abcdef.jsonl", talk(11).user("below").text())
	write(id(1)+"/tool-results/x.txt", "below")
	write("sessions-index.json", "{}")
	link := id(12) + ".jsonl"
	linked := os.Symlink(put(t, projects, "elsewhere.jsonl", talk(12).user("linked").text(), 1), projects+"/"+slug+"/"+link) == nil

	s := Open(Options{Projects: projects, Roots: []string{root}, Current: id(7)})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, session := range sessions {
		got[session.ID] = true
		if session.Current != (session.ID == id(7)) {
			t.Errorf("session %s: current %v", session.ID, session.Current)
		}
	}
	if len(got) != 3 || !got[id(1)] || !got[id(2)] || !got[id(7)] {
		t.Errorf("sessions %v, want 1, 2 and 7", got)
	}
	want := Skipped{Ghost: 2, WarmUp: 1, Subagent: 2, Dream: 1, NoSession: 1}
	if linked {
		want[NoSession]++
	}
	if fmt.Sprint(skipped) != fmt.Sprint(want) {
		t.Errorf("skipped %v, want %v", skipped, want)
	}
	if n, err := s.Count(t.Context(), time.Time{}, 0); n != 2 || err != nil {
		t.Errorf("Count = %d, %v; want 2: the current one does not count", n, err)
	}
}

func TestCensus3OneBadLineCostsThatLine(t *testing.T) {
	good := talk(1).user("first").lines[0]
	other := talk(1).raw("").user("second").lines[1]
	tests := []struct {
		name, text string
		want       []string
		bad        int
	}{
		{"a bad line", good + "\n{\"type\":\n" + other + "\n", []string{"1 user: first", "3 user: second"}, 1},
		{"two records on a line", good + other + "\n", []string{"1 user: first", "1 user: second"}, 0},
		{"a record and rubbish", good + "}x\n" + other + "\n", []string{"1 user: first", "2 user: second"}, 1},
		{"no final newline", good + "\n" + other, []string{"1 user: first", "2 user: second"}, 0},
		{"half a last line", good + "\n" + other[:len(other)/2], []string{"1 user: first"}, 0},
		{"an empty file", "", nil, 0},
		{"blank lines and NULs", "\n\n" + strings.Repeat("\x00", 99) + good + "\r\n\x00\n" + other + "\n", []string{"3 user: first", "5 user: second"}, 0},
		{"a byte order mark", "\xef\xbb\xbf" + good + "\r\n", []string{"1 user: first"}, 0},
		{"pretty-printed", "{\n  \"type\": \"user\"\n}\n" + good + "\n", []string{"4 user: first"}, 3},
		{"values that are no objects", "12\n\"x\"\n[1,{\"type\":\"user\"}]\nnull\ntrue\n" + good + "\n", []string{"6 user: first"}, 0},
		{"invalid UTF-8", strings.Replace(good, "first", "f\xffrst", 1) + "\n", []string{"1 user: f\uFFFDrst"}, 0},
		{"too deep", `{"type":"user","message":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}\n" + good + "\n", []string{"2 user: first"}, 1},
		{"deep in what is not read", `{"type":"user","toolUseResult":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `,"message":{"content":"deep"}}` + "\n", []string{"1 user: deep"}, 0},
		{"what no writer of JSON writes in a string", strings.Replace(good, "first", "f\ti\x01r\\xst \\u12g4", 1) + "\n", []string{"1 user: f\ti\x01r\\xst \\u12g4"}, 0},
		{"a line separator inside", strings.Replace(good, "first", "f\u2028rst", 1) + "\n", []string{"1 user: f\u2028rst"}, 0},
		{"fields of other types", `{"type":"user","uuid":7,"cwd":[1],"timestamp":{},"isMeta":"no","attachment":"x","message":{"content":"still"}}` + "\n", []string{"1 user: still"}, 0},
		{"a message that is a string", `{"type":"user","message":"bare"}` + "\n", []string{"1 user: bare"}, 0},
		{"a message that is a list", `{"type":"user","message":[{"type":"text","text":"listed"},"bare"]}` + "\n", []string{"1 user: listed\nbare"}, 0},
		{"a message with numbered keys", `{"type":"assistant","message":{"0":"e","1":"v","content":[]},"parentUuid":"request_1"}` + "\n", nil, 0},
		{"contents that are none", `{"type":"user","message":{"content":null}}` + "\n" + `{"type":"user"}` + "\n" + `{"type":"user","message":{"content":[null,3,[["x"]],{}]}}` + "\n", nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			equal(t, "said", said(t, test.text), test.want)
			if _, skipped := utterances(t, test.text); skipped[BadLine] != test.bad {
				t.Errorf("bad lines %d, want %d", skipped[BadLine], test.bad)
			}
		})
	}
}

// Most lines of a file may be broken: the rest is read, with digests and without.
func TestCensus3MostOfAFileIsBroken(t *testing.T) {
	f := talk(1)
	for n := range 40 {
		f.user(fmt.Sprint("lamp ", n))
		whole := f.lines[len(f.lines)-1]
		f.raw(whole[:len(whole)/2]).raw(whole[len(whole)/3:]).raw(strings.Replace(whole, `"content":`, `"content" `, 1))
	}
	s := store(t, f)
	for _, digests := range []int64{0, DefaultDigestMemory} {
		s.DigestMemory = digests
		r := search(t, s, Query{Pattern: "lamp", Limit: 100})
		if r.Matches != 40 || r.Skipped[BadLine] != 120 {
			t.Errorf("digests %d: %d matches, skipped %v; want 40, and 120 bad lines", digests, r.Matches, r.Skipped)
		}
	}
}

func TestCensus3LongLines(t *testing.T) {
	long := strings.Repeat("lamp ", 1<<20)
	text := talk(1).user("first").user(long).user("third").text()
	if got := said(t, text); len(got) != 3 || got[1] != "2 user: "+strings.TrimSpace(long) || got[2] != "3 user: third" {
		t.Errorf("a line of 5 MB: %d utterances", len(got))
	}
	over := talk(1).user("first").text() + strings.Repeat("x", maxLine+1) + "\n" + talk(1).user("third").text()
	all, skipped := utterances(t, over)
	if len(all) != 2 || all[1].Line != 3 || skipped[LongLine] != 1 {
		t.Errorf("a line beyond the limit: %d utterances, skipped %v", len(all), skipped)
	}
	all, skipped = utterances(t, talk(1).user(strings.Repeat("é", maxText)).text())
	if len(all) != 1 || len(all[0].Text) != maxText || skipped[LongText] != 1 {
		t.Errorf("a text beyond the limit: %d utterances, skipped %v", len(all), skipped)
	}
}

func TestCensus4LinesInAnyForm(t *testing.T) {
	s := store(t, talk(1).
		raw(`{"message":{"content":"the lantern, keys in another order"},"parentUuid":null,"cwd":"`+root+`","type":"user"}`).
		raw(`{ "type" : "user" , "message" : { "content" : [ { "text" : "the lantern, with spaces" , "type" : "text" } ] } }`).
		raw(`{"type":"user","message":{"content":"the \u006cantern, escaped"}}`).
		raw(`{"\u0074ype":"user","message":{"content":"the lantern, an escaped key"}}`))
	if got := hits(search(t, s, Query{Pattern: "the lantern"})); len(got) != 4 {
		t.Errorf("hits %q, want 4", got)
	}
}

func TestCensus5UnknownTypesAreIgnored(t *testing.T) {
	f := talk(1).user("one")
	for _, kind := range []string{"progress", "mode", "bridge-session", "pr-link", "frame-link", "never-seen", ""} {
		f.add(kind, fields{"message": fields{"content": "not said"}, "content": "not said"})
	}
	f.attach(fields{"type": "nested_memory", "prompt": "not said", "content": "not said"})
	f.add("system", fields{"subtype": "never-seen", "content": "not said"})
	f.add("system", fields{"subtype": "away_summary", "content": "while you were away"})
	_, skipped := utterances(t, f.text())
	equal(t, "said", said(t, f.text()), []string{"1 user: one", "11 assistant: while you were away"})
	if len(skipped) != 0 {
		t.Errorf("skipped %v, want nothing", skipped)
	}
}

func TestCensus6WhatAPersonTyped(t *testing.T) {
	const reminder = "<system-reminder>\nremember the memory\n</system-reminder>"
	tests := []struct {
		name    string
		content any
		want    string
	}{
		{"a string", "plain words", "plain words"},
		{"blocks", []any{words("one"), fields{"type": "image", "source": fields{"data": "AAAA"}}, words("two")}, "one\ntwo"},
		{"a reminder before", reminder + "typed", "typed"},
		{"a reminder amid", "ty" + reminder + "ped", "ty\nped"},
		{"a reminder alone", reminder, ""},
		{"a reminder that is written about", "what is <system-reminder> for?", "what is <system-reminder> for?"},
		{"the editor's tag before", "<ide_opened_file>The user opened x.go</ide_opened_file>\nfix it", "fix it"},
		{"the editor's tag behind", "fix it <ide_selection>lines 1 to 2: x</ide_selection>", "fix it"},
		{"the editor's tag as a block", []any{words("<ide_selection>a</ide_selection>"), words("fix it")}, "fix it"},
		{"the editor's tag alone", "<ide_opened_file>x</ide_opened_file>", ""},
		{"the editor's tag unclosed", "<ide_selection>lines 1 to", ""},
		{"a command with arguments", "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>only the tests</command-args>", "only the tests"},
		{"a command without", "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>", ""},
		{"output of a command", "<local-command-stdout>Set model</local-command-stdout>", ""},
		{"caveat as text", "Caveat: The messages below were generated by the user while running local commands. DO NOT", ""},
		{"caveat as tag before", "<local-command-caveat>Caveat</local-command-caveat>typed", "typed"},
		{"an interruption", "[Request interrupted by user for tool use]", ""},
		{"a summary without its mark", "This session is being continued from a previous conversation that ran out", ""},
		{"a task's notification", "<task-notification>\n<task-id>x</task-id></task-notification>\nRead the output", ""},
		{"a teammate", `<teammate-message teammate_id="x">hi</teammate-message>`, ""},
		{"a skill's body", "Base directory for this skill: /x\n\n# Skill", ""},
		{"a hook's feedback", "Stop hook feedback:\n- fix", ""},
		{"a tick", "<tick>now</tick>", ""},
		{"beside the result of a tool", []any{result("t", "out"), words("injected")}, "tool: out"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := said(t, talk(1).user(test.content).text())
			want := []string{"1 user: " + test.want}
			if strings.HasPrefix(test.want, "tool:") {
				want = []string{"1 " + test.want}
			}
			if test.want == "" {
				want = nil
			}
			equal(t, "said", got, want)
		})
	}
	for _, mark := range []string{"isMeta", "isCompactSummary", "isSidechain"} {
		if got := said(t, talk(1).userWith("not typed", fields{mark: true}).text()); got != nil {
			t.Errorf("%s: said %q", mark, got)
		}
	}
}

func TestCensus6TypedWhileBusy(t *testing.T) {
	queued := func(text string) fields {
		return fields{"type": "queued_command", "commandMode": "prompt", "prompt": text}
	}
	f := talk(1).
		enqueue("only queued").
		enqueue("queued, then a turn").
		user("queued, then a turn").
		enqueue("on all three ways").
		attach(queued("on all three ways")).
		user("on all three ways").
		attach(queued("only attached")).
		user("continue").
		user("continue").
		enqueue("continue").
		add("queue-operation", fields{"operation": "remove", "content": "taken back"}).
		attach(fields{"type": "queued_command", "commandMode": "task-notification", "prompt": "not typed"}).
		enqueue("<task-notification>not typed</task-notification>").
		attach(fields{"type": "queued_command", "commandMode": "prompt", "prompt": []any{words("in blocks")}}).
		enqueue("yes").
		enqueue("yes")
	equal(t, "said", said(t, f.text()), []string{
		"1 user: only queued", "2 user: queued, then a turn", "4 user: on all three ways", "7 user: only attached",
		"8 user: continue", "9 user: continue", "10 user: continue", "14 user: in blocks",
		"15 user: yes", "16 user: yes",
	})
}

func TestCensus7JoinsMessages(t *testing.T) {
	f := talk(1).user("go").
		says("m1", fields{"type": "thinking", "thinking": "a secret thought", "signature": "x"}).
		says("m1", words("first part")).
		says("m1", use("t1", "Bash", fields{"command": "ls -l", "description": "list"})).
		user([]any{result("t1", "a.go")}).
		says("m1", words("second part")).
		says("m2", words("another message"))
	want := []string{
		"1 user: go", "3 assistant: first part\n\nsecond part", "4 tool: Bash: command=ls -l\ndescription=list",
		"5 tool: a.go", "7 assistant: another message",
	}
	equal(t, "said", said(t, f.text()), want)
	twice := &fixture{session: f.session, lines: append(f.lines[:3:3], f.lines[2:]...)}
	if got := said(t, twice.text()); got[1] != "3 assistant: first part\n\nsecond part" {
		t.Errorf("a record written twice: %q", got)
	}
	r := search(t, store(t, f), Query{Pattern: "second"})
	if len(r.Hits) != 1 || r.Hits[0].Line != 3 || !strings.HasPrefix(r.Hits[0].Before, "first part") {
		t.Errorf("hits %+v, want the message, named by its first line", r.Hits)
	}
	if r := search(t, store(t, f), Query{Pattern: "secret thought", Speakers: []Speaker{User, Assistant, Tool}}); r.Matches != 0 {
		t.Errorf("a thought was found: %+v", r.Hits)
	}
}

func TestCensus7DedupesCopies(t *testing.T) {
	old := talk(1).user("turn the lamp").reply("the lamp turns")
	resumed := talk(2)
	resumed.lines = append(resumed.lines, old.lines...)
	resumed.user("the lamp again")
	s := store(t, old, resumed)
	r := search(t, s, Query{Pattern: "lamp"})
	if r.Matches != 3 || len(r.Hits) != 3 {
		t.Fatalf("matches %d: %q", r.Matches, hits(r))
	}
	for i, want := range []string{id(2), id(1), id(1)} {
		if r.Hits[i].Session != want {
			t.Errorf("hit %d is of %s, want %s: the copy in the older file", i, r.Hits[i].Session, want)
		}
	}
}

func TestCensus8OrderAndTimes(t *testing.T) {
	f := talk(1).
		userWith("lamp one", fields{"timestamp": "2026-11-01T10:00:00Z"}).
		userWith("lamp two", fields{"timestamp": "2026-11-01T09:59:00.500Z"}).
		add("ai-title", fields{"timestamp": nil, "aiTitle": "Lamps"}).
		userWith("lamp three", fields{"timestamp": nil}).
		userWith("lamp four", fields{"timestamp": "yesterday"})
	equal(t, "in the order of the file", said(t, f.text()), []string{"1 user: lamp one", "2 user: lamp two", "4 user: lamp three", "5 user: lamp four"})
	s := store(t, f)
	r := search(t, s, Query{Pattern: "lamp"})
	equal(t, "newest first", hits(r), []string{"lamp one", "lamp four", "lamp three", "lamp two"})
	if got := r.Hits[1].Time.Format(time.RFC3339Nano); got != "2026-11-01T09:59:00.5Z" {
		t.Errorf("inherited time %s", got)
	}
	// The filter passes over the line that the time is inherited from; in a file that is known to be plain, over many at once.
	for range 2 {
		if r := search(t, s, Query{Pattern: "four", Speakers: []Speaker{User, Tool}}); len(r.Hits) != 1 || r.Hits[0].Time.Minute() != 59 {
			t.Errorf("inherited across lines passed over: %+v", r.Hits)
		}
		search(t, s, Query{Pattern: "nowhere", Speakers: []Speaker{Tool}})
		s.DigestMemory = 0
	}
	sessions, _, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 || !sessions[0].Last.Equal(start.Add(time.Hour)) || sessions[0].Title != "Lamps" {
		t.Errorf("sessions %+v, %v", sessions, err)
	}
	bare := talk(2).userWith("no time at all", fields{"timestamp": nil})
	sessions, _, err = store(t, bare).Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 1 || !sessions[0].Last.Equal(sessions[0].ModTime) {
		t.Errorf("sessions %+v, %v: want the file's time", sessions, err)
	}
}

func TestCensus9ResumedCopiesSayWhence(t *testing.T) {
	f := talk(1).userWith("an old lamp", fields{"sessionId": id(7)}).user("a new lamp")
	r := search(t, store(t, f), Query{Pattern: "lamp"})
	if len(r.Hits) != 2 || r.Hits[0].Origin != "" || r.Hits[1].Origin != id(7) || r.Hits[1].Session != id(1) {
		t.Errorf("hits %+v", r.Hits)
	}
}

func TestCensus10ControlCharactersAndSurrogates(t *testing.T) {
	f := talk(1).
		raw(`{"type":"user","cwd":"` + root + `","message":{"content":"a lone \ud88d lamp\u0000\u0000\u001b[31m red\u001b[0m"}}`).
		raw(`{"type":"user","message":{"content":"it looks like \\u00e9, \\/ but is not"}}`)
	s := store(t, f)
	equal(t, "hits", hits(search(t, s, Query{Pattern: "LAMP", CaseSensitive: new(bool)})), []string{"a lone \uFFFD lamp⟨U+0000×2⟩ red"})
	equal(t, "what looks like an escape", hits(search(t, s, Query{Pattern: `\u00e9`})), []string{`it looks like \u00e9, \/ but is not`})
	if r := search(t, s, Query{Pattern: "é"}); r.Matches != 0 {
		t.Errorf("found %q", hits(r))
	}
}

func TestCensus11SkipsWhatIsNoText(t *testing.T) {
	f := talk(1).user("look").
		says("m", use("t1", "Read", fields{"file_path": "/x/lamp.go"})).
		add("user", fields{
			"message": fields{"content": []any{result("t1", []any{words("the lamp<system-reminder>lamp of memory</system-reminder>"),
				fields{"type": "image", "source": fields{"data": "lamp"}}})}},
			"toolUseResult": fields{"stdout": "lamp lamp lamp"},
		}).
		user(strings.Repeat("long ", 80_000) + "lamp" + strings.Repeat(" paste", 80_000))
	s := store(t, f)
	r := search(t, s, Query{Pattern: "lamp", Speakers: []Speaker{User, Assistant, Tool}})
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

func TestCensus12RereadsWhatChanged(t *testing.T) {
	projects := t.TempDir()
	name := slug + "/" + id(1) + ".jsonl"
	s := Open(Options{Projects: projects, Roots: []string{root}})
	for i, step := range []struct {
		text  string
		hours int
		want  int
	}{
		{talk(1).add("mode", nil).text(), 0, 0},
		{talk(1).add("mode", nil).user("grown").text(), 1, 1},
		{talk(1).user("<dream-mcp-prompt>").text(), 2, 0},
		{talk(1).user("shrunk").text(), 3, 1},
		{talk(1).add("mode", nil).text(), 3, 0}, // another size at the same time
	} {
		put(t, projects, name, step.text, step.hours)
		if n, err := s.Count(t.Context(), time.Time{}, 0); n != step.want || err != nil {
			t.Errorf("step %d: Count = %d, %v; want %d", i, n, err, step.want)
		}
	}
}

// Whatever time a record has, ours of it can be written down, in any zone: a copied word with another could not.
func TestTimesCanBeWritten(t *testing.T) {
	for _, stamp := range []string{"9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00+23:59", "0001-01-01T00:00:00+01:00", `9999\u002d12-31T23:59:59-23:59`} {
		all, _ := utterances(t, strings.Replace(talk(1).userWith("lamp", fields{"timestamp": "STAMP"}).text(), "STAMP", stamp, 1))
		if len(all) != 1 {
			t.Fatalf("%s: %d utterances", stamp, len(all))
		}
		if _, err := all[0].Time.In(time.FixedZone("", 14*60*60)).MarshalJSON(); err != nil {
			t.Errorf("%s: %v", stamp, err)
		}
	}
}
