package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cubic are the routines of linalg whose work grows as n³ and that have a sibling which gives up when
// a context ends.
var cubic = []string{"SymEigen", "SymEigenSelected", "SymEigenValues", "NewCholesky", "NewCholeskyOf",
	"NewPivotedCholesky", "NewPivotedCholeskyFrom", "NewQR", "NewPivotedQR"}

// What has a context hands it to what takes long: Ctrl-C waited for the eigenvectors of all points.
func TestFactorsAreCalledOffByTheContext(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "bench" || name == "testdata" || strings.HasPrefix(name, ".") && len(name) > 2 ||
			strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || !takesContext(f) {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if !ok || !isCubic(call) {
					return true
				}
				t.Errorf("%s: %s has a context and calls linalg.%s; call linalg.%sContext", fset.Position(call.Pos()),
					f.Name.Name, call.Sel.Name, call.Sel.Name)
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func takesContext(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		if s, ok := p.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "context" {
				return true
			}
		}
	}
	return false
}

func isCubic(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "linalg" && slices.Contains(cubic, s.Sel.Name)
}
