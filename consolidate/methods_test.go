package consolidate

import (
	"reflect"
	"testing"

	"dream-mcp/consolidate/doctor"
	"dream-mcp/consolidate/history"
	"dream-mcp/consolidate/ops"
	"dream-mcp/consolidate/proposal"
	"dream-mcp/consolidate/provenance"
	"dream-mcp/consolidate/recall"
	"dream-mcp/consolidate/runs"
	"dream-mcp/consolidate/share"
	"dream-mcp/consolidate/transcript/search"
)

// A type that takes its methods from another hides how much it does.
func TestMethodsOfATypeAreFew(t *testing.T) {
	for _, v := range []any{
		&Project{}, &Gates{}, &Sessions{}, &Proposals{}, &dream{},
		&ops.Store{}, &ops.Records{}, &ops.Tx{}, &ops.Op{}, &ops.Stage{},
		&history.History{}, &share.Share{}, &recall.Recall{}, &runs.Runs{}, &provenance.Sources{}, &doctor.Doctor{}, &proposal.Queue{},
		&search.Store{},
	} {
		if is := reflect.TypeOf(v); is.NumMethod() > 25 {
			t.Errorf("%v has %d methods", is, is.NumMethod())
		}
	}
}
