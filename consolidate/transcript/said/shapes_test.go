package said

import (
	"strings"
	"testing"
	"time"

	"dream-mcp/testdata/fixture"
)

func TestOneBadLineCostsThatLine(t *testing.T) {
	good := fixture.Talk(1).User("first").Lines[0]
	other := fixture.Talk(1).Raw("").User("second").Lines[1]
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
		{"deep in what is not read", `{"type":"user","toolUseResult":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) +
			`,"message":{"content":"deep"}}` + "\n", []string{"1 user: deep"}, 0},
		{"what no writer of JSON writes in a string", strings.Replace(good, "first", "f\ti\x01r\\xst \\u12g4", 1) +
			"\n", []string{"1 user: f\ti\x01r\\xst \\u12g4"}, 0},
		{"a line separator inside", strings.Replace(good, "first", "f\u2028rst", 1) + "\n", []string{"1 user: f\u2028rst"}, 0},
		{"fields of other types", `{"type":"user","uuid":7,"cwd":[1],"timestamp":{},"isMeta":"no","attachment":"x","message":{"content":"still"}}` +
			"\n", []string{"1 user: still"}, 0},
		{"a message that is a string", `{"type":"user","message":"bare"}` + "\n", []string{"1 user: bare"}, 0},
		{"a message that is a list", `{"type":"user","message":[{"type":"text","text":"listed"},"bare"]}` + "\n", []string{"1 user: listed\nbare"}, 0},
		{"a message with numbered keys", `{"type":"assistant","message":{"0":"e","1":"v","content":[]},"parentUuid":"request_1"}` + "\n", nil, 0},
		{"contents that are none", `{"type":"user","message":{"content":null}}` + "\n" + `{"type":"user"}` + "\n" +
			`{"type":"user","message":{"content":[null,3,[["x"]],{}]}}` + "\n", nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fixture.Equal(t, "said", said(t, test.text), test.want)
			if _, skipped := utterances(t, test.text); skipped[BadLine] != test.bad {
				t.Errorf("bad lines %d, want %d", skipped[BadLine], test.bad)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("lamp ", 1<<20)
	text := fixture.Talk(1).User("first").User(long).User("third").Text()
	if got := said(t, text); len(got) != 3 || got[1] != "2 user: "+strings.TrimSpace(long) || got[2] != "3 user: third" {
		t.Errorf("a line of 5 MB: %d utterances", len(got))
	}
	over := fixture.Talk(1).User("first").Text() + strings.Repeat("x", maxLine+1) + "\n" + fixture.Talk(1).User("third").Text()
	all, skipped := utterances(t, over)
	if len(all) != 2 || all[1].Line != 3 || skipped[LongLine] != 1 {
		t.Errorf("a line beyond the limit: %d utterances, skipped %v", len(all), skipped)
	}
	all, skipped = utterances(t, fixture.Talk(1).User(strings.Repeat("é", MaxText)).Text())
	if len(all) != 1 || len(all[0].Text) != MaxText || skipped[LongText] != 1 {
		t.Errorf("a text beyond the limit: %d utterances, skipped %v", len(all), skipped)
	}
}

func TestUnknownTypesAreIgnored(t *testing.T) {
	f := fixture.Talk(1).User("one")
	for _, kind := range []string{"progress", "mode", "bridge-session", "pr-link", "frame-link", "never-seen", ""} {
		f.Add(kind, fixture.Fields{"message": fixture.Fields{"content": "not said"}, "content": "not said"})
	}
	f.Attach(fixture.Fields{"type": "nested_memory", "prompt": "not said", "content": "not said"})
	f.Add("system", fixture.Fields{"subtype": "never-seen", "content": "not said"})
	f.Add("system", fixture.Fields{"subtype": "away_summary", "content": "while you were away"})
	_, skipped := utterances(t, f.Text())
	fixture.Equal(t, "said", said(t, f.Text()), []string{"1 user: one"})
	if len(skipped) != 0 {
		t.Errorf("skipped %v, want nothing", skipped)
	}
}

func TestWhatAPersonTyped(t *testing.T) {
	const reminder = "<system-reminder>\nremember the memory\n</system-reminder>"
	tests := []struct {
		name    string
		content any
		want    string
	}{
		{"a string", "plain words", "plain words"},
		{"blocks", []any{fixture.Words("one"), fixture.Fields{"type": "image", "source": fixture.Fields{"data": "AAAA"}}, fixture.Words("two")}, "one\ntwo"},
		{"a reminder before", reminder + "typed", "typed"},
		{"a reminder amid", "ty" + reminder + "ped", "ty\nped"},
		{"a reminder alone", reminder, ""},
		{"a reminder that is written about", "what is <system-reminder> for?", "what is <system-reminder> for?"},
		{"the editor's tag before", "<ide_opened_file>The user opened x.go</ide_opened_file>\nfix it", "fix it"},
		{"the editor's tag behind", "fix it <ide_selection>lines 1 to 2: x</ide_selection>", "fix it"},
		{"the editor's tag as a block", []any{fixture.Words("<ide_selection>a</ide_selection>"), fixture.Words("fix it")}, "fix it"},
		{"the editor's tag alone", "<ide_opened_file>x</ide_opened_file>", ""},
		{"the editor's tag unclosed", "<ide_selection>lines 1 to", ""},
		{"a command with arguments", "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>only the tests</command-args>", "/review only the tests"},
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
		{"beside the result of a tool", []any{fixture.Result("t", "out"), fixture.Words("<bash-stdout>x</bash-stdout>")}, "tool: out"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := said(t, fixture.Talk(1).User(test.content).Text())
			want := []string{"1 user: " + test.want}
			if strings.HasPrefix(test.want, "tool:") {
				want = []string{"1 " + test.want}
			}
			if test.want == "" {
				want = nil
			}
			fixture.Equal(t, "said", got, want)
		})
	}
	for _, mark := range []string{"isMeta", "isCompactSummary", "isSidechain"} {
		if got := said(t, fixture.Talk(1).UserWith("not typed", fixture.Fields{mark: true}).Text()); got != nil {
			t.Errorf("%s: said %q", mark, got)
		}
	}
}

func TestTypedWhileBusy(t *testing.T) {
	queued := func(text string) fixture.Fields {
		return fixture.Fields{"type": "queued_command", "commandMode": "prompt", "prompt": text}
	}
	f := fixture.Talk(1).
		Enqueue("only queued").
		Enqueue("queued, then a turn").
		User("queued, then a turn").
		Enqueue("on all three ways").
		Attach(queued("on all three ways")).
		User("on all three ways").
		Attach(queued("only attached")).
		User("continue").
		User("continue").
		Enqueue("continue").
		Add("queue-operation", fixture.Fields{"operation": "remove", "content": "taken back"}).
		Attach(fixture.Fields{"type": "queued_command", "commandMode": "task-notification", "prompt": "not typed"}).
		Enqueue("<task-notification>not typed</task-notification>").
		Attach(fixture.Fields{"type": "queued_command", "commandMode": "prompt", "prompt": []any{fixture.Words("in blocks")}}).
		Enqueue("yes").
		Enqueue("yes")
	fixture.Equal(t, "said", said(t, f.Text()), []string{
		"1 user: only queued", "2 user: queued, then a turn", "4 user: on all three ways", "7 user: only attached",
		"8 user: continue", "9 user: continue", "10 user: continue", "14 user: in blocks",
		"15 user: yes", "16 user: yes",
	})
}

// A host may join the texts of the queue to one turn: they are listed as they were typed, and the turn is not.
func TestQueuedTextsJoined(t *testing.T) {
	f := fixture.Talk(1).User("go").
		Enqueue("use the east dock").Enqueue("and\nmind the gate").
		User("use the east dock\nand\nmind the gate").
		Enqueue("not the west one").Enqueue("taken back").Enqueue("nor the south one").
		User("not the west one \nnor the south one").
		Enqueue("a").Enqueue("b").
		User("a\nb\nc").
		User("use the east dock\nnor the south one")
	fixture.Equal(t, "said", said(t, f.Text()), []string{
		"1 user: go", "2 user: use the east dock", "3 user: and\nmind the gate",
		"5 user: not the west one", "6 user: taken back", "7 user: nor the south one",
		"9 user: a", "10 user: b", "11 user: a\nb\nc",
		"12 user: use the east dock\nnor the south one",
	})
}

// Whatever time a record has, ours of it can be written down, in any zone: a copied word with another could not.
func TestTimesCanBeWritten(t *testing.T) {
	for _, stamp := range []string{"9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00+23:59",
		"0001-01-01T00:00:00+01:00", `9999\u002d12-31T23:59:59-23:59`} {
		all, _ := utterances(t, strings.Replace(fixture.Talk(1).UserWith("lamp", fixture.Fields{"timestamp": "STAMP"}).Text(), "STAMP", stamp, 1))
		if len(all) != 1 {
			t.Fatalf("%s: %d utterances", stamp, len(all))
		}
		if _, err := all[0].Time.In(time.FixedZone("", 14*60*60)).MarshalJSON(); err != nil {
			t.Errorf("%s: %v", stamp, err)
		}
	}
}
