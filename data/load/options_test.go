package load_test

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data/load"
)

// A word that stands for no header or encoding is refused, not taken for "found from the content".
func TestWordsOfOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]load.Options{
		`header "maybe"`:     {Header: "maybe"},
		`encoding "utf-16x"`: {Encoding: "utf-16x"},
	} {
		for name, read := range map[string]func() error{
			"Read": func() error { _, err := load.Read(t.Context(), "iris", o); return err },
			"Open": func() error { _, err := load.Open(t.Context(), "iris", o); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %s: %v", name, want, err)
			}
		}
	}
	if _, err := load.Read(t.Context(), "iris", load.Options{Header: "auto", Encoding: "latin-1"}); err != nil {
		t.Error(err)
	}
}
