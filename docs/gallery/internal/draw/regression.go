package draw

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Regression is observations, the curve they came from, and the one that a model found. All panels
// of a picture have the same value axis, from low to high.
func Regression(
	title string, x, y []float64, truth func(float64) float64, m learn.Regressor[[]float64], low, high float64,
) *Panel {
	p := New(title, "x", "y")
	x0, x1 := Bounds(x)
	at := Even(x0, x1, 300)
	p.Grains("observations", x, y)
	p.Thin("without noise", at, Map(at, truth))
	p.Curve("found", 0, at, Must(m.Predict(context.Background(), data.Line(at))))
	p.Range(x0, x1, low, high)
	return p
}
