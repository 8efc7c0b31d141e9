package tools

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"dream-mcp/consolidate"
)

// An input schema has the arguments that a call decodes, and no other. What is in lists and objects is decoded too;
// their types have more fields, which the server fills in.
func TestInputSchemas(t *testing.T) {
	var writes struct {
		consolidate.WriteRequest
		Writes []consolidate.WriteRequest
	}
	for tool, arguments := range map[string]any{
		"dream_orient": orientArguments{}, "grep_transcripts": grepArguments{}, "read_memory": readArguments{}, "write_memory": writes,
		"finalize_index": finalizeArguments{}, "abort_dream": struct{ Reason string }{}, "undo_dream": struct{ ID string }{},
		"review_dream": struct{ Accept, Reject string }{}, "dream_status": struct{}{},
	} {
		var s schema
		if err := json.Unmarshal(definition(tool).RawInputSchema, &s); err != nil {
			t.Fatal(err)
		}
		s.matches(t, tool, reflect.TypeOf(arguments))
	}
}

type schema struct {
	Properties map[string]schema
	Items      *schema
}

// matches compares the properties of a schema with the fields of a struct, as json.Unmarshal finds them.
func (s schema) matches(t *testing.T, where string, decoded reflect.Type) {
	t.Helper()
	have := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(decoded) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		if shallow := have[name]; !f.Anonymous && name != "-" && (shallow == nil || len(f.Index) == 1) {
			have[name] = f.Type
		}
	}
	for name, p := range s.Properties {
		of, is := have[name]
		if !is {
			t.Errorf("%s: nothing decodes %q", where, name)
			continue
		}
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if p.Items != nil {
			p = *p.Items
		}
		if of.Kind() == reflect.Struct && p.Properties != nil {
			p.matches(t, where+"."+name, of)
		}
		delete(have, name)
	}
	for name := range have {
		if strings.Contains(where, ".") {
			break
		}
		t.Errorf("%s: the schema lacks %q", where, name)
	}
}
