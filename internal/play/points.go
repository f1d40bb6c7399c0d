package play

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// What a scene takes at most: each is far more than can be drawn by hand, and keeps an answer
// within a second.
const (
	mostPoints  = 2000
	mostClasses = 6
)

// PlanePoints is points of the plane with a class each: x and y one after the other.
type PlanePoints struct {
	XY    []float64 `json:"xy"`
	Class []int     `json:"class,omitempty"`
}

// Len is the number of points.
func (p PlanePoints) Len() int { return len(p.XY) / 2 }

// check refuses what no scene can use.
func (p PlanePoints) check(classes bool) error {
	switch n := p.Len(); {
	case len(p.XY)%2 != 0:
		return &Fault{Field: "points", Message: fmt.Sprintf("%d coordinates are not pairs", len(p.XY))}
	case n > mostPoints:
		return tooMany(n)
	case classes && len(p.Class) != n:
		return &Fault{Field: "points", Message: fmt.Sprintf("%d points but %d classes", n, len(p.Class))}
	}
	for i, v := range p.XY {
		if math.Abs(v) > 1e9 || math.IsNaN(v) {
			return &Fault{Field: "points", Message: fmt.Sprintf("point %d is at %g; coordinates go up to 1e9", i/2+1, v)}
		}
	}
	for i, c := range p.Class {
		if c < 0 || c >= mostClasses {
			return &Fault{Field: "points", Message: fmt.Sprintf("point %d is of class %d; there are %d, from 0", i+1, c,
				mostClasses)}
		}
	}
	return nil
}

func tooMany(n int) error {
	return &Fault{Field: "points",
		Message: fmt.Sprintf("%s points are more than the %s the playground takes; take a part of them, or use mercer fit",
			phrase.Thousands(n), phrase.Thousands(mostPoints))}
}

// onThePlane is the kernel of a scene that draws points in a window, with all three checked.
func onThePlane(
	text KernelText, p PlanePoints, w Window, classes bool,
) (kernel.Kernel[kernel.Vec], KernelFacts, error) {
	k, facts, err := text.vectors()
	if err == nil {
		err = p.check(classes)
	}
	if err == nil {
		err = w.check()
	}
	return k, facts, err
}

// rows is the points as rows of a matrix.
func (p PlanePoints) rows() data.Points[kernel.Vec] {
	if p.Len() == 0 {
		return data.Slice[kernel.Vec]{}
	}
	return data.Rows(mat.NewDense(p.Len(), 2, p.XY))
}

// column is coordinate j of the points, as points of the line.
func (p PlanePoints) column(j int) data.Points[kernel.Vec] {
	v := make([]float64, p.Len())
	for i := range v {
		v[i] = p.XY[2*i+j]
	}
	return line(v)
}

// line is numbers as points of the line.
func line(v []float64) data.Points[kernel.Vec] {
	if len(v) == 0 {
		return data.Slice[kernel.Vec]{}
	}
	return data.Rows(mat.NewDense(len(v), 1, v))
}

// Window is the part of the plane that a page shows.
type Window struct {
	X0 float64 `json:"x0"`
	X1 float64 `json:"x1"`
	Y0 float64 `json:"y0"`
	Y1 float64 `json:"y1"`
}

func (w Window) check() error {
	for _, v := range []float64{w.X0, w.X1, w.Y0, w.Y1} {
		if math.Abs(v) > 1e10 || math.IsNaN(v) {
			return &Fault{Field: "window", Message: fmt.Sprintf("the window goes to %g; it may go to 1e10", v)}
		}
	}
	if !(w.X0 < w.X1 && w.Y0 < w.Y1) {
		return &Fault{Field: "window", Message: fmt.Sprintf("the window from (%g, %g) to (%g, %g) is empty", w.X0, w.Y0, w.X1,
			w.Y1)}
	}
	return nil
}

// The grids of surfaces: the first is there while a slider moves, the second when it rests.
const (
	coarse = 32
	fine   = 100
)

// grid is n×n points of the window, row after row from below.
func (w Window) grid(n int) data.Points[kernel.Vec] {
	m := mat.NewDense(n*n, 2, nil)
	for i := range n {
		for j := range n {
			m.Set(i*n+j, 0, w.X0+(w.X1-w.X0)*(float64(j)+0.5)/float64(n))
			m.Set(i*n+j, 1, w.Y0+(w.Y1-w.Y0)*(float64(i)+0.5)/float64(n))
		}
	}
	return data.Rows(m)
}

// spread is n numbers from low to high at equal distances.
func spread(low, high float64, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = low + (high-low)*float64(i)/float64(n-1)
	}
	return v
}

// Surface is values at the centres of n×n cells of the window, row after row from below.
type Surface struct {
	Size   int     `json:"size"`
	Window Window  `json:"window"`
	Values []Drawn `json:"values"`          // one for each function
	Class  []int   `json:"class,omitempty"` // what is predicted in each cell, where no sign says it
}

// columns takes a matrix apart.
func columns(m *mat.Dense) []Drawn {
	r, c := m.Dims()
	out := make([]Drawn, c)
	for j := range out {
		out[j] = mat.Col(make([]float64, r), j, m)
	}
	return out
}

// rows takes a matrix apart the other way.
func rows(m *mat.Dense) []Drawn {
	r, _ := m.Dims()
	out := make([]Drawn, r)
	for i := range out {
		out[i] = mat.Row(nil, i, m)
	}
	return out
}
