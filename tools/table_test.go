package tools

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"dream-mcp/consolidate"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/consolidate/transcript/search"
	"dream-mcp/consolidate/transcript/sessions"
	"dream-mcp/memory/secret"
)

var update = flag.Bool("update", false, "rewrite README.md and the files in testdata")

// maxListing is the budget of the whole listing, in bytes: what a host may load into every prompt.
const maxListing = 7_800

func table(t *testing.T) Table {
	p := consolidate.Open(consolidate.Options{Options: ops.Options{MemoryDir: t.TempDir(), StateHome: t.TempDir()}, Transcripts: search.Open(sessions.Options{})})
	t.Cleanup(func() { p.Close("the test ended") })
	return (&Connection{Project: p, Begin: func(*consolidate.Project) {}}).Table()
}

// What is served is what the files in wire say, but for the limits of arguments, within its budget.
func TestListing(t *testing.T) {
	total := 0
	for _, tool := range table(t).Tools {
		line, err := secret.JSON(tool.Tool)
		if err != nil {
			t.Fatal(err)
		}
		total += len(line)
		var served, full any
		whole := definition(tool.Tool.Name)
		json.Unmarshal(tool.Tool.RawInputSchema, &served)
		json.Unmarshal(whole.RawInputSchema, &full)
		if one := full.(map[string]any)["properties"].(map[string]any); one["writes"] != nil {
			several := one["writes"].(map[string]any)
			several["items"].(map[string]any)["properties"] = one
			full.(map[string]any)["properties"] = map[string]any{"writes": several}
			delete(one, "writes")
		}
		if want := withoutLimits(full); !reflect.DeepEqual(served, want) {
			t.Errorf("%s is served with\n%v, want\n%v", tool.Tool.Name, served, want)
		}
		tool.Tool.RawInputSchema = whole.RawInputSchema
		if line, err = secret.JSON(tool.Tool); err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		json.Indent(&pretty, line, "", "  ")
		pretty.WriteByte('\n')
		want, err := wire.ReadFile("wire/" + tool.Tool.Name + ".json")
		if err != nil || !bytes.Equal(want, pretty.Bytes()) {
			t.Errorf("%v; %s is served as\n%s", err, tool.Tool.Name, pretty.Bytes())
		}
	}
	files, err := wire.ReadDir("wire")
	if err != nil || len(files) != len(all) {
		t.Errorf("%d files in wire, %v; there are %d tools", len(files), err, len(all))
	}
	if total > maxListing {
		t.Errorf("the listing has %d bytes, %d are allowed", total, maxListing)
	}
	t.Logf("%d of %d bytes", total, maxListing)
}

// withoutLimits removes from a schema the words that published removes.
func withoutLimits(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		for word, value := range s {
			if _, isSchema := value.(map[string]any); !isSchema && slices.Contains([]string{"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "additionalProperties", "required"}, word) {
				delete(s, word)
				continue
			}
			withoutLimits(value)
		}
	case []any:
		for _, value := range s {
			withoutLimits(value)
		}
	}
	return schema
}

