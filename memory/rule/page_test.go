package rule

import "testing"

// A skill that is kept beside memories has not their form, and no line in the index.
func TestSkill(t *testing.T) {
	s := snapshotOf(t, map[string]string{
		"MEMORY.md":                  "- [Crane](crane.md) — how it is run\n",
		"crane.md":                   memo("crane", "project", "It is greased in May."),
		"skills/make-icons/SKILL.md": "# Icons\n\nDraw them.\n",
	})
	for _, f := range Standing(s, nil, ruleTime) {
		t.Errorf("got %+v", f)
	}
	for n := range s.Topics {
		if n.String() == "skills/make-icons/SKILL.md" && isFolderIndex(n) {
			t.Error("a skill may be lost like a page for people")
		}
	}
}
