// The effect of the kernel's width σ on kernel ridge regression at λ = 0.1. The last panel is the
// error of points left out against σ.
package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
)

func main() {
	x, y, truth := draw.Peaks()
	path := func(sigma float64) *ridge.Path[kernel.Vec] {
		return draw.Must(ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: sigma}}.Path(context.Background(),
			data.Line(x), y))
	}
	var panels []*draw.Panel
	for _, sigma := range []float64{3, 0.6, 0.05} {
		panels = append(panels, draw.Regression(fmt.Sprintf("σ = %g", sigma), x, y, truth, draw.Must(path(sigma).Model(0.1)),
			-0.4, 1.5))
	}
	left := draw.New("points left out", "σ", "root mean squared error")
	sigmas := learn.LogSpace(0.01, 10, 40)
	left.Curve("error of points left out", 1, draw.Map(sigmas, math.Log10), draw.Map(sigmas, func(s float64) float64 {
		return math.Sqrt(draw.Must(path(s).LeaveOneOutError(0.1)))
	}))
	left.PowersAcross(-2, 1)
	draw.Save("sigma", 2, append(panels, left)...)
}
