package nystrom

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// scattered is rows with some outputs and weights, and a few of them as centres.
func scattered(
	n, outputs int, weights bool,
) (x data.Points[kernel.Vec], y, w []float64, centers data.Points[kernel.Vec]) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := mat.NewDense(n, 3, nil)
	for i := range n {
		for j := range 3 {
			m.Set(i, j, rng.NormFloat64())
		}
		for o := range outputs {
			y = append(y, 1000+math.Sin(m.At(i, o%3))+0.1*rng.NormFloat64())
		}
		if weights {
			w = append(w, float64(rng.IntN(3)))
		}
	}
	x = data.Rows(m)
	index := rng.Perm(n)[:25]
	return x, y, w, data.Gather(x, append(index, index[0])) // one of them twice
}

// inFolds sums rows in parts, one after the other into the folds.
func inFolds(
	t *testing.T, e *Equations[kernel.Vec], x data.Points[kernel.Vec], y []float64, outputs int, w []float64, folds int,
) [][]float64 {
	t.Helper()
	sums := make([][]float64, folds)
	for f := range sums {
		sums[f] = make([]float64, e.Len())
	}
	const part = 7
	for lo, f := 0, 0; lo < x.Len(); lo, f = lo+part, (f+1)%folds {
		hi := min(lo+part, x.Len())
		var weights []float64
		if w != nil {
			weights = w[lo:hi]
		}
		if err := e.AddTo(context.Background(), sums[f], data.NewInMemory(data.Span(x, lo, hi), y[lo*outputs:hi*outputs],
			outputs, weights)); err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

func added(sums [][]float64) []float64 {
	all := make([]float64, len(sums[0]))
	for _, s := range sums {
		for i, v := range s {
			all[i] += v
		}
	}
	return all
}

func closeFunctions(t *testing.T, got, want interface {
	PredictMulti(context.Context, data.Points[kernel.Vec]) (*mat.Dense, error)
}, x data.Points[kernel.Vec], tol float64) {
	t.Helper()
	a, err := got.PredictMulti(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.PredictMulti(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a, b, tol) {
		a.Sub(a, b)
		t.Errorf("functions differ by %g", mat.Norm(a, math.Inf(1)))
	}
}

// TestSumsInPartsAreTheFit: sums made in parts and added up give the function that Regression fits
// to all rows on the same centres.
func TestSumsInPartsAreTheFit(t *testing.T) {
	for _, c := range []struct {
		outputs            int
		weights, intercept bool
	}{{1, false, true}, {2, true, true}, {1, true, false}} {
		x, y, w, centers := scattered(300, c.outputs, c.weights)
		k := kernel.Gaussian{Lengthscale: 1.5}
		shift := make([]float64, c.outputs)
		for o := range shift {
			shift[o] = 990 // near the mean is near enough
		}
		e, err := NewEquations[kernel.Vec](context.Background(), k, centers, 0, shift, c.intercept, 1)
		if err != nil {
			t.Fatal(err)
		}
		if e.Centers.Len() != 25 || len(e.Notes) != 1 {
			t.Fatalf("%d centres, %q: the one that is there twice is left out, and said", e.Centers.Len(), e.Notes)
		}
		all := added(inFolds(t, e, x, y, c.outputs, w, 3))
		lambdas := []float64{1e-6, 1e-3}
		got, err := e.Solve(context.Background(), all, lambdas)
		if err != nil {
			t.Fatal(err)
		}
		targets := mat.NewDense(x.Len(), c.outputs, y)
		for i, lambda := range lambdas {
			want, err := Regression[kernel.Vec]{Kernel: k, Lambda: lambda, PerPoint: true, Intercept: c.intercept, Weights: w,
				Given: centers, Options: Options{Solver: Direct}}.FitMulti(context.Background(), x, targets)
			if err != nil {
				t.Fatal(err)
			}
			closeFunctions(t, got[i], want, x, 1e-9*1000)
		}
	}
}

// TestFoldErrorsAreThoseOfFits: what the sums say of a fold is the error on its rows of a fit to
// the others.
func TestFoldErrorsAreThoseOfFits(t *testing.T) {
	for _, intercept := range []bool{true, false} {
		x, y, w, centers := scattered(120, 2, true)
		k := kernel.Gaussian{Lengthscale: 1.5}
		e, err := NewEquations[kernel.Vec](context.Background(), k, centers, 0, []float64{1000, 1000}, intercept, 1)
		if err != nil {
			t.Fatal(err)
		}
		lambdas := []float64{1e-4, 1}
		judged, spread, err := e.CrossValidate(context.Background(), inFolds(t, e, x, y, 2, w, 3), lambdas)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([][]int, 3)
		for i := range x.Len() {
			rows[i/7%3] = append(rows[i/7%3], i)
		}
		for f, test := range rows {
			var train []int
			for g := range rows {
				if g != f {
					train = append(train, rows[g]...)
				}
			}
			targets := mat.NewDense(len(train), 2, nil)
			for i, r := range train {
				targets.SetRow(i, y[2*r:2*r+2])
			}
			for l, lambda := range lambdas {
				m, err := Regression[kernel.Vec]{Kernel: k, Lambda: lambda, PerPoint: true, Intercept: intercept,
					Weights: data.Take(w, train), Given: centers, Options: Options{Solver: Direct}}.FitMulti(context.Background(),
					data.Gather(x, train), targets)
				if err != nil {
					t.Fatal(err)
				}
				p, err := m.PredictMulti(context.Background(), data.Gather(x, test))
				if err != nil {
					t.Fatal(err)
				}
				left, weight := 0.0, 0.0
				for i, r := range test {
					weight += w[r]
					for o := range 2 {
						left += w[r] * math.Pow(y[2*r+o]-p.At(i, o), 2)
					}
				}
				if got, want := judged[l].Squares[f], left/weight; math.Abs(got-want) > 1e-9*want {
					t.Errorf("intercept %v, fold %d, λ = %g: %.15g, want %.15g", intercept, f, lambda, got, want)
				}
			}
		}
		for _, j := range judged {
			if sum := j.Outputs[0] + j.Outputs[1]; math.Abs(sum-j.Mean) > 1e-12*sum {
				t.Errorf("λ = %g: outputs %g, together %g", j.Lambda, j.Outputs, j.Mean)
			}
		}
		mean, weight, want := [2]float64{}, 0.0, [2]float64{}
		for i, v := range w {
			weight += v
			mean[0], mean[1] = mean[0]+v*y[2*i], mean[1]+v*y[2*i+1]
		}
		for i, v := range w {
			for o := range want {
				want[o] += v * math.Pow(y[2*i+o]-mean[o]/weight, 2) / weight
			}
		}
		for o, s := range spread {
			if intercept && math.Abs(s-want[o]) > 1e-9*want[o] {
				t.Errorf("spread of output %d %g, want %g", o, s, want[o])
			}
		}
	}
}

// TestClassesFromSums: two and more classes are those of Classification on the same centres.
func TestClassesFromSums(t *testing.T) {
	x, _, _, centers := scattered(200, 1, false)
	for _, classes := range []int{2, 3} {
		codes, floats, shares := make([]int, x.Len()), make([]float64, x.Len()), make([]float64, classes)
		for i := range codes {
			codes[i] = min(int(math.Abs(x.At(i)[0])*2), classes-1)
			floats[i] = float64(codes[i])
			shares[codes[i]] += 1 / float64(x.Len())
		}
		k := kernel.Gaussian{Lengthscale: 1}
		e, err := NewEquations[kernel.Vec](context.Background(), k, centers, classes, shares, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.SolveClasses(context.Background(), added(inFolds(t, e, x, floats, 1, nil, 2)), []float64{1e-4})
		if err != nil {
			t.Fatal(err)
		}
		c := Classification[kernel.Vec, int]{Regression: Regression[kernel.Vec]{Kernel: k, Lambda: 1e-4, PerPoint: true,
			Intercept: true, Given: centers, Options: Options{Solver: Direct}}}
		want, err := c.Fit(context.Background(), x, codes)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := got[0].Decision(context.Background(), x)
		b, _ := want.Decision(context.Background(), x)
		if !mat.EqualApprox(a, b, 1e-9) {
			t.Errorf("%d classes: decisions differ", classes)
		}
	}
}

// TestEquationsRefuse: what cannot be summed or solved is said.
func TestEquationsRefuse(t *testing.T) {
	ctx := context.Background()
	x, y, _, centers := scattered(40, 1, false)
	k := kernel.Gaussian{Lengthscale: 1}
	e, err := NewEquations[kernel.Vec](ctx, k, centers, 0, []float64{0}, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	sums := make([]float64, e.Len())
	if _, err := e.Solve(ctx, sums, []float64{1}); err == nil {
		t.Error("no rows are solved")
	}
	bad := append([]float64(nil), y...)
	bad[17] = math.NaN()
	if err := e.AddTo(ctx, sums, data.NewInMemory(x, bad, 1, nil)); err == nil ||
		!strings.Contains(err.Error(), "row 17") {
		t.Errorf("a target that is no number: %v", err)
	}
	if e.Rows(sums) != 0 {
		t.Error("rows of a failed part were counted")
	}
	if err := e.AddTo(ctx, sums, data.NewInMemory(x, y, 1, make([]float64, x.Len()))); err != nil || e.Rows(sums) != 0 {
		t.Errorf("rows without weight: %v, %g counted", err, e.Rows(sums))
	}
	if err := e.AddTo(ctx, sums[1:], data.NewInMemory(x, y, 1, nil)); err == nil {
		t.Error("a sum of another length")
	}
	if err := e.AddTo(ctx, sums, data.NewInMemory(x, append(y, y...), 2, nil)); err == nil {
		t.Error("rows with another number of targets")
	}
	if _, _, err := e.CrossValidate(ctx, [][]float64{sums}, []float64{1}); err == nil {
		t.Error("one fold")
	}
	if err := e.AddTo(ctx, sums, data.NewInMemory(x, y, 1, nil)); err != nil || e.Rows(sums) != 40 {
		t.Fatalf("%v, %g rows", err, e.Rows(sums))
	}
	if _, err := e.Solve(ctx, sums, []float64{0}); err == nil {
		t.Error("λ = 0")
	}
	if _, err := e.SolveClasses(ctx, sums, []float64{1}); err == nil {
		t.Error("classes of numbers")
	}
	for _, classes := range []int{1, 3} {
		if _, err := NewEquations[kernel.Vec](ctx, k, centers, classes, []float64{0.5, 0.5}, true, 1); err == nil {
			t.Errorf("%d classes with two shares", classes)
		}
	}
}
