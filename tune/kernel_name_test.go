package tune

import (
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// A kernel of several is called by all of them.
func TestNamesOfComposedKernels(t *testing.T) {
	gaussian, matern := kernel.Gaussian{Lengthscale: 1}, kernel.Matern{Nu: 1.5, Lengthscale: 1}
	sum := kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](2, gaussian), matern)
	sparse, err := kernel.OnSparse(sum, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{kernelName(vec(gaussian)), "gaussian"},
		{kernelName(vec(sum)), "gaussian + matern"},
		{kernelName(kernel.Erase(sparse)), "gaussian + matern"},
		{kernelName(vec(kernel.Product[kernel.Vec](sum, kernel.Linear{}))), "(gaussian + matern) * linear"},
	} {
		if c.got != c.want {
			t.Errorf("%q; want %q", c.got, c.want)
		}
	}
}
