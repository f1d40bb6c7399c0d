package newcomer

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// ring is 60 points in the plane, every other one within the unit circle, with the names "in" and
// "out".
func ring() (x data.DenseRows, where []string) {
	m := mat.NewDense(60, 2, nil)
	for i := range 60 {
		radius, name := 0.5, "in"
		if i%2 == 1 {
			radius, name = 2, "out"
		}
		a := 2 * math.Pi * float64(i) / 60
		m.SetRow(i, []float64{radius * math.Cos(a), radius * math.Sin(a)})
		where = append(where, name)
	}
	return data.Rows(m), where
}

// wave is 40 points of a sine.
func wave() (x data.DenseRows, y []float64) {
	line := make([]float64, 40)
	for i := range line {
		line[i] = float64(i) / 5
		y = append(y, math.Sin(line[i]))
	}
	return data.Line(line), y
}
