package gp

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/internal/savedtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// TestExpectedLog: against a rule of ten thousand steps, and its derivatives against differences.
func TestExpectedLog(t *testing.T) {
	var rule quadrature
	for _, mean := range []float64{-1e3, -30, -2, 0, 0.7, 12, 1e3} {
		for _, variance := range []float64{1e-6, 0.1, 1, 1.34, 1.35, 6, 7, 400, 1e6} {
			value, byMean, byVariance := rule.expectedLog(mean, variance)
			sum, total := 0.0, 0.0
			for i := -10000; i <= 10000; i++ {
				z := 10 * float64(i) / 10000
				w := math.Exp(-z * z / 2)
				sum += w * sigmoid.Log(mean+math.Sqrt(variance)*z)
				total += w
			}
			learntest.Near(t, "expectation", value, sum/total, 1e-9)
			const step = 1e-4
			high, _, _ := rule.expectedLog(mean+step, variance)
			low, _, _ := rule.expectedLog(mean-step, variance)
			if d := (high - low) / (2 * step); math.Abs(d-byMean) > 1e-7 {
				t.Errorf("mean %g, variance %g: derivative by the mean %g, by differences %g", mean, variance, byMean, d)
			}
			if variance < 0.1 {
				continue // nothing but rounding
			}
			h := 1e-3 * variance
			high, _, _ = rule.expectedLog(mean, variance+h)
			low, _, _ = rule.expectedLog(mean, variance-h)
			if d := (high - low) / (2 * h); math.Abs(d-byVariance) > 1e-6 {
				t.Errorf("mean %g, variance %g: derivative by the variance %g, by differences %g", mean, variance, byVariance, d)
			}
		}
	}
}

// TestExpectedLogOfNoNumber: what is no number stays none, and nothing is beyond the table.
func TestExpectedLogOfNoNumber(t *testing.T) {
	var rule quadrature
	for _, variance := range []float64{0, 0.5, 3, 1e300, math.Inf(1), math.NaN()} {
		for _, mean := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308} {
			value, _, _ := rule.expectedLog(mean, variance)
			if (math.IsNaN(mean) || math.IsNaN(variance)) != math.IsNaN(value) && !math.IsInf(mean, 0) &&
				!math.IsInf(variance, 0) {
				t.Errorf("mean %g, variance %g: %g", mean, variance, value)
			}
		}
	}
}

// exactEvidence is log ∫ Π p(yᵢ|f) N(f; 0, K) df by a rule with nodes in every direction, f = Lε
// for each class.
func exactEvidence(
	t *testing.T, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], y []int, classes, nodes int,
) float64 {
	n := x.Len()
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			gram.SetSym(i, j, k.Eval(x.At(i), x.At(j)))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		t.Fatal("not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)
	outputs := classes
	if classes == 2 {
		outputs = 1
	}
	dims := n * outputs
	at := make([]int, dims)
	total, mass := 0.0, 0.0
	f := mat.NewDense(n, outputs, nil)
	for {
		w := 1.0
		f.Zero()
		for d, i := range at {
			e := 5 * (2*float64(i)/float64(nodes-1) - 1)
			w *= math.Exp(-e * e / 2)
			for r := d / outputs; r < n; r++ {
				f.Set(r, d%outputs, f.At(r, d%outputs)+l.At(r, d/outputs)*e)
			}
		}
		p := 1.0
		for i, c := range y {
			row := f.RawRowView(i)
			if outputs == 1 {
				p *= sigmoid.Of(float64(2*c-1) * row[0])
			} else {
				p *= math.Exp(row[c] - sigmoid.LogSumExp(row))
			}
		}
		total += w * p
		mass += w
		d := 0
		for ; d < dims; d++ {
			if at[d]++; at[d] < nodes {
				break
			}
			at[d] = 0
		}
		if d == dims {
			return math.Log(total / mass)
		}
	}
}

// TestVariationalBelowEvidence: the bound never exceeds the log evidence of a few points, by
// quadrature in all directions, and comes near it for two classes.
func TestVariationalBelowEvidence(t *testing.T) {
	x := learntest.MatrixRows([][]float64{{0, 0}, {0.5, 0.2}, {1.5, -1}, {-1, 0.4}})
	for name, k := range sparseKernels() {
		if testing.Short() && name != "ard" && name != "polynome" {
			continue // the evidence is a sum over a million nodes
		}
		exact := exactEvidence(t, k, x, []int{0, 1, 1, 0}, 2, 31)
		last := math.Inf(-1)
		for m := 1; m <= 4; m++ {
			b := modeltest.Must(SparseClassification[kernel.Vec, int]{Kernel: k,
				Given: data.OwnSubset(x, indicesTo(m))}.Bound(t.Context(), x, []int{0, 1, 1, 0}))(t)
			if b.Value > exact+1e-9 || b.Value < last-1e-9 {
				t.Errorf("%s: bound %.9g with %d points, %.9g with one less, evidence %.9g", name, b.Value, m, last, exact)
			}
			last = b.Value
		}
		if last < exact-0.1 {
			t.Errorf("%s: bound %g is far below the evidence %g", name, last, exact)
		}
		two := data.Span(x, 0, 2)
		exact = exactEvidence(t, k, two, []int{2, 0}, 3, 9)
		b := modeltest.Must(SparseClassification[kernel.Vec, int]{Kernel: k, Given: two,
			Weights: []float64{1, 1, 1e-300}}.Bound(t.Context(), data.Span(x, 0, 3), []int{2, 0, 1}))(t)
		if b.Value > exact+1e-4 || b.Value < exact-1.5 {
			t.Errorf("%s: bound of three classes %g, evidence %g", name, b.Value, exact)
		}
	}
}

// TestVariationalGradients: derivatives of the ELBO at the best q against differences, for two and
// three classes.
func TestVariationalGradients(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		n := 40
		if testing.Short() {
			n = 15
		}
		p := learntest.Problem(n, task, 5)
		for name, k := range sparseKernels() {
			z := mat.NewDense(5, 2, nil)
			for i := range 5 {
				z.SetRow(i, []float64{math.Sin(3 * float64(i)), math.Cos(2*float64(i)) + 0.1*float64(i)})
			}
			g := SparseClassification[kernel.Vec, int]{Kernel: k, Weights: learntest.WeightsWith(n, 0, 2), Given: data.Rows(z),
				InducingOptions: InducingOptions{MoveInducing: true}}
			b := modeltest.Must(g.Bound(t.Context(), p.Points, p.Codes()))(t)
			checkSlopes(t, name, k, b, z, func(k kernel.Kernel[kernel.Vec], z *mat.Dense) float64 {
				h := g
				h.Kernel, h.Given = k, data.Rows(z)
				return modeltest.Must(h.Bound(t.Context(), p.Points, p.Codes()))(t).Value
			})
		}
	}
}

