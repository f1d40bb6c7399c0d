// Command _gen writes the amd64 assembly of internal/engine/simd and its Go stubs.
//
// Every family is one function in a file of its own that fills an avo context;
// the table below names it. Run ./generate here (or go generate in
// internal/engine/simd) to make everything again; the output is deterministic.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// families lists the generated files: name → name_amd64.s with the
// instructions and name_stubs_amd64.go with the Go declarations.
var families = []struct {
	name string
	fill func(*build.Context)
}{
	{"level1", level1},
	{"gemm", gemm},
	{"gemv", gemv},
	{"symv", symv},
	{"symm", symm},
	{"secular", secular},
	{"widerows", widerows},
	{"boxpair", boxpair},
	{"pack", pack},
	{"sparse", sparse},
	{"vector", vector},
	{"pairs", pairs},
	{"squares", squares},
	{"expsum", expsum},
	{"smosingle", smoSingle},
	{"decayrow", decayrow},
	{"decaylanes", decaylanes},
	{"alignwave", alignwave},
}

func main() {
	log.SetFlags(0)
	only := flag.String("family", "", "make this family alone (default: all)")
	dir := flag.String("dir", "..", "write the files here")
	flag.Parse()
	made := 0
	for _, f := range families {
		if *only != "" && *only != f.name {
			continue
		}
		if err := write(*dir, f.name, f.fill); err != nil {
			log.Fatalf("%s: %v", f.name, err)
		}
		made++
	}
	if made == 0 {
		log.Fatalf("no family is called %q", *only)
	}
}

func write(dir, name string, fill func(*build.Context)) error {
	c := build.NewContext()
	c.Constraint(buildtags.Not("noasm").ToConstraint())
	fill(c)
	file, err := c.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Argv: []string{"go", "run", ".", "-family", name}, Pkg: "simd"}
	for _, out := range []struct {
		file string
		p    printer.Printer
	}{
		{name + "_amd64.s", printer.NewGoAsm(cfg)},
		{name + "_stubs_amd64.go", printer.NewStubs(cfg)},
	} {
		text, err := out.p.Print(file)
		if err != nil {
			return fmt.Errorf("%s: %w", out.file, err)
		}
		if err := os.WriteFile(filepath.Join(dir, out.file), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
