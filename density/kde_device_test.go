package density

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"gonum.org/v1/gonum/mat"
)

// Densities on a device are those by all pairs, in both precisions, with weights, a full bandwidth
// and bounds; far queries, whose sums underflow, go to the tree and are as right. What a device
// does not know it is not asked for.
func TestKDEOnDevice(t *testing.T) {
	const n, d = 120, 3
	rng := rand.New(rand.NewPCG(1, 1))
	x, q := mat.NewDense(n, d, nil), mat.NewDense(40, d, nil)
	for _, m := range []*mat.Dense{x, q} {
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = math.Abs(rng.NormFloat64())
		}
	}
	q.SetRow(7, []float64{60, 60, 60})
	q.SetRow(8, []float64{9, 9, 9})
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1 + float64(i%4)
	}
	h := mat.NewSymDense(d, []float64{0.2, 0.05, 0, 0.05, 0.3, 0.1, 0, 0.1, 0.25})
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		kde   KDE
		asked bool
	}{
		"gaussian":    {KDE{}, true},
		"weights":     {KDE{Weights: weights, Bandwidth: 0.4}, true},
		"matrix":      {KDE{BandwidthMatrix: h}, true},
		"bounds":      {KDE{Bandwidth: 0.3, Lower: []float64{0, 0, 0}, Upper: []float64{inf, inf, 100}}, true},
		"exponential": {KDE{Smoother: Exponential}, true},
		"product":     {KDE{Smoother: Exponential, Product: true, Method: Brute}, true},
		"single":      {KDE{RelTol: 1e-3}, true},
		"tree":        {KDE{Method: Tree}, false},
		"compact":     {KDE{Smoother: Epanechnikov}, false},
		"adaptive":    {KDE{Adaptive: 0.5}, true}, // the pilot has one width
	} {
		tol := 1e-11
		if c.kde.RelTol > 0 {
			tol = c.kde.RelTol
		}
		own := c.kde
		own.Method, own.RelTol = Brute, 0
		m, err := own.Fit(t.Context(), data.Rows(x))
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := m.LogDensity(t.Context(), data.Rows(q))
		if err != nil {
			t.Fatal(name, err)
		}
		c.kde.Device = gram.EmulatedDevice(1, 1<<30, 0)
		lost := c.kde
		lost.Device = gram.EmulatedDevice(1, 1<<30, 1)
		for _, k := range []KDE{c.kde, lost} {
			if m, err = k.Fit(t.Context(), data.Rows(x)); err != nil {
				t.Fatal(name, err)
			}
			got, err := m.LogDensity(t.Context(), data.Rows(q))
			if err != nil {
				t.Fatal(name, err)
			}
			for i, v := range got {
				if v != want[i] && !(math.Abs(v-want[i]) <= tol*math.Max(1, math.Abs(want[i]))) {
					t.Errorf("%s: log-density %d is %g, want %g", name, i, v, want[i])
				}
			}
		}
		if asked := len(lost.Device.Notes()) > 0; asked != c.asked {
			t.Errorf("%s: the device was asked: %v", name, asked)
		}
	}
}
