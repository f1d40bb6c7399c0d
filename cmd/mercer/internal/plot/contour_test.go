package plot

import (
	"math"
	"testing"
)

// fieldOf is a function on a grid.
func fieldOf(n int, z func(x, y float64) float64) Field {
	v := Field{}
	for i := range n {
		at := 4*float64(i)/float64(n-1) - 2
		v.Xs, v.Ys = append(v.Xs, at), append(v.Ys, at)
	}
	for _, y := range v.Ys {
		var row []float64
		for _, x := range v.Xs {
			row = append(row, z(x, y))
		}
		v.Values = append(v.Values, row)
	}
	return v
}

// The line along which a cone has the height 1 is one closed circle of that radius.
func TestContourOfACircle(t *testing.T) {
	lines := contour{Field: fieldOf(81, math.Hypot), level: 1}.lines()
	if len(lines) != 1 || lines[0][0] != lines[0][len(lines[0])-1] {
		t.Fatalf("%d lines", len(lines))
	}
	length := 0.0
	for i, p := range lines[0] {
		if r := math.Hypot(p.X, p.Y); math.Abs(r-1) > 1e-3 {
			t.Errorf("%v is %g from the middle", p, r)
		}
		if i > 0 {
			q := lines[0][i-1]
			length += math.Hypot(p.X-q.X, p.Y-q.Y)
		}
	}
	if math.Abs(length-2*math.Pi) > 0.01 {
		t.Errorf("it is %g long", length)
	}
}

// Straight level lines of a plane are exact and go from edge to edge; where values are missing
// there is no line.
func TestContourOfAPlane(t *testing.T) {
	f := fieldOf(9, func(x, y float64) float64 { return x + 2*y })
	lines := contour{Field: f, level: 0.3}.lines()
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range lines[0] {
		if math.Abs(p.X+2*p.Y-0.3) > 1e-12 {
			t.Errorf("%v is not on the line", p)
		}
		low, high = min(low, p.X), max(high, p.X)
	}
	if low != -2 || high != 2 {
		t.Errorf("it goes from %g to %g", low, high)
	}
	f.Values[4][4] = math.NaN() // the middle of the plane
	if lines = (contour{Field: f, level: 0.3}).lines(); len(lines) != 2 {
		t.Errorf("%d lines around a gap", len(lines))
	}
	for _, level := range []float64{-100, 100} {
		if lines = (contour{Field: f, level: level}).lines(); len(lines) != 0 {
			t.Errorf("%d lines at %g", len(lines), level)
		}
	}
}

// In a cell whose corners are high crosswise, the mean says which pair hangs together.
func TestContourOfASaddle(t *testing.T) {
	for _, c := range []struct {
		other float64 // of the low corners
		apart bool    // the high corners
	}{{-3, true}, {-0.5, false}} {
		f := Field{Xs: []float64{0, 1}, Ys: []float64{0, 1}, Values: [][]float64{{1, c.other}, {c.other, 1}}}
		lines := contour{Field: f, level: 0}.lines()
		if len(lines) != 2 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, l := range lines {
			// A line that cuts off a high corner lies on one side of the diagonal through the low
			// ones.
			cuts := (l[0].X+l[0].Y < 1) == (l[1].X+l[1].Y < 1)
			if cuts != c.apart {
				t.Errorf("low corners of %g: %v", c.other, lines)
			}
		}
	}
}

// Every value is in one bin, the greatest in the last.
func TestHistogram(t *testing.T) {
	h := newHistogram([]float64{0, 0.5, 1, 1.5, 2, 2, math.NaN()}, 4)
	if low, high, _, top := h.DataRange(); low != 0 || high != 2 || top != 3 {
		t.Errorf("from %g to %g, up to %g", low, high, top)
	}
	for i, want := range []int{1, 1, 1, 3} {
		if h.counts[i] != want {
			t.Errorf("bins %v", h.counts)
		}
	}
	if one := newHistogram([]float64{7, 7}, 10); len(one.counts) != 1 || one.counts[0] != 2 {
		t.Errorf("of one value: %v", one)
	}
}
