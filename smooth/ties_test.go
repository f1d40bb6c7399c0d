package smooth_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/smooth"
)

// Inputs of few values: beside one that half of the rows have, the span ends at its very edge and
// no row had weight. The curve passes through the means of the places and is on a line between two
// of them where the span holds no third.
func TestLocalRegressionOfTiedInputs(t *testing.T) {
	x, y := linalg.New[float64](60, 1), make([]float64, 60)
	rng := rand.New(rand.NewPCG(3, 1))
	sums, counts := map[float64]float64{}, map[float64]float64{}
	for i := range y {
		place := 4.0
		if i >= 40 {
			place = 8
		}
		x.Set(i, 0, place)
		y[i] = place*3 + rng.NormFloat64()
		sums[place] += y[i]
		counts[place]++
	}
	at := linalg.New[float64](81, 1)
	for i := range at.Rows {
		at.Set(i, 0, 4+float64(i)*0.05-1e-3*float64(i%2)) // hardly any of them on a place
	}
	for _, k := range []density.Smoother{density.TriCube, density.Epanechnikov, density.Cosine, density.Gaussian,
		density.Boxcar} {
		m, err := smooth.LocalRegression{Smoother: k, Degree: 1, Span: 0.5}.Fit(t.Context(), data.RowsOf(x), y)
		if err != nil {
			t.Fatal(err)
		}
		curve, err := m.Predict(t.Context(), data.RowsOf(at))
		if err != nil {
			t.Fatal(err)
		}
		left, right := sums[4]/counts[4], sums[8]/counts[8]
		for i, v := range curve {
			if math.IsNaN(v) || v < min(left, right)-1e-9 || v > max(left, right)+1e-9 {
				t.Fatalf("%v: at %g the curve is %g; the means are %g and %g", k, at.At(i, 0), v, left, right)
			}
		}
		if !near(curve[0], left) || !near(curve[len(curve)-1], right) {
			t.Errorf("%v: ends %g and %g, means %g and %g", k, curve[0], curve[len(curve)-1], left, right)
		}
	}
	// All of one place: its mean, everywhere.
	one := linalg.New[float64](10, 1)
	m, err := smooth.LocalRegression{Smoother: density.TriCube, Degree: 1, Span: 0.5}.Fit(t.Context(), data.RowsOf(one),
		y[:10])
	if err != nil {
		t.Fatal(err)
	}
	far, err := m.Predict(t.Context(), data.RowsOf(at))
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, v := range y[:10] {
		mean += v / 10
	}
	if !near(slices.Min(far), mean) || !near(slices.Max(far), mean) {
		t.Errorf("from %g to %g, mean %g", slices.Min(far), slices.Max(far), mean)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
