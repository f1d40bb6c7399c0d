package mapped

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func featureCases(t *testing.T) (map[string]*Model, data.DenseRows) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 8))
	m := mat.NewDense(40, 3, nil)
	for i := range 40 {
		for j := range 3 {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	x := data.Rows(m)
	k := kernel.Gaussian{Lengthscale: 2}
	out := map[string]*Model{}
	keep := func(name string, a *gram.Approximation[kernel.Vec], err error) {
		if err != nil {
			t.Fatal(err)
		}
		if out[name], err = Features(k, a); err != nil {
			t.Fatal(err)
		}
	}
	o := gram.LowRankOptions{Seed: 3}
	a, err := gram.FourierFeatures(t.Context(), k, x, 400, false, o)
	keep("fourier", a, err)
	a, err = gram.FourierFeatures(t.Context(), k, x, 399, true, o)
	keep("orthogonal", a, err)
	a, err = gram.Nystrom(t.Context(), k, x, []int{0, 1, 2, 3, 5, 8, 13, 21, 34, 39, 6, 30, 25, 17, 19}, o)
	keep("nystrom", a, err)
	return out, x
}

// Inner products of features are the kernel within the error that the map states, and written down
// and read again it has the same bits.
func TestFeaturesAreKept(t *testing.T) {
	cases, x := featureCases(t)
	k := kernel.Gaussian{Lengthscale: 2}
	for name, m := range cases {
		z, err := m.Features(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		rms, largest, sampled := m.Error()
		sum, most := 0.0, 0.0
		for i := range x.Len() {
			for j := range x.Len() {
				off := mat.Dot(z.RowView(i), z.RowView(j)) - k.Eval(x.At(i), x.At(j))
				sum, most = sum+off*off, math.Max(most, math.Abs(off))
			}
		}
		if got := math.Sqrt(sum / float64(x.Len()*x.Len())); sampled != x.Len() || math.Abs(got-rms) > 1e-9 ||
			math.Abs(most-largest) > 1e-9 || rms > 0.1 {
			t.Errorf("%s: off by %g and %g, the map says %g and %g on %d", name, got, most, rms, largest, sampled)
		}
		p, err := m.Plain()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Restore(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := back.Features(t.Context(), x)
		if err != nil || !mat.Equal(z, again) || back.Dim() != m.Dim() || back.PointDim() != 3 ||
			back.Kernel() != m.Kernel() {
			t.Errorf("%s: restored, it maps otherwise (%v)", name, err)
		}
		one := mat.NewDense(1, m.Dim(), nil)
		if err := back.FeaturesTo(t.Context(), one, data.Gather[kernel.Vec](x, []int{7})); err != nil ||
			!mat.Equal(one, z.Slice(7, 8, 0, m.Dim())) {
			t.Errorf("%s: a row alone has other features (%v)", name, err)
		}
	}
}

// Plain data that lie are refused.
func TestFeaturesRefuse(t *testing.T) {
	cases, _ := featureCases(t)
	p, _ := cases["fourier"].Plain()
	p.Numbers["scale"] = math.NaN()
	if _, err := Restore(p); err == nil {
		t.Error("a scale of NaN")
	}
	p, _ = cases["fourier"].Plain()
	p.Arrays["frequencies"] = mat.NewDense(4, 2, nil)
	if _, err := Restore(p); err == nil {
		t.Error("frequencies of two coordinates for points of three")
	}
	p, _ = cases["fourier"].Plain()
	delete(p.Numbers, "rms")
	if _, err := Restore(p); err == nil {
		t.Error("no error")
	}
	p, _ = cases["nystrom"].Plain()
	l := mat.DenseCopyOf(p.Funcs[0].Coef)
	l.Set(0, 1, 1)
	p.Funcs[0].Coef = l
	if _, err := Restore(p); err == nil {
		t.Error("a factor that is not triangular")
	}
	p, _ = cases["nystrom"].Plain()
	l = mat.DenseCopyOf(p.Funcs[0].Coef)
	l.Set(2, 2, 0)
	p.Funcs[0].Coef = l
	if _, err := Restore(p); err == nil {
		t.Error("a factor without an inverse")
	}
	p, _ = cases["nystrom"].Plain()
	p.Funcs[0].Coef = mat.NewDense(p.Funcs[0].Centers.Len(), 2, nil)
	if _, err := Restore(p); err == nil {
		t.Error("a factor of two columns")
	}
	p, _ = cases["nystrom"].Plain()
	p.Funcs[0].Bias = make([]float64, p.Funcs[0].Centers.Len())
	if _, err := Restore(p); err == nil {
		t.Error("a bias")
	}
}
