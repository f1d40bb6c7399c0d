// Points of space near a plane: their first two principal components are the plane, and what is left
// is how thick the sheet is.
package main

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/internal/play"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
)

// seen is where a point of space is on the page.
func seen(p kernel.Vec) kernel.Vec {
	return kernel.Vec{0.8*p[0] + 0.6*p[1], 0.1*p[0] - 0.25*p[1] + 0.9*p[2]}
}

func main() {
	ctx := context.Background()
	x := play.Sheet(100, 1)
	m := draw.Must(project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 2}.Fit(ctx, x))
	// A component is a linear function: its direction is what it makes of the axes.
	corners := data.Slice[kernel.Vec]{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	f := draw.Must(m.Transform(ctx, corners))
	direction := func(k int, length float64) (to kernel.Vec) {
		for j := range 3 {
			to = append(to, length*(f.At(j+1, k)-f.At(0, k)))
		}
		return to
	}
	space := draw.New("space", "", "")
	space.Bare()
	corner := func(a, b float64) kernel.Vec {
		first, second := direction(0, a), direction(1, b)
		for j := range first {
			first[j] += second[j]
		}
		return seen(first)
	}
	var edge data.Slice[kernel.Vec]
	for _, c := range [][2]float64{{-5, -2.5}, {5, -2.5}, {5, 2.5}, {-5, 2.5}, {-5, -2.5}} {
		edge = append(edge, corner(c[0], c[1]))
	}
	space.Thin("the plane of both", draw.Coordinate(edge, 0), draw.Coordinate(edge, 1))
	points := make(data.Slice[kernel.Vec], x.Len())
	for i := range points {
		points[i] = seen(x.At(i))
	}
	space.Grains("points", draw.Coordinate(points, 0), draw.Coordinate(points, 1))
	for k, length := range []float64{5, 2.5} {
		from, to := seen(direction(k, -length)), seen(direction(k, length))
		space.Curve([]string{"first component", "second component"}[k], k, []float64{from[0], to[0]},
			[]float64{from[1], to[1]})
	}
	plane := draw.New("the plane of both", "component 1", "component 2")
	s := m.Scores()
	scores := make(data.Slice[kernel.Vec], x.Len())
	for i := range scores {
		scores[i] = kernel.Vec{s.At(i, 0), s.At(i, 1)}
	}
	plane.Grains("", draw.Coordinate(scores, 0), draw.Coordinate(scores, 1))
	draw.Save("pca-plane", 2, space, plane)
}
