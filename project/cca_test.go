package project

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func vectorView(k kernel.Kernel[kernel.Vec], x *mat.Dense) View {
	return NewView[kernel.Vec](k, data.Rows(x))
}

// TestCCASolvesTheProblemOfTheNotes writes the generalised eigenproblem out,
// for two and for three views, and has gonum-sized pieces solve it.
func TestCCASolvesTheProblemOfTheNotes(t *testing.T) {
	n := 40
	x := gaussianRows(n, 2, 1)
	y, z := mat.NewDense(n, 1, nil), gaussianRows(n, 1, 2)
	for i := range n {
		y.Set(i, 0, x.At(i, 0)*x.At(i, 0)+0.1*z.At(i, 0))
		z.Set(i, 0, z.At(i, 0)+x.At(i, 1))
	}
	ks := []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: 1}, kernel.Gaussian{Lengthscale: 2},
		kernel.Laplace{Lengthscale: 3}}
	xs := []*mat.Dense{x, y, z}
	kappa := 0.3
	for _, m := range []int{2, 3} {
		var grams []*mat.SymDense
		var views []View
		for i := range m {
			grams = append(grams, centredByLoops(ks[i], data.Rows(xs[i])))
			views = append(views, vectorView(ks[i], xs[i]))
		}
		a, b := linalg.New[float64](m*n, m*n), linalg.New[float64](m*n, m*n)
		for i := range m {
			for j := range m {
				var p mat.Dense
				dst := a
				if i == j {
					var s mat.Dense
					s.CloneFrom(grams[i])
					for d := range n {
						s.Set(d, d, s.At(d, d)+kappa)
					}
					p.Mul(&s, &s) // (K̃+κI)², in every block
					dst = b
				} else {
					p.Mul(grams[i], grams[j])
				}
				for r := range n {
					for c := range n {
						dst.Set(i*n+r, j*n+c, p.At(r, c))
					}
				}
			}
		}
		want := generalisedValues(t, a, b)
		for _, low := range []*LowRank{nil, {Tolerance: 1e-14}} {
			c, err := CCA{Components: 4, Kappa: kappa, LowRank: low}.Fit(context.Background(), views...)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range c.Correlations() {
				if w := want[m*n-1-j]; math.Abs(v-w) > 1e-8 {
					t.Errorf("%d views, low rank %v: ρ[%d] = %.12g, want %.12g", m, low != nil, j, v, w)
				}
				if r := c.Report().Residuals[j]; !(r <= 1e-10) {
					t.Errorf("residual %g", r)
				}
			}
			out, err := c.Transform(context.Background(), views...)
			if err != nil {
				t.Fatal(err)
			}
			for i := range out {
				within(t, "functions at training objects", out[i], c.Scores(i), 1e-7)
			}
			if low != nil {
				continue
			}
			// The coefficients satisfy A·α = ρ·B·α, with αᵀ(K̃+κI)²α = 1 for two.
			alpha := linalg.New[float64](m*n, 4)
			for i := range m {
				f, err := ViewFunc[kernel.Vec](c, i)
				if err != nil {
					t.Fatal(err)
				}
				alpha.Slice(i*n, (i+1)*n, 0, 4).CopyFrom(linalg.Of(f.Coef))
			}
			aa, ba := linalg.New[float64](m*n, 4), linalg.New[float64](m*n, 4)
			linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, a, alpha, 0, aa)
			linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, b, alpha, 0, ba)
			for j, rho := range c.Correlations() {
				norm := 0.0
				for i := range m * n {
					if d := aa.At(i, j) - rho*ba.At(i, j); math.Abs(d) > 1e-8 {
						t.Fatalf("A·α − ρ·B·α has an entry %g in component %d", d, j)
					}
					norm += alpha.At(i, j) * ba.At(i, j)
				}
				if math.Abs(norm-float64(m)) > 1e-8 {
					t.Errorf("Σ αᵢᵀ(K̃ᵢ+κI)²αᵢ = %g for %d views", norm, m)
				}
			}
		}
	}
}

