package rbf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/kmeans"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

var everyChoice = map[string]CenterChoice{"random": RandomCenters, "ols": OrthogonalLeastSquares,
	"kmeans": KMeansCenters}

// featuresOf is the double loop: a row for each point, k(μⱼ, xᵢ) and a last column of ones.
func featuresOf(k kernel.Kernel[kernel.Vec], mu data.Points[kernel.Vec], x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	f := mat.NewDense(n, mu.Len()+1, nil)
	for i := range n {
		for j := range mu.Len() {
			f.Set(i, j, k.Eval(mu.At(j), x.RawRowView(i)))
		}
		f.Set(i, mu.Len(), 1)
	}
	return f
}

// TestRBFNetworkIsLeastSquares compares with Householder QR on the features,
// augmented by √λ·I below for ridge; the rows weigh by √w.
func TestRBFNetworkIsLeastSquares(t *testing.T) {
	x, y := learntest.NoisySinc(80, 8, 0.1, 61)
	k := kernel.Gaussian{Lengthscale: 0.7}
	weights := make([]float64, 80)
	for i := range weights {
		weights[i] = 0.5 + float64(i%3)
	}
	for name, choice := range everyChoice {
		for _, lambda := range []float64{1e-9, 0.5} {
			m, err := Network[kernel.Vec]{Kernel: k, Weights: weights,
				Options: Options{Centers: 9, Choice: choice, Lambda: lambda, Seed: 3, Tol: 1e-12}}.Fit(context.Background(),
				data.Rows(x), y)
			if err != nil {
				t.Fatal(name, err)
			}
			if r := m.Report(); !r.Converged || len(r.Warnings) != 0 {
				t.Errorf("%s λ=%g: %+v", name, lambda, r)
			}
			if (m.Support() == nil) != (choice == KMeansCenters) {
				t.Errorf("%s: support %v", name, m.Support())
			}
			mu := m.Func().Centers
			phi := featuresOf(k, mu, x)
			n, cols := phi.Dims()
			a, b := mat.NewDense(n+cols-1, cols, nil), mat.NewVecDense(n+cols-1, nil)
			for i := range n {
				for j := range cols {
					a.Set(i, j, math.Sqrt(weights[i])*phi.At(i, j))
				}
				b.SetVec(i, math.Sqrt(weights[i])*y[i])
			}
			if lambda > 1e-6 {
				for j := range cols - 1 {
					a.Set(n+j, j, math.Sqrt(lambda))
				}
			}
			var want, fit mat.VecDense
			if err := want.SolveVec(a, b); err != nil {
				t.Fatal(err)
			}
			fit.MulVec(phi, &want)
			for i, v := range modeltest.Predict(t, m, data.Rows(x)) {
				if math.Abs(v-fit.AtVec(i)) > 1e-6 {
					t.Fatalf("%s λ=%g: f at %d is %g, least squares %g", name, lambda, i, v, fit.AtVec(i))
				}
			}
		}
	}
}

// TestRBFForwardSelection compares the picks with brute force: at each step
// solve least squares for every candidate and keep the one with the least residual.
func TestRBFForwardSelection(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 1}
	x, y := learntest.NoisySinc(40, 6, 0.1, 62)
	z, label := learntest.Blobs(40, 2, 3, 1, 63)
	indicator := make([][]float64, 3)
	for c := range indicator {
		for _, l := range label {
			v := -1.0
			if l == c {
				v = 1
			}
			indicator[c] = append(indicator[c], v)
		}
	}
	for _, bias := range []bool{true, false} {
		o := Options{Centers: 6, Choice: OrthogonalLeastSquares, NoIntercept: !bias}
		m, err := Network[kernel.Vec]{Kernel: k, Options: o}.Fit(context.Background(), data.Rows(x), y)
		if err != nil {
			t.Fatal(err)
		}
		checkPicks(t, k, x, [][]float64{y}, bias, m.CenterRows(), m.ErrorReduction())
		c, err := Classification[kernel.Vec, int]{Kernel: k, Options: o}.Fit(context.Background(), data.Rows(z), label)
		if err != nil {
			t.Fatal(err)
		}
		checkPicks(t, k, z, indicator, bias, c.CenterRows(), c.ErrorReduction())
	}
	m, err := Network[kernel.Vec]{Kernel: k, Options: Options{Centers: 30, Choice: OrthogonalLeastSquares,
		Unexplained: 0.2}}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	e := m.ErrorReduction()
	if s := fitting.Sum(e); len(e) >= 30 || s < 0.8 || s-e[len(e)-1] >= 0.8 || len(m.Report().Warnings) != 0 {
		t.Errorf("stopped after %v, sum %g: %v", e, s, m.Report().Warnings)
	}
}

