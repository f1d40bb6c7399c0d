package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"gonum.org/v1/gonum/mat"
)

// TestParamGradDotAgainstDifferences: Σ Wᵢⱼ kᵢⱼ is differenced in every parameter, on enough points
// that tiles and tables are used, through ARD, sums and products.
func TestParamGradDotAgainstDifferences(t *testing.T) {
	const d = 3
	n := datatest.Size(150, 60)
	rng := rand.New(rand.NewPCG(8, 8))
	x, w := mat.NewDense(n, d, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		for j := range n {
			w.Set(i, j, rng.NormFloat64())
		}
	}
	x.SetRow(7, x.RawRowView(3)) // a distance of 0 off the diagonal
	points := data.Rows(x)
	ard := func(k Kernel[Vec]) Kernel[Vec] { return ARD{Kernel: k, Lengthscales: []float64{0.8, 1.3, 2}} }
	leaves := map[string]Kernel[Vec]{
		"gaussian": Gaussian{1.1}, "laplace": Laplace{1.2}, "laplace l1": LaplaceL1{0.9}, "rq": RationalQuadratic{1.7, 0.9},
		"matern 1/2": Matern{0.5, 1.1}, "matern 3/2": Matern{1.5, 1.1}, "matern 5/2": Matern{2.5, 0.7},
		"matern 0.7": Matern{0.7, 1.4},
		"matern 1":   Matern{1, 1}, "matern 1.7": Matern{1.7, 0.8}, "matern 30": Matern{30, 1},
		"periodic": Periodic{2.2, 1.3},
		"poly":     Polynomial{0.3, 1, 3}, "exponential": Exponential{0.2},
	}
	kernels := map[string]Kernel[Vec]{
		"sum":     Sum(ard(Matern{2.5, 1}), Scale(0.5, Kernel[Vec](Linear{})), Kernel[Vec](Periodic{2, 1})),
		"product": Product(ard(Matern{1.7, 1}), Kernel[Vec](RationalQuadratic{2, 1})),
		"nested":  ard(Sum[Vec](Matern{1.5, 1}, Product[Vec](Periodic{3, 1}, RationalQuadratic{1, 2}))),
	}
	for name, k := range leaves {
		kernels[name], kernels["ard "+name] = k, ard(k)
	}
	total := func(k Kernel[Vec]) float64 {
		g := mat.NewDense(n, n, nil)
		Block(context.Background(), k, g, points, points)
		s := 0.0
		for i, v := range g.RawMatrix().Data {
			s += v * w.RawMatrix().Data[i]
		}
		return s
	}
	for name, k := range kernels {
		params, theta := Params(k), Values(k)
		grad := make([]float64, len(params))
		if err := ParamGradDot(context.Background(), k, grad, nil, w, points, points); err != nil {
			t.Fatal(name, err)
		}
		for p, param := range params {
			if param.Domain.Integer {
				continue
			}
			const h = 1e-5
			at := func(v float64) float64 {
				theta[p] = v
				defer func() { theta[p] = param.Value }()
				return total(k.(Tunable[Vec]).With(theta))
			}
			want := (at(param.Value-2*h) - 8*at(param.Value-h) + 8*at(param.Value+h) - at(param.Value+2*h)) / (12 * h)
			if math.Abs(grad[p]-want) > 2e-6*(1+math.Abs(want)) {
				t.Errorf("%s: by %s %.10g, differences give %.10g", name, param.Name, grad[p], want)
			}
		}
		// A parameter at a time is the same number, the others 0.
		for p := range params {
			wanted, one := make([]bool, len(params)), make([]float64, len(params))
			wanted[p] = true
			if err := ParamGradDot(context.Background(), k, one, wanted, w, points, points); err != nil {
				t.Fatal(name, err)
			}
			for q, v := range one {
				if q == p && math.Abs(v-grad[p]) > 1e-12*math.Abs(grad[p]) || q != p && v != 0 {
					t.Errorf("%s: only %s wanted: derivative %d is %g, was %g", name, params[p].Name, q, v, grad[q])
				}
			}
		}
	}
	if err := ParamGradDot[Vec](context.Background(), Gaussian{}, make([]float64, 1), make([]bool, 2), w, points,
		points); err == nil {
		t.Error("two marks for one parameter")
	}
}

// loud is a Matérn kernel with a profile of its own.
type loud struct{ Matern }

func (k loud) Eval(x, y Vec) float64 { return 2 * k.Matern.Eval(x, y) }
func (k loud) Profile(m []float64) {
	k.Matern.Profile(m)
	scaleBy(m, 2)
}
func (k loud) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.Matern.ProfileGrad(dm, dtheta, m)
	for _, d := range append(dtheta, dm) {
		scaleBy(d, 2)
	}
}

// TestKernelsThatEmbedAKernel: what a type overrides counts, not what it inherits.
func TestKernelsThatEmbedAKernel(t *testing.T) {
	x := mat.NewDense(40, 1, nil)
	w := mat.NewDense(40, 40, nil)
	for i := range 40 {
		x.Set(i, 0, float64(i)/7)
		for j := range 40 {
			w.Set(i, j, float64(i-2*j)/9)
		}
	}
	points := data.Rows(x)
	for _, nu := range []float64{1.5, 1.7} {
		k := loud{Matern{Nu: nu, Lengthscale: 1}}
		g := mat.NewDense(40, 40, nil)
		Block[Vec](context.Background(), k, g, points, points)
		if got, want := g.At(0, 9), k.Eval(x.RawRowView(0), x.RawRowView(9)); math.Abs(got-want) > 1e-12 {
			t.Errorf("ν = %g: a value of %g, Eval says %g", nu, got, want)
		}
		loudly, plain := make([]float64, 2), make([]float64, 2)
		if err := ParamGradDot[Vec](context.Background(), k, loudly, nil, w, points, points); err != nil {
			t.Fatal(err)
		}
		if err := ParamGradDot[Vec](context.Background(), k.Matern, plain, nil, w, points, points); err != nil {
			t.Fatal(err)
		}
		for p := range plain {
			if math.Abs(loudly[p]-2*plain[p]) > 1e-7*math.Abs(plain[p]) {
				t.Errorf("ν = %g: derivative %d is %g, twice that of Matern is %g", nu, p, loudly[p], 2*plain[p])
			}
		}
	}
}
