package project

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var solvers = []Solver{SolveFull, SolveTop, SolveLowRank}

// centredByLoops is K̃ by its definition.
func centredByLoops(k kernel.Kernel[kernel.Vec], x data.DenseRows) *mat.SymDense {
	n := x.Len()
	g := mat.NewSymDense(n, nil)
	mean := make([]float64, n)
	all := 0.0
	for i := range n {
		for j := range n {
			v := k.Eval(x.At(i), x.At(j))
			g.SetSym(i, j, v)
			mean[i] += v / float64(n)
			all += v / float64(n*n)
		}
	}
	for i := range n {
		for j := range i + 1 {
			g.SetSym(i, j, g.At(i, j)-mean[i]-mean[j]+all)
		}
	}
	return g
}

// TestPCADefinition holds every solver to the definition: nλ⟨α, α⟩ = 1,
// K̃α = nλα, scores that are their own projection, variances and errors.
func TestPCADefinition(t *testing.T) {
	x := data.Rows(gaussianRows(150, 3, 1))
	k := kernel.Gaussian{Lengthscale: 2}
	n, c := x.Len(), 5
	kt := centredByLoops(k, x)
	var e mat.EigenSym
	e.Factorize(kt, true)
	values := e.Values(nil)
	for _, s := range solvers {
		t.Run(s.String(), func(t *testing.T) {
			m, err := PCA[kernel.Vec]{Kernel: k, Components: c, Solver: s,
				LowRank: LowRank{Tolerance: 1e-14}}.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			scores := m.Scores()
			trace := mat.Trace(kt)
			if got := m.TotalVariance(); math.Abs(got-trace/float64(n)) > 1e-10 {
				t.Errorf("total variance %g, want %g", got, trace/float64(n))
			}
			for j, v := range m.Variance() {
				want := values[n-1-j]
				if math.Abs(v*float64(n)-want) > 1e-9*values[n-1] {
					t.Errorf("nλ[%d] = %g, want %g", j, v*float64(n), want)
				}
				if r := m.ExplainedRatio()[j]; math.Abs(r-want/trace) > 1e-10 {
					t.Errorf("explained[%d] = %g, want %g", j, r, want/trace)
				}
				if s != SolveLowRank { // coefficients are on all points
					alpha := mat.Col(nil, j, m.Func().Coef)
					av := mat.NewVecDense(n, alpha)
					if got := v * float64(n) * mat.Dot(av, av); math.Abs(got-1) > 1e-9 {
						t.Errorf("nλ⟨α, α⟩ = %g for component %d", got, j)
					}
					var ka mat.VecDense
					ka.MulVec(kt, av)
					ka.AddScaledVec(&ka, -v*float64(n), av)
					if r := mat.Norm(&ka, 2); r > 1e-7 {
						t.Errorf("‖K̃α − nλα‖ = %g for component %d", r, j)
					}
				}
			}
			z, err := m.Transform(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			within(t, "projection of training points", z, scores, 1e-6)
			var cov mat.Dense
			cov.Mul(scores.T(), scores)
			for i := range c {
				for j := range c {
					want := 0.0
					if i == j {
						want = m.Variance()[i] * float64(n)
					}
					if math.Abs(cov.At(i, j)-want) > 1e-8 {
						t.Errorf("scores %d and %d have inner product %g, want %g", i, j, cov.At(i, j), want)
					}
				}
			}
			re, err := m.ReconstructionErrors(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, r := range re {
				want := kt.At(i, i)
				for j := range c {
					want -= scores.At(i, j) * scores.At(i, j)
				}
				if math.Abs(r-want) > 1e-7 {
					t.Errorf("reconstruction error of point %d is %g, want %g", i, r, want)
				}
				sum += r
			}
			rest := 1.0
			for _, r := range m.ExplainedRatio() {
				rest -= r
			}
			if math.Abs(sum-rest*trace) > 1e-6 {
				t.Errorf("errors sum to %g, unexplained variance is %g", sum, rest*trace)
			}
			if s == SolveTop {
				for j, r := range m.Report().Residuals {
					if !(r <= 1e-10) {
						t.Errorf("residual %d is %g", j, r)
					}
				}
			}
		})
	}
}

// TestPCANewPointsUseTrainingMeans checks the centring of a test point against
// K̃* = K* − 1*K − K*1 + 1*K1 with training-size 1/N matrices.
func TestPCANewPointsUseTrainingMeans(t *testing.T) {
	x, y := data.Rows(gaussianRows(40, 2, 1)), data.Rows(gaussianRows(7, 2, 2))
	k := kernel.Polynomial{Degree: 2, Offset: 1, Gamma: 1}
	m, err := PCA[kernel.Vec]{Kernel: k, Components: 3}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	n := 40
	kxx, kyx, o, os := mat.NewDense(n, n, nil), mat.NewDense(7, n, nil), mat.NewDense(n, n, nil), mat.NewDense(7, n, nil)
	for i := range n {
		for j := range n {
			kxx.Set(i, j, k.Eval(x.At(i), x.At(j)))
			o.Set(i, j, 1/float64(n))
			if i < 7 {
				kyx.Set(i, j, k.Eval(y.At(i), x.At(j)))
				os.Set(i, j, 1/float64(n))
			}
		}
	}
	var a, b, c, want mat.Dense
	a.Mul(os, kxx)
	b.Mul(kyx, o)
	c.Product(os, kxx, o)
	kyx.Sub(kyx, &a)
	kyx.Sub(kyx, &b)
	kyx.Add(kyx, &c)
	want.Mul(kyx, m.Func().Coef)
	z, err := m.Transform(context.Background(), y)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "scores of new points", z, &want, 1e-9)
}

// TestLinearPCAIsPCA compares with the covariance matrix of the columns.
func TestLinearPCAIsPCA(t *testing.T) {
	x := gaussianRows(60, 4, 3)
	for i := range 60 {
		x.Set(i, 0, 5*x.At(i, 0)+100)
		x.Set(i, 1, 2*x.At(i, 1)+x.At(i, 0))
	}
	cov := mat.NewSymDense(4, nil)
	for a := range 4 {
		for b := range a + 1 {
			s, ma, mb := 0.0, 0.0, 0.0
			for i := range 60 {
				ma += x.At(i, a) / 60
				mb += x.At(i, b) / 60
			}
			for i := range 60 {
				s += (x.At(i, a) - ma) * (x.At(i, b) - mb) / 60
			}
			cov.SetSym(a, b, s)
		}
	}
	var e mat.EigenSym
	e.Factorize(cov, false)
	want := e.Values(nil)
	for _, s := range solvers {
		m, err := PCA[kernel.Vec]{Kernel: kernel.Linear{}, Solver: s, Components: 4}.Fit(context.Background(), data.Rows(x))
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range m.Variance() {
			if math.Abs(v-want[3-j]) > 1e-7*want[3] {
				t.Errorf("%v: variance %d is %g, want %g", s, j, v, want[3-j])
			}
		}
	}
	// All components: as many as the data have dimensions, not as points.
	m, err := PCA[kernel.Vec]{Kernel: kernel.Linear{}}.Fit(context.Background(), data.Rows(x))
	if err != nil {
		t.Fatal(err)
	}
	if m.Components() != 4 {
		t.Errorf("%d components of data in 4 dimensions", m.Components())
	}
}

func TestPCASameBitsAtAnyThreadCount(t *testing.T) {
	x := data.Rows(gaussianRows(datatest.Size(700, 300), 5, 4))
	for _, s := range solvers {
		var first *mat.Dense
		for _, threads := range []int{1, 2, 5} {
			p := PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Components: 4, Solver: s, Seed: 7,
				LowRank: LowRank{Centers: 50}}
			p.Threads = threads
			m, err := p.Fit(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = m.Scores()
			} else if !mat.Equal(first, m.Scores()) {
				t.Errorf("%v: %d threads give other bits", s, threads)
			}
		}
	}
}