func checkPicks(
	t *testing.T, k kernel.Kernel[kernel.Vec], x *mat.Dense, targets [][]float64, bias bool, rows []int, ratio []float64,
) {
	t.Helper()
	if len(rows) != 6 || len(ratio) != 6 {
		t.Fatalf("picked %v with %v, want 6", rows, ratio)
	}
	n := len(targets[0])
	residual := func(chosen []int) float64 {
		cols := len(chosen)
		if bias {
			cols++
		}
		b := mat.NewDense(n, len(targets), nil)
		for c, y := range targets {
			b.SetCol(c, y)
		}
		if cols == 0 {
			return math.Pow(mat.Norm(b, 2), 2)
		}
		a := mat.NewDense(n, cols, nil)
		for i := range n {
			for j, p := range chosen {
				a.Set(i, j, k.Eval(x.RawRowView(p), x.RawRowView(i)))
			}
			if bias {
				a.Set(i, cols-1, 1)
			}
		}
		var beta, fit mat.Dense
		if err := beta.Solve(a, b); err != nil {
			return math.Inf(1)
		}
		fit.Mul(a, &beta)
		fit.Sub(b, &fit)
		return math.Pow(mat.Norm(&fit, 2), 2)
	}
	var chosen []int
	before := residual(nil)
	energy := before
	for s := range rows {
		best, least := -1, math.Inf(1)
		for j := range n {
			if slices.Contains(chosen, j) {
				continue
			}
			if r := residual(append(slices.Clone(chosen), j)); r < least {
				best, least = j, r
			}
		}
		chosen = append(chosen, best)
		if rows[s] != best {
			t.Fatalf("bias %v: picked %v, brute force begins %v", bias, rows, chosen)
		}
		if want := (before - least) / energy; math.Abs(ratio[s]-want) > 1e-9 {
			t.Errorf("bias %v: ratio %d is %g, want %g", bias, s, ratio[s], want)
		}
		before = least
	}
}

// TestRBFClassifierGradient certifies the logistic optimum with the double loop.
func TestRBFClassifierGradient(t *testing.T) {
	const lambda = 0.2
	k := kernel.Gaussian{Lengthscale: 1.5}
	for _, classes := range []int{2, 3} {
		x, y := learntest.Blobs(120, 2, classes, 1, 64)
		for name, choice := range everyChoice {
			m, err := Classification[kernel.Vec, int]{Kernel: k, Balance: learn.Balanced,
				Options: Options{Centers: 8, Choice: choice, Lambda: lambda, Tol: 1e-13}}.Fit(context.Background(), data.Rows(x), y)
			if err != nil {
				t.Fatal(name, err)
			}
			phi := featuresOf(k, m.Func().Centers, x)
			count := make([]float64, classes)
			for _, l := range y {
				count[l]++
			}
			_, outputs := m.Func().Coef.Dims()
			for o := range outputs {
				positive := o
				if classes == 2 {
					positive = 1
				}
				grad := make([]float64, 9)
				for j := range 8 {
					grad[j] = lambda * m.Func().Coef.At(j, o)
				}
				for i, l := range y {
					f := m.Func().Bias[o]
					for j := range 8 {
						f += m.Func().Coef.At(j, o) * phi.At(i, j)
					}
					r := 1 / (1 + math.Exp(-f))
					if l == positive {
						r--
					}
					for j := range grad {
						grad[j] += 120 / (float64(classes) * count[l]) * r * phi.At(i, j)
					}
				}
				for j, g := range grad {
					if math.Abs(g) > 1e-4 {
						t.Errorf("%s, %d classes: gradient %d of output %d is %g", name, classes, j, o, g)
					}
				}
			}
			right := 0
			proba := modeltest.Proba(t, m, data.Rows(x))
			for i, l := range modeltest.Predict(t, m, data.Rows(x)) {
				if l == y[i] {
					right++
				}
				if row := proba.RawRowView(i); learn.ArgMax(row) != l || math.Abs(fitting.Sum(row)-1) > 1e-12 {
					t.Fatalf("%s: probabilities %v for label %d", name, row, l)
				}
			}
			if right < 85 {
				t.Errorf("%s, %d classes: %d of 120 right", name, classes, right)
			}
		}
	}
}

