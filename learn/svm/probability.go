package svm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// calibrationFolds is how many parts of the data take turns in being left out.
const calibrationFolds = 5

// calibrate fits a sigmoid for each machine on decision values of points that
// the machine did not learn from. Folds are stratified, and all fits share the
// kernel matrix of the main fit.
func (c Classification[T, L]) calibrate(ctx context.Context, km *kernelMatrix[T], tasks []learn.TwoClass, weights []float64, o Options) ([]learn.Sigmoid, error) {
	type foldFit struct{ task, fold int }
	var (
		fits     []foldFit
		parts    []learn.TwoClass
		problems []svmProblem
	)
	folds := make([][]int, len(tasks)) // fold of each point of a task
	decision := make([][]float64, len(tasks))
	for k, t := range tasks {
		folds[k] = stratifiedFolds(t.Positive, calibrationFolds, c.Seed+uint64(k))
		decision[k] = make([]float64, len(t.Index))
		for f := range calibrationFolds {
			part := without(t, folds[k], f)
			if constant, value := oneSided(part); constant {
				for i := range t.Index {
					if folds[k][i] == f {
						decision[k][i] = value
					}
				}
				continue
			}
			p, err := c.problem(part.Targets(), data.Take(weights, part.Index))
			if err != nil {
				return nil, err
			}
			fits = append(fits, foldFit{k, f})
			parts = append(parts, part)
			problems = append(problems, p)
		}
	}
	machines, err := fitMachines(ctx, km, parts, problems, o)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(fits))
	par.For(o.Threads, len(fits), 1, func(i, _ int) {
		t, fold := tasks[fits[i].task], folds[fits[i].task]
		errs[i] = machines[i].decide(ctx, km, parts[i].Index, t.Index, func(a int) bool { return fold[a] == fits[i].fold }, decision[fits[i].task])
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out := make([]learn.Sigmoid, len(tasks))
	for k, t := range tasks {
		out[k] = learn.FitSigmoid(decision[k], t.Positive, data.Take(weights, t.Index))
	}
	return out, nil
}

// decide evaluates the machine, fitted to the training points of own, at the
// training points points[a] with want(a), into out[a].
func (m *machine) decide(ctx context.Context, km interface {
	cutTile(dst linalg.Matrix[float64], rows, cols []int)
}, own, points []int, want func(int) bool, out []float64) error {
	var used []int
	var coef []float64
	for i, c := range m.coef {
		if c != 0 {
			used, coef = append(used, own[i]), append(coef, c)
		}
	}
	var at []int
	for a := range points {
		if want(a) {
			at = append(at, a)
		}
	}
	const batch = 64
	for lo := 0; lo < len(at); lo += batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := at[lo:min(lo+batch, len(at))]
		k := linalg.New[float64](len(part), len(used))
		if len(used) > 0 {
			km.cutTile(k, data.Take(points, part), used)
		}
		for r, a := range part {
			s := m.bias
			for i, v := range k.Row(r) {
				s += coef[i] * v
			}
			out[a] = s
		}
	}
	return ctx.Err() // of the last tile too, which may have been left unfinished
}

func (m *kernelMatrix[T]) cutTile(dst linalg.Matrix[float64], rows, cols []int) {
	m.cut(nil, rows, cols).Tile(blas64.General(dst), 0, 0)
}

// without is the task less the points of one fold.
func without(t learn.TwoClass, fold []int, f int) learn.TwoClass {
	out := learn.TwoClass{Plus: t.Plus, Minus: t.Minus}
	for i, p := range t.Index {
		if fold[i] != f {
			out.Index, out.Positive = append(out.Index, p), append(out.Positive, t.Positive[i])
		}
	}
	return out
}

// oneSided says whether all points of the task are on one side (or there are
// none), and the decision value that stands for it: ±1, or 0.
func oneSided(t learn.TwoClass) (bool, float64) {
	plus := 0
	for _, p := range t.Positive {
		if p {
			plus++
		}
	}
	switch {
	case len(t.Positive) == 0:
		return true, 0
	case plus == len(t.Positive):
		return true, 1
	case plus == 0:
		return true, -1
	}
	return false, 0
}

// stratifiedFolds deals the points of each side out in random order.
func stratifiedFolds(positive []bool, k int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 0x5f6f1d))
	fold := make([]int, len(positive))
	next := 0
	for _, side := range []bool{true, false} {
		for _, i := range rng.Perm(len(positive)) {
			if positive[i] == side {
				fold[i] = next % k
				next++
			}
		}
	}
	return fold
}

// HasProba says whether the model was fitted with Probability.
func (m *Classifier[T, L]) HasProba() bool { return m.sigmoids != nil }

// Proba returns the probability of each class (a column, in the order of Classes), a row for each point. Pairwise
// probabilities are sigmoids of decision values, coupled by Wu, Lin & Weng (2004);
// one-vs-rest ones are scaled to sum to 1. A model fitted without Probability has none: learn.ErrNoProba.
func (m *Classifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.classes), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the probabilities of point i to row i of dst.
func (m *Classifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if m.sigmoids == nil {
		return fmt.Errorf("svm: %w; fit with Probability", learn.ErrNoProba)
	}
	return learn.ProbaFrom(ctx, m, dst, x, m.probabilities)
}

// probabilities turns a row of decision values into class probabilities.
func (m *Classifier[T, L]) probabilities(p, decision []float64) {
	k := len(p)
	// Bounded away from 0 and 1, as in LIBSVM, so that coupling is well posed.
	sure := func(v float64) float64 { return min(max(v, 1e-7), 1-1e-7) }
	switch {
	case k == 2:
		p[1] = sure(m.sigmoids[0].At(decision[0]))
		p[0] = 1 - p[1]
	case m.rule == learn.OneVsRest:
		total := 0.0
		for c := range p {
			p[c] = sure(m.sigmoids[c].At(decision[c]))
			total += p[c]
		}
		for c := range p {
			p[c] /= total
		}
	default:
		r := make([][]float64, k)
		for a := range r {
			r[a] = make([]float64, k)
		}
		i := 0
		for a := range k {
			for b := a + 1; b < k; b++ {
				r[a][b] = sure(m.sigmoids[i].At(decision[i]))
				r[b][a] = 1 - r[a][b]
				i++
			}
		}
		learn.CouplePairs(p, r, 1e-9)
	}
}
