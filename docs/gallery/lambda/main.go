// The effect of λ on kernel ridge regression, all else being equal. The last panel is the error of
// points left out, which has its least value in between.
package main

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
)

func main() {
	x, y, truth := draw.Peaks()
	path := draw.Must(ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.6}}.Path(context.Background(),
		data.Line(x), y))
	var panels []*draw.Panel
	for _, lambda := range []float64{10, 0.1, 1e-7} {
		panels = append(panels, draw.Regression("λ = "+draw.Number(lambda), x, y, truth, draw.Must(path.Model(lambda)), -0.4,
			1.5))
	}
	left := draw.New("points left out", "λ", "root mean squared error")
	lambdas := learn.LogSpace(1e-8, 1e3, 45)
	left.Curve("error of points left out", 1, draw.Map(lambdas, math.Log10), draw.Map(lambdas, func(l float64) float64 {
		return math.Sqrt(draw.Must(path.LeaveOneOutError(l)))
	}))
	left.PowersAcross(-8, 3)
	draw.Save("lambda", 2, append(panels, left)...)
}
