package transcript

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestSlug(t *testing.T) {
	tests := []struct{ dir, want string }{
		{root, slug},
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

func TestWithin(t *testing.T) {
	tests := []struct {
		root, dir string
		want      bool
	}{
		{"/a/b", "/a/b", true},
		{"/a/b", "/a/b/c/d", true},
		{"/a/b/", "/a/b", true},
		{"/a/b", "/a/bc", false},
		{"/a/b", "/a", false},
		{"/a/b", "/a/b/../c", false},
		{"/a/b", "a/b", false},
		{"/a/b", "/A/b", false},
		{"/", "/a", true},
		{"", "/a", false},
		{"/a", "", false},
		{`c:\Projects\x`, `C:\Projects\x\src`, true},
		{`C:\Projects\x`, "c:/Projects/x", true},
		{`C:\Projects\x`, `C:\projects\x`, false},
		{`C:\Projects\x`, `D:\Projects\x`, false},
		{`C:\Projects\x`, `C:\Projects\xy`, false},
		{`\\host\share\x`, `\\host\share\x\y`, true},
		{"/a/b", `/a\b`, false},
	}
	for _, test := range tests {
		if got := within(test.root, test.dir); got != test.want {
			t.Errorf("within(%q, %q) = %v", test.root, test.dir, got)
		}
	}
}

func TestFoldersByName(t *testing.T) {
	long := "/" + strings.Repeat("long/", 60) + "end"
	at := func(n int, cwd string) string {
		f := talk(n)
		f.cwd = cwd
		return f.user("x").text()
	}
	tests := []struct {
		name    string
		options Options
		folder  string
		cwd     string
		want    bool
	}{
		{"a slug with a hash", Options{Roots: []string{long}}, Slug(long) + "1abc9", long, true},
		{"another's slug with a hash", Options{Roots: []string{long}}, Slug(long) + "2xyz", long + "/../other", false},
		{"a drive in another case", Options{Roots: []string{`C:\work\lamp`}}, "c--work-lamp", `c:\work\lamp`, true},
		{"a given name", Options{Roots: []string{root}, DirName: "shared"}, "shared", "/elsewhere", true},
		{"a given name without roots", Options{DirName: "shared"}, "shared", "/elsewhere", true},
		{"the slug beside a given name", Options{Roots: []string{root}, DirName: "shared"}, slug, root, true},
		{"another's slug beside a given name", Options{Roots: []string{root}, DirName: "shared"}, slug, "/home/dev-lighthouse", false},
		{"no roots", Options{}, slug, root, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.options.Projects = t.TempDir()
			put(t, test.options.Projects, test.folder+"/"+id(1)+".jsonl", at(1, test.cwd), 1)
			n, err := Open(test.options).Count(t.Context(), time.Time{}, 0)
			if err != nil || (n == 1) != test.want {
				t.Errorf("Count = %d, %v; want ours: %v", n, err, test.want)
			}
		})
	}
	none := Open(Options{Projects: t.TempDir() + "/none", Roots: []string{root}})
	if folders, err := none.Folders(); len(folders) != 0 || err != nil {
		t.Errorf("without a folder of projects: %v, %v", folders, err)
	}
	if r := search(t, none, Query{Pattern: "x"}); r.Matches != 0 || r.AtLeast {
		t.Errorf("without a folder of projects: %+v", r)
	}
}

func TestLinkedFoldersCountOnce(t *testing.T) {
	projects := t.TempDir()
	put(t, projects, "elsewhere/"+id(1)+".jsonl", talk(1).user("lamp").text(), 1)
	for _, name := range []string{slug, slug + "-again"} {
		if err := os.Symlink(projects+"/elsewhere", projects+"/"+name); err != nil {
			t.Skip(err)
		}
	}
	s := Open(Options{Projects: projects, Roots: []string{root}})
	folders, err := s.Folders()
	if err != nil || len(folders) != 1 || folders[0].Why != "slug of the project" {
		t.Errorf("Folders() = %+v, %v", folders, err)
	}
	if r := search(t, s, Query{Pattern: "lamp"}); r.Matches != 1 || r.Skipped[Copied] != 0 {
		t.Errorf("%+v", r)
	}
}

func TestIsUUID(t *testing.T) {
	for name, want := range map[string]bool{
		"0107726e-6305-439a-85de-aedaa341f193":       true,
		"0107726E-6305-439A-85DE-AEDAA341F193":       true,
		"0107726e-6305-439a-85de-aedaa341f19":        false,
		"0107726e-6305-439a-85de-aedaa341f1933":      false,
		"0107726e06305-439a-85de-aedaa341f193":       false,
		"0107726g-6305-439a-85de-aedaa341f193":       false,
		"0107726`-6305-439a-85de-aedaa341f193":       false,
		"0107726/-6305-439a-85de-aedaa341f193":       false,
		"0107726:-6305-439a-85de-aedaa341f193":       false,
		"01077260-6305-439a-85de-aedaa341f1\xc3\xa9": false,
		"": false,
	} {
		if isUUID(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
