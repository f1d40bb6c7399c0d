package density

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// TestHeldOut: with a fold for each point, the sum over the others by a double loop.
func TestHeldOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n, h = 25, 0.4
	x := mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, rng.NormFloat64())
	}
	got, err := HeldOut(t.Context(), data.Rows(x), n, 1, func(ctx context.Context, x data.Points[[]float64]) (Estimate,
		error) {
		return KDE{Bandwidth: h}.Fit(ctx, x)
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for i := range n {
		sum := 0.0
		for j := range n {
			if u := (x.At(i, 0) - x.At(j, 0)) / h; i != j {
				sum += math.Exp(-u*u/2) / math.Sqrt(2*math.Pi) / h / (n - 1)
			}
		}
		want = append(want, math.Log(sum))
	}
	slices.Sort(want)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
			t.Errorf("place %d: %g, want %g", i, got[i], want[i])
		}
	}
	if _, err := HeldOut(t.Context(), data.Rows(mat.NewDense(1, 1, nil)), 5, 1, nil); err == nil {
		t.Error("one point was held out of itself")
	}
}