// TestVariationalOptimum: no q near the one found has a larger bound, and weights are repetitions.
func TestVariationalOptimum(t *testing.T) {
	p := learntest.Problem(60, data.Binary, 6)
	k := sparseKernels()["ard"]
	g := SparseClassification[kernel.Vec, int]{Kernel: k, Given: data.OwnSubset(p.Points, indicesTo(8))}
	rows, classes, err := g.rows(p.Points, p.Codes())
	if err != nil {
		t.Fatal(err)
	}
	problem, z, err := g.open().problem(t.Context(), rows, len(classes))
	if err != nil {
		t.Fatal(err)
	}
	problem.tol, problem.steps = 1e-10, 1000
	q := modeltest.Must(problem.solve(t.Context(), kernel.Erase(k), z, nil, nil, nil))(t)
	if !q.settled || q.iterated > 60 {
		t.Errorf("%d steps, residual %g", q.iterated, q.residual)
	}
	for trial := range 20 {
		to := problem.prior(q.inducing)
		for i := range to.natural.Data {
			to.natural.Data[i] = q.natural.Data[i] * (1 + 0.01*math.Sin(float64(trial*100+i)))
		}
		for i := range to.precision[0].Data {
			to.precision[0].Data[i] = q.precision[0].Data[i]
		}
		for i := range z.Len() {
			to.precision[0].Row(i)[i] *= 1 + 0.01*math.Cos(float64(trial*31+i))
		}
		if err := problem.look(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		if to.value > q.value {
			t.Errorf("the bound %.12g is above that of the q found, %.12g", to.value, q.value)
		}
	}
	var repeated []int
	weights := make([]float64, 60)
	for i := range weights {
		weights[i] = float64(1 + i%2)
		for range 1 + i%2 {
			repeated = append(repeated, i)
		}
	}
	twice := modeltest.Must(g.Bound(t.Context(), data.Gather(p.Points, repeated), data.Take(p.Codes(), repeated)))(t)
	g.Weights = weights
	learntest.Near(t, "bound by weights", modeltest.Must(g.Bound(t.Context(), p.Points, p.Codes()))(t).Value, twice.Value,
		1e-9)
}

// TestSparseClassifierFit: it finds what the exact process finds, keeps its bits at any number of
// threads, and comes back from plain data.
func TestSparseClassifierFit(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		p, test := learntest.Problem(datatest.Size(150, 90), task, 7), learntest.Problem(300, task, 8)
		k := kernel.Scale[kernel.Vec](2, kernel.Gaussian{})
		g := SparseClassification[kernel.Vec, int]{Kernel: k, Samples: 100,
			InducingOptions: InducingOptions{Inducing: 15, MoveInducing: true}, HyperOptions: HyperOptions{MaxIterations: 4}}
		first := ""
		for _, threads := range datatest.Threads() {
			g.Threads = threads
			m := modeltest.Must(g.Fit(t.Context(), p.Points, p.Codes()))(t)
			bits := learntest.Bits(m.Func().Coef.RawMatrix().Data) + learntest.Bits(modeltest.Proba(t, m,
				test.Points).RawMatrix().Data)
			if first == "" {
				first = bits
				source := blockSource{data.NewInMemory(p.Points, p.Y, 1, nil)}
				if m := modeltest.Must(g.FitSource(t.Context(), source,
					m.Classes()))(t); learntest.Bits(m.Func().Coef.RawMatrix().Data) != bits[:len(learntest.Bits(m.Func().Coef.RawMatrix().Data))] {
					t.Errorf("%v: other bits from a source", task)
				}
				erased := SparseClassification[any, int]{Kernel: kernel.Erase(k), Samples: 100, InducingOptions: g.InducingOptions,
					HyperOptions: g.HyperOptions}
				same := modeltest.Must(erased.Fit(t.Context(), data.Erase(p.Points), p.Codes()))(t)
				if learntest.Bits(same.Func().Coef.RawMatrix().Data) != learntest.Bits(m.Func().Coef.RawMatrix().Data) {
					t.Errorf("%v: other bits of points that have forgotten their type", task)
				}
				savedtest.RoundTrip[int](t, "svgp", same, restoreSparseClassifier, data.Erase(test.Points))
				exact := modeltest.Must(Classification[kernel.Vec, int]{Kernel: m.Kernel(),
					HyperOptions: HyperOptions{FixedKernel: true}}.Fit(t.Context(), p.Points, p.Codes()))(t)
				right, both := 0, 0
				a, b := modeltest.Predict(t, m, test.Points), modeltest.Predict(t, exact, test.Points)
				for i, c := range test.Codes() {
					if a[i] == c {
						right++
					}
					if b[i] == c {
						both++
					}
				}
				if right < both-9 {
					t.Errorf("%v: %d of 300 right, the exact process %d", task, right, both)
				}
			}
			if bits != first {
				t.Errorf("%v: other bits at %d threads", task, threads)
			}
		}
	}
}

