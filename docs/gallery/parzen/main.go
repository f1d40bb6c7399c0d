// Parzen windows: a density from six observations, with a box and with a Gaussian on each, at three
// widths.
package main

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
)

func main() {
	sample := []float64{-2.1, -1.3, -0.4, 1.9, 5.1, 6.2}
	x := draw.Even(-8, 12, 801)
	var panels []*draw.Panel
	for _, shape := range []density.Smoother{density.Boxcar, density.Gaussian} {
		for _, h := range []float64{0.5, 1, 2} {
			m := draw.Must(density.KDE{Smoother: shape, Bandwidth: h}.Fit(context.Background(), data.Line(sample)))
			p := draw.New(fmt.Sprintf("%v, h = %g", shape, h), "x", "p(x)")
			for _, s := range sample {
				p.Thin("one observation's share", x, draw.Map(x, func(v float64) float64 { return shape.Eval((v-s)/h) / h / 6 }))
			}
			p.Curve("density", 0, x, draw.Must(m.Density(context.Background(), data.Line(x))))
			p.Dots("observations", 1, sample, make([]float64, 6))
			p.Range(-8, 12, 0, 0.35)
			panels = append(panels, p)
		}
	}
	draw.Save("parzen", 3, panels...)
}
