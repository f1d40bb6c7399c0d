package smooth

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// The rule by hand: nine points have the medians 4 and 20, and absolute deviations whose medians
// are 2 and 8.
func TestRobustBandwidth(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	y := []float64{4, 8, 12, 16, 20, 24, 28, 32, 36}
	points := make(data.Slice[[]float64], len(x))
	for i, v := range x {
		points[i] = []float64{v}
	}
	m, err := NadarayaWatson{Robust: true}.Fit(t.Context(), points, y)
	if err != nil {
		t.Fatal(err)
	}
	want := math.Pow(4.0/27, 0.2) * 1.4826 * math.Sqrt(2*8)
	if got := m.Bandwidths()[0]; math.Abs(got-want) > 1e-12 || math.Abs(m.TargetBandwidth()-want) > 1e-12 {
		t.Errorf("bandwidths %g and %g, want %g", got, m.TargetBandwidth(), want)
	}
	flat := make([]float64, len(x))
	for name, c := range map[string]struct {
		of NadarayaWatson
		x  data.Slice[[]float64]
		y  []float64
	}{
		"targets that are the same": {NadarayaWatson{Robust: true}, points, flat},
		"a bandwidth as well":       {NadarayaWatson{Robust: true, Bandwidth: 1}, points, y},
		"two columns": {NadarayaWatson{Robust: true}, data.Slice[[]float64]{{1, 2}, {2, 3}, {3, 5}},
			[]float64{1, 2, 3}},
	} {
		if _, err := c.of.Fit(t.Context(), c.x, c.y); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
