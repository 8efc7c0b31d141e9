package transcript

import (
	"os"
	"testing"
	"time"
)

const prompt = DreamMarker + " version=1>\nconsolidate the lamps</dream-mcp-prompt>"

func TestDreamsAreNotSaid(t *testing.T) {
	tests := []struct {
		name string
		f    *fixture
		want []string
	}{
		{
			"from the prompt to the next words",
			talk(1).user("before").reply("yes").user(prompt).reply("I dream of lamps").
				says("m", use("t", "Read", fields{"file_path": "a"})).user([]any{result("t", "lamps")}).
				user("<system-reminder>lamps</system-reminder>").user("[Request interrupted by user]").
				userWith("injected", fields{"isMeta": true}).reply("still dreaming").
				user("after").reply("awake"),
			[]string{"1 user: before", "2 assistant: yes", "11 user: after", "12 assistant: awake"},
		},
		{
			"the prompt as a command's hidden text",
			talk(1).user("<command-name>/mcp__dream__dream</command-name>\n<command-args></command-args>").
				userWith([]any{words(prompt)}, fields{"isMeta": true}).reply("dreaming"),
			nil,
		},
		{
			"the prompt typed while busy",
			talk(1).enqueue(prompt).reply("dreaming").enqueue("stop").reply("stopped"),
			[]string{"3 user: stop", "4 assistant: stopped"},
		},
		{
			"the marker in a result, a summary and an answer opens nothing",
			talk(1).user("read it").says("m", use("t", "Read", fields{"file_path": "prompt.md"})).
				user([]any{result("t", prompt)}).userWith(prompt, fields{"isCompactSummary": true}).reply("it says " + DreamMarker),
			[]string{"1 user: read it", "2 tool: Read: file_path=prompt.md", "3 tool: " + prompt, "5 assistant: it says " + DreamMarker},
		},
		{
			"our tools outside a dream",
			talk(1).user("what did I say on lamps?").
				says("m", words("I look"), use("t1", "mcp__dream__grep_transcripts", fields{"pattern": "lamps"}), use("t2", "Bash", fields{"command": "ls"})).
				user([]any{result("t1", "[x:1] lamps"), result("t2", "a.go")}).
				says("n", use("t3", "mcp__plugin_x_dream__write_memory", fields{"content": "lamps"})).
				user([]any{result("t3", "created")}),
			[]string{"1 user: what did I say on lamps?", "2 assistant: I look", "2 tool: Bash: command=ls", "3 tool: a.go"},
		},
		{
			"what the host says in the model's place",
			talk(1).user("go").add("assistant", fields{"isApiErrorMessage": true, "message": fields{"content": []any{words("API Error")}}}).
				add("assistant", fields{"message": fields{"model": "<synthetic>", "content": []any{words("No response requested.")}}}),
			[]string{"1 user: go"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { equal(t, "said", said(t, test.f.text()), test.want) })
	}
}

// What a filter passes over must not change what is a dream, or whose words the results are.
func TestDreamsAreNotFound(t *testing.T) {
	s := store(t,
		talk(1).user("go").user(prompt).reply("a lantern dreamt").says("m", use("t0", "Bash", fields{"command": "lantern"})).user("done").reply("a lantern seen"),
		talk(2).user("go").says("m", use("t1", "x__read_memory", fields{"path": "a.md"})).user([]any{result("t1", "a lantern remembered")}).
			user([]any{result("t9", "a lantern read")}),
		talk(3).raw(`{"type":"user","cwd":"`+root+`","message":{"content":"\u003cdream-mcp-prompt>"}}`).reply("a lantern dreamt").user("done"))
	r := search(t, s, Query{Pattern: "lantern", Speakers: []Speaker{User, Assistant, Tool}})
	equal(t, "hits", hits(r), []string{"a lantern seen", "a lantern read"})
	for _, hit := range r.Hits {
		if u, err := s.Lookup(t.Context(), hit.ID); err != nil || u.Text != hit.Before+hit.Match+hit.After {
			t.Errorf("Lookup(%q) = %q, %v", hit.ID, u.Text, err)
		}
	}
	for _, id := range []string{shortID(id(1)) + ":3", shortID(id(1)) + ":4", shortID(id(2)) + ":3"} {
		if u, err := s.Lookup(t.Context(), id); err == nil {
			t.Errorf("Lookup(%q) = %q: it was dreamt", id, u.Text)
		}
	}
}

// Which parts of a message are joined, and so its text and its time, depends on what of it was dreamt, though
// nothing that is sought stands there.
func TestDreamsWithinMessages(t *testing.T) {
	mark := DreamMarker + ">"
	ends := talk(1).user("begin").says("m1", words("a lamp")).user(mark).says("m1", words("dreamt")).user("awake")
	begins := talk(2).user("begin").user(mark).says("m1", words("dreamt")).enqueue("awake").says("m1", words("the lens"))
	spans := talk(3).user("begin").says("m1", words("a door")).user(mark).says("m2", words("dreamt")).enqueue("awake").says("m1", words("a window"))
	s := store(t, ends, begins, spans)
	s.DigestMemory = 0
	for _, test := range []struct {
		q    Query
		want string
	}{
		{Query{Pattern: `lamp\z`, Regex: true}, "a lamp"},
		{Query{Pattern: `\Athe lens`, Regex: true}, "the lens"},
		{Query{Pattern: "lens", Since: start.Add(3 * time.Second)}, "the lens"},
		{Query{Pattern: `(?s)door.*window`, Regex: true}, "a door\n\na window"},
		{Query{Pattern: "window", Until: start.Add(3 * time.Second)}, "a door\n\na window"},
	} {
		r := search(t, s, test.q)
		equal(t, test.q.Pattern, hits(r), []string{test.want})
		for _, h := range r.Hits {
			if u, err := s.Lookup(t.Context(), h.ID); err != nil || u.Text != test.want {
				t.Errorf("Lookup(%q) = %q, %v; want %q", h.ID, u.Text, err, test.want)
			}
		}
	}
}

// Transcripts in the forms that hosts have written; testdata/README.md says what is in them.
func TestWrittenTranscripts(t *testing.T) {
	projects := t.TempDir()
	for n, name := range []string{"working.jsonl", "dream.jsonl", "odd.jsonl"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, projects, slug+"/"+id(n+1)+".jsonl", string(text), n+1)
	}
	s := Open(Options{Projects: projects, Roots: []string{root}})
	sessions, skipped, err := s.Sessions(t.Context(), time.Time{})
	if err != nil || len(sessions) != 2 || skipped[Dream] != 1 {
		t.Fatalf("sessions %+v, skipped %v, %v", sessions, skipped, err)
	}
	if got := sessions[0]; got.First != "the lamp room leaks, please find out why" || got.Title != "Lamp room leak" || got.Branch != "main" {
		t.Errorf("session %+v", got)
	}
	r := search(t, s, Query{Pattern: "gasket"})
	equal(t, "gasket", hits(r), []string{
		"no, never caulk it: we always replace the gasket",
		"The gasket of the lantern gallery is worn.",
	})
	r = search(t, s, Query{Pattern: "odd", Speakers: []Speaker{User, Assistant, Tool}})
	equal(t, "odd", hits(r), []string{"odd, typed at last", "odd, amid rubbish", "odd two", "odd one"})
	if r.Skipped[BadLine] != 1 {
		t.Errorf("skipped %v", r.Skipped)
	}
}