func TestPCARefuses(t *testing.T) {
	row := func(v ...float64) []float64 { return v }
	g := kernel.Gaussian{}
	for _, c := range []struct {
		name string
		p    PCA[kernel.Vec]
		x    data.Slice[[]float64]
		want string
	}{
		{"no kernel", PCA[kernel.Vec]{}, data.Slice[[]float64]{row(1), row(2)}, "no kernel"},
		{"empty", PCA[kernel.Vec]{Kernel: g}, nil, "0 points"},
		{"one point", PCA[kernel.Vec]{Kernel: g}, data.Slice[[]float64]{row(1)}, "1 points"},
		{"too many", PCA[kernel.Vec]{Kernel: g, Components: 2}, data.Slice[[]float64]{row(1), row(2)}, "2 components"},
		{"NaN", PCA[kernel.Vec]{Kernel: g}, data.Slice[[]float64]{row(1), row(math.NaN())}, "row 1, column 0 is NaN"},
		{"ragged", PCA[kernel.Vec]{Kernel: g}, data.Slice[[]float64]{row(1), row(1, 2)}, "row 1 has 2 coordinates"},
		{"duplicates", PCA[kernel.Vec]{Kernel: g}, data.Slice[[]float64]{row(1), row(1), row(1)}, "do not differ"},
		{"duplicates, top", PCA[kernel.Vec]{Kernel: g, Components: 1, Solver: SolveTop},
			data.Slice[[]float64]{row(1), row(1), row(1)}, "do not differ"},
		{"duplicates, low rank", PCA[kernel.Vec]{Kernel: g, Solver: SolveLowRank},
			data.Slice[[]float64]{row(1), row(1), row(1)}, "do not differ"},
		{"no columns", PCA[kernel.Vec]{Kernel: g}, data.Slice[[]float64]{row(), row()}, "do not differ"},
		{"huge", PCA[kernel.Vec]{Kernel: kernel.Linear{}}, data.Slice[[]float64]{row(1e308), row(-1e308)}, "scale the data"},
		{"tolerance", PCA[kernel.Vec]{Kernel: g, Tolerance: math.NaN()}, data.Slice[[]float64]{row(1), row(2)}, "tolerance"},
	} {
		_, err := c.p.Fit(context.Background(), c.x)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", c.name, err, c.want)
		}
	}
	// 1e308 under a bounded kernel is far away, no more.
	if _, err := (PCA[kernel.Vec]{Kernel: g, Components: 1}).Fit(context.Background(),
		data.Slice[[]float64]{row(1e308), row(-1e308), row(0)}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (PCA[kernel.Vec]{Kernel: g}).Fit(ctx, data.Slice[[]float64]{row(1), row(2)}); err != context.Canceled {
		t.Errorf("cancelled fit returned %v", err)
	}
}

// TestPCAOfStrings runs on points that are no vectors.
func TestPCAOfStrings(t *testing.T) {
	k := kernel.Features(func(s string) kernel.Vec {
		v := make(kernel.Vec, 26)
		for _, c := range s {
			v[c-'a']++
		}
		return v
	})
	x := data.Slice[string]{"abba", "baab", "zzyx", "xyzz", "aabb"}
	m, err := PCA[string]{Kernel: k, Components: 1}.Fit(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	z, err := m.Transform(context.Background(), data.Slice[string]{"abab", "xzzy"})
	if err != nil {
		t.Fatal(err)
	}
	s := m.Scores()
	if math.Abs(z.At(0, 0)-s.At(0, 0)) > 1e-9 || math.Abs(z.At(1, 0)-s.At(2, 0)) > 1e-9 {
		t.Errorf("anagrams get scores %v, want %g and %g", mat.Formatted(z), s.At(0, 0), s.At(2, 0))
	}
}
