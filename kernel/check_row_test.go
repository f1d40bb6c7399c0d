package kernel

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
)

// A service checks one row after another: with kernels of the algebra too nothing is allocated for
// it.
func TestCheckingOneRowAllocatesNothing(t *testing.T) {
	if datatest.Race {
		t.Skip("allocations are not counted under the race detector")
	}
	gaussian, linear := Kernel[Vec](Gaussian{Lengthscale: 2}), Kernel[Vec](Linear{})
	centers, row := data.Points[Vec](data.Slice[Vec]{{0, 1}, {2, 3}}), data.Points[Vec](data.Slice[Vec]{{1, 2}})
	for name, k := range map[string]Kernel[Vec]{
		"a leaf": gaussian, "a sum": Sum(gaussian, Scale(2, linear)), "a product": Product(gaussian, Power(linear, 2)),
		"an exponential": Exp(Scale(0.1, linear)), "a substitution": Substitute(Gaussian{}, linear),
	} {
		if n := testing.AllocsPerRun(50, func() {
			if err := CheckNext(k, centers, row); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}
