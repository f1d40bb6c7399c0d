package sparse

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// evidenceOf is the log evidence from the n×n covariance C = σ²I + ΦA⁻¹Φᵀ.
func evidenceOf(phi linalg.Matrix[float64], alpha, y []float64, noise float64) float64 {
	n := len(y)
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s := 0.0
			for a := range phi.Rows {
				s += phi.At(a, i) * phi.At(a, j) / alpha[a]
			}
			if i == j {
				s += noise
			}
			c.SetSym(i, j, s)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return math.NaN()
	}
	v := mat.NewVecDense(n, nil)
	if chol.SolveVecTo(v, mat.NewVecDense(n, slices.Clone(y))) != nil {
		return math.NaN()
	}
	return -(float64(n)*math.Log(2*math.Pi) + chol.LogDet() + mat.Dot(v, mat.NewVecDense(n, y))) / 2
}

// rvmPhi is the basis functions a model kept, by the double loop.
func rvmPhi(k kernel.Kernel[kernel.Vec], x *mat.Dense, p rvmPosterior) linalg.Matrix[float64] {
	n, _ := x.Dims()
	phi := linalg.New[float64](len(p.mu), n)
	for a := range phi.Rows {
		for i := range n {
			phi.Set(a, i, 1)
			if a < len(p.index) {
				phi.Set(a, i, k.Eval(x.RawRowView(p.index[a]), x.RawRowView(i)))
			}
		}
	}
	return phi
}

// The evidence of weighted rows is that of targets with noise σ²/w, by the n×n determinant: the
// whitened targets √w·t have a density that is ∏√w times as small.
func TestWeightedEvidence(t *testing.T) {
	x, y := learntest.NoisySinc(40, 10, 0.1, 1)
	k := kernel.Gaussian{Lengthscale: 1.6}
	weights := make([]float64, len(y))
	half := 0.0
	for i := range weights {
		weights[i] = 0.25 + float64(i%5)
		half += math.Log(weights[i]) / 2
	}
	m, err := RVM[kernel.Vec]{Kernel: k, Tol: 1e-9, Weights: weights}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	phi := rvmPhi(k, x, m.of.posterior)
	scaled := slices.Clone(y)
	for i, w := range weights {
		s := math.Sqrt(w)
		scaled[i] *= s
		for a := range phi.Rows {
			phi.Set(a, i, s*phi.At(a, i))
		}
	}
	if want := evidenceOf(phi, m.Precisions(), scaled, m.Noise()) + half; math.Abs(want-m.LogEvidence()) > 1e-6 {
		t.Errorf("log evidence %g, from the determinant %g", m.LogEvidence(), want)
	}
}

// TestRVMIsAMaximumOfTheEvidence holds the evidence against the n×n determinant,
// and checks that no single α, in the model or not, and no change of noise raises it.
func TestRVMIsAMaximumOfTheEvidence(t *testing.T) {
	x, y := learntest.NoisySinc(80, 10, 0.1, 1)
	k := kernel.Gaussian{Lengthscale: 1.6}
	m, err := RVM[kernel.Vec]{Kernel: k, Tol: 1e-9}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Report().Converged {
		t.Fatal(m.Report())
	}
	phi := rvmPhi(k, x, m.of.posterior)
	alpha := m.Precisions()
	at := evidenceOf(phi, alpha, y, m.Noise())
	if d := math.Abs(at - m.LogEvidence()); d > 1e-6 {
		t.Errorf("log evidence %g, from the determinant %g", m.LogEvidence(), at)
	}
	for a := range alpha {
		for _, f := range []float64{0.7, 0.95, 1.05, 1.5, 1e6} {
			other := slices.Clone(alpha)
			other[a] *= f
			if e := evidenceOf(phi, other, y, m.Noise()); e > at+1e-6 {
				t.Errorf("α %d times %g has log evidence %g > %g", a, f, e, at)
			}
		}
	}
	for _, f := range []float64{0.9, 0.99, 1.01, 1.1} {
		if e := evidenceOf(phi, alpha, y, f*m.Noise()); e > at+1e-6 {
			t.Errorf("noise times %g has log evidence %g > %g", f, e, at)
		}
	}
	for j := range y {
		if slices.Contains(m.Support(), j) {
			continue
		}
		more := linalg.New[float64](phi.Rows+1, phi.Cols)
		more.Slice(0, phi.Rows, 0, phi.Cols).CopyFrom(phi)
		for i := range y {
			more.Set(phi.Rows, i, k.Eval(x.RawRowView(j), x.RawRowView(i)))
		}
		for _, a := range []float64{0.1, 10, 1e3} {
			if e := evidenceOf(more, append(slices.Clone(alpha), a), y, m.Noise()); e > at+1e-6 {
				t.Errorf("adding point %d with α = %g has log evidence %g > %g", j, a, e, at)
			}
		}
	}
	if n := len(m.Support()); n < 3 || n > 15 {
		t.Errorf("%d relevance vectors of 80, want few", n)
	}
	if s := math.Sqrt(m.Noise()); s < 0.07 || s > 0.13 {
		t.Errorf("noise deviation %g, want near 0.1", s)
	}
}

