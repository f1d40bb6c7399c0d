package archtest

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// A program that can reach text/template keeps every exported method of every type that it makes,
// since a template may call one by its name: the program was 5.6 MB larger. Nothing of it may
// import the templates (package markup stands in for them), or ask cobra for its own.
func TestNoTemplates(t *testing.T) {
	eachFile(t, func(rel string, _ *token.FileSet, file *ast.File) {
		if !ofTheProgram(rel) {
			return
		}
		for _, i := range file.Imports {
			if i.Path.Value == `"text/template"` || i.Path.Value == `"html/template"` {
				t.Errorf("%s imports %s", rel, i.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				switch s.Sel.Name {
				case "SetUsageTemplate", "SetHelpTemplate", "SetVersionTemplate":
					t.Errorf("%s: %s; SetUsageFunc and SetHelpFunc need no template", rel, s.Sel.Name)
				}
			}
			return true
		})
	})
}

// ofTheProgram says whether a file is of the program or the library, not of a program beside them.
func ofTheProgram(rel string) bool {
	for _, beside := range []string{"bench/", "beam/", "docs/", "examples/", "internal/play/browser/", "release/"} {
		if strings.HasPrefix(rel, beside) {
			return false
		}
	}
	return true
}
