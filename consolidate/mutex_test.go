package consolidate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A method is a method of a part of Project, or of Project itself.
type method struct {
	on, name string
	exported bool
	doc      string
	locks    bool     // it locks the mutex itself
	unlocks  bool     // before its end
	calls    []string // methods of the same receiver
}

// unlocked holds for comments of methods that do not take the mutex. A method may also be called without it and have its steps take it.
var unlocked = regexp.MustCompile(`[Tt]he caller holds the mutex|[Ii]t needs no mutex|without the mutex`)

// An exported method of Project or of its parts takes the mutex, or its comment says whether the caller holds it. One that holds the
// mutex lets it go at its end, and calls no other that takes it.
func TestOperationsTakeTheMutex(t *testing.T) {
	methods := map[string]*method{}
	for folder, types := range parts(t) {
		for _, file := range parsed(t, folder) {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
					if m := methodOf(f); slices.Contains(types, m.on) {
						methods[m.on+"."+m.name] = m
					}
				}
			}
		}
	}
	takes := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for name, m := range methods {
			if !takes[name] && (m.locks || slices.ContainsFunc(m.calls, func(c string) bool { return takes[m.on+"."+c] })) {
				takes[name], grown = true, true
			}
		}
	}
	operations := 0
	for name, m := range methods {
		if m.unlocks {
			t.Errorf("%s lets the mutex go before its end", name)
		}
		for _, c := range m.calls {
			if m.locks && takes[m.on+"."+c] {
				t.Errorf("%s holds the mutex and calls %s, which takes it", name, c)
			}
		}
		says := unlocked.MatchString(m.doc)
		if m.exported && !takes[name] && !says {
			t.Errorf("%s does not take the mutex, and its comment does not say whether the caller holds it", name)
		}
		if takes[name] && says {
			t.Errorf("%s takes the mutex, and its comment says that it does not", name)
		}
		if m.exported && takes[name] {
			operations++
		}
	}
	if operations < 50 {
		t.Errorf("only %d operations were found", operations)
	}
}

// parts returns the types whose methods are examined, by folder: those of the fields of Project, and those whose values they return.
func parts(t *testing.T) map[string][]string {
	types := map[string][]string{".": {"Project", "Watch"}, "runs": {"Run"}, "proposal": {"Queue"}}
	for _, file := range parsed(t, ".") {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != "Project" {
				return true
			}
			for _, field := range spec.Type.(*ast.StructType).Fields.List {
				name := field.Names[0]
				star, ok := field.Type.(*ast.StarExpr)
				if !ok || !name.IsExported() || name.Name == "Store" || name.Name == "Transcripts" {
					continue // the mutex itself, and what has its own
				}
				switch of := star.X.(type) {
				case *ast.Ident:
					types["."] = append(types["."], of.Name)
				case *ast.SelectorExpr:
					folder := of.X.(*ast.Ident).Name
					types[folder] = append(types[folder], of.Sel.Name)
				}
			}
			return false
		})
	}
	return types
}

// parsed returns the files of a folder, without tests.
func parsed(t *testing.T, folder string) (files []*ast.File) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no files, %v", folder, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// methodOf describes a method. What is deferred or in a function literal happens later, and does not count.
func methodOf(f *ast.FuncDecl) *method {
	m := &method{name: f.Name.Name, exported: f.Name.IsExported(), doc: strings.Join(strings.Fields(f.Doc.Text()), " ")}
	on := f.Recv.List[0]
	if star, ok := on.Type.(*ast.StarExpr); ok {
		m.on = star.X.(*ast.Ident).Name
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt:
			return false
		case *ast.SelectorExpr:
			switch x := n.X.(type) {
			case *ast.SelectorExpr:
				if x.Sel.Name == "Store" {
					m.locks = m.locks || n.Sel.Name == "Lock" || n.Sel.Name == "TryLock"
					m.unlocks = m.unlocks || n.Sel.Name == "Unlock"
				}
			case *ast.Ident:
				if len(on.Names) > 0 && x.Name == on.Names[0].Name {
					m.calls = append(m.calls, n.Sel.Name)
				}
			}
		}
		return true
	})
	return m
}
