package svmtool

import (
	"context"
	"io"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/plattscale"
)

// platt is 1/(1 + exp(A·f + B)), without overflow.
func platt(a, b, f float64) float64 {
	t := a*f + b
	if t >= 0 {
		e := math.Exp(-t)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(t))
}

// calibrate fits Platt's sigmoid for one pair of classes to decision values
// of five-fold cross-validation, with LIBSVM's folds.
func calibrate[T any](
	ctx context.Context, t *trainer, p problem[T], first, second []int, w1, w2 float64,
) (a, b float64, err error) {
	index := append(append([]int(nil), first...), second...)
	pair := p.part(index)
	for i := range pair.y {
		pair.y[i] = -1
		if i < len(first) {
			pair.y[i] = 1
		}
	}
	n := len(pair.y)
	order := par.Indices(0, n)
	t.random.shuffle(order)
	inner := *t
	inner.Probable = false
	if t.Type == cSVC {
		inner.WeightFor, inner.Weight = []int{1, -1}, []float64{w1, w2}
	}
	inner.warn = io.Discard // a fold may lack a class; its weight is not a mistake
	decision := make([]float64, n)
	const folds = 5
	for f := range folds {
		lo, hi := f*n/folds, (f+1)*n/folds
		train := append(append([]int(nil), order[:lo]...), order[hi:]...)
		part := pair.part(train)
		g := groupClasses(part.y)
		if len(g.label) < 2 {
			for _, i := range order[lo:hi] {
				if len(g.label) == 1 {
					decision[i] = float64(g.label[0])
				}
			}
			continue
		}
		m, sv, err := fit(ctx, &inner, part)
		if err != nil {
			return 0, 0, err
		}
		d, err := decideBy(ctx, t, m, p.k, rowsAt(part.x, sv), rowsAt(pair.x, order[lo:hi]))
		if err != nil {
			return 0, 0, err
		}
		for r, i := range order[lo:hi] {
			decision[i] = d.At(r, 0) * float64(m.Label[0])
		}
	}
	positive := make([]bool, n)
	for i := range first {
		positive[i] = true
	}
	s, stop := plattscale.FitSigmoidTo(1e-5, decision, positive, nil) // LIBSVM's tolerance
	switch stop {
	case plattscale.SigmoidLineSearch:
		t.say("Line search fails in two-class probability estimates\n")
	case plattscale.SigmoidIterations:
		t.say("Reaching maximal iterations in two-class probability estimates\n")
	}
	return s.A, s.B, nil
}

// sigmoids calibrates every pair of classes.
func sigmoids[T any](ctx context.Context, t *trainer, p problem[T], g groups, weight []float64, m *machines) error {
	for a := range g.member {
		for b := a + 1; b < len(g.member); b++ {
			pa, pb, err := calibrate(ctx, t, p, g.member[a], g.member[b], weight[a], weight[b])
			if err != nil {
				return err
			}
			m.ProbA, m.ProbB = append(m.ProbA, pa), append(m.ProbB, pb)
		}
	}
	return nil
}

// laplace estimates the scale σ of Laplace noise e^(-|z|/σ)/(2σ) around a
// regression from the residuals of five-fold cross-validation, those beyond
// five standard deviations left out.
func laplace[T any](ctx context.Context, t *trainer, p problem[T]) (float64, error) {
	inner := *t
	inner.Probable = false
	inner.Folds = 5
	predicted, err := crossValidate(ctx, &inner, p)
	if err != nil {
		return 0, err
	}
	mean := 0.0
	residual := make([]float64, len(p.y))
	for i, y := range p.y {
		residual[i] = math.Abs(y - predicted[i])
		mean += residual[i]
	}
	mean /= float64(len(p.y))
	limit := 5 * math.Sqrt(2*mean*mean)
	sum, kept := 0.0, 0
	for _, r := range residual {
		if r <= limit {
			sum += r
			kept++
		}
	}
	scale := sum / float64(kept)
	t.say("Prob. model for test data: target value = predicted value + z,\nz: Laplace distribution "+
		"e^(-|z|/sigma)/(2sigma),sigma= %s\n", g6(scale))
	return scale, nil
}
