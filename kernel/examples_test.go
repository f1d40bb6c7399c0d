package kernel_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Every exported function of this package and of kerneltest has an Example.
func TestEveryExportedFunctionHasAnExample(t *testing.T) {
	for _, dir := range []string{".", "kerneltest"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		functions, examples := map[string]bool{}, map[string]bool{}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv != nil {
					continue
				}
				name, isExample := strings.CutPrefix(f.Name.Name, "Example")
				switch {
				case isExample:
					name, _, _ = strings.Cut(name, "_")
					examples[name] = true
				case f.Name.IsExported() && !strings.HasSuffix(e.Name(), "_test.go"):
					functions[f.Name.Name] = true
				}
			}
		}
		if len(functions) < 5 {
			t.Fatalf("only %d functions seen in %s", len(functions), dir)
		}
		for name := range functions {
			if !examples[name] {
				t.Errorf("%s/%s has no Example", dir, name)
			}
		}
	}
}
