package play

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// GalleryEntry is a figure or worked example of the notes, as a scene that opens with its parameters set.
type GalleryEntry struct {
	Name     string         `json:"name"`
	From     string         `json:"from"` // which of the notes, and where
	Title    string         `json:"title"`
	Text     []string       `json:"text"`
	Formula  string         `json:"formula"`
	Scene    string         `json:"scene"`    // of the page
	Settings map[string]any `json:"settings"` // of that scene
	Code     string         `json:"code"`     // Go
	Command  string         `json:"command,omitempty"`
}

// galleryCode is the programs of the gallery: what is shown is what is tested.
//
//go:embed gallery_example_test.go
var galleryCode string

var exampleBody = regexp.MustCompile(`(?ms)^func Example_(\w+)\(\) \{\n(.*?)^\}`)

// codes is the bodies of the examples by name, without what they print.
func codes() map[string]string {
	out := map[string]string{}
	for _, m := range exampleBody.FindAllStringSubmatch(galleryCode, -1) {
		body, _, _ := strings.Cut(m[2], "\t// Output:")
		lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, "\t")
		}
		out[m[1]] = strings.Join(lines, "\n")
	}
	return out
}

// Gallery is the figures and worked examples of the notes.
func Gallery() ([]GalleryEntry, error) {
	code := codes()
	entries := galleryEntries()
	for i, e := range entries {
		text, ok := code[e.Code]
		if !ok {
			return nil, fmt.Errorf("gallery: no program %q for %s", e.Code, e.Name)
		}
		entries[i].Code = text
	}
	return entries, nil
}

// gallery lists them.
func gallery(_ context.Context, _ *Player, _ nothingAsked, send sender) error {
	entries, err := Gallery()
	if err != nil {
		return err
	}
	return send("gallery", entries)
}
