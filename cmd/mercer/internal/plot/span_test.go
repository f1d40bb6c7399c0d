package plot

import "testing"

// TestSpanY: an axis that goes over too little is widened about its middle; one that goes over
// enough stays.
func TestSpanY(t *testing.T) {
	f, err := Lines("x", "y", "", false, Series{X: []float64{0, 1}, Y: []float64{3, 3.0001}})
	if err != nil {
		t.Fatal(err)
	}
	f.SpanY(2)
	if low, high := f.p.Y.Min, f.p.Y.Max; high-low < 1.999 || low > 3 || high < 3.0001 {
		t.Errorf("the axis goes from %g to %g", low, high)
	}
	low, high := f.p.Y.Min, f.p.Y.Max
	if f.SpanY(1); f.p.Y.Min != low || f.p.Y.Max != high {
		t.Errorf("an axis of %g to %g became one of %g to %g", low, high, f.p.Y.Min, f.p.Y.Max)
	}
}
