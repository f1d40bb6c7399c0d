package plot

import (
	"math"
	"testing"
)

// A finer grid around the best takes the room it covers, between neighbours
// whose sides meet.
func TestScaleIsTrueToLogarithms(t *testing.T) {
	s := newScale([]float64{0.1, 1, math.Sqrt(10), 10, 100})
	steps := []float64{1, 0.5, 0.5, 1}
	unit := s.middle(1) - s.middle(0)
	for i, want := range steps {
		if got := (s.middle(i+1) - s.middle(i)) / unit; math.Abs(got-want) > 1e-9 {
			t.Errorf("step %d is %g decades; want %g", i, got, want)
		}
	}
	end := -0.5
	for i := range s.values {
		low, high := s.sides(i)
		if math.Abs(low-end) > 1e-9 || !(low < s.middle(i) && s.middle(i) < high) {
			t.Errorf("cell %d is from %g to %g around %g; the one before ends at %g", i, low, high, s.middle(i), end)
		}
		end = high
	}
	if math.Abs(end-4.5) > 1e-9 {
		t.Errorf("the last ends at %g; want 4.5", end)
	}
	for _, tick := range s.Ticks(0, 0) {
		if tick.Label == "10" && math.Abs(tick.Value-s.middle(3)) > 1e-9 {
			t.Errorf("10 is marked at %g; want %g", tick.Value, s.middle(3))
		}
	}
	if linear := newScale([]float64{2, 3, 5}); linear.log ||
		math.Abs((linear.middle(2)-linear.middle(1))/(linear.middle(1)-linear.middle(0))-2) > 1e-9 {
		t.Errorf("2, 3, 5 are at %v", linear.middles)
	}
	if one := newScale([]float64{7}); one.middle(0) != 0 {
		t.Errorf("one value is at %g", one.middle(0))
	}
}

// A pair between two that were tried has the score of the nearer; outside of
// them there is none.
func TestHeatBetween(t *testing.T) {
	none := math.NaN()
	h := Heat{X: []float64{1, 10, 30, 100}, Y: []float64{1, 10, 100}, Mean: [][]float64{
		{1, 2, none, 4},
		{none, 6, none, none},
		{none, none, none, none},
	}}
	xs, ys := newScale(h.X), newScale(h.Y)
	for _, c := range []struct {
		x, y int
		want float64
	}{{0, 0, 1}, {2, 0, 2}, {1, 1, 6}, {0, 1, none}, {2, 1, none}, {1, 2, none}} {
		if got := h.near(xs, ys, c.x, c.y); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("at (%d, %d): %g; want %g", c.x, c.y, got, c.want)
		}
	}
	h.X = []float64{1, 10, 80, 100} // nearer to 100
	if got := h.near(newScale(h.X), ys, 2, 0); got != 4 {
		t.Errorf("nearer to the right: %g; want 4", got)
	}
}

// Few values have a tick each, at the middle of their cells; many have round ones.
func TestTicksOfFewValues(t *testing.T) {
	s := newScale([]float64{0.1, 1, 10})
	got := s.Ticks(0, 0)
	if len(got) != 3 || got[0].Label != "0.1" || got[2].Label != "10" || got[1].Value != s.middle(1) {
		t.Errorf("%+v", got)
	}
	if got := newScale([]float64{0.5, 1, 2}).Ticks(0, 0); len(got) != 3 || got[1].Label != "1" {
		t.Errorf("%+v", got)
	}
	crowded := newScale([]float64{1, 1.01, 1.02, 100})
	if got := crowded.each(); got != nil {
		t.Errorf("labels that touch: %+v", got)
	}
	many := make([]float64, 20)
	for i := range many {
		many[i] = float64(i + 1)
	}
	if got := newScale(many).each(); got != nil {
		t.Errorf("%d ticks", len(got))
	}
}