// TestRBFKMeans: the means are the fixed point of Lloyd's map, and the
// groups of a sample of separate groups are found.
func TestRBFKMeans(t *testing.T) {
	x := mat.NewDense(30, 2, nil)
	weights := make([]float64, 30)
	for i := range 30 {
		x.SetRow(i, []float64{float64(10*(i%3)) + 0.1*float64(i/3), float64(i % 7)})
		weights[i] = 1 + float64(i%2)
	}
	for _, count := range []int{3, 7} {
		m, err := Network[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 5}, Weights: weights,
			Options: Options{Centers: count, Choice: KMeansCenters, Seed: 1}}.Fit(context.Background(), data.Rows(x),
			make([]float64, 30))
		if err != nil {
			t.Fatal(err)
		}
		mu := m.Func().Centers
		sum, total := mat.NewDense(count, 2, nil), make([]float64, count)
		for i := range 30 {
			best := 0
			for c := range count {
				if kmeans.Squared(x.RawRowView(i), mu.At(c)) < kmeans.Squared(x.RawRowView(i), mu.At(best)) {
					best = c
				}
			}
			total[best] += weights[i]
			for j := range 2 {
				sum.Set(best, j, sum.At(best, j)+weights[i]*x.At(i, j))
			}
		}
		for c := range count {
			for j := range 2 {
				if want := sum.At(c, j) / total[c]; !(math.Abs(mu.At(c)[j]-want) < 1e-12) {
					t.Errorf("mean %d of %d, column %d: %g, its points have %g", c, count, j, mu.At(c)[j], want)
				}
			}
		}
	}
}

func TestRBFDegenerate(t *testing.T) {
	ctx := context.Background()
	k := kernel.Gaussian{}
	one := data.Rows(mat.NewDense(1, 1, []float64{2}))
	same := data.Rows(mat.NewDense(6, 1, []float64{1, 1, 1, 2, 2, 2}))
	x, y := learntest.NoisySinc(20, 4, 0.1, 65)
	for name, choice := range everyChoice {
		net := Network[kernel.Vec]{Kernel: k, Options: Options{Choice: choice}}
		m, err := net.Fit(ctx, one, []float64{3})
		if err != nil || math.Abs(modeltest.Predict(t, m, one)[0]-3) > 1e-2 {
			t.Errorf("%s: one point: %v, %v", name, m, err)
		}
		dup, err := net.Fit(ctx, same, []float64{0, 1, 2, 4, 5, 6})
		if err != nil {
			t.Fatal(name, err)
		}
		for i, v := range modeltest.Predict(t, dup, same) {
			if want := 1 + 4*float64(i/3); math.Abs(v-want) > 0.05 {
				t.Errorf("%s: duplicates: %g, want %g", name, v, want)
			}
		}
		if few := dup.Func().Centers.Len() <= 2; few != (choice != RandomCenters) || few != (len(dup.Report().Warnings) > 0) {
			t.Errorf("%s: %d centres of two distinct points, warnings %v", name, dup.Func().Centers.Len(), dup.Report().Warnings)
		}
		flat, err := net.Fit(ctx, data.Rows(x), slices.Repeat([]float64{7}, 20))
		if err != nil || math.Abs(modeltest.Predict(t, flat, one)[0]-7) > 1e-6 {
			t.Errorf("%s: constant targets: %v", name, err)
		}
		refuse := func(what, says string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %s: error %v, want one that says %q", name, what, err, says)
			}
		}
		_, err = Classification[kernel.Vec, string]{Kernel: k, Options: Options{Choice: choice}}.Fit(ctx, same,
			slices.Repeat([]string{"a"}, 6))
		if !errors.Is(err, learn.ErrOneClass) {
			t.Errorf("%s: one class: %v", name, err)
		}
		bad := mat.DenseCopyOf(x)
		bad.Set(4, 0, math.NaN())
		_, err = net.Fit(ctx, data.Rows(bad), y)
		refuse("NaN", "NaN", err)
		bad.Set(4, 0, 0)
		_, err = net.Fit(ctx, data.Rows(bad), append(slices.Clone(y[:19]), math.NaN()))
		refuse("NaN target", "row 19", err)
		_, err = net.Fit(ctx, data.Slice[kernel.Vec]{}, nil)
		if !errors.Is(err, learn.ErrNoPoints) {
			t.Errorf("%s: empty: %v", name, err)
		}
		huge := mat.NewDense(3, 1, []float64{1e308, -1e308, 0})
		if m, err := net.Fit(ctx, data.Rows(huge), []float64{1, 2, 3}); err == nil &&
			slices.ContainsFunc(modeltest.Predict(t, m, data.Rows(huge)), func(v float64) bool {
				return math.IsNaN(v) ||
					math.IsInf(v, 0)
			}) {
			t.Errorf("%s: 1e308 gave a model that is not finite", name)
		}
		many := net
		many.Centers = 21
		_, err = many.Fit(ctx, data.Rows(x), y)
		refuse("K > n", "Centers is 21, with 20 points", err)
		small := net
		small.Bytes = 100
		var over *learn.OverBudget
		if _, err = small.Fit(ctx, data.Rows(x), y); !errors.As(err, &over) {
			t.Errorf("%s: byte budget: %v", name, err)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err = net.Fit(ended, data.Rows(x), y); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", name, err)
		}
	}
	for _, o := range []Options{{Choice: 9}, {Unexplained: 1}, {Unexplained: math.NaN()}, {Lambda: -1}, {Tol: -1},
		{MaxIterations: -1}, {Centers: -1}} {
		if _, err := (Network[kernel.Vec]{Kernel: k, Options: o}).Fit(ctx, data.Rows(x), y); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	words := kernel.Pullback[string](kernel.Kernel[kernel.Vec](k),
		func(s string) kernel.Vec { return kernel.Vec{float64(len(s))} })
	points := data.Slice[string]{"a", "bb", "cccc"}
	if _, err := (Network[string]{Kernel: words, Options: Options{Choice: KMeansCenters}}).Fit(ctx, points,
		[]float64{1, 2, 3}); err == nil || !strings.Contains(err.Error(), "dense vectors") {
		t.Errorf("k-means of words: %v", err)
	}
	if _, err := (Network[string]{Kernel: words, Options: Options{Choice: OrthogonalLeastSquares}}).Fit(ctx, points,
		[]float64{1, 2, 3}); err != nil {
		t.Errorf("words: %v", err)
	}
}

