package archtest

import (
	"go/ast"
	"go/token"
	"testing"
)

// Every command pays for what the program makes when it starts. A regular expression that stands in
// a variable of a package is made when it is asked for first: lazy.Regexp.
func TestNoRegexpsAtTheStart(t *testing.T) {
	eachFile(t, func(rel string, _ *token.FileSet, file *ast.File) {
		if !ofTheProgram(rel) {
			return
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncLit); ok {
					return false // called later
				}
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
					t.Errorf("%s makes a regular expression when the program starts", rel)
				}
				return true
			})
		}
	})
}
