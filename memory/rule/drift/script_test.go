//go:build unix

package drift

import (
	"slices"
	"strings"
	"testing"
)

// A script that a manifest lacks counts if it once had it; programs, and scripts that every project has, do not.
func TestScripts(t *testing.T) {
	p := open(t, "Makefile|build:\n\tgo build ./... sim/\n", "justfile|@serve port='80':\n  x\n", "package.json|{\"scripts\": {\"lint\": \"eslint .\"}}")
	commit(t, p, "Makefile|build:\n\tgo build ./...\n\ndeploy: build\n\tscp x y\n\nsim:\n\tx\n", "justfile|serve:\n  x\n", "package.json|{\"scripts\": {\"lint\": \"eslint .\",\n\"pages\": \"x\",\n\"test\": \"y\"\n}}")
	const text = "Run `make deploy`.\n\nRun `make build`.\n\nRun `npm run pages`, `npm run test`.\n\nRun `npm run lint`.\n\nRun `pnpm tsc` and `yarn vitest`, by `bun run`.\n\n" +
		"Run `just serve`.\n\nIn the infra repo, run `make plan`.\n\nWe plan to add `make docs`.\n\nRun `make -j4`, `make CC=clang`, `make clean`.\n\nRun `make sim`.\n"
	var got []string
	for _, h := range p.Find([]Text{{File: "a.md", Body: text}}, func(string) bool { return false }) {
		got = append(got, h.Ref)
	}
	if want := []string{"make deploy", "npm run pages", "make sim"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got, want := p.Checked().NeverAt, []string{"a.md:17 make clean"}; !slices.Equal(got, want) {
		t.Errorf("that never were: %q, want %q", got, want)
	}
}

// The one script or target that a commit put in the place of another, and that is still there, is named.
func TestSuccessors(t *testing.T) {
	const makefile, justfile = "Makefile|CC := gcc\n\nbuild:\n\tx\n\nrenode: build\n\ty\n", "justfile|serve:\n  a\nship:\n  b\n"
	p := open(t, makefile, justfile, `package.json|{"scripts": {
"pages:all": "x"
}, "dependencies": {
"left": "2",
"right": "1"
}}`)
	commit(t, p, "Makefile|CC := cc\n\nbuild:\n\tx\n\nsim: build\n\ty\n", "justfile|deploy:\n  x\n", `package.json|{"scripts": {
"pages": "x"
}, "dependencies": {
"left": "1"
}}`)
	var got []string
	for _, h := range p.Find([]Text{{File: "a.md", Body: "Run `make sim`.\n\nRun `just deploy`.\n\nRun `npm run pages`.\n"}}, func(string) bool { return false }) {
		_, after, _ := strings.Cut(h.Message, " removed it")
		got = append(got, h.Ref+after)
	}
	if want := []string{`make sim and put "renode" in its place`, "just deploy", `npm run pages and put "pages:all" in its place`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A target is reported though the change that removed it is too large to be read.
func TestLargeChange(t *testing.T) {
	p := open(t, "Makefile|build:\n\tx\n")
	commit(t, p, "Makefile|sim:\n\ty\n"+strings.Repeat("PIER = a line of a long Makefile\n", 8000))
	hits := p.Find([]Text{{File: "a.md", Body: "Run `make sim`.\n"}}, func(string) bool { return false })
	if len(hits) != 1 || hits[0].Ref != "make sim" {
		t.Errorf("got %+v", hits)
	}
}

// "Plan: `x`" says where a plan is, and is read; what somebody plans to add is not missed. Words of a language that
// mean something else in another do not hide a finding.
func TestPlans(t *testing.T) {
	p := open(t, "a.go|a")
	commit(t, p, "docs/harbour.md|x", "docs/pier.md|y", "quay/buoy.md|z", "hoist/crane.md|v", "boats/ferry.md|w", "sea/tide.md|u")
	const text = "Plan: `docs/harbour.md`.\n\nWe plan to add `docs/pier.md`.\n\nTODO: `sea/tide.md`.\n\nEn `quay/buoy.md` está todo.\n\n" +
		"Antes de atracar, leer `hoist/crane.md`.\n\nIn `boats/ferry.md` wird jede Fahrt erklärt.\n"
	hits := p.Find([]Text{{File: "a.md", Body: text}}, func(string) bool { return false })
	if len(hits) != 1 {
		t.Fatalf("got %+v", hits)
	}
	var got []string
	for _, at := range append([]Place{hits[0].Place}, hits[0].More...) {
		got = append(got, text[at.From:at.To])
	}
	if want := []string{"docs/harbour.md", "quay/buoy.md", "hoist/crane.md", "boats/ferry.md"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A version that differs from the only one that the project declares is not a finding. Both are named.
func TestOtherVersion(t *testing.T) {
	const text = "The gateway runs Python 3.11.\n\nThe page is built with Node 22.\n\nThe model needs Python 3.12.\n"
	p := open(t, ".python-version|3.12\n", ".nvmrc|20\n", "web/.nvmrc|18\n")
	if hits := p.Find([]Text{{File: "a.md", Body: text}}, func(string) bool { return false }); len(hits) != 0 {
		t.Errorf("got %+v", hits)
	}
	if got, want := p.Checked().OtherVersions, []string{"a.md:1 Python 3.11 (.python-version: 3.12)"}; !slices.Equal(got, want) {
		t.Errorf("other versions: %q, want %q", got, want)
	}
	if want := "; other versions: a.md:1 Python 3.11 (.python-version: 3.12)"; !strings.HasSuffix(p.Checked().String(), want) {
		t.Errorf("got %q", p.Checked())
	}
}
