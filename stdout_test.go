package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Standard output belongs to the protocol: a stray line there makes some clients hang up (MCP.md 1.6). No package
// writes to it by itself: main passes it to the one that may. Programs of their own have their own.
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
				room, ok := n.X.(*ast.Ident)
				if ok && (room.Name == "os" && n.Sel.Name == "Stdout" || room.Name == "fmt" && strings.HasPrefix(n.Sel.Name, "Print")) {
					t.Errorf("%s uses %s.%s", files.Position(n.Pos()), room.Name, n.Sel.Name)
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
