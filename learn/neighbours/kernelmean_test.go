package neighbours

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Kernel regression is the double loop of its formula; far from all points it is the mean, and a
// kernel that goes below 0 is refused.
func TestKernelMean(t *testing.T) {
	x := data.Slice[kernel.Vec]{{0, 1}, {1, 0}, {2, 2}, {0.5, 0.5}, {3, 1}}
	y, w, code := []float64{1, -2, 4, 0.5, 3}, []float64{1, 2, 0.5, 1, 1}, []int{0, 1, 2, 1, 0}
	k := kernel.Gaussian{Lengthscale: 0.9}
	ctx := context.Background()
	m, err := KernelMean[kernel.Vec]{Kernel: k, Weights: w}.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	c, err := KernelMeanClassification[kernel.Vec, int]{Kernel: k, Weights: w}.Fit(ctx, x, code)
	if err != nil {
		t.Fatal(err)
	}
	at := data.Slice[kernel.Vec]{{0.2, 0.4}, {2.5, 1.5}, {1, 1}}
	got, err := m.Predict(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	proba, err := c.Proba(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range at {
		sum, all, share := 0.0, 0.0, [3]float64{}
		for j := range x {
			v := w[j] * k.Eval(x[j], p)
			sum, all = sum+v*y[j], all+v
			share[code[j]] += v
		}
		if math.Abs(got[i]-sum/all) > 1e-12 {
			t.Errorf("value %g, want %g", got[i], sum/all)
		}
		for o, s := range share {
			if math.Abs(proba.At(i, o)-s/all) > 1e-12 {
				t.Errorf("share %d is %g, want %g", o, proba.At(i, o), s/all)
			}
		}
	}
	far, err := m.Predict(ctx, data.Slice[kernel.Vec]{{1e6, 0}})
	mean := (1 - 4 + 2 + 0.5 + 3) / 5.5
	if err != nil || math.Abs(far[0]-mean) > 1e-12 {
		t.Errorf("far away %v (%v), want the mean %g", far, err, mean)
	}
	if _, err := (KernelMean[kernel.Vec]{Kernel: kernel.Linear{}}).Fit(ctx, data.Slice[kernel.Vec]{{1}, {-1}},
		[]float64{1, 2}); err == nil || !strings.Contains(err.Error(), "not negative") {
		t.Errorf("a kernel below 0: %v", err)
	}
}
