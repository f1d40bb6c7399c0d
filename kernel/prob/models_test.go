package prob_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// slopes is the gradient of f at theta by differences of fourth order.
func slopes(f func(theta []float64) float64, theta []float64) []float64 {
	out := make([]float64, len(theta))
	const h = 1e-3
	for i := range theta {
		at := func(step float64) float64 {
			moved := slices.Clone(theta)
			moved[i] += step
			return f(moved)
		}
		out[i] = (at(-2*h) - 8*at(-h) + 8*at(h) - at(2*h)) / (12 * h)
	}
	return out
}

func equalVec(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func softmax(v []float64) []float64 {
	out, sum := make([]float64, len(v)), 0.0
	for i, x := range v {
		out[i] = math.Exp(x)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func logs(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = math.Log(v)
	}
	return out
}

// packed is the mean and the lower half of the covariance; unpacked is back.
func packed(n prob.Normal) []float64 {
	out := slices.Clone(n.Mean)
	for i := range n.Mean {
		for j := range i + 1 {
			out = append(out, n.Cov.At(i, j))
		}
	}
	return out
}

func unpacked(theta []float64, d int) prob.Normal {
	n := prob.Normal{Mean: slices.Clone(theta[:d]), Cov: mat.NewSymDense(d, nil)}
	at := d
	for i := range d {
		for j := range i + 1 {
			n.Cov.SetSym(i, j, theta[at])
			at++
		}
	}
	return n
}

func TestNormalAndMixtureScoresByDifferences(t *testing.T) {
	parts := normals2(2)
	mix := prob.Mixture{Weights: []float64{0.3, 0.7}, Parts: parts}
	for _, x := range []kernel.Vec{{0.3, -1}, {2, 1}, {-0.5, 0.2}} {
		want := slopes(func(theta []float64) float64 { return unpacked(theta, 2).LogDensity(x) }, packed(parts[0]))
		equalVec(t, "normal", prob.NormalModel{Normal: parts[0], FreeCovariance: true}.Score(x), want, 1e-8)
		equalVec(t, "mean", prob.NormalModel{Normal: parts[0]}.Score(x), want[:2], 1e-8)
		theta := append(logs(mix.Weights), append(packed(parts[0]), packed(parts[1])...)...)
		want = slopes(func(theta []float64) float64 {
			return prob.Mixture{Weights: softmax(theta[:2]), Parts: []prob.Normal{unpacked(theta[2:7], 2),
				unpacked(theta[7:], 2)}}.LogDensity(x)
		}, theta)
		equalVec(t, "mixture", prob.MixtureModel{Mixture: mix, FreeCovariance: true}.Score(x), want, 1e-8)
		equalVec(t, "means of the mixture", prob.MixtureModel{Mixture: mix}.Score(x),
			[]float64{want[0], want[1], want[2], want[3], want[7], want[8]}, 1e-8)
	}
}

func TestCountScoresByDifferences(t *testing.T) {
	p, alpha := []float64{0.2, 0.5, 0.3}, []float64{0.4, 1.5, 0.05}
	for _, x := range []kernel.Vec{{1, 0, 2}, {0, 0, 0}, {5, 3, 0}} {
		equalVec(t, "multinomial", prob.Multinomial{P: p}.Score(x), slopes(func(theta []float64) float64 {
			return kernel.Inner.Between(x, logs(softmax(theta)))
		}, logs(p)), 1e-8)
		equalVec(t, "dirichlet-multinomial", prob.DirichletMultinomial{Alpha: alpha}.Score(x),
			slopes(func(theta []float64) float64 {
				return prob.DirichletMultinomial{Alpha: theta}.LogJoint(x, kernel.Vec{0, 0, 0})
			}, alpha), 1e-5) // differences at α = 0.05 have lost some digits
	}
}

// chain is a chain of order 2 on two symbols, visits left to whoever needs them.
var chain = prob.MarkovChain{Order: 2, Symbols: 2, P: []float64{0.3, 0.7, 0.5, 0.5, 0.9, 0.1, 0.2, 0.8},
	Visits: []float64{1, 1, 1, 1}}

func chainLog(p []float64, x []int) float64 {
	l := 0.0
	for t := 2; t < len(x); t++ {
		l += math.Log(p[(2*x[t-2]+x[t-1])*2+x[t]])
	}
	return l
}

func TestMarkovScoresByDifferences(t *testing.T) {
	for _, x := range [][]int{{0, 1, 1, 0, 1, 0, 0, 1}, {0, 1}, {}, {1, 1, 1, 1, 1}} {
		want := slopes(func(theta []float64) float64 {
			var p []float64
			for v := range 4 {
				p = append(p, softmax(theta[2*v:2*v+2])...)
			}
			return chainLog(p, x)
		}, logs(chain.P))
		equalVec(t, "markov chain", chain.Score(x), want, 1e-8)
		equalVec(t, "free", chain.FreeScore(x), slopes(func(p []float64) float64 { return chainLog(p, x) }, chain.P), 1e-7)
	}
}

// words lists all sequences of n symbols.
func words(n, symbols int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, w := range words(n-1, symbols) {
		for a := range symbols {
			out = append(out, append(slices.Clone(w), a))
		}
	}
	return out
}

// information is E[g gᵀ] over listed points, and the kernel gᵀF⁺g by its eigenvalues.
func information[T any](m prob.Model[T], x []T, p func(x T) float64) func(a, b T) float64 {
	n := len(m.Score(x[0]))
	f := mat.NewSymDense(n, nil)
	for _, a := range x {
		f.SymRankOne(f, p(a), mat.NewVecDense(n, m.Score(a)))
	}
	var e mat.EigenSym
	e.Factorize(f, true)
	var v mat.Dense
	e.VectorsTo(&v)
	return func(a, b T) float64 {
		s := 0.0
		for c, l := range e.Values(nil) {
			if l > 1e-9 {
				col := v.ColView(c)
				s += mat.Dot(col, mat.NewVecDense(n, m.Score(a))) * mat.Dot(col, mat.NewVecDense(n, m.Score(b))) / l
			}
		}
		return s
	}
}

// The closed forms of the information matrix are the expectations, over all outcomes one by one.
func TestExactInformationByAllOutcomes(t *testing.T) {
	m := prob.Multinomial{P: []float64{0.2, 0.5, 0.3}, Length: 3}
	var docs data.Slice[kernel.Vec]
	for _, w := range words(3, 3) {
		x := make(kernel.Vec, 3)
		for _, a := range w {
			x[a]++
		}
		docs = append(docs, x) // as often as there are orders of its words
	}
	k, err := prob.FisherExact[kernel.Vec](m)
	if err != nil {
		t.Fatal(err)
	}
	want := information[kernel.Vec](m, docs, func(x kernel.Vec) float64 {
		return math.Pow(0.2, x[0]) * math.Pow(0.5, x[1]) * math.Pow(0.3, x[2])
	})
	against(t, kernel.Kernel[kernel.Vec](k), docs, 1e-10, want)

	all := words(6, 2)
	c := chain
	c.Visits = make([]float64, 4)
	likely := func(x []int) float64 { return math.Exp(chainLog(c.P, x)) / 4 } // the first two are uniform
	for _, x := range all {
		for i := 2; i < len(x); i++ {
			c.Visits[2*x[i-2]+x[i-1]] += likely(x)
		}
	}
	kc, err := prob.FisherExact[[]int](c)
	if err != nil {
		t.Fatal(err)
	}
	against(t, kernel.Kernel[[]int](kc), data.Slice[[]int](all[:20]), 1e-10, information[[]int](c, all, likely))
}

// For the normal distribution, the whitened scores have unit covariance: an integral over the
// plane.
func TestExactInformationOfTheNormal(t *testing.T) {
	m := prob.NormalModel{Normal: normals2(1)[0], FreeCovariance: true}
	k, err := prob.FisherExact[kernel.Vec](m)
	if err != nil {
		t.Fatal(err)
	}
	var second [5][5]float64
	for i := -56; i <= 56; i++ {
		for j := -56; j <= 56; j++ {
			x := kernel.Vec{float64(i) / 4, float64(j) / 4}
			p := math.Exp(m.LogDensity(x)) / 16
			phi := k.Features(x)
			for a := range 5 {
				for b := range 5 {
					second[a][b] += p * phi[a] * phi[b]
				}
			}
		}
	}
	for a := range 5 {
		for b := range 5 {
			want := 0.0
			if a == b {
				want = 1
			}
			if math.Abs(second[a][b]-want) > 1e-6 {
				t.Errorf("E[φ%d φ%d] = %v, want %v", a, b, second[a][b], want)
			}
		}
	}
	drawn, err := prob.FisherSimulated[kernel.Vec](m, 20000, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, y := kernel.Vec{0.5, 1}, kernel.Vec{-1, 0.3}
	for _, pair := range [][2]kernel.Vec{{x, x}, {x, y}, {y, y}} {
		// The relative error of 20 000 draws of fourth moments is a few in a hundred.
		if got, want := drawn.Eval(pair[0], pair[1]), k.Eval(pair[0],
			pair[1]); math.Abs(got-want) > 0.06*math.Sqrt(k.Eval(pair[0], pair[0])*k.Eval(pair[1], pair[1])) {
			t.Errorf("simulated %v, exact %v", got, want)
		}
	}
}

// The Fisher kernel of the mean of a normal distribution is Mahalanobis' inner product
// (x-μ)ᵀΣ⁻¹(y-μ).
func TestFisherOfTheNormalMeanIsMahalanobis(t *testing.T) {
	n := normals2(1)[0]
	k, err := prob.FisherExact[kernel.Vec](prob.NormalModel{Normal: n})
	if err != nil {
		t.Fatal(err)
	}
	det := n.Cov.At(0, 0)*n.Cov.At(1, 1) - n.Cov.At(0, 1)*n.Cov.At(0, 1)
	inverse := mat.NewSymDense(2, []float64{n.Cov.At(1, 1) / det, -n.Cov.At(0, 1) / det, -n.Cov.At(0, 1) / det,
		n.Cov.At(0, 0) / det})
	against(t, kernel.Kernel[kernel.Vec](k), data.Slice[kernel.Vec]{{0, 0}, {1, 2}, {-1, 0.5}, n.Mean}, 1e-12,
		func(x, y kernel.Vec) float64 {
			a, b := kernel.Vec{x[0] - n.Mean[0], x[1] - n.Mean[1]}, kernel.Vec{y[0] - n.Mean[0], y[1] - n.Mean[1]}
			return kernel.QuadraticForm{A: inverse}.Eval(a, b)
		})
}

// The spectrum kernel of words of three symbols is the Fisher kernel of a chain of order 2 in which
// all symbols are equally likely, by the probabilities themselves, up to the factor 1/p².
func TestSpectrumKernelIsFisherOfAMarkovChain(t *testing.T) {
	m, err := prob.NewMarkovChain(data.Slice[[]int]{}, 2, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var x data.Slice[[]int]
	for range 8 {
		s := make([]int, rng.IntN(30))
		for i := range s {
			s[i] = rng.IntN(3)
		}
		x = append(x, s)
	}
	free := kernel.Pullback[[]int, kernel.Vec](kernel.Linear{}, m.FreeScore)
	against(t, free, x, 1e-12, func(a, b []int) float64 {
		same := 0
		for i := 0; i+3 <= len(a); i++ {
			for j := 0; j+3 <= len(b); j++ {
				if slices.Equal(a[i:i+3], b[j:j+3]) {
					same++
				}
			}
		}
		return 9 * float64(same)
	})
}

// TF-IDF out of the Dirichlet-multinomial: with α_w in proportion to the share of documents that
// have w, and small, the score of a document that has each word once or not at all is idf_w·[x_w >
// 0] - 1/s, idf_w = 1/α_w, s = Σα, the last term the same for all words and small beside that of a
// rare word. The n-th occurrence of a word adds 1/(n-1), so that n of them add about ln n.
func TestTFIDFIsNearlyFisherOfTheDirichletMultinomial(t *testing.T) {
	shares := []float64{0.9, 0.5, 0.2, 0.1, 0.05}
	m := prob.DirichletMultinomial{Alpha: make([]float64, 5)}
	for w, s := range shares {
		m.Alpha[w] = 1e-4 * s
	}
	k, err := prob.FisherIdentity[kernel.Vec](m)
	if err != nil {
		t.Fatal(err)
	}
	one := data.Slice[kernel.Vec]{{1, 1, 0, 0, 1}, {1, 0, 1, 0, 1}, {0, 1, 1, 1, 0}, {1, 1, 1, 1, 1}}
	s := 0.0
	for _, a := range m.Alpha {
		s += a
	}
	for i, x := range one {
		for j, y := range one {
			want := 0.0
			for w, a := range m.Alpha {
				u, v := x[w]/a-1/s, y[w]/a-1/s
				want += u * v
			}
			if got := k.Eval(x, y); math.Abs(got-want) > 0.01*math.Abs(want) {
				t.Errorf("documents %d and %d: %v, inverse document frequencies give %v", i, j, got, want)
			}
		}
	}
	for n := 2.0; n < 200; n *= 3 {
		more, once := m.Score(kernel.Vec{n, 0, 0, 0, 0})[0], m.Score(kernel.Vec{n - 1, 1, 0, 0, 0})[0]
		// as long as each other, so that the common term is the same
		if got, want := more-once, 1/(m.Alpha[0]+n-1); math.Abs(got-want) > 1e-6 {
			t.Errorf("the %g-th occurrence adds %v, want %v", n, got, want)
		}
	}
}

func TestEmpiricalInformationWhitens(t *testing.T) {
	m := prob.MixtureModel{Mixture: prob.Mixture{Weights: []float64{0.3, 0.7}, Parts: normals2(2)}, FreeCovariance: true}
	x := kerneltest.Vectors(3, 60, 2)
	k, err := prob.FisherEmpirical[kernel.Vec](m, x)
	if err != nil {
		t.Fatal(err)
	}
	var list []kernel.Vec
	trace := 0.0
	for i := range x.Len() {
		list = append(list, x.At(i))
		trace += k.Eval(x.At(i), x.At(i)) / 60
	}
	if math.Abs(trace-11) > 1e-6 { // 12 parameters, of which the two log-weights count once
		t.Errorf("the mean of k(x, x) is %v, want the rank 11", trace)
	}
	against(t, kernel.Kernel[kernel.Vec](k), data.Slice[kernel.Vec](list[:8]), 1e-7,
		information[kernel.Vec](m, list, func(kernel.Vec) float64 { return 1.0 / 60 }))
}

// Mixtures have no closed form: the rule against the trapezoidal one on a fine grid, in one and two
// dimensions.
func TestExactInformationOfMixturesByGrids(t *testing.T) {
	flat := mixtures(2)[0]
	m1 := prob.MixtureModel{Mixture: flat, FreeCovariance: true}
	var grid []kernel.Vec
	for i := -400; i <= 400; i++ {
		grid = append(grid, kernel.Vec{float64(i) / 20})
	}
	k, err := prob.FisherExact[kernel.Vec](m1)
	if err != nil {
		t.Fatal(err)
	}
	against(t, kernel.Kernel[kernel.Vec](k), data.Slice[kernel.Vec]{{0}, {1.5}, {-2}}, 1e-6,
		information[kernel.Vec](m1, grid, func(x kernel.Vec) float64 { return math.Exp(m1.LogDensity(x)) / 20 }))

	m2 := prob.MixtureModel{Mixture: prob.Mixture{Weights: []float64{0.3, 0.7}, Parts: normals2(2)}}
	grid = nil
	for i := -48; i <= 48; i++ {
		for j := -48; j <= 48; j++ {
			grid = append(grid, kernel.Vec{float64(i) / 4, float64(j) / 4})
		}
	}
	k, err = prob.FisherExact[kernel.Vec](m2)
	if err != nil {
		t.Fatal(err)
	}
	against(t, kernel.Kernel[kernel.Vec](k), planePoints, 1e-4,
		information[kernel.Vec](m2, grid, func(x kernel.Vec) float64 { return math.Exp(m2.LogDensity(x)) / 16 }))
}

// A hidden Markov model of short sequences: all of them, and the probabilities sum to 1.
func TestExactInformationOfHMMs(t *testing.T) {
	m := twoStates
	m.Length = 4
	x, p, err := m.Outcomes()
	if err != nil || len(x) != 81 {
		t.Fatalf("%d sequences, %v", len(x), err)
	}
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("probabilities sum to %v", sum)
	}
	k, err := prob.FisherExact[[]int](m)
	if err != nil {
		t.Fatal(err)
	}
	all := words(4, 3)
	against(t, kernel.Kernel[[]int](k), data.Slice[[]int](all[:12]), 1e-7,
		information[[]int](m, all, func(x []int) float64 {
			s := 0.0
			for _, z := range words(4, 2) {
				s += hidden(m, z) * given(m, x, z)
			}
			return s
		}))
}
