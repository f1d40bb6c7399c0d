package nystrom

import (
	"math"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// The function found is the best on its centres: with r = y - f - b, K(C, X)Wr = λK(C, C)α and,
// with an intercept, Σ wr = 0.
func TestCentersAreStationary(t *testing.T) {
	p := learntest.Problem(150, data.Regression, 3)
	n := p.Len()
	k := kernel.Gaussian{Lengthscale: 0.8}
	for _, o := range everyWay(25) {
		for _, intercept := range []bool{false, true} {
			for _, weights := range [][]float64{nil, learntest.WeightsWith(n, 0, 2)} {
				for _, offset := range []float64{0, 1e6} {
					y := make([]float64, n)
					for i, v := range p.Y {
						y[i] = v + offset
					}
					r := Regression[kernel.Vec]{Kernel: k, Lambda: 0.3, Intercept: intercept, Weights: weights, Options: o}
					m, err := r.Fit(t.Context(), p.Points, y)
					if err != nil {
						t.Fatal(err)
					}
					f := m.Func()
					if f.Centers.Len() > 25 || f.Centers.Len() < 10 {
						t.Errorf("%+v: %d centres of 25", o, f.Centers.Len())
					}
					fitted, err := m.Predict(t.Context(), p.Points)
					if err != nil {
						t.Fatal(err)
					}
					w := func(i int) float64 {
						if weights == nil {
							return 1
						}
						return weights[i]
					}
					sum, scale := 0.0, 0.0
					for i := range n {
						sum += w(i) * (y[i] - fitted[i])
						scale += w(i) * math.Abs(y[i])
					}
					if intercept && math.Abs(sum) > 1e-9*scale {
						t.Errorf("offset %g: residuals sum to %g", offset, sum)
					}
					for a := range f.Centers.Len() {
						left, right := 0.0, 0.0
						for i := range n {
							left += k.Eval(f.Centers.At(a), p.Points.At(i)) * w(i) * (y[i] - fitted[i])
						}
						for b := range f.Centers.Len() {
							right += r.Lambda * k.Eval(f.Centers.At(a), f.Centers.At(b)) * f.Coef.At(b, 0)
						}
						if math.Abs(left-right) > 1e-7*(1+scale) {
							t.Errorf("%+v, intercept %v, offset %g, centre %d: %g and %g", o, intercept, offset, a, left, right)
						}
					}
					if !m.Report().Converged {
						t.Error("not converged", m.Report().Certificate)
					}
				}
			}
		}
	}
}

// everyWay is every solver, choice and precision.
func everyWay(centers int) (out []Options) {
	for _, s := range []Solver{Auto, Direct, Falkon} {
		for _, c := range []Choice{Uniform, Leverage, KMeans} {
			out = append(out, Options{Centers: centers, Seed: 5, Solver: s, Choice: c, Tol: 1e-12})
		}
	}
	return append(out, Options{Centers: centers, Seed: 5, Solver: Falkon, Precision: gram.Single, Tol: 1e-11})
}

// With every point a centre, or more asked for than there are, it is the regression itself; so is
// the linear kernel with more centres than columns.
func TestAllCentersAreTheRegression(t *testing.T) {
	p := learntest.Problem(80, data.Regression, 4)
	for _, c := range []struct {
		k       kernel.Kernel[kernel.Vec]
		centers int
	}{{kernel.Gaussian{Lengthscale: 0.5}, 80}, {kernel.Gaussian{Lengthscale: 0.5}, 1000}, {kernel.Matern{Nu: 1.5}, 80},
		{kernel.Linear{}, 10}} {
		for _, weights := range [][]float64{nil, learntest.WeightsWith(80, 3, 2.5)} {
			exact, err := ridge.Regression[kernel.Vec]{Kernel: c.k, Lambda: 0.1, Intercept: true,
				Weights: weights}.Fit(t.Context(), p.Points, p.Y)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range everyWay(c.centers) {
				if o.Choice == KMeans && c.centers < 80 { // what is far from all others in two dimensions may be no basis
					continue
				}
				m, err := Regression[kernel.Vec]{Kernel: c.k, Lambda: 0.1, Intercept: true, Weights: weights,
					Options: o}.Fit(t.Context(), p.Points, p.Y)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := m.Predict(t.Context(), p.Points)
				want, _ := exact.Predict(t.Context(), p.Points)
				for i := range want {
					if math.Abs(got[i]-want[i]) > 1e-8*(1+math.Abs(want[i])) {
						t.Fatalf("%T, %+v: point %d is %g, want %g", c.k, o, i, got[i], want[i])
					}
				}
				if gap := m.Report().Objective/exact.Report().Objective - 1; math.Abs(gap) > 1e-8 {
					t.Errorf("%T, %+v: objective %g, want %g", c.k, o, m.Report().Objective, exact.Report().Objective)
				}
			}
		}
	}
}

// Cells judged from sums are the predictions of fits on the same centres: folds that take their
// rows off all, and folds that leave rows out.
func TestCenterCellsAgainstFits(t *testing.T) {
	for _, task := range []data.Task{data.Regression, data.Binary, data.Multiclass} {
		p := learntest.Problem(120, task, 5)
		n := p.Len()
		p.Weights = make([]float64, n)
		for i := range p.Weights {
			p.Weights[i] = 1 + float64(i%3)
		}
		k := kernel.Gaussian{Lengthscale: 0.7}
		folds := learntest.RoundRobin(n, 4)
		late := folds[0]
		late.Train = late.Train[:len(late.Train)/2]
		folds = append(folds, late)
		var mu sync.Mutex
		got := map[[2]int]learn.Predictions{}
		c := &learn.Cells{Problem: p.Erase(), Kernel: kernel.Erase[kernel.Vec](k), Folds: folds, Threads: 2, Bytes: 1 << 30,
			Params: []map[string]float64{{"lambda": 0.01, "centres": 15}, {"lambda": 10, "centres": 15},
				{"lambda": 1, "centres": 30}},
			Alive: func(cell, fold int) bool { return cell != 1 || fold != 2 },
			Judge: func(cell, fold int, q learn.Predictions) {
				mu.Lock()
				defer mu.Unlock()
				got[[2]int{cell, fold}] = q
			}}
		if err := judgeCells(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if len(got) != 3*5-1 {
			t.Errorf("%d judgements", len(got))
		}
		for at, got := range got {
			q, err := cellProblem(t.Context(), c, int(c.Params[at[0]]["centres"]))
			if err != nil {
				t.Fatal(err)
			}
			centers, ok := data.Typed[kernel.Vec](q.basis.centers)
			if !ok {
				t.Fatalf("the centres are %T", q.basis.centers)
			}
			want := onCenters(t, k, centers, p, folds[at[1]], c.Params[at[0]]["lambda"])
			for i := range folds[at[1]].Test {
				have := got.Value
				if task != data.Regression {
					have = got.Score
				}
				for o := range want.RawRowView(i) {
					a := have[i*len(have)/len(folds[at[1]].Test)+o]
					if task == data.Binary {
						a = have[2*i+1]
					}
					if b := want.At(i, o); math.Abs(a-b) > 1e-6*(1+math.Abs(b)) {
						t.Fatalf("%v, cell %d, fold %d, row %d, output %d: %g, a fit's %g", task, at[0], at[1], i, o, a, b)
					}
				}
			}
		}
	}
}

// onCenters is the predictions at the rows a fold leaves out by the normal equations in the
// coefficients themselves, solved by QR.
func onCenters(
	t *testing.T, k kernel.Kernel[kernel.Vec], centers data.Points[kernel.Vec], p learn.Problem[kernel.Vec],
	fold data.Fold, lambda float64,
) *mat.Dense {
	m, y := centers.Len(), targetsOf(p)
	// Rows √w[K(x, C), 1], then √λR over the coefficients, RᵀR = K(C, C).
	kcc := mat.NewSymDense(m, nil)
	for i := range m {
		for j := range m {
			kcc.SetSym(i, j, k.Eval(centers.At(i), centers.At(j)))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(kcc) {
		t.Fatal("K(C, C) is singular")
	}
	var upper mat.TriDense
	chol.UTo(&upper)
	a, b := mat.NewDense(len(fold.Train)+m, m+1, nil), mat.NewDense(len(fold.Train)+m, y.Cols, nil)
	for r, i := range fold.Train {
		w := math.Sqrt(p.Weights[i])
		for j := range m {
			a.Set(r, j, w*k.Eval(p.Points.At(i), centers.At(j)))
		}
		a.Set(r, m, w)
		for o, v := range y.Row(i) {
			b.Set(r, o, w*v)
		}
	}
	for i := range m {
		for j := i; j < m; j++ {
			a.Set(len(fold.Train)+i, j, math.Sqrt(lambda)*upper.At(i, j))
		}
	}
	var x mat.Dense
	if err := x.Solve(a, b); err != nil {
		t.Fatal(err)
	}
	out := mat.NewDense(len(fold.Test), y.Cols, nil)
	for r, i := range fold.Test {
		for o := range y.Cols {
			v := x.At(m, o)
			for j := range m {
				v += k.Eval(p.Points.At(i), centers.At(j)) * x.At(j, o)
			}
			out.Set(r, o, v)
		}
	}
	return out
}

// targetsOf is the targets of a problem, a column for each output.
func targetsOf(p learn.Problem[kernel.Vec]) linalg.Matrix[float64] {
	if p.ClassCount() == 0 {
		return linalg.Matrix[float64]{Rows: p.Len(), Cols: 1, Stride: 1, Data: p.Y}
	}
	t := signs(p.ClassCount())
	m := linalg.New[float64](p.Len(), t.outputs())
	for i := range p.Y {
		t.set(m.Row(i), p.Y[i:i+1])
	}
	return m
}
