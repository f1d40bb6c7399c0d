package archtest

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page of a public package that has many names says which five to ten of them to know, and
// these are there.
func TestPagesOfPackagesBeginWithTheNamesToKnow(t *testing.T) {
	root := os.DirFS("../..")
	for folder, names := range publicNames(t, root) {
		if len(names) < 8 || folder == "internal/play" { // the playground's answers are for its own page
			continue
		}
		if err := checkNamesToKnow(packageComment(t, root, folder), names); err != nil {
			t.Errorf("package %s: %v", folder, err)
		}
	}
}

func TestNamesToKnowAreChecked(t *testing.T) {
	names := []string{"A", "B", "C", "D", "E", "F"}
	for comment, fault := range map[string]string{
		"Package p is.\n\nNames to know: [A], [B], [C], [D] and [E].":       "",
		"Package p is [A], [B], [C], [D] and [E].":                          "no paragraph",
		"Package p is.\n\nNames to know: [A] and [B].\n\n[C], [D], [E].":    "2 names",
		"Package p is.\n\nNames to know: [A], [B], [C], [D] and [Unicorn].": "Unicorn",
	} {
		if err := checkNamesToKnow(comment, names); (err == nil) != (fault == "") || err != nil &&
			!strings.Contains(err.Error(), fault) {
			t.Errorf("%q: %v, not %q", comment, err, fault)
		}
	}
}

func checkNamesToKnow(comment string, names []string) error {
	_, rest, found := strings.Cut(comment, "\n\nNames to know: ")
	if !found {
		return fmt.Errorf("no paragraph of its comment begins with \"Names to know: \"")
	}
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	var told []string
	for _, m := range regexp.MustCompile(`\[(\w+)\]`).FindAllStringSubmatch(paragraph, -1) {
		if !slices.Contains(names, m[1]) {
			return fmt.Errorf("%s is to be known and is not there", m[1])
		}
		if !slices.Contains(told, m[1]) {
			told = append(told, m[1])
		}
	}
	if len(told) < 5 || len(told) > 10 {
		return fmt.Errorf("%d names to know; five to ten are what somebody keeps in mind", len(told))
	}
	return nil
}

// publicNames are the functions, types, constants and variables of each public package, from the
// list of the API.
func publicNames(t *testing.T, root fs.FS) map[string][]string {
	list, err := fs.ReadFile(root, "docs/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	names, folder := map[string][]string{}, ""
	for line := range strings.Lines(string(list)) {
		if after, ok := strings.CutPrefix(line, "package "); ok {
			folder = strings.TrimSpace(after)
		} else if m := regexp.MustCompile(`^(?:func|type|const|var) (\w+)`).FindStringSubmatch(line); m != nil {
			names[folder] = append(names[folder], m[1])
		}
	}
	if len(names) < 30 {
		t.Fatalf("%d public packages found: the reader of the list is broken", len(names))
	}
	return names
}

// packageComment is the comment of a package, without its slashes.
func packageComment(t *testing.T, root fs.FS, folder string) string {
	files, err := fs.Glob(root, folder+"/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := fs.ReadFile(root, file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut("\n"+string(source), "\n// Package ")
		if !found {
			continue
		}
		comment, _, _ := strings.Cut("// Package "+rest, "\npackage ")
		return regexp.MustCompile(`(?m)^// ?`).ReplaceAllString(comment, "")
	}
	return ""
}
