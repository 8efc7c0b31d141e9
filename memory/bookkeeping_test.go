package memory

import "testing"

// What several memories are shown without is in their heads, or said by nobody but programs. Every other line is as it
// is written.
func TestBrief(t *testing.T) {
	const body = "\nThe lamp is green.\n"
	for _, c := range []struct{ name, text, kind, brief string }{
		{"lamp.md", "---\nname: lamp\ndescription: about it\nmetadata:\n  node_type: memory\n  type: project\n  modified: 2026-06-01\n---\n" + body, "project", "description: about it\n" + body},
		{"feedback_lamp.md", "---\nname: feedback-lamp\ndescription: >\n  about\n  it\ntype: feedback\n---\n" + body, "feedback", "description: >\n  about\n  it\n" + body},
		{"feedback_lamp.md", "---\nname: lamp\ndescription: about it\ntype: feedback\n---\n" + body, "feedback", "name: lamp\ndescription: about it\n" + body},
		{"team/user_lamp.md", "---\nname: user-lamp\ndescription: about it\nmetadata:\n  type: user\n  mood: good\n---\n" + body, "user", "description: about it\nmetadata:\n  mood: good\n" + body},
		{"lamp.md", "---\nname: lantern\ndescription: about it\nmetadata: {type: project, mood: good}\n---\n" + body, "", "name: lantern\ndescription: about it\nmetadata: {type: project, mood: good}\n" + body},
		{"lamp.md", "---\nname: lamp\ntype: project\nmetadata:\n  type: user\n---\n" + body, "project", "metadata:\n  type: user\n" + body},
		{"lamp.md", "---\nname: lamp\ndescription: not closed\n" + body, "", "---\nname: lamp\ndescription: not closed\n" + body},
		{"lamp.md", "The lamp is green.", "", "The lamp is green."},
		{"lamp.md", "", "", ""},
	} {
		n, err := ParseName(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if kind, brief := Brief(n, c.text); kind != c.kind || brief != c.brief {
			t.Errorf("%s: %q is %q, %q; want %q, %q", c.name, c.text, kind, brief, c.kind, c.brief)
		}
	}
}
