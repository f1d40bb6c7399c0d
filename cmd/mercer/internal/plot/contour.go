package plot

import (
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// contour is the lines along which a field has a value.
type contour struct {
	Field
	level float64
	style canvas.Line
}

// Plot draws the lines.
func (l contour) Plot(c canvas.Canvas, p *chart) {
	for _, line := range l.lines() {
		c.StrokeInside(l.style, line.on(c, p)...)
	}
}

// DataRange is the plane.
func (l contour) DataRange() (xmin, xmax, ymin, ymax float64) {
	return l.Xs[0], l.Xs[len(l.Xs)-1], l.Ys[0], l.Ys[len(l.Ys)-1]
}

// crossing is a side of a cell that a line goes through: the one from a corner of the grid to the
// right, or upwards.
type crossing struct {
	i, j   int
	upward bool
}

// lines finds them by marching squares (Lorensen and Cline, 1987, in the plane): a line crosses a
// side of a cell where its ends are on either side of the level, linearly between them, and joins
// the crossings of a cell. Where all four sides are crossed, the mean of the corners says which
// belong together. A cell with a corner that is no number has no line.
func (l contour) lines() []xys {
	var starts []crossing // in the order of the grid, so that the drawing is the same each time
	next := map[crossing][]crossing{}
	join := func(a, b crossing) {
		for _, c := range [2]crossing{a, b} {
			if next[c] == nil {
				starts = append(starts, c)
			}
		}
		next[a], next[b] = append(next[a], b), append(next[b], a)
	}
	for j := range len(l.Ys) - 1 {
		for i := range len(l.Xs) - 1 {
			l.cell(i, j, join)
		}
	}
	var out []xys
	follow := func(from crossing) {
		line := xys{l.place(from)}
		for len(next[from]) > 0 {
			to := next[from][0]
			next[from] = remove(next[from], to)
			next[to] = remove(next[to], from)
			line = append(line, l.place(to))
			from = to
		}
		if len(line) > 1 {
			out = append(out, line)
		}
	}
	for _, c := range starts { // lines that end at the edge have to begin there
		if len(next[c]) == 1 {
			follow(c)
		}
	}
	for _, c := range starts {
		follow(c)
	}
	return out
}

func remove(all []crossing, one crossing) []crossing {
	for i, c := range all {
		if c == one {
			return append(all[:i:i], all[i+1:]...)
		}
	}
	return all
}

// cell joins the crossings of one cell.
func (l contour) cell(i, j int, join func(a, b crossing)) {
	v := l.Values
	corners := [4]float64{v[j][i], v[j][i+1], v[j+1][i+1], v[j+1][i]} // around
	mean := 0.0
	for _, z := range corners {
		if bad(z) {
			return
		}
		mean += z / 4
	}
	sides := [4]crossing{{i, j, false}, {i + 1, j, true}, {i, j + 1, false}, {i, j, true}} // from a corner to the next
	var crossed []crossing
	for k := range 4 {
		if (corners[k] < l.level) != (corners[(k+1)%4] < l.level) {
			crossed = append(crossed, sides[k])
		}
	}
	switch {
	case len(crossed) == 2:
		join(crossed[0], crossed[1])
	case len(crossed) == 4 && (mean < l.level) == (corners[0] < l.level): // the first and third corner hang together
		join(crossed[0], crossed[1])
		join(crossed[2], crossed[3])
	case len(crossed) == 4:
		join(crossed[0], crossed[3])
		join(crossed[1], crossed[2])
	}
}

// place is where the level is on a side.
func (l contour) place(c crossing) canvas.Point {
	i, j := c.i+1, c.j
	if c.upward {
		i, j = c.i, c.j+1
	}
	a, b := l.Values[c.j][c.i], l.Values[j][i]
	t := (l.level - a) / (b - a)
	if math.IsNaN(t) {
		t = 0.5
	}
	return canvas.Point{X: l.Xs[c.i] + t*(l.Xs[i]-l.Xs[c.i]), Y: l.Ys[c.j] + t*(l.Ys[j]-l.Ys[c.j])}
}
