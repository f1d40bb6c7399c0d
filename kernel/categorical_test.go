package kernel_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/kerneltest"
	. "github.com/mercer-ml/mercer/kernel"
)

// Overlap is the inner product of indicator vectors; the product form is the
// product of the columns' own kernels.
func TestCategoriesAreIndicators(t *testing.T) {
	x := kerneltest.Codes(8, 40, 3)
	w := []float64{0.5, 2, 1}
	const levels = 3
	indicator := func(v Vec) Vec {
		out := make(Vec, 3*levels)
		for j, c := range v {
			if c >= 0 {
				out[j*levels+int(c)] = math.Sqrt(w[j] / 3.5)
			}
		}
		return out
	}
	for i := range x.Len() {
		for j := range x.Len() {
			a, b := x.At(i), x.At(j)
			want := Linear{}.Eval(indicator(a), indicator(b))
			if got := (Overlap{w}).Eval(a, b); math.Abs(got-want) > 1e-15 {
				t.Fatalf("overlap %v %v: %g, want %g", a, b, got, want)
			}
			want = 1
			for c := range a {
				if a[c] != b[c] || a[c] < 0 {
					want *= math.Exp(-0.7 * w[c])
				}
			}
			if got := (Categorical{0.7, w}).Eval(a, b); math.Abs(got-want) > 1e-15 {
				t.Fatalf("categorical %v %v: %g, want %g", a, b, got, want)
			}
		}
	}
	never := Vec{-1, -1, -1}
	if k := (Overlap{}).Eval(never, never); k != 0 {
		t.Errorf("a category never seen is like itself: %g", k)
	}
}
