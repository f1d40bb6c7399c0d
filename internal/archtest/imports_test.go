// Package archtest holds the architecture still: which package may import
// which.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mercer-ml/mercer"

// floors lists the packages from the ground up, with what each may import.
// A name stands for the package and everything below it.
var floors = []struct {
	pkg     string
	imports string
}{
	{"internal/par", ""},
	{"internal/simd", ""},
	{"internal/linalg", "internal/par internal/simd"},
	{"internal/progress", ""},
	{"solve", "internal/par internal/simd internal/linalg"},
	{"internal/float16", ""},
	{"internal/decompress", ""},
	{"internal/arrowfile", "internal/decompress internal/float16"},
	{"internal/parquetfile", "internal/decompress"},
	{"data", "internal/par internal/simd internal/linalg internal/float16 internal/arrowfile internal/parquetfile"},
	{"kernel", "internal/par internal/simd internal/linalg data kernel"},
	{"gram", "internal/par internal/simd internal/linalg data kernel"},
	{"rkhs", "internal/par internal/simd internal/linalg data kernel gram solve"},
	{"learn", "internal/par internal/simd internal/linalg data kernel gram rkhs solve"},
	{"project", "internal/par internal/simd internal/linalg data kernel gram rkhs solve learn"},
	{"cluster", "internal/par internal/simd internal/linalg data kernel gram rkhs solve"},
	{"stat", "internal/par internal/simd internal/linalg data kernel gram rkhs solve learn project cluster"},
	{"tune", "internal/par internal/simd internal/linalg data kernel gram rkhs solve learn project cluster stat"},
	{"spec", "data kernel gram rkhs learn project cluster stat tune"},
	{"model", "internal/linalg data kernel gram rkhs learn project cluster stat tune spec"},
	{"internal/plot", "data kernel gram rkhs learn project cluster stat tune"},
	{"internal/svmtool", "internal/par internal/linalg data kernel gram rkhs solve learn model spec"},
	{"serve", "internal/par internal/linalg internal/plot data kernel gram rkhs solve learn project cluster stat tune spec model"},
	{"internal/cli", "internal/par internal/linalg internal/plot internal/progress internal/svmtool data kernel gram rkhs solve learn project cluster stat tune spec model serve"},
	{"cmd/mercer", "internal/cli"},
	{"internal/archtest", ""},
}

func within(pkg, root string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }

func TestImportsPointDown(t *testing.T) {
	root := "../.."
	seen := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(file, root+"/"))
		if d.IsDir() {
			base := path.Base(rel)
			if rel != root && (strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || base == "testdata" || rel == "bench") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		pkg := path.Dir(rel)
		var allowed []string
		found := false
		for _, f := range floors {
			if within(pkg, f.pkg) {
				allowed, found = append(strings.Fields(f.imports), f.pkg), true
			}
		}
		if !found {
			t.Errorf("%s: package %s has no floor; add it to the table", rel, pkg)
			return nil
		}
		src, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range src.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			if !strings.HasPrefix(name, module+"/") {
				continue
			}
			seen++
			name = strings.TrimPrefix(name, module+"/")
			ok := false
			for _, a := range allowed {
				ok = ok || within(name, a)
			}
			if !ok {
				t.Errorf("%s: package %s may not import %s", rel, pkg, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Fatal("no import seen: the walk is broken")
	}
}
