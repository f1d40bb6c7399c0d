package gp

import (
	"testing"

	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

type sparseGolden struct {
	Source     string
	X, Z, Test [][]float64
	Y          []float64
	Sgpr, Fitc struct {
		Value           float64
		Grad, Mean, Var []float64
	}
	Svgp struct {
		Label     []int
		Value     float64
		Mean, Var []float64
	}
}

// TestSparseAgainstGPflow: bounds, all derivatives and predictions at given parameters, and the
// variational bound at its best q.
func TestSparseAgainstGPflow(t *testing.T) {
	var g sparseGolden
	learntest.ReadGolden(t, "sparse_gp_gpflow.json", &g)
	x, z, test := learntest.MatrixRows(g.X), learntest.MatrixRows(g.Z), learntest.MatrixRows(g.Test)
	for _, fitc := range []bool{false, true} {
		want := g.Sgpr
		if fitc {
			want = g.Fitc
		}
		r := SparseRegression[kernel.Vec]{Kernel: ardKernel(), Noise: 0.05, FixedNoise: true, Mean: 0.8, FITC: fitc, Given: z,
			InducingOptions: InducingOptions{MoveInducing: true}}
		b := modeltest.Must(r.Bound(t.Context(), x, g.Y))(t)
		learntest.Near(t, "bound", b.Value, want.Value, 1e-9)
		grad := append(append(append([]float64(nil), b.Kernel...), b.Noise), b.Inducing...)
		learntest.AllNear(t, "gradient", grad, want.Grad, 1e-6)
		r.MoveInducing, r.FixedKernel = false, true
		m := modeltest.Must(r.Fit(t.Context(), x, g.Y))(t)
		learntest.AllNear(t, "mean", modeltest.Predict(t, m, test), want.Mean, 1e-8)
		learntest.AllNear(t, "variance", modeltest.Variance(t, m, test), want.Var, 1e-8)
	}
	c := SparseClassification[kernel.Vec, int]{Kernel: ardKernel(), Given: z,
		HyperOptions: HyperOptions{FixedKernel: true}}
	b := modeltest.Must(c.Bound(t.Context(), x, g.Svgp.Label))(t)
	learntest.Near(t, "variational bound", b.Value, g.Svgp.Value, 1e-6)
	m := modeltest.Must(c.Fit(t.Context(), x, g.Svgp.Label))(t)
	mean, variance, err := m.Latent(t.Context(), test)
	if err != nil {
		t.Fatal(err)
	}
	learntest.AllNear(t, "latent mean", mean.RawMatrix().Data, g.Svgp.Mean, 1e-4)
	learntest.AllNear(t, "latent variance", variance.RawMatrix().Data, g.Svgp.Var, 1e-4)
}