// TestLinearCCAIsCCA compares with R's cancor (bench/fixtures/cancor.R).
func TestLinearCCAIsCCA(t *testing.T) {
	b, err := os.ReadFile("testdata/cancor.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	numbers := func(s string) []float64 {
		var v []float64
		for _, f := range strings.Split(s, ",") {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, x)
		}
		return v
	}
	want := numbers(lines[0])
	n := len(lines) - 1
	x, y := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil)
	for i, l := range lines[1:] {
		v := numbers(l)
		x.SetRow(i, v[:3])
		y.SetRow(i, v[3:])
	}
	for _, low := range []*LowRank{nil, {Tolerance: 1e-12}} {
		m, err := CCA{Components: 2, Kappa: 1e-8, LowRank: low}.Fit(context.Background(), vectorView(kernel.Linear{}, x),
			vectorView(kernel.Linear{}, y))
		if err != nil {
			t.Fatal(err)
		}
		for j, r := range m.Correlations() {
			if math.Abs(r-want[j]) > 1e-7 {
				t.Errorf("low rank %v: ρ[%d] = %.10g, cancor says %.10g", low != nil, j, r, want[j])
			}
			// With κ this small ρ is the plain correlation of the functions.
			if got := correlation(mat.Col(nil, j, m.Scores(0)), mat.Col(nil, j, m.Scores(1))); math.Abs(got-want[j]) > 1e-7 {
				t.Errorf("correlation of scores %d is %.10g, want %.10g", j, got, want[j])
			}
		}
	}
}

// dependent draws y as a function of x that no line fits, with noise.
func dependent(n int, noise float64, seed uint64) (x, y *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		a := 2*math.Pi*rng.Float64() - math.Pi
		x.Set(i, 0, a)
		y.Set(i, 0, math.Cos(a)+noise*rng.NormFloat64())
	}
	return x, y
}

