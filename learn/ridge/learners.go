package ridge

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// Learners are the entries of ridge regression and interpolation in the table of learners.
func Learners() []learn.Learner {
	return []learn.Learner{{
		Name: "ridge", Summary: "ridge regression, one class against the rest for classes; quickest to tune",
		Values: true, Classes: true, Several: true, Joint: true,
		Params: func(task data.Task) []learn.Param {
			params := []learn.Param{lambdaParam,
				fitting.Choice("loss", "mean: lambda stands for n·lambda, since the squares are averaged", "sum", "mean"),
				fitting.Choice("intercept", "no: f alone, without a constant", "yes", "no"),
				learn.Param{Name: "bound", Domain: fitting.NonNegative,
					Summary: "in place of lambda: the largest norm ‖f‖ that is allowed; 0: none"}.InPlaceOf("lambda")}
			if task == data.Regression {
				params = append(params, fitting.Choice("outputs",
					"of several targets: joint is one function in the space of k·B, whose correlations B are found by "+
						"evidence or given", "apart", "joint"))
			}
			return params
		},
		Fit:       fitSettings,
		AnyOrigin: true, ByFunc: true,
		Cells: judgeAll,
		Shares: func(c *learn.Cells) bool { // folds that leave rows out (time-ordered) are fitted one by one
			return plain(c.Params) && c.Partition() && sharedBytes(c.Problem.Task, c.Problem.Len()) <= c.Bytes &&
				worthSpectrum(c)
		},
		Bytes:   sharedBytes,
		LastFit: func(bool) float64 { return 0.3 }, // a factorisation instead of an eigendecomposition
		Even:    true,
		// An eigendecomposition for each kernel is worth its n³ up to these rows; rough kernels are
		// worth their time with the learner that is cheapest to tune.
		Auto: learn.Auto{Rows: func(data.Task) int { return 2500 },
			Kernels: []string{"gaussian", "matern", "laplace", "linear"}},
		Saved: map[string]learn.Restorer[any]{
			"ridge": restoreRegressor[any], "ridge-classifier": restoreClassifier[any],
		},
	}, {
		Name: "spline", Summary: "smoothing spline of one column: natural cubic, or broken lines",
		Values: true, OwnKernel: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Domain: fitting.NonNegative,
				Summary: "weight of the penalty ∫(f⁽ᵐ⁾)², in units of the column as it is encoded; 0: by generalised " +
					"cross-validation"},
				fitting.Choice("order", "m = 2, a natural cubic spline, or m = 1, a broken line", "cubic", "linear")}
		},
		Fit:   fitSpline,
		Saved: map[string]learn.Restorer[any]{"smoothing-spline": restoreSpline},
	}, {
		Name:    "thinplate",
		Summary: "thin-plate spline of few columns: a Green's function at every row, and a polynomial free of penalty",
		Values:  true, OwnKernel: true,
		Params: func(data.Task) []learn.Param {
			return []learn.Param{{Name: "lambda", Domain: fitting.NonNegative,
				Summary: "weight of the penalty ∫|Dᵐf|², in units of the columns as they are encoded; 0: by generalised " +
					"cross-validation"},
				{Name: "order", Domain: fitting.Count, Summary: "m, more than half the columns; 0: the least, at least 2"}}
		},
		Fit:   fitThinPlate,
		Saved: map[string]learn.Restorer[any]{"thin-plate": learn.RestoreRegressor[any]},
	}, {
		Name: "interpolation", Summary: "the function of least norm through every point",
		Values: true,
		Fit:    fitInterpolation,
		Saved:  map[string]learn.Restorer[any]{"interpolation": learn.RestoreRegressor[any]},
	}}
}

// LearnerBy is the entry of ridge regression whose fits take a method.
func LearnerBy(m Method) learn.Learner {
	l := Learners()[0]
	l.Options = m.String()
	l.Fit = func(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
		if isJoint(s.Params, p) {
			return nil, fmt.Errorf("ridge: joint outputs are solved by an eigendecomposition; leave the method %v out", m)
		}
		return fitRidge(ctx, Regression[any]{Kernel: s.Kernel, Lambda: s.Params["lambda"], Intercept: !s.NoIntercept,
			Weights: p.FitWeights(), Method: m, Tol: methodTol, Resources: s.Resources}, p)
	}
	return l
}

// methodTol is the residual of methods that iterate, in a search: what is left of the target's
// size.
const methodTol = 1e-5

