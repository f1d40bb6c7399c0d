package gram_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The log marginal likelihood of three values has its derivative by the length-scale from one pass
// over the pairs.
func ExampleNewEvidenceFactor() {
	device := gram.EmulatedDevice(1, 1<<20, 0)
	defer device.Close()
	x := data.Rows(mat.NewDense(3, 1, []float64{0, 1, 2}))
	f, err := gram.NewEvidenceFactor(device, kernel.Gaussian{Lengthscale: 1}, x, []float64{0.1, 0.1, 0.1}, nil)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	alpha := mat.NewDense(3, 1, []float64{0, 1, 0}) // the values, and then A⁻¹ times them
	if err := f.SolveTo(alpha); err != nil {
		panic(err)
	}
	grad, diagonal := make([]float64, 1), make([]float64, 3)
	if err := f.SlopesTo(grad, diagonal, alpha); err != nil {
		panic(err)
	}
	fmt.Printf("log det %.4f, α %.4f, by ℓ %.4f\n", f.LogDet(), alpha.RawMatrix().Data, grad[0])
	// Output: log det -0.5090, α [-0.9734 1.9825 -0.9734], by ℓ -0.8445
}
