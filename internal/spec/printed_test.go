package spec_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

// languages are all tables of the language, each with its own leaves.
func languages() map[string]spec.Catalogue {
	return map[string]spec.Catalogue{
		"vectors": spec.Vectors(), "strings": spec.Strings(), "series": spec.Series(), "trees": spec.Trees(),
		"sets":       spec.Sets(),
		"fuzzy sets": spec.FuzzySets(), "rankings": spec.Rankings(), "bags": spec.Bags(), "graphs": spec.Graphs(),
		"histograms": spec.Histograms(), "distributions": spec.Distributions(),
	}
}

// Every sample of every table is printed as a text that parses to the same kernel, by Printed and
// by the printer of its table.
func TestWhatIsPrintedParsesToTheSameKernel(t *testing.T) {
	for name, c := range languages() {
		entries := slices.Clone(c)
		if name == "vectors" {
			entries = append(entries, spec.Algebra()...)
		}
		for _, e := range entries {
			if len(e.Samples) == 0 {
				t.Errorf("%s: %q has no sample", name, e.Name)
			}
			for _, sample := range e.Samples {
				k, err := spec.ParseWith(c, sample)
				if err != nil {
					t.Errorf("%s: %s: %v", name, sample, err)
					continue
				}
				text := spec.Printed(k)
				if text != sample {
					t.Errorf("%s: %s is printed as %s", name, sample, text)
				}
				again, err := spec.ParseWith(c, text)
				if err != nil || spec.Printed(again) != text || !sameKernel(again, k) {
					t.Errorf("%s: %s is another kernel when read again (%v)", name, text, err)
				}
				rounded := spec.Rounded(text)
				if _, err := spec.ParseWith(c, rounded); err != nil {
					t.Errorf("%s: rounded to %s: %v", name, rounded, err)
				}
			}
		}
	}
}

// sameKernel says whether two kernels are of the same types with the same fields, but for Go
// functions, of which the name is compared.
func sameKernel(a, b kernel.Kernel[any]) bool {
	return reflect.DeepEqual(kernel.Values(a), kernel.Values(b)) &&
		reflect.TypeOf(kernel.Concrete(a)) == reflect.TypeOf(kernel.Concrete(b))
}

// index is the place in a list of a parameter that has several values.
var index = regexp.MustCompile(`\[\d+\]$|#\d+`)

// A kernel and its parameters have in Go, in searches and in messages the names they have in the
// language: FAMILY.PARAMETER is written FAMILY(PARAMETER=…).
func TestNamesAreThoseOfTheLanguage(t *testing.T) {
	known := map[string][]string{"scale": {"factor"}}
	for _, c := range languages() {
		for _, e := range append(slices.Clone(c), spec.Algebra()...) {
			for _, p := range append(slices.Clone(e.Params), e.Others...) {
				known[e.Name] = append(known[e.Name], p.Name)
			}
		}
	}
	tried := 0
	for name, c := range languages() {
		for _, e := range c {
			for _, sample := range e.Samples {
				k, err := spec.ParseWith(c, sample)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range kernel.Params(k) {
					tried++
					// A kernel within one is found by its part before: elements.spectrum.k.
					parts := strings.Split(index.ReplaceAllString(p.Name, ""), ".")
					family, parameter := parts[len(parts)-2], parts[len(parts)-1]
					each := parameter == "lengthscale" && strings.Contains(p.Name, "[") // ard(k, lengthscales=[…]) of any k
					if !slices.Contains(known[family], parameter) && !each {
						t.Errorf("%s: %s has a parameter %s, which the language does not know by that name", name, sample, p.Name)
					}
				}
				own, ok := kernel.Concrete(k).(kernel.Named)
				if at := strings.Index(sample, "("); ok && at > 0 && sample[:at] == e.Name && own.Name() != e.Name &&
					e.Name != "on" && e.Name != "ard" && e.Name != "over" {
					t.Errorf("%s: %s is called %s by messages", name, sample, own.Name())
				}
			}
		}
	}
	if tried < 80 {
		t.Errorf("%d parameters were looked at", tried)
	}
}
