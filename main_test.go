package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readAllowed returns the imports that testdata/imports.txt allows, by package.
func readAllowed(t *testing.T) map[string][]string {
	table, err := os.ReadFile("testdata/imports.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed, folder := map[string][]string{}, ""
	for line := range strings.Lines(string(table)) {
		line = strings.TrimRight(line, "\r\n")
		switch imported, isImport := strings.CutPrefix(line, "\t"); {
		case strings.HasPrefix(line, "#"):
		case isImport:
			allowed[folder] = append(allowed[folder], imported)
		default:
			folder = line
			allowed[folder] = nil
		}
	}
	return allowed
}

func TestImports(t *testing.T) {
	allowed := readAllowed(t)
	found := map[string]map[string]bool{}
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && p != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder := path.Dir(filepath.ToSlash(p))
		if found[folder] == nil {
			found[folder] = map[string]bool{}
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if ours, ok := strings.CutPrefix(imported, "dream-mcp/"); ok {
				found[folder][ours] = true
			} else if strings.Contains(strings.Split(imported, "/")[0], ".") {
				found[folder][imported] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		edges, known := allowed[folder]
		if !known {
			t.Errorf("%s is a folder that the table does not know", folder)
		}
		for imported := range found[folder] {
			if !slices.ContainsFunc(edges, func(edge string) bool {
				return imported == edge || strings.Contains(edge, ".") && strings.HasPrefix(imported, edge+"/")
			}) {
				t.Errorf("%s imports %s, which the table does not allow", folder, imported)
			}
		}
	}
}

// Standard output belongs to the protocol: a stray line there makes some clients disconnect. No package writes to it
// by itself; main passes it to the one that may.
func TestStdoutIsTheProtocols(t *testing.T) {
	looked := 0
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, p, nil, 0)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		looked++
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				imported, ok := n.X.(*ast.Ident)
				if ok && (imported.Name == "os" && n.Sel.Name == "Stdout" || imported.Name == "fmt" && strings.HasPrefix(n.Sel.Name, "Print")) {
					t.Errorf("%s uses %s.%s", files.Position(n.Pos()), imported.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") && f.Obj == nil {
					t.Errorf("%s uses %s", files.Position(n.Pos()), f.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || looked == 0 {
		t.Fatal(looked, err)
	}
}

// A comment that cites a benchmark gives a figure that a reader can measure again.
func TestCitedBenchmarksExist(t *testing.T) {
	cited, defined := map[string]string{}, map[string]bool{}
	name := regexp.MustCompile(`\bBenchmark[A-Z]\w*`)
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(p) != ".go" && path.Ext(p) != ".md" {
			return err
		}
		text, err := os.ReadFile(p)
		for line := range strings.Lines(string(text)) {
			for _, found := range name.FindAllString(line, -1) {
				if cited[found] = p; strings.HasPrefix(line, "func "+found) {
					defined[found] = true
				}
			}
		}
		return err
	})
	for found, p := range cited {
		if !defined[found] {
			t.Errorf("%s cites %s, which does not exist", p, found)
		}
	}
	if err != nil || len(defined) == 0 {
		t.Fatal(err)
	}
}

// dialect are words that this project once used in senses of its own, with what to write instead.
var dialect = map[string]string{
	"behind": "after, below", "anew": "again", "mend": "fix", "mends": "fixes", "mended": "fixed", "mending": "fixing",
	"stands": "is", "tells": "says, reports", "told": "said, reported", "teller": "reporter", "untold": "pending",
	"hear": "read, receive", "hears": "reads, receives", "heard": "read, received", "deaf": "ignoring", "bears": "has",
	"obey": "follow, check", "obeys": "follows, checks", "rests": "is based on", "spelt": "escaped, written", "dreamt": "run a dream",
	"befall": "happen to", "midst": "during", "is no": "is not a", "are no": "are not",
}

// plainer lists the names and phrases that hold such a word and may: what is stored or on the wire, and plain English.
var plainer = strings.NewReplacer("heard.json", "", "heard.lock", "", `json:"stands"`, "", "untold.json", "", "is no longer", "", "are no longer", "", "is no such", "",
	"there is no", "", "There is no", "", "there are no", "", "There are no", "",
	"stands for", "", "Kind Mend", "", `"mended"`, "", `"mend"`, "", "leaves it behind", "")

// TestWords looks for dialect in Go's comments, names and, outside tests, strings, and in the comments of scripts.
func TestWords(t *testing.T) {
	word := regexp.MustCompile(`(?i)\b(` + strings.Join(slices.Sorted(maps.Keys(dialect)), "|") + `)\b`)
	inner := regexp.MustCompile(`([a-z0-9])([A-Z])`)
	check := func(where, text string) {
		for _, found := range word.FindAllString(plainer.Replace(inner.ReplaceAllString(text, "$1 $2")), -1) {
			t.Errorf("%s: %q: write %s", where, found, dialect[strings.ToLower(found)])
		}
	}
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		p = filepath.ToSlash(p)
		if err != nil || e.IsDir() || p == "main_test.go" {
			return err
		}
		script := path.Dir(p) == "testdata/script" || path.Dir(p) == ".ci" || path.Ext(p) == ".sh"
		if !script && path.Ext(p) != ".go" {
			return nil
		}
		source, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if script {
			for line := range strings.Lines(string(source)) {
				if strings.HasPrefix(line, "#") {
					check(p, line)
				}
			}
			return nil
		}
		files := token.NewFileSet()
		var s scanner.Scanner
		s.Init(files.AddFile(p, -1, len(source)), source, nil, scanner.ScanComments)
		for pos, kind, text := s.Scan(); kind != token.EOF; pos, kind, text = s.Scan() {
			if kind != token.STRING || !strings.HasSuffix(p, "_test.go") {
				check(files.Position(pos).String(), text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The end waits for a call, but not for ever: a server that nobody uses any more goes.
func TestWithin(t *testing.T) {
	failed := errors.New("failed")
	for _, err := range []error{nil, failed} {
		if got := within(time.Minute, func() error { return err }); got != err {
			t.Errorf("what ends with %v is reported as %v", err, got)
		}
	}
	never := make(chan struct{})
	defer close(never)
	if err := within(time.Millisecond, func() error { <-never; return nil }); err == nil {
		t.Error("what does not end is reported as ended")
	}
}

// What a package compiles when it is initialized is paid at each start, also of a hook. Expressions are compiled at
// their first use, by memory/lazy, and templates by sync.OnceValue; here each expression is compiled.
func TestNothingIsCompiledAtTheStart(t *testing.T) {
	compiled := 0
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || strings.HasPrefix(p, ".ci") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, p, nil, 0)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		texts := map[string]ast.Expr{} // constants and variables of the file
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						texts[name.Name] = spec.Values[i]
					}
				}
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				return false
			case *ast.CallExpr:
				of, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				from, _ := of.X.(*ast.Ident)
				switch {
				case from == nil:
				case from.Name == "regexp" && strings.HasPrefix(of.Sel.Name, "MustCompile"), from.Name == "template" && of.Sel.Name == "Must":
					t.Errorf("%s: %s.%s runs at every start", files.Position(n.Pos()), from.Name, of.Sel.Name)
				case from.Name == "lazy" && of.Sel.Name == "New":
					expr, ok := constant(n.Args[0], texts)
					if _, err := regexp.Compile(expr); ok && err != nil {
						t.Errorf("%s: %v", files.Position(n.Pos()), err)
					}
					if ok {
						compiled++
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || compiled < 100 {
		t.Fatal(compiled, err)
	}
}

// constant returns the text of an expression of literals and names of the file, and whether it is one.
func constant(e ast.Expr, names map[string]ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, okX := constant(e.X, names)
		y, okY := constant(e.Y, names)
		return x + y, okX && okY
	case *ast.Ident:
		if names[e.Name] != nil {
			return constant(names[e.Name], names)
		}
	}
	return "", false
}
