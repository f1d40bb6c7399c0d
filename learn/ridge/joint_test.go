package ridge

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// pairOf draws n rows of one signal in two outputs, the second in another unit and with the noise
// given.
func pairOf(n int, seed uint64, noise float64) learn.Problem[any] {
	rng := rand.New(rand.NewPCG(seed, 23))
	x, one, two := mat.NewDense(n, 1, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		v := 8*rng.Float64() - 4
		signal := math.Sin(2*v) + 0.4*v
		x.Set(i, 0, v)
		one[i], two[i] = signal+0.05*rng.NormFloat64(), 100+30*signal+30*noise*rng.NormFloat64()
	}
	return learn.Problem[kernel.Vec]{Points: data.Rows(x), Task: data.Regression, Y: one, More: [][]float64{two}}.Erase()
}

func jointSettings(lambda float64) learn.Settings {
	return learn.Settings{Kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}),
		Params: map[string]float64{"lambda": lambda, "outputs": 1}}
}

// With B given the fit is the solution of (K⊗B + λI)·vec α + vec 1bᵀ = vec Y, 1ᵀα = 0, as one dense
// system, in units of the deviations.
func TestJointIsTheDenseSystem(t *testing.T) {
	for _, intercept := range []bool{true, false} {
		p := pairOf(9, 1, 0.5)
		p.Outputs = mat.NewSymDense(2, []float64{1, 0.7, 0.7, 2})
		s := jointSettings(0.3)
		s.NoIntercept = !intercept
		m := modeltest.Must(fitSettings(learntest.Ctx, s, p))(t).(*Regressor[any])
		n, size := p.Len(), 2*p.Len()
		if intercept {
			size += 2
		}
		a, b := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
		for i := range n {
			for u := range 2 {
				b.SetVec(2*i+u, p.Target(u).Y[i]/p.Target(u).Deviation())
				for j := range n {
					for v := range 2 {
						a.Set(2*i+u, 2*j+v, s.Kernel.Eval(p.Points.At(i), p.Points.At(j))*p.Outputs.At(u, v))
					}
				}
				a.Set(2*i+u, 2*i+u, a.At(2*i+u, 2*i+u)+0.3)
				if intercept {
					a.Set(2*i+u, 2*n+u, 1)
					a.Set(2*n+u, 2*i+u, 1)
				}
			}
		}
		var solution mat.VecDense
		if err := solution.SolveVec(a, b); err != nil {
			t.Fatal(err)
		}
		got := modeltest.Must(m.PredictMulti(learntest.Ctx, p.Points))(t)
		for i := range n {
			for u := range 2 {
				want := 0.0
				if intercept {
					want = solution.AtVec(2*n + u)
				}
				for j := range n {
					for v := range 2 {
						want += s.Kernel.Eval(p.Points.At(i), p.Points.At(j)) * p.Outputs.At(u, v) * solution.AtVec(2*j+v)
					}
				}
				learntest.Near(t, "value", got.At(i, u), want*p.Target(u).Deviation(), 1e-8)
			}
		}
	}
}

// Rows of weight 0 are not there: not in λ where the loss is a mean, nor in the unit of a target.
func TestJointWithoutRowsOfNoWeight(t *testing.T) {
	p := pairOf(30, 4, 0.5)
	p.Weights = make([]float64, 30)
	keep := []int{}
	for i := range p.Weights {
		if i%3 == 0 {
			p.More[0][i] *= 100
		} else {
			p.Weights[i] = float64(i % 3)
			keep = append(keep, i)
		}
	}
	s := jointSettings(0.01)
	s.Params["loss"] = 1
	got := modeltest.Must(fitSettings(learntest.Ctx, s, p))(t).(*Regressor[any])
	want := modeltest.Must(fitSettings(learntest.Ctx, s, p.Gather(keep)))(t).(*Regressor[any])
	a, b := modeltest.Must(got.PredictMulti(learntest.Ctx, p.Points))(t),
		modeltest.Must(want.PredictMulti(learntest.Ctx, p.Points))(t)
	if !mat.EqualApprox(a, b, 1e-8) {
		t.Error("rows of weight 0 have a say")
	}
}

