package all

import (
	"cmp"
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/features"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
)

// svmOptions hands the shared options to a support vector machine.
func svmOptions(r learn.Resources, tol float64) svm.Options {
	return svm.Options{Resources: r, Tol: tol}
}

// classFamilies is every classifier of the support vector, ridge, process and logistic families, on
// any points and labels.
func classFamilies[T any, L cmp.Ordered]() map[string]classFit[T, L] {
	type fit = classFit[T, L]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[L]
	type xs = data.Points[T]
	type out = learn.Classifier[T, L]
	svc := func(c svm.Classification[T, L]) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			tol := 1e-6
			if math.IsInf(c.C, 1) {
				tol = 1e-3 // coefficients are large, and every further digit costs as much as all before
			}
			c.Kernel, c.ClassWeights, c.Weights, c.Options = k, o.class, o.sample, svmOptions(o.Resources, tol)
			return c.Fit(ctx, x, y)
		}
	}
	logisticBy := func(m logistic.Method) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return logistic.Regression[T, L]{Kernel: k, Intercept: true, Method: m, ClassWeights: o.class, Weights: o.sample,
				Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	onCentres := func(s nystrom.Solver) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return nystrom.Classification[T, L]{Regression: nystrom.Regression[T]{Kernel: k, Intercept: true, Weights: o.sample,
				Options: nystrom.Options{Centers: 20, Solver: s, Tol: 1e-11, Resources: o.Resources}},
				ClassWeights: o.class}.Fit(ctx, x, y)
		}
	}
	waves := func(l features.Loss) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return onWaves(features.Classification[T, L]{Kernel: k, Loss: l, ClassWeights: o.class, Weights: o.sample,
				Options: features.Options{Resources: o.Resources}}).Fit(ctx, x, y)
		}
	}
	return map[string]fit{
		"c-svc":             svc(svm.Classification[T, L]{C: 2}),
		"c-svc one-vs-rest": svc(svm.Classification[T, L]{C: 2, MultiClass: learn.OneVsRest}),
		"nu-svc":            svc(svm.Classification[T, L]{Nu: 0.1}),
		"hard margin":       svc(svm.Classification[T, L]{C: math.Inf(1)}),
		"svc probability":   svc(svm.Classification[T, L]{C: 2, Probability: true, Seed: 3}),
		"linear svc": func(ctx ctx, _ k, o o, x xs, y []L) (out, error) {
			return svm.LinearClassification[T, L]{Tol: 1e-9, MaxIterations: 100000, Seed: 2, ClassWeights: o.class,
				Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"primal svc": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return svm.PrimalClassification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Options: svmOptions(o.Resources, 0)}.Fit(ctx, x, y)
		},
		"ridge classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return ridge.Classification[T, L]{Regression: ridge.Regression[T]{Kernel: k, Intercept: true, Weights: o.sample,
				Resources: o.Resources}, ClassWeights: o.class}.Fit(ctx, x, y)
		},
		"nystrom classifier": onCentres(nystrom.Direct),
		"falkon classifier":  onCentres(nystrom.Falkon),
		"logistic falkon": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return nystrom.Logistic[T, L]{Kernel: k, Intercept: true, ClassWeights: o.class, Weights: o.sample,
				Options: nystrom.Options{Centers: 20, Tol: 1e-9, Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"gp classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return gp.Classification[T, L]{Kernel: k, Samples: 200, Weights: o.sample,
				HyperOptions: gp.HyperOptions{FixedKernel: true}, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"svgp": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return gp.SparseClassification[T, L]{Kernel: k, Samples: 200, ClassWeights: o.class, Weights: o.sample,
				InducingOptions: gp.InducingOptions{Inducing: 20},
				HyperOptions:    gp.HyperOptions{FixedKernel: true}, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"snacks": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return nystrom.Snacks[T, L]{Kernel: k, C: 2, Intercept: true, ClassWeights: o.class, Weights: o.sample,
				Options: nystrom.Options{Centers: 20, MaxIterations: 50, Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"features classifier": waves(features.Squares),
		"features hinge":      waves(features.Hinge),
		"features logistic": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return features.Logistic[T, L]{Classification: onWaves(features.Classification[T, L]{Kernel: k,
				ClassWeights: o.class, Weights: o.sample, Options: features.Options{Resources: o.Resources}})}.Fit(ctx, x, y)
		},
		"logistic":  logisticBy(logistic.Auto),
		"truncated": logisticBy(logistic.Truncated),
		"sparse logistic": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return logistic.L1[T, L]{Kernel: k, Lambda: 0.5, Intercept: true, Tol: 1e-9, ClassWeights: o.class,
				Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
}

// onWaves is a classifier on few features, of a kernel that has a spectral measure.
func onWaves[T any, L cmp.Ordered](c features.Classification[T, L]) features.Classification[T, L] {
	c.Kernel, c.Lambda, c.Intercept, c.Passes, c.Frequencies = stationary(c.Kernel), 0.1, true, 20, 40
	return c
}

// stationary is k, or a Gaussian kernel where k has no spectral measure.
func stationary[T any](k kernel.Kernel[T]) kernel.Kernel[T] {
	if on, ok := kernel.Concrete(k).(kernel.Kernel[kernel.Vec]); ok {
		if _, err := kernel.SpectralOf(on, 2); err != nil {
			return kernel.FromVectors[T](kernel.Gaussian{Lengthscale: 2})
		}
	}
	return k
}

// valueFamilies is every regression of the same families.
func valueFamilies[T any]() map[string]valueFit[T] {
	type fit = valueFit[T]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[int]
	type xs = data.Points[T]
	type out = learn.Regressor[T]
	ridgeBy := func(m ridge.Method, intercept bool) fit {
		return func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return ridge.Regression[T]{Kernel: k, Lambda: 0.1, Method: m, Intercept: intercept, Tol: 1e-12, Weights: o.sample,
				Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	onCentres := func(n nystrom.Options) fit {
		return func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			n.Centers, n.Seed, n.Resources = 20, 3, o.Resources
			return nystrom.Regression[T]{Kernel: k, Lambda: 0.1, Intercept: true, Weights: o.sample, Options: n}.Fit(ctx, x, y)
		}
	}
	svr := func(r svm.Regression[T]) fit {
		return func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			r.Kernel, r.Weights, r.Options = k, o.sample, svmOptions(o.Resources, 1e-6)
			return r.Fit(ctx, x, y)
		}
	}
	return map[string]fit{
		"ridge":          ridgeBy(ridge.Auto, true),
		"ridge cholesky": ridgeBy(ridge.Cholesky, false),
		"ridge mixed":    ridgeBy(ridge.Mixed, true),
		"ridge cg":       ridgeBy(ridge.CG, true),
		"ridge askotch":  ridgeBy(ridge.ASkotch, true),
		"epsilon-svr":    svr(svm.Regression[T]{C: 2, Epsilon: 0.05}),
		"nu-svr":         svr(svm.Regression[T]{C: 2, Nu: 0.3}),
		"nystrom":        onCentres(nystrom.Options{Solver: nystrom.Direct}),
		"falkon":         onCentres(nystrom.Options{Solver: nystrom.Falkon, Tol: 1e-11}),
		"features": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return features.Regression[T]{Kernel: stationary(k), Lambda: 0.1, Intercept: true, Weights: o.sample,
				Options: features.Options{Frequencies: 40, Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"sgpr": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return gp.SparseRegression[T]{Kernel: k, Noise: 0.01, FixedNoise: true, FitMean: true, Weights: o.sample,
				InducingOptions: gp.InducingOptions{Inducing: 20},
				HyperOptions:    gp.HyperOptions{FixedKernel: true}, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"gp": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return gp.Regression[T]{Kernel: k, Noise: 0.01, FixedNoise: true, Weights: o.sample,
				HyperOptions: gp.HyperOptions{FixedKernel: true}, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
}

// unweighted are the learners whose points have no weights.
var unweighted = map[string]bool{"interpolation": true}

// classless are the classifiers whose classes have none of their own (of a process they are weights
// of rows), or to which they make no difference: a hard margin's price of errors is infinite,
// whatever it is multiplied by.
var classless = map[string]bool{"medoid": true, "centroid": true, "gp classifier": true, "hard margin": true}

// linear are the learners that take vectors only, and no kernel or not any.
var linear = map[string]bool{"linear svc": true, "linear perceptron": true, "voted linear perceptron": true,
	"features": true, "features classifier": true, "features hinge": true, "features logistic": true}

// splineFamily is the smoothing spline through the first coordinates, in the shape of the others.
type splineFamily struct{ *ridge.SplineRegressor }

func (s splineFamily) Predict(ctx context.Context, x data.Points[kernel.Vec]) ([]float64, error) {
	return s.SplineRegressor.Predict(ctx, firstOf(x))
}

func (s splineFamily) PredictTo(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	return s.SplineRegressor.PredictTo(ctx, dst, firstOf(x))
}

// firstOf is the first coordinates of points, 0 where they have none.
func firstOf(x data.Points[kernel.Vec]) data.Points[kernel.Vec] {
	if x == nil {
		return nil
	}
	v := make([]float64, x.Len())
	for i := range v {
		if row := x.At(i); len(row) > 0 {
			v[i] = row[0]
		}
	}
	return data.Line(v)
}

func fitSpline(
	ctx context.Context, _ kernel.Kernel[kernel.Vec], o fitOptions[int], x data.Points[kernel.Vec], y []float64,
) (learn.Regressor[kernel.Vec], error) {
	m, err := ridge.Spline{Lambda: 0.1, Weights: o.sample, Resources: o.Resources}.Fit(ctx, firstOf(x), y)
	return splineFamily{m}, err
}