func TestCCAChoosesKappaAndTests(t *testing.T) {
	ctx := context.Background()
	x, y := dependent(120, 0.1, 3)
	k := kernel.Gaussian{Lengthscale: 1}
	views := []View{vectorView(k, x), vectorView(k, y)}
	c, err := CCA{}.ChooseKappa(ctx, []float64{1e-6, 1e-3, 0.1, 1, 1e4}, 5, views...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("κ %v: held-out correlation %.3f", c.Kappas, c.Scores)
	if c.Best == 1e-6 || c.Best == 1e4 {
		t.Errorf("chose κ = %g at the end of the range", c.Best)
	}
	held := math.Inf(-1)
	for i, kappa := range c.Kappas {
		if kappa == c.Best {
			held = c.Scores[i]
		}
	}
	if held < 0.9 {
		t.Errorf("held-out correlation %g of y = cos x + small noise", held)
	}
	draws := datatest.Size(99, 19)
	test, err := CCA{Kappa: c.Best}.Test(ctx, draws, views...)
	if err != nil {
		t.Fatal(err)
	}
	if least := 1 / float64(draws+1); test.P != least {
		t.Errorf("p = %g for dependent views, want %g", test.P, least)
	}
	// Under independence p-values are uniform: their mean over 60 draws has
	// standard deviation 0.29/√60 = 0.037.
	sum, low, n := 0.0, 0, datatest.Size(40, 20)
	for s := range uint64(60) {
		x, _ := dependent(n, 0.1, 100+s)
		_, y := dependent(n, 0.1, 900+s)
		test, err := CCA{Kappa: 1, Seed: s}.Test(ctx, 19, vectorView(k, x), vectorView(k, y))
		if err != nil {
			t.Fatal(err)
		}
		sum += test.P
		if test.P <= 0.05 {
			low++
		}
	}
	// (1+#)/(1+19) is uniform on 1/20 … 1, whose mean is 0.525.
	if mean := sum / 60; math.Abs(mean-0.525) > 0.12 {
		t.Errorf("mean p-value of independent views is %g", mean)
	}
	if low > 9 { // binomial(60, 0.05): P(> 9) < 0.001
		t.Errorf("%d of 60 independent pairs rejected at 5%%", low)
	}
}

// TestCCALarge: 20 000 objects by factors of few columns.
func TestCCALarge(t *testing.T) {
	if testing.Short() {
		t.Skip("long: 20 000 objects")
	}
	x, y := dependent(20000, 0.1, 5)
	k := kernel.Gaussian{Lengthscale: 1}
	m, err := CCA{Components: 3}.Fit(context.Background(), vectorView(k, x), vectorView(k, y))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ranks %v, ρ %.4f", m.Report().Ranks, m.Correlations())
	// The work is n·r² for factors of rank r: these data take few columns.
	for i, r := range m.Report().Ranks {
		if r > 100 {
			t.Errorf("view %d took %d columns", i, r)
		}
	}
	if len(m.Report().Ranks) != 2 {
		t.Errorf("ranks %v: the views were not factored", m.Report().Ranks)
	}
	if c := correlation(mat.Col(nil, 0, m.Scores(0)), mat.Col(nil, 0, m.Scores(1))); c < 0.95 {
		t.Errorf("correlation %g", c)
	}
}

func TestCCAMixedTypesAndThreads(t *testing.T) {
	// One view is words, the other numbers.
	words := data.Slice[string]{"a", "b", "ab", "aab", "bba", "abab", "aaa", "bb"}
	counts := kernel.Features(func(s string) kernel.Vec {
		return kernel.Vec{float64(strings.Count(s, "a")), float64(strings.Count(s, "b"))}
	})
	length := mat.NewDense(8, 1, nil)
	for i, w := range words {
		length.Set(i, 0, float64(len(w)))
	}
	var first []float64
	for _, threads := range []int{1, 3} {
		m, err := CCA{Kappa: 1e-6, Threads: threads}.Fit(context.Background(), NewView[string](counts, words),
			vectorView(kernel.Linear{}, length))
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Correlations()[0]; math.Abs(r-1) > 1e-5 {
			t.Errorf("ρ = %g though the length is the sum of the counts", r)
		}
		if first == nil {
			first = m.Scores(0).RawMatrix().Data
		}
		for i, v := range m.Scores(0).RawMatrix().Data {
			if v != first[i] {
				t.Errorf("%d threads: other bits", threads)
			}
		}
		z, err := m.Transform(context.Background(), NewView[string](counts, data.Slice[string]{"baab"}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if z[1] != nil || math.Abs(z[0].At(0, 0)-m.Scores(0).At(5, 0)) > 1e-8 {
			t.Errorf("an anagram of word 5 gets %g, the word %g", z[0].At(0, 0), m.Scores(0).At(5, 0))
		}
		if _, err := m.Transform(context.Background(), vectorView(kernel.Linear{}, length), nil); err == nil {
			t.Error("numbers were taken for words")
		}
	}
}

func TestCCARefuses(t *testing.T) {
	g := kernel.Gaussian{}
	x := gaussianRows(5, 1, 1)
	constant := mat.NewDense(5, 1, []float64{3, 3, 3, 3, 3})
	bad := mat.NewDense(5, 1, []float64{3, 3, math.NaN(), 3, 3})
	ok := vectorView(g, x)
	for _, c := range []struct {
		name  string
		c     CCA
		views []View
		want  string
	}{
		{"one view", CCA{}, []View{ok}, "1 views"},
		{"nil view", CCA{}, []View{ok, nil}, "view 1 is nil"},
		{"lengths", CCA{}, []View{ok, vectorView(g, gaussianRows(4, 1, 1))}, "view 1 has 4 objects"},
		{"one object", CCA{}, []View{vectorView(g, gaussianRows(1, 1, 1)), vectorView(g, gaussianRows(1, 1, 1))},
			"one object"},
		{"constant", CCA{}, []View{ok, vectorView(g, constant)}, "view 1: project: the points do not differ"},
		{"constant, low rank", CCA{LowRank: &LowRank{}}, []View{ok, vectorView(g, constant)}, "do not differ"},
		{"NaN", CCA{}, []View{ok, vectorView(g, bad)}, "view 1: kernel: row 2, column 0 is NaN"},
		{"kappa", CCA{Kappa: -1}, []View{ok, ok}, "κ is -1"},
		{"components", CCA{Components: 5}, []View{ok, ok}, "5 components"},
	} {
		_, err := c.c.Fit(context.Background(), c.views...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", c.name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (CCA{}).Fit(ctx, ok, ok); err == nil {
		t.Error("a cancelled fit succeeded")
	}
}

// generalisedValues are the eigenvalues of A·v = λ·B·v, ascending: those of L⁻¹·A·L⁻ᵀ with
// B = L·Lᵀ.
func generalisedValues(t *testing.T, a, b linalg.Matrix[float64]) []float64 {
	t.Helper()
	factor, err := linalg.NewCholesky(1, b.Clone())
	if err != nil {
		t.Fatal(err)
	}
	half := a.Clone()
	factor.SolveL(1, half)
	reduced := linalg.Of(mat.DenseCopyOf(linalg.Dense(half).T()))
	factor.SolveL(1, reduced)
	values, err := linalg.SymEigenValues(1, reduced)
	if err != nil {
		t.Fatal(err)
	}
	return values
}
