package hint

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dream-mcp/consolidate/lock"
	"dream-mcp/consolidate/ops"
	"dream-mcp/memory"
)

// elsewhere are the errors that no row is for, and why they need none.
var elsewhere = map[string]string{
	"consolidate.PersonError": "it wraps a *RequestError, which has the hint",
	"forget.UnreadError":      "it wraps a *RequestError, which has the hint",
	"host.ErrNoProgram":       "the background dream says so",
	"lock.ErrHeld":            "callers see a *BusyError",
	"lock.ErrTaken":           "callers see ErrLost",
	"memory.ErrLinked":        "it wraps ErrNotRegular",
	"rank.ErrNoWords":         "callers see a *QueryError",
	"runs.ErrRunning":         "status and the log say so",
	"runs.PausedError":        "it names the failure and the pause",
	"said.ErrFull":            "the reading goes on later",
	"said.ErrTooBig":          "listings name the session that could not be read",
	"share.HeldError":         "callers see a *ClosedError",
	"install.ErrBusy":         "console's install has the hint, with the file",
	"install.ErrName":         "console's install has the hint, with the file",
	"install.ErrTemporary":    "console's install has the hint, with the file",
	"install.TakenError":      "console's install has the hint, with the file",
}

// Every exported error of the program has a row, a hint of its own, or a reason why it needs none.
func TestEveryError(t *testing.T) {
	source, err := os.ReadFile("hint.go")
	if err != nil {
		t.Fatal(err)
	}
	missed := map[string]bool{}
	for name := range elsewhere {
		missed[name] = true
	}
	found := 0
	see := func(pkg, name string) {
		name = pkg + "." + name
		found++
		hasRow := regexp.MustCompile(regexp.QuoteMeta(name) + `\b`).Match(source)
		if reason := elsewhere[name]; hasRow == (reason != "") {
			t.Errorf("%s has a row: %t; and a reason why it needs none: %q", name, hasRow, reason)
		}
		delete(missed, name)
	}
	root := filepath.Join("..", "..")
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			decl, _ := decl.(*ast.GenDecl)
			if decl == nil {
				continue
			}
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if ast.IsExported(spec.Name.Name) && strings.HasSuffix(spec.Name.Name, "Error") {
						see(file.Name.Name, spec.Name.Name)
					}
				case *ast.ValueSpec:
					if decl.Tok == token.VAR && strings.HasPrefix(spec.Names[0].Name, "Err") && !hasHint(spec) {
						see(file.Name.Name, spec.Names[0].Name)
					}
				}
			}
		}
		return nil
	}
	if err := filepath.WalkDir(root, walk); err != nil {
		t.Fatal(err)
	}
	for name := range missed {
		t.Errorf("there is no %s", name)
	}
	if found < 30 {
		t.Errorf("only %d errors were found", found)
	}
}

// hasHint reports whether an error is made by ops.Refuse, with its hint.
func hasHint(spec *ast.ValueSpec) bool {
	call, ok := spec.Values[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == "Refuse"
	case *ast.SelectorExpr:
		return f.Sel.Name == "Refuse"
	}
	return false
}

// A row is for errors that wrap its own, too. Earlier rows win.
func TestFor(t *testing.T) {
	n, _ := memory.ParseName("a.md")
	for _, test := range []struct {
		err           error
		model, person string // a part of each
	}{
		{errors.New("anything"), "dream_status", "dream-mcp help"},
		{fmt.Errorf("%w: %q", ops.ErrUnknown, "abc"), "answer the ID", "dream-mcp log"},
		{errors.Join(ops.ErrNoDream, errors.New("more")), "dream_orient", "dream-mcp dream"},
		{&ops.RequestError{Message: "no", Hint: "so"}, "so", "so"},
		{&ops.RequestError{Message: "no"}, other.Model, other.Person},
		{&ops.BaseError{Name: n, Base: "abc"}, "omit base", other.Person},
		{&ops.BrokenError{Why: ops.ErrNothing}, "dream-mcp doctor", "dream-mcp doctor"},
		{&lock.BusyError{Moment: true, Host: true}, "at most an hour", "at most an hour"},
	} {
		if h := For(test.err); !strings.Contains(h.Model, test.model) || !strings.Contains(h.Person, test.person) {
			t.Errorf("For(%v) = %q", test.err, h)
		}
	}
}
