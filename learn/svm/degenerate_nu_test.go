package svm

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// The same rows in both classes have no margin that ν-SVC could be scaled by: the machine has
// numbers all the same, and says so.
func TestNuOfRowsThatAreAlike(t *testing.T) {
	x := data.Slice[kernel.Vec]{{1}, {1}, {1}, {1}}
	m, err := Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 1}, Nu: 0.5}.Fit(t.Context(), x,
		[]string{"a", "a", "b", "b"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Decision(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if v := f.At(0, 0); math.IsNaN(v) || math.Abs(v) > 1e-6 {
		t.Errorf("decision %g", v)
	}
	if w := m.Report().Warnings; len(w) != 1 || !strings.Contains(w[0], "no margin at all") {
		t.Errorf("warnings %q", w)
	}
}
