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

// floors is the house from the ground up. A package may import what stands on floors below its
// own, and what stands inside it; nothing on its own floor. A path stands for all below it that
// have no line of their own.
var floors = [][]string{
	{"internal/datatest", "trace", "internal/fault", "internal/files", "internal/lazy", "internal/markup",
		"internal/engine/par", "internal/engine/simd", "internal/format/float16", "internal/format/decimal",
		"internal/format/decompress", "internal/phrase", "internal/savedkind", "internal/mend",
		"cmd/mercer/internal/progress"},
	{"internal/engine/linalg", "internal/engine/cuda", "internal/format/arrowfile", "internal/format/parquetfile",
		"internal/format/sparsetext", "internal/celltext"},
	{"internal/engine/solve", "internal/engine/kmeans", "internal/engine/smoothing", "internal/engine/shapley"},
	{"data"},
	{"internal/format/absent", "internal/format/columntest", "internal/format/header", "internal/format/room"},
	{"internal/format"},
	{"data/tudataset"},
	{"data/load"},
	{"kernel"},
	{"internal/kerneltest", "internal/mixing"},
	{"gram"},
	{"rkhs"},
	{"internal/apply"},
	{"learn", "internal/learn", "cluster", "project", "internal/mapped"},
	{"density"},
	{"internal/learnt"},
	{"internal/spec"},
	{"spec"},
	{"stat", "smooth"},
	{"model"},
	{"tune"},
	{"internal/host"},
	{"serve", "internal/play"},
	{"cmd/mercer/internal/plot", "cmd/mercer/internal/svmtool", "cmd/mercer/internal/worker"},
	{"cmd/mercer/internal/cli", "cmd/mercer/internal/figures"},
	{"cmd/mercer", "release/prng", "release/sbom", "release/zip"},
	{"internal/archtest", "internal/modeltest"},
	{"internal/learntest", "internal/savedtest"},
}

// never are the imports that the order of the floors would allow and the design does not: data
// and kernels know no optimiser, the language and the model file no engine.
var never = map[string]string{
	"data":          "internal/engine/solve trace",
	"kernel":        "internal/engine/solve trace",
	"gram":          "internal/engine/solve",
	"internal/spec": "internal/engine internal/format",
	"internal/play": "internal/engine internal/format/arrowfile internal/format/parquetfile",
	"serve":         "internal/format/arrowfile internal/format/parquetfile internal/format/decompress",
}

// floorOf is the line of the table that pkg stands on, and the room there that holds it.
func floorOf(pkg string) (floor int, room string) {
	floor = -1
	for f, rooms := range floors {
		for _, r := range rooms {
			if within(pkg, r) && len(r) > len(room) {
				floor, room = f, r
			}
		}
	}
	return floor, room
}

// mayImport says whether a package of pkg's floor and room may import name.
func mayImport(pkg, name string) bool {
	floor, room := floorOf(pkg)
	below, other := floorOf(name)
	for _, n := range strings.Fields(never[room]) {
		if within(name, n) {
			return false
		}
	}
	return outside(other) == outside(room) || below < floor && below >= 0
}

// outside is the room whose inside a room of internal/ is: what learners share with nobody else, say.
func outside(room string) string { return strings.TrimPrefix(room, "internal/") }

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
			if rel != root && (strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || base == "testdata" ||
				rel == "bench" || rel == "beam" || rel == "examples" || rel == "internal/play/browser" || rel == "docs/gallery" ||
				rel == "docs/site") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		pkg := path.Dir(rel)
		if floor, _ := floorOf(pkg); floor < 0 {
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
			if !mayImport(pkg, name) {
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
