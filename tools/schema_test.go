package tools

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dream-mcp/consolidate"
)

// An output schema has the fields that an answer can have, and no other.
func TestOutputSchemas(t *testing.T) {
	for tool, answers := range map[string][]any{
		"write_memory":   {consolidate.WriteResult{}, severalWritten{}},
		"finalize_index": {consolidate.FinalizeResult{}},
	} {
		var want, have []string
		for _, answer := range answers {
			for _, f := range reflect.VisibleFields(reflect.TypeOf(answer)) {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && !slices.Contains(want, name) {
					want = append(want, name)
				}
			}
		}
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(definition(tool).RawOutputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			have = append(have, name)
		}
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("%s: the schema has %q, an answer %q", tool, have, want)
		}
	}
}