// judged runs the cells of some λ over folds, and keeps what they predict.
func judged(
	t *testing.T, p learn.Problem[any], k kernel.Kernel[any], params []map[string]float64, folds []data.Fold,
) map[[2]int]learn.Predictions {
	t.Helper()
	out := map[[2]int]learn.Predictions{}
	var mu sync.Mutex
	c := &learn.Cells{Problem: p, Kernel: k, Folds: folds, Params: params, Threads: 2, Bytes: 1 << 30,
		Gram: func() blas64.General {
			g := mat.NewDense(p.Len(), p.Len(), nil)
			if err := kernel.Block(learntest.Ctx, k, g, p.Points, p.Points); err != nil {
				t.Fatal(err)
			}
			return g.RawMatrix()
		},
		Alive: func(int, int) bool { return true }, Doubt: func(int, float64) {},
		Refuse: func(_ int, err error) { t.Error(err) },
		Judge: func(cell, fold int, p learn.Predictions) {
			mu.Lock()
			defer mu.Unlock()
			out[[2]int{cell, fold}] = p
		}}
	if err := judgeAll(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return out
}

// Cells judge what fits of the folds' rows predict, joint and apart side by side.
func TestJointCells(t *testing.T) {
	p := pairOf(24, 2, 0.7)
	var folds []data.Fold
	for f := range 3 {
		var fold data.Fold
		for i := range 24 {
			if i%3 == f {
				fold.Test = append(fold.Test, i)
			} else {
				fold.Train = append(fold.Train, i)
			}
		}
		folds = append(folds, fold)
	}
	params := []map[string]float64{{"lambda": 0.1}, {"lambda": 0.1, "outputs": 1}, {"lambda": 1},
		{"lambda": 2, "outputs": 1}}
	k := jointSettings(1).Kernel
	got := judged(t, p, k, params, folds)
	if len(got) != 12 {
		t.Fatalf("%d judgements", len(got))
	}
	for cell, set := range params {
		for f, fold := range folds {
			m := modeltest.Must(fitSettings(learntest.Ctx, learn.Settings{Kernel: k, Params: set}, p.Gather(fold.Train)))(t)
			want := modeltest.Must(m.(*Regressor[any]).PredictMulti(learntest.Ctx, data.Gather(p.Points, fold.Test)))(t)
			learntest.AllNear(t, "first target", got[[2]int{cell, f}].Value, mat.Col(nil, 0, want), 1e-6)
			learntest.AllNear(t, "second target", got[[2]int{cell, f}].More[0].Value, mat.Col(nil, 1, want), 1e-6)
		}
	}
}

// Beside a clean copy of its signal, a noisy output is predicted better at every λ of a grid than
// apart at the best of them.
func TestJointRidgeBeatsApart(t *testing.T) {
	for seed := range uint64(3) {
		p, fresh := pairOf(80, seed, 1), pairOf(200, seed+50, 0)
		off := func(s learn.Settings) float64 {
			m := modeltest.Must(fitSettings(learntest.Ctx, s, p))(t).(*Regressor[any])
			got := modeltest.Must(m.PredictMulti(learntest.Ctx, fresh.Points))(t)
			sum := 0.0
			for i, v := range fresh.More[0] {
				sum += (got.At(i, 1) - v) * (got.At(i, 1) - v) / 200
			}
			return sum
		}
		joint, apart := math.Inf(1), math.Inf(1)
		for _, lambda := range []float64{0.01, 0.1, 1, 10} {
			joint = math.Min(joint, off(jointSettings(lambda)))
			s := jointSettings(lambda)
			delete(s.Params, "outputs")
			apart = math.Min(apart, off(s))
		}
		t.Logf("seed %d: %.4g joint, %.4g apart", seed, joint, apart)
		if !(joint < 0.6*apart) {
			t.Errorf("seed %d: mean squared error %.4g, apart %.4g", seed, joint, apart)
		}
	}
}

// What has no meaning is refused.
func TestJointRefused(t *testing.T) {
	p := pairOf(6, 3, 0.1)
	bound, indefinite := jointSettings(1), p
	bound.Params["bound"] = 2
	indefinite.Outputs = mat.NewSymDense(2, []float64{1, 2, 2, 1})
	three := p
	three.Outputs = mat.NewSymDense(3, nil)
	little := jointSettings(1)
	little.Bytes = 10
	for name, c := range map[string]struct {
		s    learn.Settings
		p    learn.Problem[any]
		says string
	}{
		"one target": {jointSettings(1), p.Target(0), "several targets"},
		"bound":      {bound, p, "bound"},
		"indefinite": {jointSettings(1), indefinite, "eigenvalue"},
		"order":      {jointSettings(1), three, "order 3"},
		"budget":     {little, p, "apart"},
	} {
		if _, err := fitSettings(learntest.Ctx, c.s, c.p); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := LearnerBy(CG).Fit(learntest.Ctx, jointSettings(1), p); err == nil {
		t.Error("conjugate gradients take joint outputs")
	}
}
