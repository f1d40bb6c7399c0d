// Nadaraya and Watson's curve is the mean of a conditional density that comes with it. On the
// accelerations of a helmet its spread grows with time, and where it has two humps the mean lies
// between them.
package main

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/smooth"
)

func main() {
	ctx := context.Background()
	set := draw.Must(data.Builtin("mcycle", 1))
	x, t := draw.Points(set), draw.Values(set)
	m := draw.Must(smooth.NadarayaWatson{Bandwidth: 1.4, TargetBandwidth: 9}.Fit(ctx, x, t))
	w := draw.Plane{X0: 2, X1: 58, Y0: -150, Y1: 100}
	points := w.Points()
	densities := draw.Must(m.Conditional(ctx, data.Line(draw.Coordinate(points, 0))))
	values := make([]float64, points.Len())
	for i := range values {
		values[i] = densities[i].Density(points.At(i)[1])
	}
	curve := draw.New("p(t|x) and its mean", "x, ms", "t, g")
	curve.Darken(w, values)
	curve.Grains("observations", draw.Coordinate(x, 0), t)
	at := draw.Even(2, 58, 200)
	curve.Curve("mean y(x)", 1, at, draw.Must(m.Predict(ctx, data.Line(at))))

	cuts := draw.New("p(t|x) at three times", "t, g", "density")
	ts := draw.Even(-150, 100, 300)
	for i, at := range []float64{10, 20, 32} {
		c := draw.Must(m.Conditional(ctx, data.Line([]float64{at})))[0]
		cuts.Curve(fmt.Sprintf("x = %g ms", at), i+2, ts, draw.Map(ts, c.Density))
	}
	draw.Save("nadaraya-watson", 2, curve, cuts)
}
