// Smoothing kernels: densities around 0 that spread each observation. All but the Gaussian end
// at 1.
package main

import (
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
)

func main() {
	u := draw.Even(-2.5, 2.5, 1001)
	p := draw.New("", "u", "k(u)")
	for i, s := range []density.Smoother{density.Gaussian, density.Epanechnikov, density.TriCube, density.Boxcar} {
		p.Curve(s.String(), i, u, draw.Map(u, s.Eval))
	}
	draw.Save("smoothing", 1, p)
}