// TestRVMFastUpdatesAgreeWithRefresh follows the climb and recomputes everything
// from α after each change.
func TestRVMFastUpdatesAgreeWithRefresh(t *testing.T) {
	x, y := learntest.NoisySinc(60, 10, 0.2, 2)
	basis := linalg.New[float64](60, 60)
	for i := range 60 {
		for j := range 60 {
			basis.Set(i, j, kernel.Gaussian{Lengthscale: 1}.Eval(x.RawRowView(i), x.RawRowView(j)))
		}
	}
	g := newGaussianRelevance(1, basis, y, 25)
	if err := g.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	seen := map[relevanceMove]int{}
	for step := range 200 {
		move, m, alpha, gain := g.best()
		if m < 0 || gain < 1e-10 {
			break
		}
		if step%7 == 6 && len(g.active) > 3 { // a bad move is a move, too
			move, m, alpha = deleteBasis, g.active[1], math.Inf(1)
			a := g.alpha[1]
			gain = (g.q[m]*g.q[m]/(g.s[m]-a) - math.Log(1-g.s[m]/a)) / 2
		}
		seen[move]++
		g.apply(move, m, alpha, gain)
		log, mu, s, q := g.log, slices.Clone(g.mu), slices.Clone(g.s), slices.Clone(g.q)
		sigma := g.sigma.Clone()
		if err := g.refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range g.active {
			for j := range g.active {
				if math.Abs(sigma.At(i, j)-g.sigma.At(i, j)) > 1e-7 {
					t.Fatalf("step %d: Σ(%d, %d) = %g, want %g", step, i, j, sigma.At(i, j), g.sigma.At(i, j))
				}
			}
		}
		for i := range s {
			if math.Abs(s[i]-g.s[i]) > 1e-7*(1+g.s[i]) || math.Abs(q[i]-g.q[i]) > 1e-7*(1+math.Abs(g.q[i])) {
				t.Fatalf("step %d, move %d: S, Q of %d are %g, %g, want %g, %g", step, move, i, s[i], q[i], g.s[i], g.q[i])
			}
		}
		if math.Abs(log-g.log) > 1e-8*math.Abs(g.log) || len(mu) != len(g.mu) {
			t.Fatalf("step %d: log evidence %g, want %g", step, log, g.log)
		}
	}
	if seen[addBasis] == 0 || seen[reestimateBasis] == 0 || seen[deleteBasis] == 0 {
		t.Errorf("moves made: %v, want all three", seen)
	}
}

