package consolidate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// guarded are the types whose exported methods are operations, but for those that read nothing that the mutex guards, or leave
// it to another.
var (
	guarded   = map[string]bool{"Project": true, "Gates": true, "Sessions": true, "Proposals": true, "Watch": true, "Doctor": true}
	unguarded = map[string]bool{"OtherHost": true, "Watch": true, "Folders": true, "Dirs": true, "Recent": true, "Hosts": true, "BeginRun": true}
)

// composed are the exported methods that do not take the mutex themselves, and the operations that they consist of: between these they
// read transcripts or wait for a remote.
var composed = map[string][]string{
	"Begin": {"mayBegin", "begin"}, "Finalize": {"mayFinalize", "finalize"}, "Accept": {"accept"}, "Close": {"endDream", "close"},
	"Search": {"beginSearch", "endSearch"}, "Ranked": {"beginSearch", "endSearch"}, "ContextOf": {"beginSearch", "endSearch"}, "List": {"beginList", "endList"},
}

// Each operation takes the mutex at its beginning, lets it go at its end, and calls no other operation. No other function takes it but those
// that are called later.
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
	owners := map[string]bool{"p": true, "s": true, "q": true} // the receivers of the operations
	parts := map[string]bool{}
	for _, names := range composed {
		for _, name := range names {
			parts[name] = true
		}
	}
	operations := 0
	for _, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			operation := false
			if f.Recv != nil && (f.Name.IsExported() && !unguarded[f.Name.Name] || parts[f.Name.Name]) {
				star, _ := f.Recv.List[0].Type.(*ast.StarExpr)
				operation = star != nil && guarded[star.X.(*ast.Ident).Name] && composed[f.Name.Name] == nil
			}
			takes := false
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit, *ast.DeferStmt: // later
					return false
				case *ast.SelectorExpr:
					takes = takes || n.Sel.Name == "Lock" || n.Sel.Name == "TryLock"
					if n.Sel.Name == "Unlock" {
						t.Errorf("%s lets a mutex go before its end", f.Name.Name)
					}
					if on, is := n.X.(*ast.Ident); is && owners[on.Name] && parts[n.Sel.Name] && !slices.Contains(composed[f.Name.Name], n.Sel.Name) {
						t.Errorf("%s calls %s, which takes the mutex", f.Name.Name, n.Sel.Name)
					}
				}
				return true
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
