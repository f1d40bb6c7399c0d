// Command site writes the Markdown pages of a checkout as a static site:
//
//	go run . ROOT FOLDER
//
// Contents and their order are those of docs/README.md; a search runs without a server; the public
// packages have a page each, from their comments. Pictures go along, source files that pages link
// to become pages of their own, and a link that leads nowhere is an error.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: site ROOT FOLDER")
	}
	pages, err := build(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d pages, from %s\n", pages, filepath.Join(os.Args[2], "index.html"))
}

// build writes the site of the checkout at root into a folder, and returns the number of its pages.
func build(root, out string) (int, error) {
	s := &site{root: os.DirFS(root), out: out, pages: map[string]*page{}, files: map[string]bool{}}
	if err := s.read(); err != nil {
		return 0, err
	}
	s.order = s.contents() // before links become those of the site
	s.version = versionOf(s.root)
	var faults []error
	for _, name := range s.names() {
		faults = append(faults, s.follow(s.pages[name])...)
	}
	if len(faults) > 0 {
		return 0, errors.Join(faults...)
	}
	for _, name := range s.names() {
		if err := s.write(s.pages[name]); err != nil {
			return 0, err
		}
	}
	if err := s.index(); err != nil {
		return 0, err
	}
	if err := s.packages(); err != nil {
		return 0, err
	}
	return len(s.pages), s.copyFiles()
}

// versionLine is where the program has its version.
var versionLine = regexp.MustCompile(`(?m)^(?:var|const)?\s*development\s*=\s*"([^"]+)"`)

// versionOf is the version of the checkout; empty where there is no program in it.
func versionOf(root fs.FS) string {
	names, _ := fs.Glob(root, "cmd/mercer/internal/cli/*.go")
	for _, name := range names {
		if b, err := fs.ReadFile(root, name); err == nil {
			if m := versionLine.FindSubmatch(b); m != nil {
				return string(m[1])
			}
		}
	}
	return ""
}
