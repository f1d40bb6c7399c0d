package learn

import (
	"cmp"
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// svmOptions hands the shared options to a support vector machine.
func svmOptions(r Resources, tol float64) SVMOptions {
	return SVMOptions{Threads: r.Threads, Bytes: r.Bytes, Trace: r.Trace, Tol: tol}
}

// classFamilies is every classifier of the support vector, ridge, process and logistic families, on any points and
// labels.
func classFamilies[T any, L cmp.Ordered]() map[string]classFit[T, L] {
	type fit = classFit[T, L]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[L]
	type xs = data.Points[T]
	type out = Classifier[T, L]
	svc := func(c SVC[T, L]) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			tol := 1e-6
			if math.IsInf(c.C, 1) {
				tol = 1e-3 // coefficients are large, and every further digit costs as much as all before
			}
			c.Kernel, c.ClassWeights, c.SampleWeights, c.SVMOptions = k, o.class, o.sample, svmOptions(o.Resources, tol)
			return c.Fit(ctx, x, y)
		}
	}
	logistic := func(m LogisticMethod) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return Logistic[T, L]{Kernel: k, Intercept: true, Method: m, ClassWeights: o.class, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	return map[string]fit{
		"c-svc":             svc(SVC[T, L]{C: 2}),
		"c-svc one-vs-rest": svc(SVC[T, L]{C: 2, MultiClass: OneVsRest}),
		"nu-svc":            svc(SVC[T, L]{Nu: 0.1}),
		"hard margin":       svc(SVC[T, L]{C: math.Inf(1)}),
		"svc probability":   svc(SVC[T, L]{C: 2, Probability: true, Seed: 3}),
		"linear svc": func(ctx ctx, _ k, o o, x xs, y []L) (out, error) {
			return LinearSVC[T, L]{Tol: 1e-9, MaxIterations: 100000, Seed: 2, ClassWeights: o.class, SampleWeights: o.sample, Threads: o.Threads, Bytes: o.Bytes, Trace: o.Trace}.Fit(ctx, x, y)
		},
		"primal svc": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return PrimalSVC[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, SVMOptions: svmOptions(o.Resources, 0)}.Fit(ctx, x, y)
		},
		"ridge classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return RidgeClassifier[T, L]{Ridge: Ridge[T]{Kernel: k, Intercept: true, SampleWeights: o.sample, Resources: o.Resources}, ClassWeights: o.class}.Fit(ctx, x, y)
		},
		"gp classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return GPClassifier[T, L]{Kernel: k, Samples: 200, HyperOptions: HyperOptions{FixedKernel: true}, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"logistic":  logistic(LogisticAuto),
		"truncated": logistic(LogisticTruncated),
		"sparse logistic": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return LogisticL1[T, L]{Kernel: k, Lambda: 0.5, Intercept: true, Tol: 1e-9, ClassWeights: o.class, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
}

// valueFamilies is every regression of the same families.
func valueFamilies[T any]() map[string]valueFit[T] {
	type fit = valueFit[T]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[int]
	type xs = data.Points[T]
	type out = Regressor[T]
	ridge := func(m RidgeMethod, intercept bool) fit {
		return func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return Ridge[T]{Kernel: k, Lambda: 0.1, Method: m, Intercept: intercept, Tol: 1e-12, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	svr := func(r SVR[T]) fit {
		return func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			r.Kernel, r.SampleWeights, r.SVMOptions = k, o.sample, svmOptions(o.Resources, 1e-6)
			return r.Fit(ctx, x, y)
		}
	}
	return map[string]fit{
		"ridge":          ridge(RidgeAuto, true),
		"ridge cholesky": ridge(RidgeCholesky, false),
		"ridge mixed":    ridge(RidgeMixed, true),
		"ridge cg":       ridge(RidgeCG, true),
		"epsilon-svr":    svr(SVR[T]{C: 2, Epsilon: 0.05}),
		"nu-svr":         svr(SVR[T]{C: 2, Nu: 0.3}),
		"gp": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return GP[T]{Kernel: k, Noise: 0.01, FixedNoise: true, HyperOptions: HyperOptions{FixedKernel: true}, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
}

// unweighted are the learners whose points have no weights.
var unweighted = map[string]bool{"interpolation": true, "gp": true, "gp classifier": true}

// classless are the classifiers whose classes have none, or to which they make no difference: a hard margin's
// price of errors is infinite, whatever it is multiplied by.
var classless = map[string]bool{"medoid": true, "gp classifier": true, "hard margin": true}

// linear are the learners that take no kernel, and vectors only.
var linear = map[string]bool{"linear svc": true, "linear perceptron": true, "voted linear perceptron": true}

// splineFamily is the smoothing spline through the first coordinates, in the shape of the others.
type splineFamily struct{ *SplineModel }

func (s splineFamily) Predict(dst []float64, x data.Points[kernel.Vec]) []float64 {
	return s.SplineModel.Predict(dst, firstOf(x))
}

func firstOf(x data.Points[kernel.Vec]) []float64 {
	if x == nil {
		return nil
	}
	v := make([]float64, x.Len())
	for i := range v {
		if row := x.At(i); len(row) > 0 {
			v[i] = row[0]
		}
	}
	return v
}

func fitSpline(ctx context.Context, _ kernel.Kernel[kernel.Vec], o fitOptions[int], x data.Points[kernel.Vec], y []float64) (Regressor[kernel.Vec], error) {
	m, err := SmoothingSpline{Lambda: 0.1, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, firstOf(x), y)
	return splineFamily{m}, err
}
