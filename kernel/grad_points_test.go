package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// pointKernels reach their points through metrics, maps and the algebra, and some a pair at a time.
func pointKernels() map[string]kernel.Kernel[kernel.Vec] {
	type v = kernel.Vec
	ard := kernel.ARD{Kernel: kernel.Matern{Nu: 1.5}, Lengthscales: []float64{0.5, 2, 1}}
	return map[string]kernel.Kernel[v]{
		"gaussian":   kernel.Gaussian{Lengthscale: 1.3},
		"linear":     kernel.Linear{},
		"polynomial": kernel.Polynomial{Offset: 1, Degree: 3},
		"laplace l1": kernel.LaplaceL1{Lengthscale: 2},
		"ard":        ard,
		"columns":    kernel.OnColumns{Kernel: kernel.Gaussian{}, Columns: []int{2, 0}},
		"nested": kernel.ARD{Kernel: kernel.OnColumns{Kernel: kernel.Gaussian{}, Columns: []int{2, 0}},
			Lengthscales: []float64{0.5, 2, 1}},
		"algebra": kernel.Sum[v](kernel.Scale[v](2, kernel.Product[v](ard, kernel.Gaussian{})),
			kernel.Power[v](kernel.Sum[v](kernel.Linear{}, kernel.Constant[v](2)), 2)),
		"normalised": kernel.Normalize[v](kernel.Polynomial{Offset: 1}),
		"periodic":   kernel.Periodic{Period: 2, Lengthscale: 1.1},
	}
}

func randomRows(n int, seed uint64) data.Points[kernel.Vec] {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(n, 3, nil)
	for i := range n {
		for j := range 3 {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return data.Rows(m)
}

// TestInputGradDot: the pass over tiles is the sum of the derivatives of pairs, also where both
// sides are the same points.
func TestInputGradDot(t *testing.T) {
	n, m := datatest.Size(300, 270), datatest.Size(150, 40) // more rows than a tile
	x, y := randomRows(n, 1), randomRows(m, 2)
	for name, k := range pointKernels() {
		for _, side := range []data.Points[kernel.Vec]{x, y} {
			w := mat.NewDense(side.Len(), m, nil)
			for i := range side.Len() {
				for j := range m {
					w.Set(i, j, math.Sin(float64(i*m+j)))
				}
			}
			got := mat.NewDense(m, 3, nil)
			if err := kernel.InputGradDot(t.Context(), k, got, w, side, y); err != nil {
				t.Fatal(name, err)
			}
			want, one := mat.NewDense(m, 3, nil), make(kernel.Vec, 3)
			for j := range m {
				for i := range side.Len() {
					if err := kernel.InputGrad(k, one, y.At(j), side.At(i)); err != nil {
						t.Fatal(name, err)
					}
					for c, v := range one {
						want.Set(j, c, want.At(j, c)+w.At(i, j)*v)
					}
				}
			}
			for j := range m {
				for c := range 3 {
					if g, v := got.At(j, c), want.At(j, c); math.Abs(g-v) > 1e-9*(10+math.Abs(v)) {
						t.Fatalf("%s: point %d, coordinate %d: %.12g, pair by pair %.12g", name, j, c, g, v)
					}
				}
			}
		}
	}
}

// firstProduct has nothing but its values.
type firstProduct struct{}

func (firstProduct) Eval(x, y kernel.Vec) float64 { return x[0] * y[0] }

// TestInputGradDotRefuses: shapes that do not fit, and a kernel without a derivative.
func TestInputGradDotRefuses(t *testing.T) {
	x := randomRows(4, 1)
	for name, bad := range map[string][2]*mat.Dense{
		"weights": {mat.NewDense(4, 3, nil), mat.NewDense(3, 4, nil)},
		"room":    {mat.NewDense(4, 2, nil), mat.NewDense(4, 4, nil)},
	} {
		if err := kernel.InputGradDot(t.Context(), kernel.Gaussian{}, bad[0], bad[1], x, x); err == nil {
			t.Errorf("%s of another shape", name)
		}
	}
	if err := kernel.InputGradDot(t.Context(), firstProduct{}, mat.NewDense(4, 3, nil), mat.NewDense(4, 4, nil), x,
		x); err == nil {
		t.Error("a function has no derivative")
	}
}

// TestDiagGradDot: the weighted diagonal of the derivatives of all pairs, for kernels that are
// stationary and that are not.
func TestDiagGradDot(t *testing.T) {
	x := randomRows(600, 3)
	few := data.Span(x, 0, 40)
	for name, k := range pointKernels() {
		params := len(kernel.Params(k))
		w, grads := make([]float64, 40), make([]*mat.Dense, params)
		for i := range w {
			w[i] = math.Cos(float64(i))
		}
		for p := range grads {
			grads[p] = mat.NewDense(40, 40, nil)
		}
		if err := kernel.ParamGrads(t.Context(), k, grads, few, few); err != nil {
			t.Fatal(name, err)
		}
		got := make([]float64, params)
		if err := kernel.DiagGradDot(t.Context(), k, got, nil, w, few); err != nil {
			t.Fatal(name, err)
		}
		for p := range got {
			want := 0.0
			for i, v := range w {
				want += v * grads[p].At(i, i)
			}
			if math.Abs(got[p]-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("%s: derivative %d is %g, want %g", name, p, got[p], want)
			}
		}
	}
}
