package rule

import (
	"testing"

	"dream-mcp/memory"
)

// A new text names what of the body it drops. Its description is another on purpose.
func TestDropped(t *testing.T) {
	topic := func(description, body string) *memory.Topic {
		return memory.ParseTopic([]byte("---\nname: x\ndescription: " + description + "\ntype: project\n---\n" + body + "\n"))
	}
	dropped := Dropped(mustName(t, "lift.md"), topic("up to 12 t, since May 2026", "It lifts 12 t. Ask Mareike."), topic("up to 14 t", "It lifts 14 t. Ask Mareike."))
	if len(dropped) != 1 || dropped[0].Text != "It lifts ⟨12⟩ t." {
		t.Errorf("got %+v", dropped)
	}
}

func TestCorrects(t *testing.T) {
	for _, test := range []struct {
		old, new string
		want     bool
	}{
		{"10:30", "11:45", true},
		{"The depots service keeps its data in region-3.", "The depots service keeps its data in region-88.", true},
		{"Ask Mareike.", "Ask Anselm.", true},
		{"At eight.", "At nine.", true},
		{"It lifts 12 t and is red.", "It lifts 14 t.", false},
		{"It lifts 12 t.", "It lifts much.", false},
		{"Ask Mareike.", "", false},
		{"Deploy on port 80.", "Never deploy on port 81.", false},
		{"The old text says four words.", "A wholly other claim stands here now.", false},
		{"the same", "the same", false},
	} {
		if got := Corrects(test.old, test.new); got != test.want {
			t.Errorf("%q, %q: %v", test.old, test.new, got)
		}
	}
}
