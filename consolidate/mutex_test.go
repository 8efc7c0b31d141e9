package consolidate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// guarded are the types whose exported methods are operations, but for those that read nothing that the mutex guards, or leave
// it to another.
var (
	guarded   = map[string]bool{"Project": true, "Gates": true, "Sessions": true, "Proposals": true, "Watch": true, "Doctor": true}
	unguarded = map[string]bool{"OtherHost": true, "Watch": true, "Folders": true, "Dirs": true, "Recent": true, "Hosts": true, "BeginRun": true}
)

// Each operation takes the mutex, and no other function does but those that are called later.
func TestOperationsTakeTheMutex(t *testing.T) {
	var files []*ast.File
	for _, pattern := range []string{"*.go", "doctor/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	operations := 0
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Name.Name == "unlocked" {
				continue
			}
			operation := false
			if f.Recv != nil && f.Name.IsExported() && !unguarded[f.Name.Name] {
				star, _ := f.Recv.List[0].Type.(*ast.StarExpr)
				operation = star != nil && guarded[star.X.(*ast.Ident).Name]
			}
			takes := false
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Lock" || s.Sel.Name == "TryLock") {
					takes = true
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
			if takes != operation {
				t.Errorf("%s takes the mutex: %t, want %t", f.Name.Name, takes, operation)
			}
			if operation {
				operations++
			}
		}
	}
	if operations < 20 {
		t.Errorf("only %d operations were found", operations)
	}
}
