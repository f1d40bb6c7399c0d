package kernel_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// wideRows are n rows of dim columns with few entries in (0, 1), sparse and spelt out.
func wideRows(n, dim, entries int) (data.SparseRows, data.DenseRows) {
	rng := rand.New(rand.NewPCG(11, uint64(dim)))
	dense := mat.NewDense(n, dim, nil)
	rows := make([]data.SparseVec, n)
	for i := range n {
		for range entries {
			dense.Set(i, rng.IntN(dim), 0.05+0.3*rng.Float64())
		}
		for j := range dim {
			if v := dense.At(i, j); v != 0 {
				rows[i].Index = append(rows[i].Index, int32(j))
				rows[i].Value = append(rows[i].Value, v)
			}
		}
	}
	return data.SparseOf(rows, dim), data.Rows(dense)
}

func wideKernels(dim int) map[string]Kernel[Vec] {
	scales := make([]float64, dim)
	sigma := mat.NewSymDense(dim, nil)
	for i := range scales {
		scales[i] = 0.5 + float64(i%7)/3
		sigma.SetSym(i, i, 1+float64(i%3))
		if i > 0 {
			sigma.SetSym(i, i-1, 0.3)
		}
	}
	m, err := NewMahalanobis(Gaussian{2}, sigma)
	if err != nil {
		panic(err)
	}
	return map[string]Kernel[Vec]{
		"linear": Linear{}, "gaussian": Gaussian{2}, "matern": Matern{Nu: 1.5, Lengthscale: 2}, "laplacel1": LaplaceL1{4},
		"chi2": ChiSquare{0.3}, "addchi2": AdditiveChiSquare{}, "intersection": Intersection{}, "cosine": Cosine{},
		"periodic": Periodic{2.3, 3}, "sinc": Sinc{1.4}, "sobolev 1": Sobolev{1}, "sobolev 2": Sobolev{2},
		"polynomial basis": Monomials{3}, "gaussian basis": GaussianBasis{[]float64{-1, 0.2, 1}, 0.6},
		"sinusoids": Sinusoids{2, 3}, "sigmoid basis": SigmoidBasis{[]float64{-1, 0.2, 1}, 0.6},
		"quadratic": QuadraticForm{sigma}, "mahalanobis": m,
		"ard":        ARD{Kernel: Gaussian{}, Lengthscales: scales},
		"on":         On(Sum[Vec](Linear{}, Periodic{1.5, 1}), 3, 1, 70),
		"user":       userKernel{0.2},
		"stationary": Stationary{func(d Vec) float64 { return math.Exp(-Inner.Between(d, d)/9) + math.Cos(d[3]) }},
		"multiply":   Multiply(func(x Vec) float64 { return 1 + x[5] }, Kernel[Vec](Gaussian{2})),
		"pullback":   Pullback(Kernel[Vec](Gaussian{}), func(x Vec) Vec { return Vec{x[0] + x[7], x[70]} }),
		"tree": Normalize(Sum(Scale(0.5, Kernel[Vec](Gaussian{2})), Product(Kernel[Vec](Sobolev{1}), Periodic{1.7, 2}),
			Substitute[Vec](Gaussian{1.5}, GaussianBasis{[]float64{0.2, 1}, 0.6}), AdditiveChiSquare{})),
	}
}

// Sparse rows in a space wide enough that nothing is spelt out: values and derivatives equal
// those of the whole rows.
func TestWideSparseRowsEqualDense(t *testing.T) {
	const dim = 96
	n := datatest.Size(90, 40)
	for name, k := range wideKernels(dim) {
		sparse, dense := wideRows(n, dim, 3)
		ks, err := OnSparse(k, dim)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := Check(ks, data.Points[data.SparseVec](sparse)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, got := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		big := 0.0
		for i := range n {
			for j := range n {
				v := k.Eval(dense.At(i), dense.At(j))
				want.Set(i, j, v)
				big = max(big, math.Abs(v))
				if w := ks.Eval(sparse.At(i), sparse.At(j)); math.Abs(v-w) > 1e-10*max(big, 1e-3) {
					t.Fatalf("%s: sparse Eval(%d, %d) = %v, dense %v", name, i, j, w, v)
				}
			}
		}
		equal := func(what string, tol float64) {
			for i := range n {
				for j := range n {
					if d := math.Abs(got.At(i, j) - want.At(i, j)); !(d <= tol) {
						t.Fatalf("%s: %s: entry (%d, %d) is %v, want %v", name, what, i, j, got.At(i, j), want.At(i, j))
					}
				}
			}
		}
		Block(context.Background(), ks, got, data.Points[data.SparseVec](sparse), data.Points[data.SparseVec](sparse))
		equal("sparse Block", 1e-10*big)
		Block(context.Background(), k, got, data.Points[Vec](dense), data.Points[Vec](dense))
		equal("dense Block", 1e-10*big)
		if len(Params(k)) == 0 || len(Params(k)) > 10 {
			continue
		}
		gs, gd := make([]float64, len(Params(k))), make([]float64, len(Params(k)))
		if len(Params(ks)) != len(gs) {
			t.Fatalf("%s: %d parameters on vectors, %d on sparse rows", name, len(gs), len(Params(ks)))
		}
		few := make([]int, 25)
		for i := range few {
			few[i] = n / 25 * i
		}
		xs, xd := data.Gather[data.SparseVec](sparse, few), data.Gather[Vec](dense, few)
		w := mat.NewDense(len(few), len(few), nil)
		w.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i + 5*j)) }, w)
		if err := ParamGradDot(context.Background(), ks, gs, nil, w, xs, xs); err != nil {
			t.Fatal(err)
		}
		if err := ParamGradDot(context.Background(), k, gd, nil, w, xd, xd); err != nil {
			t.Fatal(err)
		}
		for p := range gs {
			if math.Abs(gs[p]-gd[p]) > 1e-7*(1+math.Abs(gd[p])) {
				t.Errorf("%s: derivative %d is %v on sparse rows, %v on vectors", name, p, gs[p], gd[p])
			}
		}
	}
}

