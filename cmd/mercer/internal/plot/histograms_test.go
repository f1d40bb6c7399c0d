package plot

import (
	"math"
	"testing"
)

// No bin holds numbers of both sides of the line, whatever the numbers are, and none is lost.
func TestHistogramsDivideAtTheLine(t *testing.T) {
	for _, at := range []float64{0, 0.3, -7, 12} {
		a, b := []float64{-2, -0.1, 0.2, 0.35, 1, 5}, []float64{-0.05, 3, 4.9}
		all := append(append([]float64{}, a...), b...)
		shared := newHistogram(all, 8)
		shared.alignTo(at)
		if steps := (at - shared.low) / shared.width; math.Abs(steps-math.Round(steps)) > 1e-9 {
			t.Errorf("%g lies %g bins from the first edge", at, steps)
		}
		for _, values := range [][]float64{a, b} {
			h := shared.of(values)
			n, below := 0, 0
			for i, c := range h.counts {
				n += c
				if h.low+(float64(i)+0.5)*h.width < at {
					below += c
				}
			}
			want := 0
			for _, v := range values {
				if v < at {
					want++
				}
			}
			if n != len(values) || below != want {
				t.Errorf("at %g: %d of %d counted, %d below where %d are", at, n, len(values), below, want)
			}
		}
	}
	if _, err := Histograms("x", "rows", "nothing", "border", 0); err == nil {
		t.Error("a histogram of nothing")
	}
	if _, err := Histograms("x", "rows", "no number", "border", 0, Sample{"a", []float64{1, math.NaN()}}); err == nil {
		t.Error("a histogram of NaN")
	}
	f, err := Histograms("x", "rows", "one value", "border", 0, Sample{"a", []float64{2, 2}}, Sample{"none", nil})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.entries) != 2 {
		t.Errorf("%d names in the legend", len(f.entries))
	}
}
