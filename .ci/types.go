// Command types checks the types of packages and of all they import from their sources, for the
// system, the processor and the tags of the environment: what a build for them would refuse,
// without the minutes that compiling them takes. Bodies of functions are read in this module alone.
//
//	GOOS=linux GOARCH=386 go run .ci/types.go [-tags LIST] PACKAGES
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// listed is what go list says of a package.
type listed struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string // of the standard library's vendored packages
	Standard        bool
	Module          *struct{ Main bool }
}

func main() {
	log.SetFlags(0)
	tags := flag.String("tags", "", "as of go build")
	flag.Parse()
	packages, err := list(*tags, flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	arch := build.Default.GOARCH
	if s := os.Getenv("GOARCH"); s != "" {
		arch = s
	}
	c := checker{arch: arch, files: token.NewFileSet(), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	failed, own := 0, 0
	for _, p := range packages { // each after what it imports
		if p.Module != nil && p.Module.Main {
			own++
		}
		failed += c.check(p)
	}
	fmt.Printf("%s/%s %s: %d packages, %d of them of this module\n", os.Getenv("GOOS"), arch, *tags, len(packages), own)
	if failed > 0 {
		os.Exit(1)
	}
}

func list(tags string, patterns []string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,ImportPath,GoFiles,ImportMap,Standard,Module", "-tags", tags}, patterns...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var packages []listed
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, cmd.Wait()
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

type checker struct {
	arch  string
	files *token.FileSet
	done  map[string]*types.Package
}

// check checks one package and says how many errors of this module it has.
func (c *checker) check(p listed) int {
	if p.ImportPath == "unsafe" {
		return 0
	}
	own := p.Module != nil && p.Module.Main
	var parsed []*ast.File
	failed := 0
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			log.Print(err)
			failed++
			continue
		}
		parsed = append(parsed, f)
	}
	conf := types.Config{
		Importer:         imported{c, p.ImportMap},
		Sizes:            types.SizesFor("gc", c.arch),
		IgnoreFuncBodies: !own,
		Error: func(err error) {
			if own {
				log.Print(err)
				failed++
			}
		},
	}
	c.done[p.ImportPath], _ = conf.Check(p.ImportPath, c.files, parsed, nil) // errors were counted
	return failed
}

type imported struct {
	*checker
	vendored map[string]string
}

func (i imported) Import(path string) (*types.Package, error) {
	if real, ok := i.vendored[path]; ok {
		path = real
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s was not listed", path)
}
