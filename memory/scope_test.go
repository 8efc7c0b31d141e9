package memory

import "testing"

// What MarkPersonal adds ClearPersons takes away, to the byte.
func TestPersons(t *testing.T) {
	for _, text := range []string{
		"---\nname: a\n---\nText.\n",
		"---\nname: a\nmetadata:\n  type: user\n---\nText.\n",
		"---\nname: a\nmetadata: {type: user}\n---\nText.\n",
		"---\nname: a\nmetadata: {}\n---\nText.\n",
		"---\r\nname: a\r\nmetadata:\r\n    type: user\r\n---\r\nText.\r\n",
	} {
		topic := ParseTopic([]byte(text))
		topic.MarkPersonal()
		if again := ParseTopic(topic.Bytes()); !topic.IsPersons() || !again.IsPersons() {
			t.Errorf("%q does not say so", topic.Bytes())
		}
		topic.ClearPersons()
		if got := string(topic.Bytes()); got != text || topic.IsPersons() {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	for text, want := range map[string]string{
		"---\nscope: person\n---\n":                           "---\n---\n",
		"---\nmetadata: {scope: person, type: user}\n---\n":   "---\nmetadata: {type: user}\n---\n",
		"---\nscope: team # not a person\n---\nscope: person": "---\nscope: team # not a person\n---\nscope: person",
		"Text.\n": "Text.\n",
	} {
		topic := ParseTopic([]byte(text))
		topic.ClearPersons()
		if got := string(topic.Bytes()); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
