package consolidate

import "testing"

// A large memory is shown with the passages that are touched, as they are written.
func TestExcerpt(t *testing.T) {
	const text = "---\nname: lamp\ndescription: the lamp\n---\n\n# Wick\n\nTrim it daily.\nUse the small knife.\n\n## Oil\n\n- rape seed\n- two litres\n  a week\n\nFill it at dusk.\n"
	for _, c := range []struct {
		lines []int
		want  string
	}{
		{[]int{3}, "---\nname: lamp\ndescription: the lamp\n---\n…\n"},
		{[]int{8}, "---\nname: lamp\ndescription: the lamp\n---\n# Wick\nTrim it daily.\nUse the small knife.\n…\n"},
		{[]int{14, 14}, "---\nname: lamp\ndescription: the lamp\n---\n…\n## Oil\n…\n- two litres\n  a week\n…\n"},
		{[]int{13, 17, 99}, "---\nname: lamp\ndescription: the lamp\n---\n…\n## Oil\n- rape seed\n…\nFill it at dusk.\n"},
	} {
		if got := excerpt(text, c.lines); got != c.want {
			t.Errorf("lines %v: %q, want %q", c.lines, got, c.want)
		}
	}
}
