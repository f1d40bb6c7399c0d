package svm

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Points of more than two classes are put in the order of their classes before they are solved; a
// fault names the row it has in the caller's order.
func TestFaultyRowOfManyClasses(t *testing.T) {
	x := data.Rows(mat.NewDense(6, 1, []float64{0, 1, 2, 3, math.NaN(), 5}))
	y := []string{"c", "b", "a", "c", "b", "a"}
	_, err := Classification[[]float64, string]{Kernel: kernel.Gaussian{Lengthscale: 1}}.Fit(t.Context(), x, y)
	if err == nil || !strings.Contains(err.Error(), "row 4, column 0 is NaN") {
		t.Errorf("%v, want an error of row 4", err)
	}
}
