package gallery

import (
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/play"
)

// A program, its section in README.md, its picture and its scene in the playground stand and fall
// together; a picture is small, and 2:1 or 3:2.
func TestEveryProgramIsShown(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob("*/main.go")
	if err != nil || len(programs) < 27 {
		t.Fatalf("%d programs: %v", len(programs), err)
	}
	var have, shown []string
	for _, p := range programs {
		have = append(have, filepath.Dir(p))
	}
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(page), -1) {
		shown = append(shown, m[1])
	}
	slices.Sort(shown)
	if !slices.Equal(have, shown) {
		t.Errorf("programs %v, sections of README.md %v", have, shown)
	}
	scenes, err := play.Gallery()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range have {
		if !slices.ContainsFunc(scenes, func(s play.GalleryEntry) bool { return s.Name == name }) {
			t.Errorf("the playground has no scene %s", name)
		}
		for _, link := range []string{"](img/" + name + ".png)", "](" + name + "/main.go)", "](#" + name + ")"} {
			if !regexp.MustCompile(regexp.QuoteMeta(link)).Match(page) {
				t.Errorf("README.md has no %s", link)
			}
		}
		picture := filepath.Join("img", name+".png")
		file, err := os.Open(picture)
		if err != nil {
			t.Error(err)
			continue
		}
		size, err := png.DecodeConfig(file)
		info, _ := file.Stat()
		file.Close()
		if err != nil || info.Size() > 60<<10 {
			t.Errorf("%s: %d bytes, %v; at most 60 kB", picture, info.Size(), err)
		}
		if w, h := size.Width, size.Height; max(w-2*h, 2*h-w) > 2 && max(2*w-3*h, 3*h-2*w) > 3 {
			t.Errorf("%s is %d × %d, neither 2:1 nor 3:2", picture, w, h)
		}
	}
}