// TestSparseClassifierStopped: a context that ends leaves the best place so far, in a search and in
// the steps for q alone.
func TestSparseClassifierStopped(t *testing.T) {
	p := learntest.Problem(100, data.Binary, 9)
	for _, fixed := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		g := SparseClassification[kernel.Vec, int]{Kernel: kernel.Scale[kernel.Vec](2, kernel.Gaussian{}),
			InducingOptions: InducingOptions{Inducing: 10}, HyperOptions: HyperOptions{FixedKernel: fixed}}
		steps := 0
		g.Trace = func(trace.Step) {
			if steps++; steps == 2 {
				cancel()
			}
		}
		_, err := g.Fit(ctx, p.Points, p.Codes())
		cancel()
		var stopped *learn.Stopped[kernel.Vec]
		if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
			t.Fatalf("fixed %v: error %v", fixed, err)
		}
		if r := stopped.Model.Report(); r.Converged || r.Iterations < 2 {
			t.Errorf("fixed %v: report %+v", fixed, r)
		}
	}
}

// TestSparseClassifierDegenerate: one class is refused; few and duplicate rows are not.
func TestSparseClassifierDegenerate(t *testing.T) {
	g := SparseClassification[kernel.Vec, int]{Kernel: kernel.Scale[kernel.Vec](1, kernel.Gaussian{}),
		InducingOptions: InducingOptions{MoveInducing: true}}
	if _, err := g.Fit(t.Context(), learntest.MatrixRows([][]float64{{1}, {2}}), []int{3, 3}); err == nil ||
		!strings.Contains(err.Error(), "class") {
		t.Errorf("one class: %v", err)
	}
	for name, x := range map[string][][]float64{"two rows": {{1}, {2}}, "duplicates": {{1}, {1}, {1}, {1}},
		"a constant column": {{1, 5}, {2, 5}, {3, 5}}} {
		y := make([]int, len(x))
		y[0] = 1
		m, err := g.Fit(t.Context(), learntest.MatrixRows(x), y)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, v := range modeltest.Proba(t, m, learntest.MatrixRows(x)).RawMatrix().Data {
			if math.IsNaN(v) || v < 0 || v > 1 {
				t.Errorf("%s: probability %g", name, v)
			}
		}
	}
	g.Samples = -1
	if _, err := g.Fit(t.Context(), learntest.MatrixRows([][]float64{{1}, {2}}), []int{0, 1}); err == nil ||
		!strings.Contains(err.Error(), "Samples") {
		t.Errorf("Samples -1: %v", err)
	}
}
