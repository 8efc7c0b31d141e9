package said

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dream-mcp/testdata/fixture"
)

func TestDreamsAreNotSaid(t *testing.T) {
	tests := []struct {
		name string
		f    *fixture.Transcript
		want []string
	}{
		{
			"from the prompt to the next words",
			fixture.Talk(1).User("before").Reply("yes").User(fixture.Prompt).Reply("I dream of lamps").
				Says("m", fixture.Use("t", "Read", fixture.Fields{"file_path": "a"})).User([]any{fixture.Result("t", "lamps")}).
				User("<system-reminder>lamps</system-reminder>").User("[Request interrupted by user]").
				UserWith("injected", fixture.Fields{"isMeta": true}).Reply("still dreaming").
				User("after").Reply("awake"),
			[]string{"1 user: before", "2 assistant: yes", "11 user: after", "12 assistant: awake"},
		},
		{
			"the prompt as a command's hidden text",
			fixture.Talk(1).User("<command-name>/mcp__dream__dream</command-name>\n<command-args></command-args>").
				UserWith([]any{fixture.Words(fixture.Prompt)}, fixture.Fields{"isMeta": true}).Reply("dreaming"),
			nil,
		},
		{
			"the prompt typed while busy",
			fixture.Talk(1).Enqueue(fixture.Prompt).Reply("dreaming").Enqueue("stop").Reply("stopped"),
			[]string{"3 user: stop", "4 assistant: stopped"},
		},
		{
			"the marker in a result, a summary and an answer opens nothing",
			fixture.Talk(1).User("read it").Says("m", fixture.Use("t", "Read", fixture.Fields{"file_path": "prompt.md"})).
				User([]any{fixture.Result("t", fixture.Prompt)}).UserWith(fixture.Prompt, fixture.Fields{"isCompactSummary": true}).Reply("it says " + DreamMarker),
			[]string{"1 user: read it", "2 tool: Read: file_path=prompt.md", "3 tool: " + fixture.Prompt, "5 assistant: it says " + DreamMarker},
		},
		{
			"our tools outside a dream",
			fixture.Talk(1).User("what did I say on lamps?").
				Says("m", fixture.Words("I look"), fixture.Use("t1", "mcp__dream__grep_transcripts", fixture.Fields{"pattern": "lamps"}),
					fixture.Use("t2", "Bash", fixture.Fields{"command": "ls"})).
				User([]any{fixture.Result("t1", "[x:1] lamps"), fixture.Result("t2", "a.go")}).
				Says("n", fixture.Use("t3", "mcp__plugin_x_dream__write_memory", fixture.Fields{"content": "lamps"})).
				User([]any{fixture.Result("t3", "created")}),
			[]string{"1 user: what did I say on lamps?", "2 assistant: I look", "2 tool: Bash: command=ls", "3 tool: a.go"},
		},
		{
			"what the host says in the model's place",
			fixture.Talk(1).User("go").Add("assistant", fixture.Fields{"isApiErrorMessage": true, "message": fixture.Fields{"content": []any{fixture.Words("API Error")}}}).
				Add("assistant", fixture.Fields{"message": fixture.Fields{"model": "<synthetic>", "content": []any{fixture.Words("No response requested.")}}}),
			[]string{"1 user: go"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { fixture.Equal(t, "said", said(t, test.f.Text()), test.want) })
	}
}

// ownTools are those of the table: each has a file in its folder wire.
func TestOwnToolsAreAll(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "tools", "wire", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tools []string
	for _, file := range files {
		tools = append(tools, "__"+strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	if ours := slices.Sorted(slices.Values(ownTools)); !slices.Equal(ours, tools) {
		t.Errorf("%q are skipped, our tools are %q", ours, tools)
	}
}
