package plot

import (
	"image/color"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Marks that are many: up to few they are opaque, then the more transparent the more there are;
// more than crowd of one kind are counted in hexagons, since even transparent ones are one dark
// patch.
const (
	few   = 300
	crowd = 2000
)

// faded is a colour for so many marks: √(few/n) opaque, and a sixth at least.
func faded(c color.RGBA, n int) color.Color {
	share := 1.0
	if n > few {
		share = max(math.Sqrt(few/float64(n)), 1.0/6)
	}
	return color.NRGBA{c.R, c.G, c.B, uint8(255*share + 0.5)}
}

// hexagons are the cells of a honeycomb over the drawing that have points, shaded by a number for
// each.
type hexagons struct {
	xys
	across int // cells from left to right
	// paint is the colour of a cell by the positions of its points.
	paint func(at []int) color.Color
}

// honeycomb lays cells of a regular honeycomb over a drawing: the middles of even rows are at whole
// numbers, those of odd rows between (Carr and others, 1987). place is where a point is as shares
// of the axes, and ratio how high the drawing is for its width.
type honeycomb struct {
	across, ratio float64
}

// cell is the nearest middle, by its row and column; rows are counted in halves of a pair.
func (h honeycomb) cell(x, y float64) (column, row int) {
	u, v := x*h.across, y*h.ratio*h.across/math.Sqrt(3) // a pair of rows is √3 wide cells high
	a, b := math.Round(u), math.Round(v)
	c, d := math.Floor(u), math.Floor(v)
	// The nearer of the two lattices of rectangles.
	even := (u-a)*(u-a) + 3*(v-b)*(v-b)
	odd := (u-c-0.5)*(u-c-0.5) + 3*(v-d-0.5)*(v-d-0.5)
	if even <= odd {
		return 2 * int(a), 2 * int(b)
	}
	return 2*int(c) + 1, 2*int(d) + 1
}

// middle is the place of a cell as shares of the axes.
func (h honeycomb) middle(column, row int) (x, y float64) {
	return float64(column) / 2 / h.across, float64(row) / 2 * math.Sqrt(3) / h.ratio / h.across
}

// bins are the positions of points by cell, in an order that does not depend on anything else.
func (h hexagons) bins(comb honeycomb, p *chart) (cells [][2]int, members map[[2]int][]int) {
	members = map[[2]int][]int{}
	for i, at := range h.xys {
		column, row := comb.cell(p.X.share(at.X), p.Y.share(at.Y))
		key := [2]int{column, row}
		if members[key] == nil {
			cells = append(cells, key)
		}
		members[key] = append(members[key], i)
	}
	slices.SortFunc(cells, func(a, b [2]int) int {
		if a[1] != b[1] {
			return a[1] - b[1]
		}
		return a[0] - b[0]
	})
	return cells, members
}

// Plot draws the cells.
func (h hexagons) Plot(c canvas.Canvas, p *chart) {
	width := c.Max.X - c.Min.X
	comb := honeycomb{float64(h.across), (c.Max.Y - c.Min.Y) / width}
	cells, members := h.bins(comb, p)
	side := width / comb.across / math.Sqrt(3) * 1.02 // a hair over, against seams
	for _, k := range cells {
		x, y := comb.middle(k[0], k[1])
		corners := make([]canvas.Point, 6)
		for i := range corners {
			sin, cos := math.Sincos(math.Pi/6 + float64(i)*math.Pi/3)
			corners[i] = canvas.Point{X: c.X(x) + side*cos, Y: c.Y(y) + side*sin}
		}
		c.FillInside(h.paint(members[k]), corners...)
	}
}

// across is how many cells go from left to right for so many points.
func across(n int) int { return min(max(int(math.Sqrt(float64(n))/2), 24), 48) }

// acrossOf is across, but with cells no narrower than the steps of whole numbers along the first
// axis: of narrower ones some have no number in them, and are holes in the middle of a crowd. Few
// numbers are columns that stand apart in any case.
func acrossOf(points xys) int {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if p.X != math.Round(p.X) {
			return across(len(points))
		}
		low, high = min(low, p.X), max(high, p.X)
	}
	cells := across(len(points))
	if steps := high - low; steps >= 12 && steps < float64(cells) {
		cells = int(steps) + 1 // roomy makes them a hair wider than a step
	}
	return cells
}

// addCounts draws so many points of one kind as hexagons that darken with their number. The colours
// are logarithmic: most cells have few points.
func (f *Figure) addCounts(xy xys) {
	h := hexagons{xys: xy, across: acrossOf(xy)}
	// Counts depend on the shape of the drawing a little; the legend has those of its usual one.
	f.p.Add(extent{xy}.roomy(h.across))
	_, members := h.bins(honeycomb{float64(h.across), 0.75}, f.p)
	top := 1
	for _, m := range members {
		top = max(top, len(m))
	}
	tone := func(n float64) color.RGBA {
		return shade(0.18 + 0.82*math.Log(max(n, 1))/math.Log(float64(max(top, 2))))
	}
	h.paint = func(at []int) color.Color { return tone(float64(len(at))) }
	f.p.Add(h)
	f.entries = append(f.entries, entry{name: "rows in a cell", heading: true})
	last := 0
	for i := range 4 {
		n := int(math.Round(math.Pow(float64(top), float64(i)/3)))
		if n == last {
			continue
		}
		last = n
		f.legend(itoa(n), swatch{tone(float64(n))})
	}
}

// extent makes room for points that another layer draws.
type extent struct{ xys }

// Plot draws nothing.
func (extent) Plot(canvas.Canvas, *chart) {}

// roomy adds the corners of a box that is wider by the cells at its sides.
func (e extent) roomy(across int) extent {
	xmin, xmax, ymin, ymax := e.DataRange()
	wide, high := 0.7*(xmax-xmin)/float64(across), (ymax-ymin)/float64(across)
	return extent{xys{{X: xmin - wide, Y: ymin - high}, {X: xmax + wide, Y: ymax + high}}}
}

// mean is the mean of some values.
func mean(values []float64, at []int) float64 {
	sum := 0.0
	for _, i := range at {
		sum += values[i]
	}
	return sum / float64(len(at))
}
