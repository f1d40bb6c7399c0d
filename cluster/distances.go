package cluster

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// Distance says what is summed over a cluster.
type Distance int

// The distances.
const (
	Squared Distance = iota // ‖φ(x) − φ(y)‖², as in the notes
	Plain                   // ‖φ(x) − φ(y)‖, less moved by outliers
)

// between turns k(x, x), k(x, y) and k(y, y) into a distance. What rounding
// makes of equal points is 0.
func (d Distance) between(xx, xy, yy float64) float64 {
	s := xx - 2*xy + yy
	if s <= 1e-14*(math.Abs(xx)+math.Abs(yy)) {
		return 0
	}
	if d == Plain {
		return math.Sqrt(s)
	}
	return s
}

// distances is the full matrix of distances in feature space.
func distances[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], d Distance, o gram.Options,
) (linalg.Matrix[float64], []float64, error) {
	if d < Squared || d > Plain {
		return linalg.Matrix[float64]{}, nil, fault.Errorf("cluster", "unknown distance %d", int(d))
	}
	o.Layout, o.Precision = gram.Full, gram.Double
	g, err := gram.New(ctx, k, x, o)
	if err != nil {
		return linalg.Matrix[float64]{}, nil, fault.In("cluster", err)
	}
	diag := make([]float64, x.Len())
	g.Diag(diag)
	m := linalg.Matrix[float64](g.(gram.Dense).RawMatrix())
	par.For(o.Threads, m.Rows, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := m.Row(i)
			for j, v := range row {
				row[j] = d.between(diag[i], v, diag[j])
			}
			row[i] = 0
		}
	})
	return m, diag, nil
}
