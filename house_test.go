package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a type and a function may have. Above that they have more than one reason to change.
const (
	mostMethods = 25 // exported ones, with those of embedded types
	mostLines   = 60
)

// shippedFiles returns the files of each package of the module by the package's path, without tests.
func shippedFiles(t *testing.T, positions *token.FileSet) map[string][]*ast.File {
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || strings.HasPrefix(p, ".") {
			return err
		}
		file, err := parser.ParseFile(positions, p, nil, parser.SkipObjectResolution|parser.ParseComments)
		of := path.Join("dream-mcp", path.Dir(filepath.ToSlash(p)))
		packages[of] = append(packages[of], file)
		return err
	})
	if err != nil || len(packages) < 50 {
		t.Fatal(len(packages), err)
	}
	return packages
}

// members are the exported methods of a type, and the types that it embeds, as PACKAGE.TYPE.
type members struct {
	methods map[string]bool
	embeds  []string
}

func TestMethodsOfATypeAreFew(t *testing.T) {
	all := map[string]*members{}
	of := func(name string) *members {
		if all[name] == nil {
			all[name] = &members{methods: map[string]bool{}}
		}
		return all[name]
	}
	for pkg, files := range shippedFiles(t, token.NewFileSet()) {
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Recv != nil && n.Name.IsExported() {
						of(typeName(file, pkg, n.Recv.List[0].Type)).methods[n.Name.Name] = true
					}
				case *ast.TypeSpec:
					of(pkg+"."+n.Name.Name).add(file, pkg, n.Type)
				}
				return true
			})
		}
	}
	counted := 0
	for name, m := range all {
		found := map[string]bool{}
		m.collect(all, found)
		if counted += len(found); len(found) > mostMethods {
			t.Errorf("%s has %d methods, above %d", name, len(found), mostMethods)
		}
	}
	if counted < 500 {
		t.Errorf("only %d methods were found", counted)
	}
}

// A name that differs from another only by the case of its letters says nothing of the difference.
func TestNamesDiffer(t *testing.T) {
	names, functions := map[string]string{}, 0
	for pkg, files := range shippedFiles(t, token.NewFileSet()) {
		for _, file := range files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				of := pkg
				if f.Recv != nil {
					of = typeName(file, pkg, f.Recv.List[0].Type)
				}
				functions++
				key := of + "." + strings.ToLower(f.Name.Name)
				if other := names[key]; other != "" && other != f.Name.Name {
					t.Errorf("%s has %s and %s", of, other, f.Name.Name)
				}
				names[key] = f.Name.Name
			}
		}
	}
	if functions < 1000 {
		t.Errorf("only %d functions were found", functions)
	}
}

// add adds what the declaration of a type has.
func (m *members) add(file *ast.File, pkg string, declared ast.Expr) {
	var fields []*ast.Field
	switch declared := declared.(type) {
	case *ast.StructType:
		fields = declared.Fields.List
	case *ast.InterfaceType:
		for fields = declared.Methods.List; len(fields) > 0 && len(fields[0].Names) > 0; fields = fields[1:] {
			m.methods[fields[0].Names[0].Name] = ast.IsExported(fields[0].Names[0].Name)
		}
	}
	for _, field := range fields {
		if len(field.Names) == 0 {
			m.embeds = append(m.embeds, typeName(file, pkg, field.Type))
		}
	}
}

// collect adds the methods of a type and of those that it embeds.
func (m *members) collect(all map[string]*members, found map[string]bool) {
	for name := range m.methods {
		found[name] = true
	}
	for _, embedded := range m.embeds {
		if e := all[embedded]; e != nil && e != m {
			e.collect(all, found)
		}
	}
}

// typeName returns PACKAGE.TYPE of a type without its pointer and type arguments.
func typeName(file *ast.File, pkg string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(file, pkg, e.X)
	case *ast.IndexExpr:
		return typeName(file, pkg, e.X)
	case *ast.IndexListExpr:
		return typeName(file, pkg, e.X)
	case *ast.Ident:
		return pkg + "." + e.Name
	case *ast.SelectorExpr:
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if from, ok := e.X.(*ast.Ident); ok && (spec.Name != nil && spec.Name.Name == from.Name || spec.Name == nil && path.Base(imported) == from.Name) {
				return imported + "." + e.Sel.Name
			}
		}
	}
	return ""
}

func TestFunctionsAreShort(t *testing.T) {
	positions, counted := token.NewFileSet(), 0
	for _, files := range shippedFiles(t, positions) {
		for _, file := range files {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					counted++
					if n := positions.Position(f.End()).Line - positions.Position(f.Pos()).Line + 1; n > mostLines {
						t.Errorf("%s: %s has %d lines, above %d", positions.Position(f.Pos()), f.Name.Name, n, mostLines)
					}
				}
			}
		}
	}
	if counted < 1000 {
		t.Errorf("only %d functions were found", counted)
	}
}

// mostColumns is how many characters a line of a comment may have. A tab counts as four.
const mostColumns = 120

func TestCommentsAreNarrow(t *testing.T) {
	for _, files := range shippedFiles(t, token.NewFileSet()) {
		for _, file := range files {
			for _, group := range file.Comments {
				for _, c := range group.List {
					for line := range strings.SplitSeq(c.Text, "\n") {
						if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > mostColumns && !strings.HasPrefix(line, "//go:") {
							t.Errorf("%d characters: %s", n, line)
						}
					}
				}
			}
		}
	}
}
