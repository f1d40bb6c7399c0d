package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that can reach text/template keeps every exported method of every type that it makes,
// since a template may call one by its name: the program was 5.6 MB larger. Nothing of it may
// import the templates (package markup stands in for them), or ask cobra for its own.
func TestNoTemplates(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root ||
				strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" {
				return filepath.SkipDir // a module of its own, or no package
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, filepath.Join(root, "release")) {
			return nil
		}
		looked++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			if i.Path.Value == `"text/template"` || i.Path.Value == `"html/template"` {
				t.Errorf("%s imports %s", path, i.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				switch s.Sel.Name {
				case "SetUsageTemplate", "SetHelpTemplate", "SetVersionTemplate":
					t.Errorf("%s: %s; SetUsageFunc and SetHelpFunc need no template", path, s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || looked < 500 {
		t.Fatalf("%d files, %v", looked, err)
	}
}
