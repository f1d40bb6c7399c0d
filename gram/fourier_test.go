package gram

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func stationary(t *testing.T) map[string]kernel.Kernel[kernel.Vec] {
	sigma := mat.NewSymDense(3, []float64{2, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 0.5})
	m, err := kernel.NewMahalanobis(kernel.Gaussian{Lengthscale: 1}, sigma)
	if err != nil {
		t.Fatal(err)
	}
	g, ma := kernel.Gaussian{Lengthscale: 1.5}, kernel.Matern{Nu: 1.5, Lengthscale: 2}
	return map[string]kernel.Kernel[kernel.Vec]{
		"gaussian":    g,
		"laplace":     kernel.Laplace{Lengthscale: 2},
		"matern":      ma,
		"rq":          kernel.RationalQuadratic{Alpha: 1.5, Lengthscale: 1},
		"laplacel1":   kernel.LaplaceL1{Lengthscale: 3},
		"sinc":        kernel.Sinc{Bandwidth: 1.2},
		"scale":       kernel.Scale[kernel.Vec](2.5, g),
		"sum":         kernel.Sum[kernel.Vec](g, ma),
		"product":     kernel.Product[kernel.Vec](g, ma),
		"power":       kernel.Power[kernel.Vec](g, 2),
		"exp":         kernel.Exp[kernel.Vec](g),
		"ard":         kernel.ARD{Kernel: g, Lengthscales: []float64{0.5, 1, 3}},
		"mahalanobis": m,
		"columns":     kernel.On(g, 0, 2),
		"mixed sum":   kernel.Sum[kernel.Vec](g, kernel.Scale[kernel.Vec](0.5, kernel.LaplaceL1{Lengthscale: 3})),
		"periodic":    kernel.Periodic{Period: 2.5, Lengthscale: 0.8},
		"theta":       kernel.On(kernel.Theta{Sigma: 0.7}, 1),
		"fourier":     kernel.On(kernel.Fourier{Coef: []float64{0.4, 0.2, 0.1}}, 2),
		"constant":    kernel.Sum[kernel.Vec](g, kernel.Constant[kernel.Vec](0.5)),
		"polynomial":  kernel.Powers[kernel.Vec](kernel.LaplaceL1{Lengthscale: 3}, 0.2, 0.5, 0.3),
		"exp of l1":   kernel.Exp[kernel.Vec](kernel.LaplaceL1{Lengthscale: 3}),
		"sinc^3":      kernel.Power[kernel.Vec](kernel.Sinc{Bandwidth: 1.2}, 3),
		"normalize":   kernel.Normalize(kernel.Scale[kernel.Vec](3, ma)),
		"user":        userWave{},
		"mixed prod":  kernel.Product[kernel.Vec](ma, kernel.On(g, 1)),
	}
}

// userWave is a user's kernel with a spectral measure of which nothing else is known: cos of the
// first coordinate.
type userWave struct{}

func (userWave) Eval(x, y kernel.Vec) float64 { return math.Cos(x[0] - y[0]) }
func (userWave) SpectralMeasure(dim int) (kernel.Spectral, error) {
	return kernel.SpectralOf(kernel.On(kernel.Fourier{Coef: []float64{0, 0.5}}, 0), dim)
}

// An entry of the approximation is a mean of m independent terms (m/d blocks)
// bounded by k(0): five standard errors hold for all of them.
func TestFourierFeaturesConverge(t *testing.T) {
	x := points(60, 3, 41)
	m := datatest.Size(3000, 600)
	for name, k := range stationary(t) {
		for _, orthogonal := range []bool{false, true} {
			a, err := FourierFeatures(context.Background(), k, x, m, orthogonal, LowRankOptions{Seed: 7})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			mass := k.Eval(x.At(0), x.At(0))
			want := loop(k, x, x)
			worst := 0.0
			row := make([]float64, 60)
			for i := range 60 {
				a.Row(row, i)
				for j, v := range row {
					worst = math.Max(worst, math.Abs(v-want.At(i, j)))
				}
			}
			if worst > 5*mass/math.Sqrt(float64(m)) {
				t.Errorf("%s orthogonal=%v: worst entry off by %g", name, orthogonal, worst)
			}
			if math.Abs(a.Report.MaxAbs-worst) > 1e-9 { // 60 points: all are sampled
				t.Errorf("%s: reported %g, found %g", name, a.Report.MaxAbs, worst)
			}
			if math.Abs(a.Report.TraceError) > 1e-9*a.Report.Trace || a.Report.Certified {
				t.Errorf("%s: %v", name, a.Report)
			}
		}
	}
}

// The point of orthogonal features: less error for the Gaussian kernel.
func TestOrthogonalFeaturesAreBetter(t *testing.T) {
	x := points(80, 16, 42)
	k := kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 4})
	var rms [2]float64
	for seed := range uint64(8) {
		for i, orthogonal := range []bool{false, true} {
			a, err := FourierFeatures(context.Background(), k, x, 64, orthogonal, LowRankOptions{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			rms[i] += a.Report.RMS
		}
	}
	if rms[1] > 0.8*rms[0] {
		t.Errorf("RMS error plain %g, orthogonal %g", rms[0], rms[1])
	}
}

func TestHaarIsOrthogonal(t *testing.T) {
	f, err := NewFourierMap(gauss, 7, 14, true, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	w := f.frequencies
	for i := range 14 {
		for j := range i {
			c := dot(w.Row(i), w.Row(j)) / norm(w.Row(i)) / norm(w.Row(j))
			if i/7 == j/7 && math.Abs(c) > 1e-12 {
				t.Errorf("frequencies %d and %d of one block have cosine %g", i, j, c)
			}
		}
	}
}

func TestFourierRefuses(t *testing.T) {
	x := points(5, 3, 1)
	for want, f := range map[string]func() error{
		"linear": func() error {
			_, err := FourierFeatures(context.Background(), kernel.Linear{}, x, 10, false, LowRankOptions{})
			return err
		},
		"0 frequencies": func() error {
			_, err := FourierFeatures(context.Background(), gauss, x, 0, false, LowRankOptions{})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
