package smooth

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"gonum.org/v1/gonum/mat"
)

// The weights times the targets are the curve, and they are what the curve changes by when a target
// does. Polynomials up to the degree are reproduced: Σ lᵢ(x)(xᵢ - x)ᵖ = 0.
func TestEquivalentWeightsAreTheSmoother(t *testing.T) {
	ctx := context.Background()
	x, y := wave(3, 40)
	at := data.Slice[[]float64]{x[0], x[7], {0.31}, {0.9}}
	type smoother interface {
		EquivalentWeights(context.Context, data.Points[[]float64]) (*mat.Dense, error)
		Predict(context.Context, data.Points[[]float64]) ([]float64, error)
	}
	for name, c := range map[string]struct {
		fit    func(y []float64) (smoother, error)
		degree int
	}{
		"local lines": {func(y []float64) (smoother, error) {
			return LocalRegression{Degree: 1, Span: 0.4}.Fit(ctx, x,
				y)
		}, 1},
		"local parabolas": {func(y []float64) (smoother, error) {
			return LocalRegression{Degree: 2, Span: 0.5}.Fit(ctx, x,
				y)
		}, 2},
		"nadaraya-watson": {func(y []float64) (smoother, error) { return NadarayaWatson{Bandwidth: 0.1}.Fit(ctx, x, y) }, 0},
	} {
		m, err := c.fit(y)
		if err != nil {
			t.Fatal(name, err)
		}
		w, err := m.EquivalentWeights(ctx, at)
		if err != nil {
			t.Fatal(name, err)
		}
		curve, err := m.Predict(ctx, at)
		if err != nil {
			t.Fatal(name, err)
		}
		moved := append([]float64(nil), y...)
		moved[7] += 2
		other, err := c.fit(moved)
		if err != nil {
			t.Fatal(name, err)
		}
		changed, err := other.Predict(ctx, at)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range at {
			row := w.RawRowView(i)
			sum := 0.0
			for j, v := range row {
				sum += v * y[j]
			}
			if math.Abs(sum-curve[i]) > 1e-10 {
				t.Errorf("%s at %v: weights give %g, the curve is %g", name, at[i], sum, curve[i])
			}
			if d := (changed[i] - curve[i]) / 2; math.Abs(d-row[7]) > 1e-10 {
				t.Errorf("%s at %v: target 7 has the weight %g, moved by 2 it moves the curve by %g each", name, at[i], row[7], d)
			}
			for p := range c.degree + 1 {
				moment, want := 0.0, 0.0
				if p == 0 {
					want = 1
				}
				for j, v := range row {
					moment += v * math.Pow(x[j][0]-at[i][0], float64(p))
				}
				if math.Abs(moment-want) > 1e-9 {
					t.Errorf("%s at %v: moment %d is %g, want %g", name, at[i], p, moment, want)
				}
			}
		}
	}
	// Out of reach of a compact kernel there are no weights.
	m, err := NadarayaWatson{Bandwidth: 0.01, Smoother: density.Epanechnikov}.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	if w, err := m.EquivalentWeights(ctx, data.Slice[[]float64]{{50}}); err != nil || !math.IsNaN(w.At(0, 3)) {
		t.Errorf("far away: %v %v", w, err)
	}
}
