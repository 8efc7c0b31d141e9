package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// README.md is written from the table, so that it says what a model sees.
func TestReadme(t *testing.T) {
	const file = "README.md"
	got := readme(t, table(t))
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs from the table; go test ./tools -update writes it", file)
	}
}

func readme(t *testing.T, table Table) []byte {
	var b bytes.Buffer
	b.WriteString(`# The tools

What a host shows its model. ` + "`go test ./tools -update`" + ` writes this page from the table of the tools. Each
tool is a file with a function, which calls package consolidate and renders the answer. Its title, description and schemas are in
[wire](wire); clients see the schemas without the limits, which a refusal names, and of ` + "`write_memory` only `writes`" + `.

Answers are text, unless a tool has an output schema. Pages have about 10 KB, of memories 25 KB; no answer
has more than 48,000 characters. A refusal begins with two lines, ` + "`refused:`" + ` and ` + "`hint:`" + `; the hint names the next call.
`)
	for _, tool := range table.Tools {
		writeTool(t, &b, tool)
	}
	b.WriteString("\n## Prompts\n\n")
	for _, p := range table.Prompts {
		var arguments []string
		for _, a := range p.Prompt.Arguments {
			arguments = append(arguments, "`"+a.Name+"`")
		}
		fmt.Fprintf(&b, "- `%s` (%s): %s\n", p.Prompt.Name, cmp.Or(strings.Join(arguments, ", "), "no arguments"), p.Prompt.Description)
	}
	b.WriteString("\n## Resources\n\n")
	for _, r := range table.Resources {
		fmt.Fprintf(&b, "- `%s`: %s\n", r.Resource.URI, r.Resource.Description)
	}
	for _, r := range table.Templates {
		fmt.Fprintf(&b, "- `%s`: %s\n", r.Template.URITemplate.Raw(), r.Template.Description)
	}
	return b.Bytes()
}

func writeTool(t *testing.T, b *bytes.Buffer, tool mcpserver.ServerTool) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", tool.Tool.Name, tool.Tool.Description)
	var schema struct {
		Properties map[string]struct {
			Type        any
			Description string
		}
		Required []string
	}
	if err := json.Unmarshal(definition(tool.Tool.Name).RawInputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.Properties) == 0 {
		return
	}
	b.WriteString("\n| argument | type | |\n|---|---|---|\n")
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		if rx, ry := slices.Contains(schema.Required, x), slices.Contains(schema.Required, y); rx != ry {
			if rx {
				return -1
			}
			return 1
		}
		return strings.Compare(x, y)
	})
	for _, name := range names {
		p := schema.Properties[name]
		kind := fmt.Sprint(p.Type)
		if slices.Contains(schema.Required, name) {
			kind += ", required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, strings.ReplaceAll(p.Description, "|", `\|`))
	}
}
