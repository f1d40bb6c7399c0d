package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every page of a family of kernels or learners has a picture, and it is there.
func TestFamiliesHavePictures(t *testing.T) {
	image := regexp.MustCompile(`!\[([^\]]{8,})\]\(([^)]+\.png)\)`)
	for _, folder := range []string{"kernels", "learners"} {
		pages, err := filepath.Glob(filepath.Join("../../../../docs", folder, "*.md"))
		if err != nil || len(pages) < 15 {
			t.Fatal(len(pages), err)
		}
		for _, page := range pages {
			if filepath.Base(page) == "README.md" {
				continue
			}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			m := image.FindSubmatch(text)
			if m == nil {
				t.Errorf("%s has no picture", page)
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), string(m[2]))); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}
