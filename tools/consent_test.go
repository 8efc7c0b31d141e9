package tools

import (
	"testing"
	"time"
)

// A yes is for one question about one call, and for some minutes: what would be undone may be another dream by then.
func TestConsentIsForOneQuestion(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	asked := question{about: "undo_dream {}", text: "Undo what a did?"}
	state := asked.sign(now.Add(consentLife))
	for name, test := range map[string]struct {
		question
		state string
		at    time.Time
		want  bool
	}{
		"the question":    {asked, state, now, true},
		"later":           {asked, state, now.Add(consentLife), true},
		"too late":        {asked, state, now.Add(consentLife + time.Second), false},
		"another dream":   {question{about: asked.about, text: "Undo what b did?"}, state, now, false},
		"other arguments": {question{about: `undo_dream {"id":"b"}`, text: asked.text}, state, now, false},
		"nothing":         {asked, "", now, false},
		"a longer life":   {asked, "2" + state, now, false},
	} {
		if got := test.signed(test.state, test.at); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
