package ridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// twoTargets is points in the plane with two targets of very different units.
func twoTargets(n int) learn.Problem[kernel.Vec] {
	rng := rand.New(rand.NewPCG(7, 7))
	x := mat.NewDense(n, 2, nil)
	p := learn.Problem[kernel.Vec]{Task: data.Regression, Y: make([]float64, n), More: [][]float64{make([]float64, n)}}
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		p.Y[i] = math.Sin(a) + 0.1*rng.NormFloat64()
		p.More[0][i] = 1000*a*b + 50*rng.NormFloat64()
	}
	p.Points = data.Rows(x)
	return p
}

// Several targets have one factorisation, and are what a fit of each by itself gives.
func TestSeveralTargetsAreFitsOfEach(t *testing.T) {
	p := twoTargets(40).Erase()
	k := kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 1.2})
	l := Learners()[0]
	s := learn.Settings{Kernel: k, Params: map[string]float64{"lambda": 0.3}}
	both, err := l.Fit(t.Context(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	m, ok := both.(learn.Several[any])
	if !ok || m.Targets() != 2 {
		t.Fatalf("a %T", both)
	}
	for target := range 2 {
		one, err := l.Fit(t.Context(), s, p.Target(target))
		if err != nil {
			t.Fatal(err)
		}
		want, err := one.(learn.Regressor[any]).Predict(t.Context(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Of(target).(learn.Regressor[any]).Predict(t.Context(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-10*(1+math.Abs(want[i]))) {
				t.Fatalf("target %d, row %d: %.15g, by itself %.15g", target, i, got[i], want[i])
			}
		}
	}
	known, err := learn.PredictKnown(t.Context(), both, 0, p)
	if err != nil || len(known.More) != 1 || &known.More[0].Truth[0] != &p.More[0][0] {
		t.Errorf("known: %d further targets, %v", len(known.More), err)
	}
}

// The folds of a search judge every target as a search for it alone would.
func TestCellsOfSeveralTargets(t *testing.T) {
	p := twoTargets(30)
	folds, err := data.KFold(30, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	said := func(p learn.Problem[kernel.Vec]) map[int]learn.Predictions {
		out := map[int]learn.Predictions{}
		c := &learn.Cells{Problem: p.Erase(), Folds: folds, Params: []map[string]float64{{"lambda": 0.1}}, Threads: 1,
			InOrder: true,
			Alive:   func(int, int) bool { return true },
			Judge:   func(_, f int, q learn.Predictions) { out[f] = q },
			Gram: func() blas64.General {
				g := linalg.New[float64](p.Len(), p.Len())
				if err := kernel.Fill(1, blas64.General(g), kernel.Prepare[kernel.Vec](t.Context(), kernel.Gaussian{Lengthscale: 1},
					p.Points, p.Points)); err != nil {
					t.Fatal(err)
				}
				return blas64.General(g)
			}}
		if err := judgeCells(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return out
	}
	both := said(p)
	for target := range 2 {
		for f, want := range said(p.Target(target)) {
			got := both[f].Target(target)
			for i := range want.Value {
				if !(math.Abs(got.Value[i]-want.Value[i]) <= 1e-10*(1+math.Abs(want.Value[i]))) {
					t.Fatalf("target %d, fold %d: %v, by itself %v", target, f, got.Value, want.Value)
				}
			}
		}
	}
}

// What cannot be learnt together is refused.
func TestSeveralTargetsRefused(t *testing.T) {
	p := twoTargets(20)
	bound := learn.Settings{Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 1}),
		Params: map[string]float64{"lambda": 1, "bound": 2}}
	if _, err := Learners()[0].Fit(t.Context(), bound, p.Erase()); err == nil {
		t.Error("a bound on the norm of two targets")
	}
	for name, spoil := range map[string]func(p *learn.Problem[kernel.Vec]){
		"too short": func(p *learn.Problem[kernel.Vec]) { p.More[0] = p.More[0][:3] },
		"NaN":       func(p *learn.Problem[kernel.Vec]) { p.More[0][2] = math.NaN() },
		"1e308":     func(p *learn.Problem[kernel.Vec]) { p.More[0][2] = 1e308 },
		"classes":   func(p *learn.Problem[kernel.Vec]) { p.Task = data.Binary; clear(p.Y); p.Y[0] = 1 },
	} {
		p := twoTargets(20)
		spoil(&p)
		if err := p.Check(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