// What every tool must have: a title, every hint, closed schemas that
// compile, and a description of itself and of each argument.
func TestEveryTool(t *testing.T) {
	for _, tool := range table(t).Tools {
		m := tool.Tool
		a := m.Annotations
		if m.Title == "" || a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s lacks its title or an annotation", m.Name)
		}
		if len(m.Description) < 60 || len(m.Description) > 2000 {
			t.Errorf("%s has a description of %d bytes", m.Name, len(m.Description))
		}
		for _, schema := range []json.RawMessage{m.RawInputSchema, m.RawOutputSchema} {
			if schema == nil {
				continue
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
			if err != nil {
				t.Fatal(err)
			}
			c := jsonschema.NewCompiler()
			c.AddResource(schemaURL, doc)
			if _, err := c.Compile(schemaURL); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
		for kind, schema := range map[string]json.RawMessage{"input": m.RawInputSchema, "output": m.RawOutputSchema} {
			var root node
			if schema == nil {
				continue
			}
			if err := json.Unmarshal(schema, &root); err != nil {
				t.Fatal(err)
			}
			for _, problem := range root.problems(m.Name, m.Description+strings.Join(descriptions.FindAllString(string(schema), -1), " "), kind == "input") {
				t.Errorf("%s schema: %s", kind, problem)
			}
		}
		if !strings.Contains(string(definition(m.Name).RawInputSchema), `"additionalProperties": false`) {
			t.Errorf("%s takes unknown arguments", m.Name)
		}
	}
}

// descriptions finds the descriptions of arguments.
var descriptions = regexp.MustCompile(`"description":"[^"]*"`)

// node is a schema, with the words that model APIs restrict.
type node struct {
	Type        string
	Description string
	Const       any
	Enum        []any
	Properties  map[string]node
	Items       *node
}

// problems returns what a model API rejects or a model has to guess in a schema, nested schemas included. Google's API
// accepts an enum of strings only, clients write a const as an enum, and one bad schema makes the API reject all tools.
// An answer needs less than an argument. An argument that has no description is named in words, what is said of the
// tool and of its other arguments.
func (n node) problems(where, words string, argument bool) (found []string) {
	report := func(is bool, problem string) {
		if is {
			found = append(found, where+": "+problem)
		}
	}
	for _, value := range append(n.Enum, n.Const) {
		_, isString := value.(string)
		report(value != nil && (!isString || n.Type != "string"), "a const or an enum that is not of strings")
	}
	report(n.Type == "", "no type")
	report(argument && n.Type == "array" && n.Items == nil, "an array without items")
	if n.Items != nil {
		report(argument && n.Items.Type == "object" && len(n.Items.Properties) == 0, "items that are objects without properties")
		found = append(found, n.Items.problems(where+"[]", words, argument)...)
	}
	for name, p := range n.Properties {
		if argument && p.Description == "" && !regexp.MustCompile(`\b`+name+`\b`).MatchString(words) {
			found = append(found, where+"."+name+": no description")
		}
		found = append(found, p.problems(where+"."+name, words, argument)...)
	}
	return found
}

// No page of the map is lost or shown twice, and none is longer than a host takes.
func TestMapPages(t *testing.T) {
	var lines []string
	for range 3000 {
		lines = append(lines, strings.Repeat("x", len(lines)%97)+"|")
	}
	next := func(cursor string) string { return `dream_orient {"cursor": "` + cursor + `"}` }
	var got []string
	for cursor := ""; ; {
		page, err := linePage("head\n", lines, cursor, maxPage, next)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > maxPage {
			t.Errorf("a page has %d bytes", len(page))
		}
		body := strings.Split(strings.TrimPrefix(page, "head\n"), "\n")
		last := body[len(body)-1]
		_, rest, more := strings.Cut(last, `"cursor": "`)
		if !more {
			got = append(got, body...)
			break
		}
		got = append(got, body[:len(body)-1]...)
		cursor, _, _ = strings.Cut(rest, `"`)
	}
	if strings.Join(got, "\n") != strings.Join(lines, "\n") {
		t.Errorf("%d lines came of %d", len(got), len(lines))
	}
	for _, cursor := range []string{"x", "-1-aa", "5-00000000", "99999999-aa", "1", "0-"} {
		if _, err := linePage("", lines, cursor, maxPage, next); err == nil {
			t.Errorf("the cursor %q was taken", cursor)
		}
	}
}

// What our own tools were asked and answered repeats memories and hits: a search passes it over, whichever tool it is.
func TestNoAnswerOfOursIsFound(t *testing.T) {
	projects, root := t.TempDir(), "/srv/lighthouse"
	lines := []string{`{"type":"user","cwd":"` + root + `","message":{"content":"go"}}`}
	names := []string{"Bash"}
	for _, tool := range table(t).Tools {
		names = append(names, "mcp__dream__"+tool.Tool.Name)
	}
	for _, name := range names {
		lines = append(lines,
			`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"`+name+`","name":"`+name+`","input":{"x":"a lantern"}}]}}`,
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"`+name+`","content":"a lantern, of `+name+`"}]}}`)
	}
	folder := filepath.Join(projects, "-srv-lighthouse")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "00000001-0000-4000-8000-000000000001.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := search.Open(sessions.Options{Projects: projects, Roots: []string{root}})
	defer s.Close()
	found, err := s.Search(t.Context(), search.Query{Pattern: "lantern", Speakers: []said.Speaker{said.Tool}})
	if err != nil || found.Matches != 2 {
		t.Errorf("%d matches, %v; want what Bash was asked and answered", found.Matches, err)
		for _, hit := range found.Hits {
			t.Errorf("%s%s%s", hit.Before, hit.Match, hit.After)
		}
	}
}