// Tile gradients through Normalize, Substitute, Fourier, Theta and Sinc equal the sum over single
// pairs, on more points than a tile is high.
func TestTileGradientsEqualPairGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	one, three := mat.NewDense(150, 1, nil), mat.NewDense(150, 3, nil)
	for _, m := range []*mat.Dense{one, three} {
		m.Apply(func(_, _ int, _ float64) float64 { return 2 * rng.NormFloat64() }, m)
	}
	for name, c := range map[string]struct {
		k Kernel[Vec]
		m *mat.Dense
	}{
		"normalize": {Normalize(Sum[Vec](Polynomial{Offset: 1, Degree: 2},
			ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, 2, 0.7}})), three},
		"substitute": {Substitute[Vec](Matern{Nu: 2.5, Lengthscale: 2},
			Sum[Vec](Polynomial{Gamma: 0.3, Offset: 1}, Gaussian{0.8})), three},
		"nested":  {Exp(Substitute[Vec](RationalQuadratic{Alpha: 2}, Normalize(Sum[Vec](Linear{}, Gaussian{2})))), three},
		"sinc":    {Scale[Vec](2, Sinc{1.3}), three},
		"theta":   {Theta{0.9}, one},
		"narrow":  {Product[Vec](Theta{0.3}, Theta{0.7}), one},
		"fourier": {Fourier{[]float64{0.4, 0.3, 0.2, 0.1}}, one},
	} {
		n := 150
		x := data.Points[Vec](data.Rows(c.m))
		grads := make([]*mat.Dense, len(Params(c.k)))
		for p := range grads {
			grads[p] = mat.NewDense(n, n, nil)
		}
		if err := ParamGrads(context.Background(), c.k, grads, x, x); err != nil {
			t.Fatal(err)
		}
		w := mat.NewDense(n, n, nil)
		w.Apply(func(i, j int, _ float64) float64 { return math.Cos(float64(i + 7*j)) }, w)
		dot := make([]float64, len(grads))
		if err := ParamGradDot(context.Background(), c.k, dot, nil, w, x, x); err != nil {
			t.Fatal(err)
		}
		theta := Values(c.k)
		for p, param := range Params(c.k) {
			if param.Domain.Integer {
				continue
			}
			sum, scale := 0.0, 0.0
			for i := range n {
				for j := range n {
					v := w.At(i, j) * grads[p].At(i, j)
					sum, scale = sum+v, scale+math.Abs(v)
				}
			}
			if math.Abs(sum-dot[p]) > 1e-9*(1+scale) {
				t.Errorf("%s: %s: ParamGradDot %v, sum of ParamGrads %v", name, param.Name, dot[p], sum)
			}
			h := 1e-5 * math.Max(param.Value, 0.1)
			up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
			up[p] += h
			down[p] -= h
			a, err := With(c.k, up)
			if err != nil {
				t.Fatal(err)
			}
			b, err := With(c.k, down)
			if err != nil {
				t.Fatal(err)
			}
			for _, ij := range [][2]int{{0, 0}, {3, 140}, {140, 3}, {149, 149}, {131, 130}} {
				u, v := x.At(ij[0]), x.At(ij[1])
				want := (a.Eval(u, v) - b.Eval(u, v)) / (2 * h)
				if got := grads[p].At(ij[0], ij[1]); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s: ∂/∂%s at %v is %v, differences give %v", name, param.Name, ij, got, want)
				}
			}
		}
	}
}

// A common offset of all points costs sinc no digits, and angles far from 0 none of theta's.
func TestTilesFarFromTheOrigin(t *testing.T) {
	m := mat.NewDense(20, 1, nil)
	m.Apply(func(i, _ int, _ float64) float64 { return 1<<20 + float64(i*i)/16 }, m)
	x := data.Points[Vec](data.Rows(m))
	for _, k := range []Kernel[Vec]{Sinc{1.7}, Theta{0.2}} {
		got := mat.NewDense(20, 20, nil)
		Block(context.Background(), k, got, x, x)
		for i := range 20 {
			for j := range 20 {
				if want := k.Eval(x.At(i), x.At(j)); math.Abs(got.At(i, j)-want) > 1e-12 {
					t.Errorf("%T: entry (%d, %d) is %v, want %v", k, i, j, got.At(i, j), want)
				}
			}
		}
	}
}

func TestSparseErrorsNameRowAndColumn(t *testing.T) {
	rows := data.SparseOf([]data.SparseVec{{Index: []int32{1}, Value: []float64{0.5}},
		{Index: []int32{40, 77}, Value: []float64{0.1, -3}}}, 100)
	for _, c := range []struct {
		k    Kernel[Vec]
		want []string
	}{
		{ChiSquare{}, []string{"row 1", "column 77", "-3"}},
		{Sum[Vec](Linear{}, Sobolev{}), []string{"row 1", "column 77", "-3"}},
		{Binomial{}, []string{"row 1", "9.01"}},
		{RadialSobolev{}, []string{"row 0", "column 0", "is 0"}},
		{ARD{Kernel: Gaussian{}, Lengthscales: make1(120)}, []string{"120", "100"}},
	} {
		ks, err := OnSparse(c.k, 100)
		if err == nil {
			err = Check(ks, data.Points[data.SparseVec](rows))
		}
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v does not name %q", fmt.Sprintf("%T", c.k), err, w)
			}
		}
	}
}

func make1(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}
