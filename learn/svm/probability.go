package svm

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/plattscale"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// calibrationFolds is how many parts of the data take turns in being left out.
const calibrationFolds = 5

// calibrate fits the sigmoid of a machine to decision values of points that it did not learn from.
// Folds are stratified. A point that is left out is one without weight, so that all fits share the
// rows of the machine, start from its solution (main), and find the decision values of who is left
// out in Kβ; solve has these rows.
func (c classification) calibrate(
	t learn.TwoClass, weights []float64, main *machine, seed uint64, solve func(svmProblem) (*machine, error),
) (learn.Sigmoid, error) {
	fold := stratifiedFolds(t.Positive, calibrationFolds, seed)
	decision := make([]float64, len(t.Index))
	whole, err := c.problem(t.Targets(), weights)
	if err != nil {
		return learn.Sigmoid{}, err
	}
	defer func() { main.values = nil }() // of use here only
	for f := range calibrationFolds {
		kept := append([]float64(nil), weights...)
		var part learn.TwoClass
		for i := range kept {
			if fold[i] == f {
				kept[i] = 0
			} else {
				part.Positive = append(part.Positive, t.Positive[i])
			}
		}
		keepBalance(kept, weights, t.Positive)
		constant, value := oneSided(part)
		if !constant {
			p, err := c.problem(t.Targets(), kept)
			if err != nil {
				return learn.Sigmoid{}, err
			}
			p.start = foldStart(p.qp, whole.qp, main, p.start)
			p.wantValues = true
			m, err := solve(p)
			if err != nil {
				return learn.Sigmoid{}, err
			}
			for i, g := range fold {
				if g == f {
					decision[i] = m.values[i]
				}
			}
			continue
		}
		for i, g := range fold {
			if g == f {
				decision[i] = value
			}
		}
	}
	if c.slopeOnly {
		return slopeSigmoid(decision, t.Positive), nil
	}
	return plattscale.FitSigmoid(decision, t.Positive, weights), nil
}

// slopeSigmoid is 1/(1 + e^{-af}) of the largest likelihood.
func slopeSigmoid(decision []float64, positive []bool) learn.Sigmoid {
	scores, code := make([]float64, 2*len(decision)), make([]int, len(decision))
	for i, f := range decision {
		if scores[2*i+1] = f; positive[i] {
			code[i] = 1
		}
	}
	return learn.Sigmoid{A: -learn.FitSlope(scores, code, 2)}
}

// keepBalance gives the two sides of those that are kept the shares of the weight that they have
// among all. Where C is small the bias goes by which side is heavier, and sides that are in balance
// among all points must be so among those of a fold: else every point of a fold is given to one
// class.
func keepBalance(kept, weights []float64, positive []bool) {
	var all, left [2]float64
	for i, w := range weights {
		side := 0
		if positive[i] {
			side = 1
		}
		all[side] += w
		left[side] += kept[i]
	}
	if left[0] == 0 || left[1] == 0 {
		return
	}
	mean := (all[0] + all[1]) / (left[0] + left[1])
	for i := range kept {
		side := 0
		if positive[i] {
			side = 1
		}
		kept[i] *= all[side] / left[side] / mean
	}
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
func (m *classMachines) HasProba() bool { return m.sigmoids != nil }

// Proba returns the probability of each class (a column, in the order of Classes), a row for each
// point. Pairwise probabilities are sigmoids of decision values, coupled by Wu, Lin & Weng (2004);
// one-vs-rest ones are scaled to sum to 1. A model fitted without Probability has none:
// learn.ErrNoProba.
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
func (m *classMachines) probabilities(p, decision []float64) {
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
		plattscale.CouplePairs(p, r, 1e-9)
	}
}
