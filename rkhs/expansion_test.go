package rkhs

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestMercerOnASample(t *testing.T) {
	k := kernel.Kernel[vec](kernel.Matern{Nu: 1.5, Lengthscale: 1})
	x := points(40, 2, 1)
	e, err := NewMercer(context.Background(), k, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := float64(x.Len())
	phi, psi, mu := e.Features(), e.Eigenfunctions(), e.Eigenvalues()
	onX := mat.NewDense(40, phi.Outputs(), nil)
	mustEvaluate(t, psi, onX, x)
	for a := range psi.Outputs() { // orthonormal in L₂ of the sample
		for b := range a + 1 {
			s := 0.0
			for i := range 40 {
				s += onX.At(i, a) * onX.At(i, b) / n
			}
			want := 0.0
			if a == b {
				want = 1
			}
			near(t, "⟨ψ, ψ⟩", s, want, 1e-8)
		}
	}
	mustEvaluate(t, phi, onX, x) // Λ^{1/2}Uᵀ
	for i := range 40 {
		for j, v := range e.Values {
			near(t, "Λ^{1/2}U", onX.At(i, j), math.Sqrt(v)*e.Vectors.At(i, j), 1e-9)
		}
	}
	y := points(5, 2, 2) // reconstruction: exact as soon as one point is in the sample
	for i := range y.Len() {
		fy, py := phi.At(y.At(i)), psi.At(y.At(i))
		for j := range x.Len() {
			fx, px := phi.At(x.At(j)), psi.At(x.At(j))
			features, mercer := 0.0, 0.0
			for a := range fx {
				features += fx[a] * fy[a]
				mercer += mu[a] * px[a] * py[a]
			}
			near(t, "features", features, k.Eval(x.At(j), y.At(i)), 1e-8)
			near(t, "Σ μψψ", mercer, k.Eval(x.At(j), y.At(i)), 1e-8)
		}
	}
	low, err := NewMercer(context.Background(), k, x, 3)
	if err != nil || len(low.Values) != 3 || low.Values[0] < low.Values[1] {
		t.Errorf("rank 3: %v %v", low.Values, err)
	}
	rank2, err := NewMercer[vec](context.Background(), kernel.Linear{}, x, 0)
	if err != nil || len(rank2.Values) != 2 {
		t.Errorf("linear kernel in the plane has %d eigenvalues, %v", len(rank2.Values), err)
	}
	if _, err := NewMercer[vec](context.Background(), kernel.Linear{}, data.Rows(mat.NewDense(3, 2, nil)),
		0); err == nil || !strings.Contains(err.Error(), "no positive eigenvalue") {
		t.Errorf("zero kernel: %v", err)
	}
}

// The few largest pairs are those of the whole decomposition.
func TestMercerOfFewIsThatOfAll(t *testing.T) {
	k := kernel.Kernel[vec](kernel.Matern{Nu: 1.5, Lengthscale: 1})
	x := points(400, 3, 5)
	few, err := NewMercer(context.Background(), k, x, 6)
	if err != nil {
		t.Fatal(err)
	}
	all, err := NewMercer(context.Background(), k, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(few.Values) != 6 || len(all.Values) != 400 {
		t.Fatalf("%d and %d eigenvalues", len(few.Values), len(all.Values))
	}
	for j, v := range few.Values {
		near(t, "eigenvalue", v, all.Values[j], 1e-12)
		dot := 0.0
		for i := range 400 {
			dot += few.Vectors.At(i, j) * all.Vectors.At(i, j)
		}
		near(t, "|⟨u, u⟩|", math.Abs(dot), 1, 1e-8)
	}
}

func TestHermiteSumsToTheKernel(t *testing.T) {
	for _, l := range []float64{0.3, 1, 4} {
		k := kernel.Gaussian{Lengthscale: l}
		h, err := NewHermite(k, []float64{0.5}, []float64{1.2}, 400)
		if err != nil {
			t.Fatal(err)
		}
		a, b := make([]float64, 400), make([]float64, 400)
		for _, x := range []float64{-2, 0, 0.5, 1.7} {
			for _, y := range []float64{-1, 0.5, 3} {
				copy(a, h.At(vec{x}))
				copy(b, h.At(vec{y}))
				s := 0.0
				for i, v := range h.Values() {
					s += v * a[i] * b[i]
				}
				near(t, "Σ λee", s, k.Eval(vec{x}, vec{y}), 1e-12)
			}
		}
		sum := 0.0
		for _, v := range h.Values() {
			sum += v
		}
		near(t, "trace", sum, 1, 1e-12)
	}
}

// The eigenfunctions are orthonormal under the density, and eigen: integrals
// by the trapezoidal rule, which is spectrally accurate here.
func TestHermiteEigenfunctions(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 0.8}
	mean, std := -0.3, 0.7
	const terms = 8
	h, err := NewHermite(k, []float64{mean}, []float64{std}, terms)
	if err != nil {
		t.Fatal(err)
	}
	at, e := make([]float64, terms), make([]float64, terms)
	x := 0.4
	copy(at, h.At(vec{x}))
	inner := mat.NewDense(terms, terms, nil)
	image := make([]float64, terms)
	const step = 0.002
	for y := mean - 10*std; y < mean+10*std; y += step {
		w := step / (std * math.Sqrt(2*math.Pi)) * math.Exp(-(y-mean)*(y-mean)/(2*std*std))
		copy(e, h.At(vec{y}))
		for a := range terms {
			image[a] += w * k.Eval(vec{x}, vec{y}) * e[a]
			for b := range terms {
				inner.Set(a, b, inner.At(a, b)+w*e[a]*e[b])
			}
		}
	}
	for a := range terms {
		near(t, "∫k(x,y)e(y)dμ", image[a], h.Values()[a]*at[a], 1e-10)
		for b := range terms {
			want := 0.0
			if a == b {
				want = 1
			}
			near(t, "orthonormal", inner.At(a, b), want, 1e-10)
		}
	}
}

func TestHermiteInSeveralDimensions(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 1.5}
	h, err := NewHermite(k, []float64{0, 1}, []float64{1, 0.5}, 500)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range h.Values()[1:] {
		if v > h.Values()[i]*(1+1e-12) {
			t.Fatalf("eigenvalue %d is out of order", i+1)
		}
	}
	x := random(6, 2, 3)
	f := mat.NewDense(6, 500, nil)
	if err := h.FeaturesTo(context.Background(), f, data.Rows(x)); err != nil {
		t.Fatal(err)
	}
	var got mat.Dense
	got.Mul(f, f.T())
	for i := range 6 {
		for j := range 6 {
			near(t, "ΦΦᵀ", got.At(i, j), k.Eval(x.RawRowView(i), x.RawRowView(j)), 1e-9)
		}
	}
	// Far out, at high degree, nothing overflows or becomes NaN.
	far, _ := NewHermite(k, []float64{0}, []float64{1}, 3000)
	phi, err := far.Features(context.Background(), data.Slice[vec]{{60}})
	if err != nil {
		t.Fatal(err)
	}
	e := phi.RawRowView(0)
	sum := 0.0
	for i, v := range e {
		if math.IsNaN(v) || math.Abs(v) > 1 {
			t.Fatalf("feature %d at 60 is %g", i, v)
		}
		sum += v * v
	}
	near(t, "‖φ(60)‖²", sum, 1, 1e-9)
	// The norm of k(x, ·) has coefficients λe(x): ‖k(x, ·)‖² = k(x, x) = 1.
	at := make([]float64, 500)
	copy(at, h.At(vec{0.2, 1.1}))
	for i, v := range h.Values() {
		at[i] *= v
	}
	norm, err := h.Norm(at)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "‖k(x, ·)‖", norm, 1, 1e-8)
	for want, bad := range map[string]func() error{
		"standard deviations": func() error { _, err := NewHermite(k, []float64{0}, nil, 3); return err },
		"N(0, -1²)":           func() error { _, err := NewHermite(k, []float64{0}, []float64{-1}, 3); return err },
		"0 terms":             func() error { _, err := NewHermite(k, []float64{0}, []float64{1}, 0); return err },
		"lengthscale": func() error {
			_, err := NewHermite(kernel.Gaussian{Lengthscale: -1}, []float64{0}, []float64{1}, 1)
			return err
		},
		"501 coefficients": func() error { _, err := h.Norm(make([]float64, 501)); return err },
	} {
		if err := bad(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func theta(sigma float64, n int) kernel.Fourier {
	c := make([]float64, n)
	for l := range c {
		c[l] = math.Exp(-sigma*sigma*float64(l*l)/2) / (2 * math.Pi)
	}
	return kernel.Fourier{Coef: c}
}

func TestCircle(t *testing.T) {
	space := theta(0.6, 16)
	f := &Func[vec]{Kernel: space, Centers: data.Slice[vec]{{-2}, {0.3}, {1.9}},
		Coef: mat.NewDense(3, 1, []float64{1, -2, 0.5})}
	c, err := OnCircle(f, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "norm by Fourier coefficients", c.Norm(), f.Norm(), 1e-12)
	g := &Func[vec]{Kernel: space, Centers: data.Slice[vec]{{1}}, Coef: mat.NewDense(1, 1, []float64{1})}
	cg, err := OnCircle(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{-3, -0.4, 1, 2.5} {
		near(t, "f(x)", c.At(x), f.At(vec{x})[0], 1e-12)
	}
	inner, err := c.Inner(cg)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "⟨f, k(1, ·)⟩ = f(1)", inner, c.At(1), 1e-12)
	// Coefficients from samples, with the 1/2π of the Fourier series.
	coef, err := CircleCoefficients(c.At, 15, 64)
	if err != nil {
		t.Fatal(err)
	}
	for l, v := range coef {
		near(t, "real part", real(v), real(c.Coef[l]), 1e-13)
		near(t, "imaginary part", imag(v), imag(c.Coef[l]), 1e-13)
	}
	mean := 0.0 // Parseval: (1/2π)∫f²
	for i := range 1000 {
		v := c.At(2 * math.Pi * float64(i) / 1000)
		mean += v * v / 1000
	}
	near(t, "Parseval", c.L2Norm()*c.L2Norm(), mean, 1e-12)
	// The top hat of the notes: f̂_l = sin(lT)/(lπ), f̂₀ = T/π.
	const T = 1.0
	hat, err := CircleCoefficients(func(x float64) float64 {
		if math.Abs(x) < T {
			return 1
		}
		return 0
	}, 5, 200001)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "top hat, l = 0", real(hat[0]), T/math.Pi, 1e-4)
	for l := 1; l <= 5; l++ {
		near(t, "top hat", real(hat[l]), math.Sin(float64(l)*T)/(float64(l)*math.Pi), 1e-4)
	}
	for want, bad := range map[string]func() error{
		"not in the space": func() error {
			_, err := NewCircleFunc(kernel.Fourier{Coef: []float64{1, 0, 1}}, []complex128{1, 1})
			return err
		},
		"real number":  func() error { _, err := NewCircleFunc(space, []complex128{1i}); return err },
		"more than 20": func() error { _, err := CircleCoefficients(c.At, 10, 20); return err },
		"output 3":     func() error { _, err := OnCircle(f, 3); return err },
		"kernel.Fourier": func() error {
			_, err := OnCircle(&Func[vec]{Kernel: kernel.Gaussian{}, Centers: f.Centers, Coef: f.Coef}, 0)
			return err
		},
	} {
		if err := bad(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
