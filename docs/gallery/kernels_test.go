package gallery

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/smooth"
	"gonum.org/v1/gonum/mat"
)

// near fails where two numbers differ by more than tol.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12g, want %.12g ± %g", what, got, want, tol)
	}
}

func TestTopHat(t *testing.T) {
	hat := func(x float64) float64 {
		if math.Abs(x) < math.Pi/2 {
			return 1
		}
		return 0
	}
	coef, err := rkhs.CircleCoefficients(hat, 10, 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "f̂₀", real(coef[0]), 0.5, 1e-3)
	for l := 1; l <= 10; l++ {
		near(t, "f̂", real(coef[l]), math.Sin(float64(l)*math.Pi/2)/(float64(l)*math.Pi), 1e-3)
	}
}

// What 21 terms of the theta kernel leave out is the sum of the rest, at 0.
func TestTheta(t *testing.T) {
	const sigma = 0.4
	term := func(l int) float64 { return math.Exp(-sigma*sigma*float64(l*l)/2) / (2 * math.Pi) }
	for _, x := range []float64{0, 0.3, 1, 2.5, math.Pi} {
		sum, rest := term(0), 0.0
		for l := 1; l <= 10; l++ {
			sum += 2 * term(l) * math.Cos(float64(l)*x)
		}
		for l := 11; l <= 40; l++ {
			rest += 2 * term(l) * math.Cos(float64(l)*x)
		}
		k := kernel.Theta{Sigma: sigma}.Eval(kernel.Vec{x}, kernel.Vec{0})
		near(t, "the whole sum", sum+rest, k, 1e-14)
		if x == 0 && !(rest > 1e-5 && rest < 3e-5) {
			t.Errorf("21 terms leave out %g", rest)
		}
	}
}

// On the circle ⟨x, y⟩ = cos t and ‖x − y‖² = 2 − 2cos t, so that the eigenvalues are the Fourier
// coefficients of functions of cos t.
func TestDecay(t *testing.T) {
	var circle data.Slice[kernel.Vec]
	for i := range 64 {
		s, c := math.Sincos(2 * math.Pi * float64(i) / 64)
		circle = append(circle, kernel.Vec{c, s})
	}
	spectrum := func(k kernel.Kernel[kernel.Vec]) []float64 {
		m, err := rkhs.NewMercer(t.Context(), k, circle, 17)
		if err != nil {
			t.Fatal(err)
		}
		return m.Eigenvalues()
	}
	const sigma, degree = 0.6, 5
	gauss := spectrum(kernel.Gaussian{Lengthscale: sigma})
	for l := range 9 {
		want := math.Exp(-1/(sigma*sigma)) * bessel(l, 1/(sigma*sigma))
		for i := max(0, 2*l-1); i <= 2*l; i++ { // cos and sin
			near(t, "a Gaussian eigenvalue", gauss[i], want, 1e-12)
		}
	}
	poly := spectrum(kernel.Polynomial{Degree: degree, Gamma: 1, Offset: 1})
	if len(poly) != 2*degree+1 {
		t.Errorf("(1 + ⟨x, y⟩)^%d has %d eigenvalues, want %d", degree, len(poly), 2*degree+1)
	}
	for i, v := range poly {
		l := (i + 1) / 2
		near(t, "a polynomial eigenvalue", v, choose(2*degree, degree+l)/32, 1e-12)
	}
}

// bessel is the modified Bessel function I_l(x) by its series.
func bessel(l int, x float64) float64 {
	term := 1.0
	for j := 1; j <= l; j++ {
		term *= x / 2 / float64(j)
	}
	sum := 0.0
	for m := 1; m < 60; m++ {
		sum += term
		term *= x * x / 4 / float64(m) / float64(m+l)
	}
	return sum
}

func choose(n, k int) float64 {
	c := 1.0
	for j := 1; j <= k; j++ {
		c *= float64(n-k+j) / float64(j)
	}
	return c
}

func TestEigenfunctions(t *testing.T) {
	h, err := rkhs.NewHermite(kernel.Gaussian{Lengthscale: 1}, []float64{0}, []float64{1}, 3)
	if err != nil {
		t.Fatal(err)
	}
	golden := (1 + math.Sqrt(5)) / 2
	for i, v := range h.Values() {
		near(t, "an eigenvalue", v, math.Pow(golden, -float64(2*i+1)), 1e-14)
		zeros, last := 0, h.At(kernel.Vec{-8})[i]
		for x := -8.0; x < 8; x += 0.01 {
			if e := h.At(kernel.Vec{x})[i]; e*last < 0 {
				zeros, last = zeros+1, e
			}
		}
		if zeros != i {
			t.Errorf("eigenfunction %d has %d zeros", i, zeros)
		}
	}
}

