// Eigenvalues of kernels on a circle with the uniform measure: sines and cosines are the
// eigenfunctions whatever the kernel; how fast the eigenvalues fall is the kernel.
package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

func main() {
	var circle data.Slice[kernel.Vec]
	for i := range 128 {
		s, c := math.Sincos(2 * math.Pi * float64(i) / 128)
		circle = append(circle, kernel.Vec{c, s})
	}
	// spectrum is the eigenvalue of cos ℓt, which is that of sin ℓt as well: of the list 0, 1, 1,
	// 2, 2, … every second one.
	spectrum := func(k kernel.Kernel[kernel.Vec]) (l, value []float64) {
		m := draw.Must(rkhs.NewMercer(context.Background(), k, circle, 31))
		values := m.Eigenvalues()
		for i := 0; i < len(values); i += 2 {
			if v := values[i]; v > 1e-13*values[0] {
				l, value = append(l, float64(i/2)), append(value, math.Log10(v/values[0]))
			}
		}
		return l, value
	}
	gauss := draw.New("Gaussian kernel", "frequency ℓ", "eigenvalue, relative")
	for i, sigma := range []float64{0.3, 0.6, 1.2} {
		l, v := spectrum(kernel.Gaussian{Lengthscale: sigma})
		gauss.Curve("", i, l, v)
		gauss.Dots(fmt.Sprintf("σ = %g", sigma), i, l, v)
	}
	gauss.Powers(-13, 0)
	poly := draw.New("(1 + x·y)^d: none beyond ℓ = d", "frequency ℓ", "")
	for i, degree := range []int{2, 5, 10} {
		l, v := spectrum(kernel.Polynomial{Degree: degree, Gamma: 1, Offset: 1})
		poly.Curve("", i+3, l, v)
		poly.Dots(fmt.Sprintf("d = %d", degree), i+3, l, v)
	}
	poly.Powers(-13, 0)
	draw.Save("decay", 2, gauss, poly)
}
