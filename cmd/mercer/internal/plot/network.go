package plot

import (
	"image/color"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Network draws a graph: a place for each node, lines between those that are joined, and marks by
// group; nodes whose answer is known have a ring around them. Places mean nothing but nearness, so
// that there are no axes.
func Network(alt string, x, y []float64, edges [][2]int32, group []int, names []string, known []bool) (*Figure, error) {
	f := networkOf(alt, x, y, edges)
	groups := make([]dots, len(names))
	for i := range names {
		groups[i].style = canvas.Mark{Color: colour(i), Radius: networkRadius(len(x)), Shape: shape(i)}
	}
	for v, g := range group {
		groups[g].xys = append(groups[g].xys, canvas.Point{X: x[v], Y: y[v]})
	}
	for i, name := range NamesApart(names, longestName) {
		if len(groups[i].xys) == 0 {
			continue
		}
		f.p.Add(groups[i])
		f.legend(name, groups[i])
	}
	f.ringKnown(x, y, known)
	return f, nil
}

// NetworkShaded is Network with numbers in place of groups.
func NetworkShaded(alt, of string, x, y []float64, edges [][2]int32, values []float64, known []bool) (*Figure, error) {
	f := networkOf(alt, x, y, edges)
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	paint := func(v float64) color.RGBA {
		if !(high > low) {
			return shade(0.5)
		}
		return shade(0.25 + 0.75*(v-low)/(high-low)) // the lightest are lost on white
	}
	radius := networkRadius(len(x))
	f.p.Add(dots{xys: points(x, y), each: func(i int) canvas.Mark {
		return canvas.Mark{Color: paint(values[i]), Radius: radius, Shape: canvas.Circle}
	}})
	f.scale(of, low, high, paint)
	f.ringKnown(x, y, known)
	return f, nil
}

func networkRadius(n int) float64 {
	if n > 150 {
		return 1.3
	}
	return 2.2
}

// networkOf is the lines.
func networkOf(alt string, x, y []float64, edges [][2]int32) *Figure {
	f := newFigure("", "", alt)
	for _, a := range []*chartAxis{&f.p.X, &f.p.Y} {
		a.Ticks, a.line.Width, a.tickLine.Width, a.tickLength = noTicks{}, 0, 0, 0
	}
	width := 0.4
	if len(edges) > 500 {
		width = 0.2
	}
	for _, e := range edges {
		ends := xys{{X: x[e[0]], Y: y[e[0]]}, {X: x[e[1]], Y: y[e[1]]}}
		f.p.Add(curve{ends, canvas.Line{Color: color.Gray{190}, Width: width}})
	}
	return f
}

// ringKnown marks the nodes whose answer is known, where not all are.
func (f *Figure) ringKnown(x, y []float64, known []bool) {
	rings := dots{style: canvas.Mark{Color: ink, Radius: networkRadius(len(x)) + 1.1, Shape: canvas.Ring}}
	for v, k := range known {
		if k {
			rings.xys = append(rings.xys, canvas.Point{X: x[v], Y: y[v]})
		}
	}
	if n := len(rings.xys); n > 0 && n < len(x) {
		f.p.Add(rings)
		f.legend("answer known", rings)
	}
	f.roomForMarks()
}

// noTicks leaves an axis without marks.
type noTicks struct{}

// Ticks lists none.
func (noTicks) Ticks(low, high float64) []tick { return nil }