func TestRVMVarianceAndWeights(t *testing.T) {
	x, y := learntest.NoisySinc(50, 8, 0.1, 3)
	k := kernel.Gaussian{Lengthscale: 1.5}
	m, err := RVM[kernel.Vec]{Kernel: k}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	v := modeltest.Variance(t, m, data.Rows(x))
	cov, phi := m.Covariance(), rvmPhi(k, x, m.of.posterior)
	for i := range y {
		want := m.Noise()
		for a := range phi.Rows {
			for b := range phi.Rows {
				want += phi.At(a, i) * phi.At(b, i) * cov.At(a, b)
			}
		}
		if math.Abs(v[i]-want) > 1e-12 {
			t.Fatalf("variance at %d is %g, want %g", i, v[i], want)
		}
	}
	// A point of weight 2 is the point twice.
	twice, weights := slices.Clone(y), make([]float64, len(y))
	rows := mat.DenseCopyOf(x)
	for i := range weights {
		weights[i] = 1
		if i%3 == 0 {
			weights[i] = 2
			twice = append(twice, y[i])
			rows = mat.DenseCopyOf(rows.Grow(1, 0))
			rows.SetRow(len(twice)-1, x.RawRowView(i))
		}
	}
	a, err := RVM[kernel.Vec]{Kernel: k, Weights: weights, Noise: 0.01}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	b, err := RVM[kernel.Vec]{Kernel: k, Noise: 0.01}.Fit(context.Background(), data.Rows(rows), twice)
	if err != nil {
		t.Fatal(err)
	}
	pa, pb := modeltest.Predict(t, a, data.Rows(x)), modeltest.Predict(t, b, data.Rows(x))
	for i := range pa {
		if math.Abs(pa[i]-pb[i]) > 1e-3 {
			t.Fatalf("weight 2 predicts %g at %d, the point twice %g", pa[i], i, pb[i])
		}
	}
}

// TestRVMClassifierStationary: at the end the mode is a mode (zero gradient of
// the penalised likelihood) and each α is the fixed point (1 - αΣ)/μ².
func TestRVMClassifierStationary(t *testing.T) {
	x, y := learntest.Blobs(200, 2, 2, 1, 4)
	k := kernel.Gaussian{Lengthscale: 1.5}
	m, err := RVMClassification[kernel.Vec, int]{Kernel: k, Tol: 1e-7}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Report().Converged {
		t.Fatal(m.Report())
	}
	f := modeltest.Decision(t, m, data.Rows(x))
	p := m.of.posterior[0]
	phi := rvmPhi(k, x, p)
	for a := range p.mu {
		grad := -p.alpha[a] * p.mu[a]
		for i := range y {
			grad += phi.At(a, i) * (float64(y[i]) - sigmoid.Of(f.At(i, 0)))
		}
		if math.Abs(grad) > 1e-6 {
			t.Errorf("gradient of weight %d is %g", a, grad)
		}
		if want := (1 - p.alpha[a]*p.sigma.At(a, a)) / (p.mu[a] * p.mu[a]); math.Abs(math.Log(want/p.alpha[a])) > 0.02 {
			t.Errorf("α %d is %g, the fixed point is at %g", a, p.alpha[a], want)
		}
	}
	wrong := 0
	for i, v := range modeltest.Predict(t, m, data.Rows(x)) {
		if v != y[i] {
			wrong++
		}
	}
	if wrong > 30 || len(m.Support()) > 20 || len(m.Support()) == 0 {
		t.Errorf("%d of 200 wrong with %d relevance vectors", wrong, len(m.Support()))
	}
	proba := modeltest.Proba(t, m, data.Rows(x))
	for i := range y {
		if s := proba.At(i, 0) + proba.At(i, 1); math.Abs(s-1) > 1e-12 {
			t.Fatalf("probabilities of %d sum to %g", i, s)
		}
		if (proba.At(i, 1) > 0.5) != (f.At(i, 0) > 0) {
			t.Fatalf("point %d: probability %g but decision %g", i, proba.At(i, 1), f.At(i, 0))
		}
	}
}
