package sessions

import (
	"os"
	"strings"
	"testing"
	"time"

	"dream-mcp/consolidate/transcript/said"
	"dream-mcp/testdata/fixture"
)

func TestSlug(t *testing.T) {
	tests := []struct{ dir, want string }{
		{fixture.Root, fixture.Slug},
		{"/srv/a_b.c d", "-srv-a-b-c-d"},
		{`D:\16. 자동화 도구\safeAutoTest`, "D--16---------safeAutoTest"},
		{"/x/\U0001f4a1", "-x---"}, // two UTF-16 units
		{"", ""},
		{"/" + strings.Repeat("a", 199), "-" + strings.Repeat("a", 199)},
		{"/" + strings.Repeat("a", 200), "-" + strings.Repeat("a", 199) + "-"},
		{"/" + strings.Repeat("日", 5000), strings.Repeat("-", 201)},
	}
	for _, test := range tests {
		if got := Slug(test.dir); got != test.want {
			t.Errorf("Slug(%.40q) = %q, want %q", test.dir, got, test.want)
		}
	}
}

func TestFoldersByName(t *testing.T) {
	long := "/" + strings.Repeat("long/", 60) + "end"
	at := func(n int, cwd string) string {
		f := fixture.Talk(n)
		f.CWD = cwd
		return f.User("x").Text()
	}
	tests := []struct {
		name    string
		Options Options
		folder  string
		cwd     string
		want    bool
	}{
		{"a slug with a hash", Options{Roots: []string{long}}, Slug(long) + "1abc9", long, true},
		{"another's slug with a hash", Options{Roots: []string{long}}, Slug(long) + "2xyz", long + "/../other", false},
		{"a drive in another case", Options{Roots: []string{`C:\work\lamp`}}, "c--work-lamp", `c:\work\lamp`, true},
		{"a given name", Options{Roots: []string{fixture.Root}, DirName: "shared"}, "shared", "/elsewhere", true},
		{"a given name without roots", Options{DirName: "shared"}, "shared", "/elsewhere", true},
		{"the slug beside a given name", Options{Roots: []string{fixture.Root}, DirName: "shared"}, fixture.Slug, fixture.Root, true},
		{"another's slug beside a given name", Options{Roots: []string{fixture.Root}, DirName: "shared"}, fixture.Slug, "/home/dev-lighthouse", false},
		{"no roots", Options{}, fixture.Slug, fixture.Root, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.Options.Projects = t.TempDir()
			fixture.Put(t, test.Options.Projects, test.folder+"/"+fixture.ID(1)+".jsonl", at(1, test.cwd), 1)
			n, err := Open(test.Options).Count(t.Context(), time.Time{}, 0)
			if err != nil || (n == 1) != test.want {
				t.Errorf("Count = %d, %v; want ours: %v", n, err, test.want)
			}
		})
	}
	none := Open(Options{Projects: t.TempDir() + "/none", Roots: []string{fixture.Root}})
	if folders, err := none.Folders(); len(folders) != 0 || err != nil {
		t.Errorf("without a folder of projects: %v, %v", folders, err)
	}
	if sessions, _, err := none.Sessions(t.Context(), time.Time{}); len(sessions) != 0 || err != nil {
		t.Errorf("without a folder of projects: %+v, %v", sessions, err)
	}
}

func TestLinkedFoldersCountOnce(t *testing.T) {
	projects := t.TempDir()
	fixture.Put(t, projects, "elsewhere/"+fixture.ID(1)+".jsonl", fixture.Talk(1).User("lamp").Text(), 1)
	for _, name := range []string{fixture.Slug, fixture.Slug + "-again"} {
		if err := os.Symlink(projects+"/elsewhere", projects+"/"+name); err != nil {
			t.Skip("NOT TESTED: links cannot be made here:", err)
		}
		if _, err := os.Stat(projects + "/" + name); err != nil {
			t.Skip("NOT TESTED: this system made no link, and said that it had: ", err)
		}
	}
	s := Open(Options{Projects: projects, Roots: []string{fixture.Root}})
	folders, err := s.Folders()
	if err != nil || len(folders) != 1 || folders[0].Why != "slug of the project" {
		t.Errorf("Folders() = %+v, %v", folders, err)
	}
	if sessions, skipped, err := s.Sessions(t.Context(), time.Time{}); len(sessions) != 1 || skipped[said.Copied] != 0 || err != nil {
		t.Errorf("%+v, skipped %v, %v", sessions, skipped, err)
	}
}
