package project

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// bent is n points of d columns near a curve, with the place of each on it.
func bent(n, d int, noise float64) (y *mat.Dense, at []float64) {
	rng := rand.New(rand.NewPCG(4, 4))
	y, at = mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		at[i] = 4 * rng.Float64()
		for j := range d {
			y.Set(i, j, 10*math.Sin(at[i]+float64(j))+noise*rng.NormFloat64())
		}
	}
	return y, at
}

// The derivatives are those of finite differences.
func TestGPLVMGradient(t *testing.T) {
	y, _ := bent(9, 4, 1)
	for _, k := range []kernel.Kernel[kernel.Vec]{nil, kernel.Matern{Nu: 2.5, Lengthscale: 0.7},
		kernel.Sum[kernel.Vec](kernel.Linear{}, kernel.Gaussian{Lengthscale: 0.4})} {
		p, err := GPLVM{Kernel: k}.problem(t.Context(), data.Rows(y))
		if err != nil {
			t.Fatal(err)
		}
		u := p.start()
		grad, none := make([]float64, len(u)), make([]float64, len(u))
		p.Eval(u, grad)
		for i := range u {
			const h = 1e-5
			old := u[i]
			u[i] = old + h
			up := p.Eval(u, none)
			u[i] = old - h
			down := p.Eval(u, none)
			u[i] = old
			if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%T, coordinate %d: %g, by differences %g", k, i, grad[i], want)
			}
		}
	}
}

// With a linear kernel and X ~ N(0, I) beforehand the maximum is known. With λᵢ the eigenvalues of
// YYᵀ/D, XXᵀ has the first eigenvectors and the values tᵢ - s, where tᵢ² + D·tᵢ = D·λᵢ; and the
// noise has (n-q)·D/s - D·Σλⱼ/s² = q over the others.
func TestGPLVMOfALinearKernel(t *testing.T) {
	const n, d, q = 12, 5, 2
	rng := rand.New(rand.NewPCG(8, 1))
	y := mat.NewDense(n, d, nil)
	for i := range n {
		a, b := 3*rng.NormFloat64(), 2*rng.NormFloat64()
		for j := range d {
			y.Set(i, j, a*float64(j-2)+b*float64(j*j-3)+0.4*rng.NormFloat64())
		}
	}
	m, err := GPLVM{Kernel: kernel.Linear{}, Components: q, Tolerance: 1e-9}.Fit(t.Context(), data.Rows(y))
	if err != nil || !m.Report().Converged {
		t.Fatal(err, m.Report())
	}
	var s mat.SymDense
	s.SymOuterK(1.0/d, linalg.Dense(m.y))
	var e mat.EigenSym
	if !e.Factorize(&s, true) {
		t.Fatal("no decomposition")
	}
	values := e.Values(nil)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	rest := 0.0
	for _, v := range values[:n-q] {
		rest += v
	}
	// q·s² - (n-q)·D·s + D·rest = 0, with q = -(what the active directions give): (n-q)D/s -
	// D·rest/s² - q = 0.
	b := float64((n - q) * d)
	noise := (b - math.Sqrt(b*b-4*q*d*rest)) / (2 * q)
	if math.Abs(m.noise-noise) > 1e-6*noise {
		t.Errorf("noise %.10g, want %.10g", m.noise, noise)
	}
	var got mat.Dense
	got.Mul(m.Latent(), m.Latent().T())
	for i := range n {
		for j := range n {
			want := 0.0
			for c := n - q; c < n; c++ {
				size := (-d + math.Sqrt(d*d+4*d*values[c])) / 2
				want += (size - noise) * vectors.At(i, c) * vectors.At(j, c)
			}
			if math.Abs(got.At(i, j)-want) > 1e-4 {
				t.Fatalf("⟨x%d, x%d⟩ is %.8g, want %.8g", i, j, got.At(i, j), want)
			}
		}
	}
}

