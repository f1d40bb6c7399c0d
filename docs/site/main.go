// Command site writes the Markdown pages of a checkout as a static site:
//
//	go run . ROOT FOLDER
//
// Pictures go along, source files that pages link to become pages of their own, and a link that leads nowhere is an error.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
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
	return len(s.pages), s.copyFiles()
}
