package neighbours

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
)

// A row of weight 0 is nobody's neighbour: the fit is that of the rows without it.
func TestRowsOfWeightZeroAreNoNeighbours(t *testing.T) {
	p := learntest.Problem(60, data.Regression, 5)
	q := learntest.Problem(60, data.Multiclass, 5)
	var keep []int
	weights := make([]float64, 60)
	for i := range weights {
		if i%3 > 0 {
			weights[i] = 1
			keep = append(keep, i)
		}
	}
	k := kernel.Gaussian{Lengthscale: 0.7}
	a, err := Regression[kernel.Vec]{Kernel: k, Weights: weights, Options: Options{K: 4}}.Fit(t.Context(), p.Points, p.Y)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Regression[kernel.Vec]{Kernel: k, Options: Options{K: 4}}.Fit(t.Context(), data.Gather(p.Points, keep),
		data.Take(p.Y, keep))
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Predict(t.Context(), p.Points)
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.Predict(t.Context(), p.Points)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Classification[kernel.Vec, int]{Kernel: k, Weights: weights, Options: Options{K: 4}}.Fit(t.Context(),
		q.Points, q.Codes())
	if err != nil {
		t.Fatal(err)
	}
	d, err := Classification[kernel.Vec, int]{Kernel: k, Options: Options{K: 4}}.Fit(t.Context(),
		data.Gather(q.Points, keep), data.Take(q.Codes(), keep))
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Predict(t.Context(), q.Points)
	if err != nil {
		t.Fatal(err)
	}
	z, err := d.Predict(t.Context(), q.Points)
	if err != nil {
		t.Fatal(err)
	}
	for i := range u {
		if u[i] != v[i] || w[i] != z[i] {
			t.Fatalf("row %d: %g and class %d with weights of 0, %g and %d without those rows", i, u[i], w[i], v[i], z[i])
		}
	}
}
