package plattscale_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/learn/plattscale"
)

// Values of two folds whose offsets differ: by the likelihood alone a larger value speaks against
// the class. The sigmoid rises all the same, and is the likeliest that does: its mean is that of
// Platt's targets.
func TestSigmoidRises(t *testing.T) {
	f := []float64{-1.2, -1.3, -1.25, -1.1, -0.6, -0.7, -0.65, -0.8}
	positive := []bool{false, false, false, true, false, false, false, false}
	weight := []float64{1, 2, 1, 1, 1, 1, 1, 3}
	for _, w := range [][]float64{nil, weight} {
		if s, _ := plattscale.FitSigmoidTo(1e-8, f, positive, w); s.A <= 0 {
			t.Fatalf("%+v rises by itself: the test asks nothing", s)
		}
		s := plattscale.FitSigmoid(f, positive, w)
		plus, minus := 1.0, 7.0
		if w != nil {
			minus = 10
		}
		off, mean, spread := 0.0, 0.0, 0.0
		for i, v := range f {
			target, times := 1/(minus+2), 1.0
			if positive[i] {
				target = (plus + 1) / (plus + 2)
			}
			if w != nil {
				times = w[i]
			}
			off += times * (target - s.At(v))
			mean += v / float64(len(f))
		}
		for _, v := range f {
			spread += math.Abs(v-mean) / float64(len(f))
		}
		if math.Abs(off) > 1e-9 || math.Abs(s.A*spread+1e-3) > 1e-12 || s.At(f[4]) <= s.At(f[0]) {
			t.Errorf("%+v: the targets are missed by %g", s, off)
		}
	}
	// Values that tell nothing, and one value, are no division by 0.
	for _, f := range [][]float64{{2, 2, 2}, {1e300, -1e300, 1e300}} {
		if s := plattscale.FitSigmoid(f, []bool{true, false, false}, nil); !(s.A < 0) || math.IsNaN(s.B) {
			t.Errorf("%v: %+v", f, s)
		}
	}
	// One that rises is left as it is.
	f = []float64{-2, -1, -0.5, 0.3, 1, 2}
	positive = []bool{false, false, true, false, true, true}
	if want, _ := plattscale.FitSigmoidTo(1e-8, f, positive, nil); plattscale.FitSigmoid(f, positive, nil) != want {
		t.Errorf("%+v, want %+v", plattscale.FitSigmoid(f, positive, nil), want)
	}
}
