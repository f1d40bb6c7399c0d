package cli

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

// line is a part of the real line, and whether only whole numbers are on it.
type line struct {
	low, high float64
	whole     bool
}

// points are places on the line, as vectors of one coordinate.
func (l line) points() (x []float64, rows data.DenseRows) {
	n := 401
	if l.whole {
		n = int(l.high-l.low) + 1
	}
	m := linalg.New[float64](n, 1)
	x = make([]float64, n)
	for i := range x {
		x[i] = l.low + (l.high-l.low)*float64(i)/float64(n-1)
		m.Set(i, 0, x[i])
	}
	return x, data.RowsOf(m)
}

// kernelFigure draws x ↦ k(x, y) on a line for three places y: how alike the
// kernel takes points to be. A kernel that is not defined everywhere is drawn on
// positive numbers, on whole ones, or near 0.
func kernelFigure(name string, k kernel.Kernel[kernel.Vec]) (*plot.Figure, error) {
	var fault error
	reach := kernelReach(k)
	for _, l := range []line{{-reach, reach, false}, {0, reach, false}, {0, 1, false}, {0, 4, true}, {-0.9, 0.9, false},
		{0.01 * reach, reach, false}} {
		x, rows := l.points()
		if err := kernel.Check(k, data.Points[kernel.Vec](rows)); err != nil {
			fault = err
			continue
		}
		var series []plot.Series
		var marks []plot.Group
		for _, share := range []float64{0.5, 0.625, 0.75} {
			y := l.low + share*(l.high-l.low)
			if l.whole {
				y = math.Floor(y)
			}
			s := plot.Series{Name: fmt.Sprintf("y = %.3g", y), X: x}
			for _, v := range x {
				s.Y = append(s.Y, k.Eval(kernel.Vec{v}, kernel.Vec{y}))
			}
			series = append(series, s)
			if len(marks) == 0 || marks[len(marks)-1].Name != s.Name {
				marks = append(marks, plot.Group{Name: s.Name, X: s.X, Y: s.Y})
			}
		}
		if l.whole { // nothing lies between categories
			return plot.Scatter("code x", "k(x, y)", "the kernel "+name+" on codes", marks...)
		}
		f, err := plot.Lines("x", "k(x, y)", "the kernel "+name+" on the line", false, series...)
		if err == nil {
			f.FromZero()
		}
		return f, err
	}
	return nil, fmt.Errorf("%s has no picture on the line: %w", name, fault)
}

// kernelReach is how far from 0 the picture goes: over the distances at which
// a kernel of distances falls off, 4 for others.
func kernelReach(k kernel.Kernel[kernel.Vec]) (reach float64) {
	const usual = 4
	defer func() {
		if recover() != nil { // not defined on vectors of one coordinate: Check says so
			reach = usual
		}
	}()
	at := func(x float64) float64 { return math.Abs(k.Eval(kernel.Vec{x}, kernel.Vec{0})) }
	peak := at(0)
	for reach = usual; peak > 0 && reach < 1e6 && at(reach) > 0.2*peak && at(reach/2) > 0.2*peak; {
		reach *= 2
	}
	if reach >= 1e6 { // constant
		return usual
	}
	for reach > 1e-6 && at(reach) < 0.02*peak && at(reach/2) < 0.02*peak && at(reach/4) < 0.02*peak {
		reach /= 2
	}
	return reach
}
