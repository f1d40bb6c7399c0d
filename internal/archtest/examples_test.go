package archtest

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exampled are the packages whose documentation shows every exported function at work.
var exampled = []string{"kernel", "kernel/graph", "internal/kerneltest", "kernel/discrete", "kernel/prob", "kernel/seq",
	"kernel/tree", "gram", "rkhs", "spec"}

// onlyInTests are examples that cannot run as such: they need a *testing.T, which only the go
// command makes.
var onlyInTests = map[string]bool{"internal/kerneltest Run": true}

// Every exported function has an Example of its name, every exported type with methods one of its
// own or of its constructor, and every exported method is called there, or belongs to an exported
// interface of the package, or of a package above it, and is called in the Example of that
// interface. Every Example has checked output.
func TestEveryExportedFunctionHasAnExample(t *testing.T) {
	shownByInterface := map[string]map[string]bool{} // of each package
	for _, dir := range exampled {
		pkg, examples := documented(t, filepath.Join("..", "..", filepath.FromSlash(dir)))
		shown := map[string]string{} // the source of the examples of each name
		for _, e := range examples {
			if e.Output == "" && !e.EmptyOutput && !onlyInTests[dir+" "+e.Name] {
				t.Errorf("%s: Example%s has no checked output", dir, e.Name)
			}
			name, _, _ := strings.Cut(e.Name, "_")
			shown[name] += called(e.Code)
		}
		byInterface := map[string]bool{} // methods that an example of an interface calls
		for _, ty := range pkg.Types {
			for _, m := range interfaceMethods(ty) {
				if strings.Contains(shown[ty.Name], "."+m+"(") {
					byInterface[m] = true
				}
			}
		}
		maps.Copy(byInterface, shownByInterface[path.Dir(dir)])
		shownByInterface[dir] = byInterface
		functions := slices.Clone(pkg.Funcs)
		for _, ty := range pkg.Types {
			functions = append(functions, ty.Funcs...)
			own := shown[ty.Name]
			for _, f := range ty.Funcs { // an Example of its constructor shows a type too
				own += shown[f.Name]
			}
			plain := len(ty.Methods) == 0 && len(interfaceMethods(ty)) == 0
			if own == "" && !plain {
				t.Errorf("%s: type %s has no Example", dir, ty.Name)
			}
			for _, m := range ty.Methods {
				printed := m.Name == "String" || m.Name == "Error" // called by fmt
				if !strings.Contains(own, "."+m.Name+"(") && !byInterface[m.Name] && !printed {
					t.Errorf("%s: no Example of %s calls (%s).%s", dir, ty.Name, ty.Name, m.Name)
				}
			}
		}
		for _, f := range functions {
			if shown[f.Name] == "" {
				t.Errorf("%s: %s has no Example", dir, f.Name)
			}
		}
	}
}

// called lists the calls in a piece of code as ".Name(" each.
func called(code ast.Node) string {
	var b strings.Builder
	b.WriteString(" ")
	ast.Inspect(code, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			f := c.Fun
			switch i := f.(type) {
			case *ast.IndexExpr:
				f = i.X
			case *ast.IndexListExpr:
				f = i.X
			}
			if s, ok := f.(*ast.SelectorExpr); ok {
				b.WriteString("." + s.Sel.Name + "( ")
			}
		}
		return true
	})
	return b.String()
}

func interfaceMethods(ty *doc.Type) []string {
	var names []string
	for _, s := range ty.Decl.Specs {
		spec, ok := s.(*ast.TypeSpec)
		if !ok || spec.Name.Name != ty.Name {
			continue
		}
		if in, ok := spec.Type.(*ast.InterfaceType); ok {
			for _, m := range in.Methods.List {
				for _, n := range m.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// documented is the documentation of a package, and the examples in its tests.
func documented(t *testing.T, dir string) (*doc.Package, []*doc.Example) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files, tests []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(set, filepath.Join(dir, e.Name()), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.Name(), "_test.go") {
			tests = append(tests, f)
		} else {
			files = append(files, f)
		}
	}
	pkg, err := doc.NewFromFiles(set, files, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkg.Funcs) == 0 && len(pkg.Types) == 0 {
		t.Fatalf("%s: nothing is exported", dir)
	}
	return pkg, doc.Examples(tests...)
}
