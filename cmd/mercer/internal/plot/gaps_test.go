package plot

import (
	"math"
	"slices"
	"testing"
)

// A curve is broken where it has no value, and not joined over the gap.
func TestCurvesAreBroken(t *testing.T) {
	nan := math.NaN()
	x := []float64{0, 1, 2, 3, 4, 5, 6}
	if got, want := runs(x, []float64{nan, 1, 2, nan, 3, 4, nan}), [][2]int{{1, 3}, {4, 6}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	f, err := Lines("x", "y", "a curve in two pieces", false,
		Series{Name: "a", X: x, Y: []float64{1, 2, 2, nan, 3, 4, 4}, Low: []float64{0, 1, 1, nan, 2, 3, 3},
			High: []float64{2, 3, 3, nan, 4, 5, 5}, Band: "band"})
	if err != nil {
		t.Fatal(err)
	}
	lines, areas := 0, 0
	for _, l := range f.p.layers {
		switch l.(type) {
		case curve:
			lines++
		case area:
			areas++
		}
	}
	if lines != 2 || areas != 2 || len(f.entries) != 2 {
		t.Errorf("%d lines, %d areas, %d names", lines, areas, len(f.entries))
	}
}

// Rows of few values stand beside each other, near their value and in its middle on the whole; a
// column of many values is left as it is.
func TestBesideTies(t *testing.T) {
	var x, y []float64
	for i := range 200 {
		x, y = append(x, float64(3+i%2*2)), append(y, float64(i/10))
	}
	apart, ok := besideTies(x, y)
	if !ok {
		t.Fatal("ties are not seen")
	}
	sum := 0.0
	for i, v := range apart {
		if math.Abs(v-x[i]) > 0.4+1e-9 {
			t.Fatalf("%g stands at %g", x[i], v)
		}
		sum += v - x[i]
	}
	if math.Abs(sum/200) > 0.02 {
		t.Errorf("moved by %g on the whole", sum/200)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(apart)))) < 150 {
		t.Error("marks still hide each other")
	}
	for i := range x {
		x[i] = float64(i)
	}
	if _, ok := besideTies(x, y); ok {
		t.Error("a column without ties is spread")
	}
}

// The border of a surface is as far from the points as was said, not at the next step of the grid.
func TestBlankFarIsRound(t *testing.T) {
	v := Field{}
	for i := range 51 {
		v.Xs, v.Ys = append(v.Xs, float64(i)/50), append(v.Ys, float64(i)/50)
	}
	for range v.Ys {
		v.Values = append(v.Values, slices.Repeat([]float64{1}, len(v.Xs)))
	}
	v.Values[0][0], v.Values[0][12] = 1e9, 7 // beyond what is drawn
	v.BlankFar([]float64{0.5, 0.501, 0.499}, []float64{0.5, 0.5, 0.5})
	for i := range 360 {
		angle := float64(i) * math.Pi / 180
		for _, r := range []float64{0.057, 0.063} {
			if far := v.far(0.5+r*math.Cos(angle), 0.5+r*math.Sin(angle)); far != (r > 0.06) {
				t.Fatalf("at %g, %d degrees: far is %v", r, i, far)
			}
		}
	}
	if !math.IsNaN(v.Values[0][0]) || math.IsNaN(v.Values[25][25]) {
		t.Error("what is far is known, or what is near is not")
	}
}