// lambdaParam is the parameter of every ridge regression.
var lambdaParam = learn.Param{Name: "lambda", Default: 1, Domain: fitting.Positive,
	Summary: "weight of the penalty ‖f‖²",
	Grid:    learn.LogSpace(1e-6, 100, 17), PerKernel: 1}

// sharedBytes is a Gram matrix, its eigenvectors and two matrices of work.
func sharedBytes(_ data.Task, n int) int64 { return 4 * 8 * int64(n) * int64(n) }

// worthSpectrum says whether one eigendecomposition, which serves all λ and folds, is as soon done
// as a factorisation for each of them. It takes the time of some 25 factorisations of as many
// points, at one thread and at sixteen; half of that is asked, since factors in single precision
// take half as long. Few points are soon done either way.
func worthSpectrum(c *learn.Cells) bool {
	n := float64(c.Problem.Len())
	factors := 0.0
	for _, f := range c.Folds {
		factors += math.Pow(float64(len(f.Train))/n, 3)
	}
	return n < mixedFrom || float64(len(c.Params))*factors > 12
}

// plain says that no setting asks for another problem than that of λ.
func plain(settings []map[string]float64) bool {
	for _, s := range settings {
		if s["loss"] != 0 || s["intercept"] != 0 || s["bound"] != 0 {
			return false
		}
	}
	return true
}

func fitSettings(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	r := Regression[any]{Kernel: s.Kernel, Lambda: s.Params["lambda"], PerPoint: s.Asks("loss"),
		Intercept: !s.NoIntercept && !s.Asks("intercept"), Weights: p.FitWeights(), Resources: s.Resources}
	if err := checkJoint(s.Params, p); err != nil {
		return nil, err
	}
	if isJoint(s.Params, p) {
		return fitJoint(ctx, r, p)
	}
	switch bound := s.Params["bound"]; {
	case bound == 0:
		return fitRidge(ctx, r, p)
	case len(p.More) > 0:
		return nil, fmt.Errorf("ridge: bound is for one target; the norm of each has its own λ")
	case p.Task != data.Regression:
		return nil, fmt.Errorf("ridge: bound is for numbers; for classes the norm of each function has its own λ")
	default:
		return fitting.Fitted(Bounded[any]{Regression: r, Bound: bound}.Fit(ctx, p.Points, p.Y))
	}
}

// fitSpline has points of one coordinate.
func fitSpline(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	x, ok := data.VectorsOf(p.Points)
	if !ok {
		return nil, fmt.Errorf("a spline has points on a line, not %T", data.Concrete(p.Points))
	}
	m, err := Spline{Order: 2 - int(s.Params["order"]), Lambda: s.Params["lambda"], Weights: p.FitWeights(),
		Resources: s.Resources}.Fit(ctx, x, p.Y)
	if err != nil {
		return nil, err
	}
	return learn.OnVectors(m), nil
}

// fitThinPlate has points of few coordinates.
func fitThinPlate(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	x, ok := data.VectorsOf(p.Points)
	if !ok {
		return nil, fmt.Errorf("a thin plate has points with coordinates, not %T", data.Concrete(p.Points))
	}
	m, err := ThinPlate{Order: int(s.Params["order"]), Lambda: s.Params["lambda"], Weights: p.FitWeights(),
		Resources: s.Resources}.Fit(ctx, x, p.Y)
	if err != nil {
		return nil, err
	}
	return learn.OnVectors(m), nil
}

func fitRidge(ctx context.Context, r Regression[any], p learn.Problem[any]) (learn.Model[any], error) {
	if len(p.More) > 0 {
		return fitting.Fitted(r.FitMulti(ctx, p.Points, linalg.Dense(targetsOf(p))))
	}
	if p.Task == data.Regression {
		return fitting.Fitted(r.Fit(ctx, p.Points, p.Y))
	}
	return fitting.Fitted(Classification[any, int]{Regression: r}.Fit(ctx, p.Points, p.Codes()))
}

func fitInterpolation(ctx context.Context, s learn.Settings, p learn.Problem[any]) (learn.Model[any], error) {
	if p.Weights != nil {
		return nil, fmt.Errorf("interpolation goes through every point, whatever its weight; leave the weights out")
	}
	return fitting.Fitted(Interpolation[any]{Kernel: s.Kernel, Resources: s.Resources}.Fit(ctx, p.Points, p.Y))
}
