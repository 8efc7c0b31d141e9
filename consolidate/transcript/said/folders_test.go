package said

import "testing"

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
		if got := Within(test.root, test.dir); got != test.want {
			t.Errorf("within(%q, %q) = %v", test.root, test.dir, got)
		}
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
		if IsUUID(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