// Points of a curve become a line in its order; what is known is found again, and new points come
// where they belong.
func TestGPLVMUnrollsACurve(t *testing.T) {
	y, at := bent(50, 6, 1)
	known := data.Rows(y)
	m, err := GPLVM{Components: 1}.Fit(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report(); !r.Converged || len(r.Warnings) > 0 || r.Iterations == 0 {
		t.Errorf("%+v", r)
	}
	if m.Noise() < 0.7 || m.Noise() > 1.3 {
		t.Errorf("noise %g, want about 1", m.Noise())
	}
	latent := m.Latent()
	inversions := 0
	for i := range at {
		for j := range i {
			if (at[i] < at[j]) != (latent.At(i, 0) < latent.At(j, 0)) {
				inversions++
			}
		}
	}
	if most := len(at) * (len(at) - 1) / 2 / 50; min(inversions, len(at)*(len(at)-1)/2-inversions) > most {
		t.Errorf("%d pairs out of order", inversions)
	}
	mean, std, err := m.Reconstruct(t.Context(), data.Rows(latent))
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Transform(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	for i := range at {
		if std[i] < 0.5*m.Noise() || std[i] > 3*m.Noise() || math.Abs(mean.At(i, 0)-y.At(i, 0)) > 4 {
			t.Errorf("row %d: %g ± %g, the point has %g", i, mean.At(i, 0), std[i], y.At(i, 0))
		}
		if math.Abs(again.At(i, 0)-latent.At(i, 0)) > 0.3 {
			t.Errorf("row %d is at %g, and found at %g", i, latent.At(i, 0), again.At(i, 0))
		}
	}
	fresh := mat.NewDense(1, 6, nil)
	for j := range 6 {
		fresh.Set(0, j, 10*math.Sin(2+float64(j)))
	}
	x, err := m.Transform(t.Context(), data.Rows(fresh))
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := m.Reconstruct(t.Context(), data.Rows(x))
	if err != nil || math.Abs(back.At(0, 3)-fresh.At(0, 3)) > 1.5 {
		t.Errorf("a new point: %g, comes back as %g: %v", fresh.At(0, 3), back.At(0, 3), err)
	}
}

// The derivatives of the search for a new point are those of finite differences.
func TestGPLVMTransformGradient(t *testing.T) {
	y, _ := bent(12, 4, 1)
	m, err := GPLVM{Iterations: 5}.Fit(t.Context(), data.Rows(y))
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report(); r.Converged || len(r.Warnings) != 1 {
		t.Errorf("after five iterations: %+v", r)
	}
	s := m.seen()
	copy(s.y, []float64{0.3, -1, 0.2, 0.5})
	x, grad, none := []float64{0.4, -0.2}, make([]float64, 2), make([]float64, 2)
	s.Eval(x, grad)
	for i := range x {
		const h = 1e-6
		up, down := append([]float64(nil), x...), append([]float64(nil), x...)
		up[i] += h
		down[i] -= h
		if want := (s.Eval(up, none) - s.Eval(down, none)) / (2 * h); math.Abs(grad[i]-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("coordinate %d: %g, by differences %g", i, grad[i], want)
		}
	}
}

func TestGPLVMBitsAndUnits(t *testing.T) {
	y, _ := bent(40, 5, 0.5)
	far := mat.DenseCopyOf(y)
	far.Apply(func(_, _ int, v float64) float64 { return 1e6 + v }, far)
	one, err := GPLVM{Threads: 1, Iterations: 30}.Fit(t.Context(), data.Rows(y))
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 7} {
		m, err := GPLVM{Threads: threads, Iterations: 30}.Fit(t.Context(), data.Rows(y))
		if err != nil || !mat.Equal(m.Latent(), one.Latent()) {
			t.Errorf("%d threads: other bits, %v", threads, err)
		}
	}
	m, err := GPLVM{Iterations: 30}.Fit(t.Context(), data.Rows(far))
	if err != nil || !mat.EqualApprox(m.Latent(), one.Latent(), 1e-3) {
		t.Errorf("far from the origin: other points, %v", err)
	}
	if a, b := m.Report().LogDensity, one.Report().LogDensity; math.Abs(a-b) > 1e-3 {
		t.Errorf("log densities %g and %g", a, b)
	}
}

func TestGPLVMRefuses(t *testing.T) {
	y, _ := bent(6, 3, 1)
	bad := mat.DenseCopyOf(y)
	bad.Set(4, 1, math.NaN())
	same := mat.NewDense(5, 2, nil)
	for name, c := range map[string]struct {
		g    GPLVM
		y    data.Points[kernel.Vec]
		says string
	}{
		"nil":        {GPLVM{}, nil, "nil"},
		"two points": {GPLVM{}, data.Rows(y.Slice(0, 2, 0, 3)), "2 points"},
		"NaN":        {GPLVM{}, data.Rows(bad), "4"},
		"same":       {GPLVM{}, data.Rows(same), "the same"},
		"many":       {GPLVM{Components: 6}, data.Rows(y), "6 latent"},
		"noise":      {GPLVM{Noise: -1}, data.Rows(y), "noise"},
		"tolerance":  {GPLVM{Tolerance: math.NaN()}, data.Rows(y), "tolerance"},
		"start":      {GPLVM{Start: mat.NewDense(6, 3, nil)}, data.Rows(y), "6×2"},
		"memory":     {GPLVM{Bytes: 100}, data.Rows(y), "bytes"},
		"domain":     {GPLVM{Kernel: kernel.Intersection{}}, data.Rows(y), "negative"},
	} {
		if _, err := c.g.Fit(t.Context(), c.y); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (GPLVM{}).Fit(ctx, data.Rows(y)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	m, err := GPLVM{Components: 4, Iterations: 3}.Fit(t.Context(), data.Rows(y)) // more coordinates than columns
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Transform(t.Context(), data.Rows(mat.NewDense(1, 2, nil))); err == nil {
		t.Error("a point of two columns was taken")
	}
	if _, _, err := m.Reconstruct(t.Context(), data.Rows(mat.NewDense(1, 2, nil))); err == nil {
		t.Error("a latent point of two coordinates was taken")
	}
}
