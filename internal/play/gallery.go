package play

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/lazy"
)

// GalleryEntry is a figure or worked example of the notes, as a scene that opens with its
// parameters set.
type GalleryEntry struct {
	Name     string         `json:"name"`
	From     string         `json:"from"` // which of the notes, and where
	Title    string         `json:"title"`
	Text     []string       `json:"text"`
	Formula  string         `json:"formula"`
	Scene    string         `json:"scene"`    // of the page
	Settings map[string]any `json:"settings"` // of that scene
	Code     string         `json:"code"`     // Go
	Program  string         `json:"-"`        // the Example that the code is of
	Shows    string         `json:"shows"`    // the reading of the scene that the code prints
	Command  string         `json:"command"`
	Variants []Variant      `json:"variants,omitempty"` // panels of the figure
}

// Variant is a panel of a figure: the settings that differ.
type Variant struct {
	Label    string         `json:"label"`
	Settings map[string]any `json:"settings"`
}

// galleryCode is the programs of the gallery: what is shown is what is tested.
//
//go:embed gallery_code_*_test.go
var galleryCode embed.FS

// A function of the programs: its comment, its name, its body.
var codeFunction = lazy.Regexp(`(?ms)^((?://[^\n]*\n)*)func (\w+)(\([^\n]*) \{\n(.*?)^\}\n`)

// shared are functions that every program may call and that a hint explains: they read sets and
// kernels, and refuse errors.
var shared = []string{"plane", "curve", "parse", "must"}

// codes is the programs by name: the body of an example without what it prints, after the functions
// that it calls.
func codes() (map[string]string, error) {
	files, err := galleryCode.ReadDir(".")
	if err != nil {
		return nil, err
	}
	helpers, order, bodies := map[string]string{}, []string{}, map[string]string{}
	for _, f := range files {
		text, err := galleryCode.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		for _, m := range codeFunction().FindAllStringSubmatch(string(text), -1) {
			if name, ok := strings.CutPrefix(m[2], "Example_"); ok {
				body, _, _ := strings.Cut(m[4], "\t// Output:")
				bodies[name] = strings.ReplaceAll(strings.TrimPrefix(strings.TrimRight(body, "\n"), "\t"), "\n\t", "\n")
			} else if !slices.Contains(shared, m[2]) {
				helpers[m[2]], order = m[0], append(order, m[2])
			}
		}
	}
	for name, body := range bodies {
		calls := func(helper string) bool { return strings.Contains(body, helper+"(") }
		for range order { // functions call others
			for _, helper := range order {
				if calls(helper) && !strings.Contains(body, helpers[helper]) {
					body = helpers[helper] + "\n" + body
				}
			}
		}
		bodies[name] = body
	}
	return bodies, nil
}

// Gallery is the figures and worked examples of the notes.
func Gallery() ([]GalleryEntry, error) {
	code, err := codes()
	if err != nil {
		return nil, err
	}
	entries := galleryEntries()
	for i, e := range entries {
		text, ok := code[e.Code]
		if !ok {
			return nil, fmt.Errorf("gallery: no program %q for %s", e.Code, e.Name)
		}
		entries[i].Code, entries[i].Program = text, e.Code
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