// TestRBFThreadsAndCopies: the same bits at 1, 2 and 8 threads, and no change
// of the model with that of the training data.
func TestRBFThreadsAndCopies(t *testing.T) {
	ctx := context.Background()
	k := kernel.Gaussian{Lengthscale: 1}
	x, label := learntest.Blobs(300, 3, 3, 1, 66)
	y := make([]float64, 300)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	for name, choice := range everyChoice {
		var net, class string
		for _, threads := range datatest.Threads() {
			o := Options{Centers: 40, Choice: choice, Seed: 5, Resources: learn.Resources{Threads: threads}}
			tx, ty, tl := mat.DenseCopyOf(x), slices.Clone(y), slices.Clone(label)
			m, err := Network[kernel.Vec]{Kernel: k, Options: o}.Fit(ctx, data.Rows(tx), ty)
			if err != nil {
				t.Fatal(name, err)
			}
			c, err := Classification[kernel.Vec, int]{Kernel: k, Options: o}.Fit(ctx, data.Rows(tx), tl)
			if err != nil {
				t.Fatal(name, err)
			}
			before := learntest.Bits(modeltest.Predict(t, m, data.Rows(x))) + learntest.Bits(modeltest.Decision(t, c,
				data.Rows(x)).RawMatrix().Data)
			tx.Zero()
			clear(ty)
			clear(tl)
			for _, rows := range [][]int{m.CenterRows(), m.Support(), c.CenterRows(), c.Classes()} {
				clear(rows)
			}
			clear(m.ErrorReduction())
			if after := learntest.Bits(modeltest.Predict(t, m, data.Rows(x))) + learntest.Bits(modeltest.Decision(t, c,
				data.Rows(x)).RawMatrix().Data); after != before {
				t.Errorf("%s: the model changed with the training data", name)
			}
			if choice != KMeansCenters && (m.Support()[39] == 0 || m.CenterRows()[1]+m.CenterRows()[2] == 0) {
				t.Errorf("%s: a caller cleared the list of centres", name)
			}
			gotNet := fmt.Sprint(m.CenterRows()) + learntest.Bits(m.ErrorReduction()) + learntest.Bits(m.Func().Coef.RawMatrix().Data) + learntest.Bits(m.Func().Bias)
			gotClass := fmt.Sprint(c.CenterRows()) + learntest.Bits(c.Func().Coef.RawMatrix().Data) + learntest.Bits(c.Func().Bias)
			for j := range 40 {
				gotNet += learntest.Bits(m.Func().Centers.At(j))
			}
			if threads == 1 {
				net, class = gotNet, gotClass
			}
			if gotNet != net || gotClass != class {
				t.Errorf("%s: other bits at %d threads than at one", name, threads)
			}
		}
	}
}
