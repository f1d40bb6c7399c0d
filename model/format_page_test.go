package model

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/format.md names every key of the metadata and every tensor that this package writes, every
// domain, and the formats.
func TestFormatPage(t *testing.T) {
	text, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	page, seen := string(text), 0
	constant := regexp.MustCompile(`(?m)^(?:const )?\s*((?:key|tensor|domain)[A-Z]\w*|checksumKey|metadataKey|arrayPrefix|objectPrefix|funcPrefix)\s+= "([^"]+)"`)
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllStringSubmatch(string(code), -1) {
			seen++
			if !strings.Contains(page, "`"+m[2]) {
				t.Errorf("%s: %s is %q, which docs/format.md does not name", file, m[1], m[2])
			}
		}
	}
	if seen < 25 {
		t.Errorf("%d names found: the reader of constants is broken", seen)
	}
}
