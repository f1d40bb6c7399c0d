// Command notice writes NOTICE: what the program mercer contains besides its own code, on every
// system it is built for, with the licences that come with it.
//
//	go run .ci/notice.go          writes the file
//	go run .ci/notice.go -check   fails where the file is not what would be written
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	program = "./cmd/mercer"
	head    = `mercer
Copyright the mercer authors. Licensed under the Apache License 2.0: see LICENSE.

The program contains the software and the fonts below, under the licences that are given with them.
This file is written by "go run .ci/notice.go".
`
)

// inTree are what the program contains that is in this tree and of others.
var inTree = []struct{ what, licence string }{
	{"the words of the Brotli format", "internal/format/decompress/brotli_words.LICENSE"},
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|third_party_licen[cs]es)`)

// module is what is linked in of a module: the folders of its packages, and where it lies.
type module struct {
	path, dir string
	folders   []string
}

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "compare, do not write")
	flag.Parse()
	modules := map[string]*module{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			if err := linked(modules, system, arch); err != nil {
				log.Fatal(err)
			}
		}
	}
	text, err := notice(modules)
	if err != nil {
		log.Fatal(err)
	}
	if !*check {
		err = os.WriteFile("NOTICE", text, 0o666)
	} else if have, failed := os.ReadFile("NOTICE"); failed != nil || !bytes.Equal(have, text) {
		err = errors.New("NOTICE is not what the program contains: run \"go run .ci/notice.go\" and look at what changed")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// linked adds the modules of one system.
func linked(modules map[string]*module, system, arch string) error {
	list := exec.Command("go", "list", "-tags", "cuda", "-deps", "-json=Dir,Module,Standard", program) // the tag only adds to what is linked
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOFLAGS=")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list for %s/%s: %w", system, arch, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   *struct {
				Path, Dir string
				Main      bool
			}
		}
		if err := d.Decode(&p); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := modules[p.Module.Path]
		if m == nil {
			m = &module{path: p.Module.Path, dir: p.Module.Dir}
			modules[m.path] = m
		}
		// A package may have a licence of its own, or its parents within the module.
		for dir := p.Dir; ; dir = filepath.Dir(dir) {
			if !slices.Contains(m.folders, dir) {
				m.folders = append(m.folders, dir)
			}
			if dir == m.dir {
				break
			}
		}
	}
}

func notice(modules map[string]*module) ([]byte, error) {
	var paths []string
	for path := range modules {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var b bytes.Buffer
	b.WriteString(head)
	own, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	given := map[string]string{flat(own): "the Apache License 2.0: see LICENSE"}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	standard, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		return nil, fmt.Errorf("the licence of the Go standard library: %w", err)
	}
	write(&b, given, "the Go standard library and runtime", "LICENSE", standard)
	for _, path := range paths {
		files, err := modules[path].licences()
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s has no licence", path)
		}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(modules[path].dir, name))
			if err != nil {
				return nil, err
			}
			write(&b, given, path, name, text)
		}
	}
	for _, t := range inTree {
		text, err := os.ReadFile(t.licence)
		if err != nil {
			return nil, err
		}
		write(&b, given, t.what, t.licence, text)
	}
	return b.Bytes(), nil
}

// licences are the files with licences, from the folder of the module.
func (m *module) licences() ([]string, error) {
	var files []string
	for _, dir := range m.folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			// A link to where the licence is said to be is none.
			if !licence.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") || strings.Contains(e.Name(), "link") {
				continue
			}
			err := filepath.WalkDir(filepath.Join(dir, e.Name()), func(path string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() && filepath.Base(path) != "gpl.txt" { // FreeType is taken under its own licence
					name, _ := filepath.Rel(m.dir, path)
					files = append(files, filepath.ToSlash(name))
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// write gives a text once, and names it where it comes again.
func write(b *bytes.Buffer, given map[string]string, path, name string, text []byte) {
	fmt.Fprintf(b, "\n%s\n%s (%s)\n\n", strings.Repeat("=", 80), path, name)
	if where, ok := given[flat(text)]; ok {
		fmt.Fprintf(b, "%s.\n", where)
		return
	}
	given[flat(text)] = "as " + path + " (" + name + ") above"
	for line := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), "\n") {
		b.WriteString(strings.TrimRight(line, " \t\f") + "\n")
	}
}

// flat is a text without the way its lines are broken.
func flat(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
