// Underfitting, a good fit and overfitting: the same learner, kernel and points under three prices
// of the norm.
package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
)

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

func main() {
	set := data.Sinc(40, 0.15, 3)
	x, y := draw.Coordinate(draw.Points(set), 0), draw.Values(set)
	path := draw.Must(ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.4},
		Intercept: true}.Path(context.Background(), data.Line(x), y))
	var panels []*draw.Panel
	for _, c := range []struct {
		title  string
		lambda float64
	}{{"too smooth", 30}, {"a good fit", 0.2}, {"too wild", 1e-8}} {
		left := draw.Must(path.LeaveOneOutError(c.lambda))
		title := fmt.Sprintf("%s: λ = %s, off by %.2f", c.title, draw.Number(c.lambda), math.Sqrt(left))
		panels = append(panels, draw.Regression(title, x, y, sinc, draw.Must(path.Model(c.lambda)), -1, 1.6))
	}
	draw.Save("fits", 3, panels...)
}
