package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
	"dream-mcp/memory/near"
	"dream-mcp/memory/visible"
)

// badArguments returns the error of arguments that do not match the schema of a tool.
func badArguments(tool string, problems ...string) error {
	return ops.Refuse(fmt.Sprintf("bad arguments for %s: %s", tool, strings.Join(problems, "; ")), "call it again with arguments that match its schema")
}

// maxProblems bounds what one error lists.
const maxProblems = 8

// Limits of the arguments of a call. maxArguments has room for the largest memory with each character escaped, and
// maxValues, keys and brackets among them, is more than any schema allows. Checking one takes ten microseconds.
const (
	maxArguments = 4 * memory.MaxFileBytes
	maxValues    = 20_000
)

// tooMuch describes the limit that arguments exceed; "" if none.
func tooMuch(arguments []byte) string {
	if len(arguments) > maxArguments {
		return fmt.Sprintf("they have %d bytes, %d are allowed", len(arguments), maxArguments)
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	for values := 0; ; values++ {
		if _, err := d.Token(); err != nil {
			return ""
		}
		if values == maxValues {
			return fmt.Sprintf("they hold more than %d values", maxValues)
		}
	}
}

// schemaURL is the URL of a schema for its compiler. It is absolute: a relative URL is resolved against the working
// directory, which may be deleted or not be valid in a URL.
const schemaURL = "urn:dream-mcp:arguments"

// A check returns the arguments of a call, or the error badArguments.
type check func(json.RawMessage) (json.RawMessage, error)

// checker returns a check of arguments against the schema of a tool. The schema is compiled at the first
// call, since most processes call few tools. Absent arguments are {}.
func checker(tool mcp.Tool) check {
	compiled := sync.OnceValues(func() (*jsonschema.Schema, error) {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.RawInputSchema))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(schemaURL, doc); err != nil {
			return nil, err
		}
		return c.Compile(schemaURL)
	})
	return func(arguments json.RawMessage) (json.RawMessage, error) {
		arguments = bytes.TrimSpace(arguments)
		if len(arguments) == 0 || string(arguments) == "null" {
			arguments = json.RawMessage("{}")
		}
		s, err := compiled()
		if err != nil {
			return nil, fmt.Errorf("the schema of %s does not compile: %w", tool.Name, err)
		}
		if problem := tooMuch(arguments); problem != "" {
			return nil, badArguments(tool.Name, problem)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
		if err != nil {
			return nil, badArguments(tool.Name, "not a JSON object")
		}
		split := splitIDs(value)
		var invalid *jsonschema.ValidationError
		if err := s.Validate(value); errors.As(err, &invalid) {
			return nil, badArguments(tool.Name, problems(invalid, tool.RawInputSchema)...)
		} else if err != nil {
			return nil, err
		}
		if split {
			return json.Marshal(value)
		}
		return arguments, nil
	}
}

// problems returns the leaves of a validation error against a schema, each after the name of its field.
func problems(e *jsonschema.ValidationError, schema json.RawMessage) []string {
	english := message.NewPrinter(language.English)
	var found []string
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		text := limitOf(e.ErrorKind)
		if k, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
			text = unknownArguments(k.Properties, knownAt(schema, e.SchemaURL))
		}
		if text == "" {
			text = e.ErrorKind.LocalizedString(english)
		}
		if len(e.InstanceLocation) > 0 {
			text = strings.Join(e.InstanceLocation, ".") + ": " + text
		}
		found = append(found, visible.Short(text, 300))
	}
	visit(e)
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) > maxProblems {
		found = append(found[:maxProblems], fmt.Sprintf("and %d more", len(found)-maxProblems))
	}
	return found
}

// unknownArguments names arguments that do not exist, those that were most likely meant, and all that exist.
func unknownArguments(names, known []string) string {
	var said []string
	for _, name := range names {
		text := fmt.Sprintf("unknown %q", name)
		if meant := near.Word(strings.ToLower(name), known); meant != "" {
			text += fmt.Sprintf("; did you mean %q?", meant)
		}
		said = append(said, text)
	}
	if len(known) == 0 {
		return strings.Join(said, "; ") + "; it takes no arguments"
	}
	return strings.Join(said, "; ") + "; the arguments are: " + strings.Join(known, ", ")
}

// knownAt returns the names of the properties at a place of a schema. The place is a URL that ends with a JSON pointer.
func knownAt(schema json.RawMessage, place string) (known []string) {
	var at any
	json.Unmarshal(schema, &at) // it is ours
	_, pointer, _ := strings.Cut(place, "#")
	for step := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		switch v := at.(type) {
		case map[string]any:
			if step != "" {
				at = v[step]
			}
		case []any:
			if n, err := strconv.Atoi(step); err == nil && n < len(v) {
				at = v[n]
			}
		}
	}
	object, _ := at.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

// limitOf describes the limit that an argument exceeds; "" if none.
func limitOf(k jsonschema.ErrorKind) string {
	number := func(r *big.Rat) string { return r.RatString() }
	switch k := k.(type) {
	case *kind.MaxItems:
		return fmt.Sprintf("at most %d, not %d", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("at least %d, not %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("at most %d characters, not %d", k.Want, k.Got)
	case *kind.MinLength:
		return fmt.Sprintf("at least %d characters, not %d", k.Want, k.Got)
	case *kind.Maximum:
		return fmt.Sprintf("at most %s, not %s", number(k.Want), number(k.Got))
	case *kind.Minimum:
		return fmt.Sprintf("at least %s, not %s", number(k.Want), number(k.Got))
	}
	return ""
}

// splitIDs makes a list of a context_of that is a text, with IDs between spaces or commas. It reports whether it was
// one.
func splitIDs(value any) bool {
	arguments, _ := value.(map[string]any)
	text, is := arguments["context_of"].(string)
	if is {
		var ids []any
		for id := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
			ids = append(ids, id)
		}
		arguments["context_of"] = ids
	}
	return is
}