func TestBumps(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 0.8}
	centres, alpha := []float64{-4, -2.5, -1, 0.5, 2, 4}, []float64{0.5, 0.9, -0.6, 1, -0.4, 0.6}
	f, err := rkhs.New(k, data.Line(centres), mat.NewDense(6, 1, alpha), nil)
	if err != nil {
		t.Fatal(err)
	}
	square := 0.0
	for i, a := range alpha {
		for j, b := range alpha {
			square += a * b * k.Eval(kernel.Vec{centres[i]}, kernel.Vec{centres[j]})
		}
	}
	near(t, "‖f‖²", f.Norm()*f.Norm(), square, 1e-12)
	for x := -7.0; x <= 7; x += 0.1 {
		if v := f.At(kernel.Vec{x})[0]; math.Abs(v) > f.Norm() {
			t.Errorf("f(%g) = %g, beyond the norm", x, v)
		}
	}
}

// Example 5.10: the Laplacian of two segments has the eigenvalues of both paths.
func TestSegments(t *testing.T) {
	g := graph.Graph{Nodes: 18}
	for i := range int32(17) {
		if i != 10 {
			g.Edges = append(g.Edges, [2]int32{i, i + 1})
		}
	}
	l, err := graph.NewLaplacian(g)
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := l.Eigen()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{11, 7} {
		for k := range n {
			want, least := 2-2*math.Cos(math.Pi*float64(k)/float64(n)), math.Inf(1)
			for _, v := range values {
				least = min(least, math.Abs(v-want))
			}
			near(t, "the distance of a path's eigenvalue to the nearest", least, 0, 1e-12)
		}
	}
	component, count := l.Components()
	zeros := 0
	for _, v := range values {
		if v < 1e-12 {
			zeros++
		}
	}
	if count != 2 || zeros != 2 || component[10] == component[11] || component[0] != component[10] {
		t.Errorf("%d components, eigenvalue 0 %d times, nodes %v", count, zeros, component)
	}
}

// A smoothing kernel is a density around 0, and a Parzen estimate the mean of one at each
// observation.
func TestSmoothingAndParzen(t *testing.T) {
	sample := []float64{-2.1, -1.3, -0.4, 1.9, 5.1, 6.2}
	for _, s := range []density.Smoother{density.Gaussian, density.Epanechnikov, density.TriCube, density.Boxcar} {
		const n, wide = 40_000, 10.0
		var mass, mean, square float64
		for i := range n {
			u := wide * (2*(float64(i)+0.5)/n - 1)
			v := s.Eval(u) * 2 * wide / n
			mass, mean, square = mass+v, mean+u*v, square+u*u*v
		}
		near(t, s.String()+": mass", mass, 1, 1e-6)
		near(t, s.String()+": mean", mean, 0, 1e-12)
		if !(square > 0.1) {
			t.Errorf("%v: variance %g", s, square)
		}
		m, err := density.KDE{Smoother: s, Bandwidth: 2}.Fit(t.Context(), data.Line(sample))
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Density(t.Context(), data.Line([]float64{0.7}))
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for _, x := range sample {
			want += s.Eval((0.7-x)/2) / 2 / 6
		}
		near(t, s.String()+": Parzen", p[0], want, 1e-15)
	}
	near(t, "tri-cube at 0", density.TriCube.Eval(0), 70.0/81, 1e-15)
}

// The weights of Nadaraya and Watson add up to one, and the curve is the mean of the conditional
// density.
func TestNadarayaWatson(t *testing.T) {
	d, err := data.Builtin("mcycle", 1)
	if err != nil {
		t.Fatal(err)
	}
	x, y := data.Line(d.Columns[0].Numbers), d.Columns[1].Numbers
	m, err := smooth.NadarayaWatson{Bandwidth: 1.4, TargetBandwidth: 9}.Fit(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	at := data.Line([]float64{10, 20, 32})
	c, err := m.Conditional(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := m.Predict(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c {
		total := 0.0
		for _, w := range c[i].Shares {
			total += w
		}
		near(t, "the sum of weights", total, 1, 1e-12)
		near(t, "the mean of p(t|x)", c[i].Mean(), curve[i], 1e-10)
	}
	if before, after := c[0].Variance(), c[2].Variance(); after < 2*before {
		t.Errorf("variance %g before the impact, %g after it", before, after)
	}
}
