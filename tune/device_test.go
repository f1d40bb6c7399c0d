package tune

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Whatever a search fits is told of the device, but for what has none to be told of.
func TestFitsAreToldOfTheDevice(t *testing.T) {
	none := map[string]string{
		"novelty.go":         "NoveltyOptions has no device",
		"forecast_series.go": "a series is a few thousand steps, fitted by several goroutines at once",
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	literal, found := regexp.MustCompile(`learn\.Resources\{[^}]*\}`), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, r := range literal.FindAllString(string(text), -1) {
			if found++; strings.Contains(r, "Device:") == (none[file] != "") {
				t.Errorf("%s: %s", file, r)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d fits found", found)
	}
}
