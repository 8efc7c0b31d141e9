package rule

import (
	"slices"
	"strings"
	"testing"
)

func TestDescription(t *testing.T) {
	type files = map[string]string
	about := func(description string) files {
		return files{"deploy_staging.md": "---\nname: Deploy staging\ndescription: " + description + "\ntype: project\n---\nx\n"}
	}
	tests := []struct {
		name  string
		files files
		want  []string
	}{
		{"250 characters", about(strings.Repeat("한", 250)), nil},
		{"251 characters", about(strings.Repeat("한", 251)), []string{"warning description deploy_staging.md:3"}},
		{"none", about(""), nil},
		{"no words", about("—"), nil},
		{"not a letter", about("\xff"), nil},
	}
	for _, test := range tests {
		got := only(Standing(snapshotOf(t, test.files), nil, ruleTime), "description")
		if !slices.Equal(show(got), test.want) {
			t.Errorf("%s: got %q, want %q\n%+v", test.name, show(got), test.want, got)
		}
		for _, f := range got {
			if f.Hint == "" || strings.Contains(f.Message, "%!") {
				t.Errorf("%s: %+v", test.name, f)
			}
		}
	}
}
