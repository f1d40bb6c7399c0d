package logistic

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// L1 is sparse kernel logistic regression,
//
//	minimise over α, b   Σ wᵢ log(1 + e^{-yᵢ(Σⱼ αⱼk(xⱼ, xᵢ) + b)}) + λ‖α‖₁,
//
// whose model keeps only the points with αⱼ ≠ 0 (Tibshirani 1996; Krishnapuram et al. 2005
// for kernels). The kernel need not be positive definite. With Features the
// weights of the kernel's explicit features are penalised instead: for
// kernel.Linear, those of the columns. More than two classes are told apart one against the
// rest. The certificate is the duality gap relative to the objective.
type L1[T any, L cmp.Ordered] struct {
	Kernel    kernel.Kernel[T]
	Lambda    float64 // λ > 0; 0 means a hundredth of the λ at which all coefficients are 0
	Ridge     float64 // λ₂ ≥ 0: the penalty (λ₂/2)αᵀKα = (λ₂/2)‖f‖² beside, whose kernel must be positive semi-definite
	PerPoint  bool    // λ and λ₂ stand for n times them
	Intercept bool    // fit b, without penalty; else b = 0
	Features  bool    // penalise the weights of explicit features

	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1

	Tol           float64 // relative duality gap to reach; 0 means 1e-6
	MaxIterations int     // Newton steps for each λ; 0 means 500

	learn.Resources
}

// l1Design is the features of a fit, a row each, and what they stand for.
type l1Design[T any] struct {
	moved    fitting.Moved[T]
	x        data.Points[T] // the moved points
	kernel   kernel.Kernel[T]
	columns  linalg.Matrix[float64]
	features *fitting.ExplicitFeatures // nil: feature j is k(xⱼ, ·)
}

func (c *L1[T, L]) design(ctx context.Context, x data.Points[T]) (*l1Design[T], error) {
	n := x.Len()
	d := &l1Design[T]{moved: fitting.Moved[T]{Points: x}, kernel: c.Kernel}
	if c.Features && c.Intercept { // weights of columns do not depend on where the points lie
		d.moved = fitting.MoveToMean(c.Kernel, x)
	}
	d.x = d.moved.Points
	x = d.x
	if !c.Features {
		if need := 8 * int64(n) * int64(n); need > c.Bytes {
			return nil, &learn.OverBudget{Learner: "sparse logistic", Points: n, Needs: need, Budget: c.Bytes,
				Instead: "give it more memory or take fewer points"}
		}
		d.columns = linalg.New[float64](n, n)
		kernel.FillSym(c.Threads, blas64.General(d.columns), kernel.Prepare(ctx, c.Kernel, x, x))
	} else {
		if d.features = fitting.ExplicitOf(c.Kernel, x); d.features == nil {
			return nil, fmt.Errorf("%s has no explicit features; unset Features", kernel.NameOf(c.Kernel))
		}
		if need := 16 * int64(n) * int64(d.features.Dim); need > c.Bytes {
			return nil, &learn.OverBudget{Learner: "sparse logistic", Points: n, Needs: need, Budget: c.Bytes,
				Instead: "give it more memory or take fewer points"}
		}
		phi := linalg.New[float64](n, d.features.Dim)
		d.features.Fill(ctx, phi)
		d.columns = linalg.New[float64](d.features.Dim, n)
		for i := range n {
			for j, v := range phi.Row(i) {
				d.columns.Set(j, i, v)
			}
		}
	}
	for j := range d.columns.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, v := range d.columns.Row(j) {
			if math.IsNaN(v) || math.Abs(v) > 1e150 {
				return nil, fmt.Errorf("feature %d of row %d is %g; scale the points or the kernel", j, i, v)
			}
		}
	}
	return d, nil
}

// function is the expansion of the coefficients of each task, over the points
// that any of them uses.
func (d *l1Design[T]) function(ctx context.Context, beta [][]float64, bias []float64) (*rkhs.Func[T], error) {
	m := len(beta)
	if d.features != nil {
		w := linalg.New[float64](d.features.Dim, m)
		for t, b := range beta {
			for j, v := range b {
				w.Set(j, t, v)
			}
		}
		phi := linalg.New[float64](d.x.Len(), d.features.Dim)
		if !d.features.Linear {
			d.features.Fill(ctx, phi)
		}
		f, err := fitting.PrimalFunc(ctx, 0, d.kernel, d.x, d.features, phi, w)
		if err != nil {
			return nil, err
		}
		f.Bias = bias
		return d.moved.Back(f), nil
	}
	var used []int
	for j := range d.x.Len() {
		for _, b := range beta {
			if b[j] != 0 {
				used = append(used, j)
				break
			}
		}
	}
	if len(used) == 0 {
		used = []int{0} // an expansion has at least one centre; its coefficient is 0
	}
	coef := mat.NewDense(len(used), m, nil)
	for a, j := range used {
		for t, b := range beta {
			coef.Set(a, t, b[j])
		}
	}
	return &rkhs.Func[T]{Kernel: d.kernel, Centers: data.OwnSubset(d.x, used), Coef: coef, Bias: bias}, nil
}

func (c *L1[T, L]) check(x data.Points[T], y []L) (learn.Labels[L], []float64, error) {
	shared := Regression[T, L]{Kernel: c.Kernel, Balance: c.Balance, ClassWeights: c.ClassWeights, Weights: c.Weights,
		Tol: c.Tol, MaxIterations: c.MaxIterations, Resources: c.Resources}
	labels, weights, err := shared.check(x, y)
	if err != nil {
		return labels, weights, err
	}
	c.Resources = shared.Resources
	if c.Tol == 0 {
		c.Tol = 1e-6
	}
	if c.PerPoint {
		c.Lambda *= counting(len(y), weights)
		c.Ridge *= counting(len(y), weights)
	}
	if !(c.Ridge >= 0) || math.IsInf(c.Ridge, 0) || c.Ridge > 0 && (c.Features || c.Lambda == 0) {
		return labels, nil, fmt.Errorf("Ridge is %g; give a finite number, 0 or more, beside a positive Lambda and "+
			"without Features", c.Ridge)
	}
	if !(c.Lambda >= 0) || math.IsInf(c.Lambda, 0) {
		return labels, nil, fmt.Errorf("Lambda is %g; give a positive, finite number, or 0", c.Lambda)
	}
	return labels, weights, nil
}

func (c *L1[T, L]) task(d *l1Design[T], sign, weights []float64) *solve.L1Logistic {
	return &solve.L1Logistic{Columns: d.columns, Sign: sign, Weight: weights, Intercept: c.Intercept, Tol: c.Tol,
		MaxIter: c.MaxIterations, Threads: c.Threads, Trace: c.Trace}
}

// Fit learns from points and their labels.
func (c L1[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	start := time.Now()
	labels, weights, err := c.check(x, y)
	if err != nil {
		return nil, fmt.Errorf("sparse logistic: %w", err)
	}
	own := data.Own(x)
	m, err := fitting.Heed(ctx, func() (*Classifier[T, L], error) {
		d, err := c.design(ctx, own)
		if err != nil {
			return nil, err
		}
		report := learn.Report{Learner: "sparse logistic", Certified: "relative duality gap", Converged: true,
			Bytes: 8 * int64(len(d.columns.Data))}
		if c.Ridge > 0 {
			report.Warnings = fitting.Doubts(ctx, c.Kernel, own, c.Resources)
		}
		var beta [][]float64
		var bias []float64
		for _, t := range labels.Tasks(learn.OneVsRest) {
			p := c.task(d, t.Targets(), weights)
			lambda := c.Lambda
			if lambda == 0 {
				if lambda = p.LambdaMax() / 100; lambda == 0 {
					lambda = 1 // no feature tells the classes apart
				}
			}
			solve := p.Solve
			if c.Ridge > 0 {
				solve = p.SolveElastic(c.Ridge)
			}
			s, err := solve(ctx, lambda, nil)
			if err != nil {
				return nil, err
			}
			beta, bias = append(beta, s.Beta), append(bias, s.Bias)
			account(&report, s)
		}
		f, err := d.function(ctx, beta, fitting.BiasOrNil(c.Intercept, bias))
		if err != nil {
			return nil, err
		}
		report.Elapsed = time.Since(start)
		return newClassifier(f, labels.Classes, false, report), fitting.FiniteCoefficients(f)
	})
	if err != nil {
		return nil, fmt.Errorf("sparse logistic: %w", err)
	}
	return m, nil
}

// account adds the solution of one task.
func account(r *learn.Report, s *solve.L1Solution) {
	r.Iterations += s.Iterations
	r.Objective += s.Value
	if s.Value > 0 {
		r.Certificate = math.Max(r.Certificate, s.Gap/s.Value)
	}
	if !s.Converged {
		r.Converged = false
		r.Warnings = append(r.Warnings, fmt.Sprintf("duality gap %.2g at λ = %.3g is above the tolerance after %d steps",
			s.Gap, s.Lambda, s.Iterations))
	}
}

// Path is the solutions of an L1 of two classes for decreasing λ.
// It is immutable.
type Path[T any, L cmp.Ordered] struct {
	design    *l1Design[T]
	classes   []L
	intercept bool
	solutions []*solve.L1Solution
}

// Path solves for each λ of a decreasing list, each from the one before; nil means
// 50 values from the λ at which all coefficients are 0 down to a hundredth of it.
// Lambda and Ridge are not read.
func (c L1[T, L]) Path(ctx context.Context, x data.Points[T], y []L, lambdas []float64) (*Path[T, L], error) {
	c.Lambda, c.Ridge = 0, 0
	labels, weights, err := c.check(x, y)
	if err == nil && len(labels.Classes) > 2 {
		err = fmt.Errorf("a path is for two classes, not %d; take one against the rest", len(labels.Classes))
	}
	for i, l := range lambdas {
		if !(l > 0) || math.IsInf(l, 0) || i > 0 && l >= lambdas[i-1] {
			err = fmt.Errorf("λ %d is %g; give positive numbers in decreasing order", i, l)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sparse logistic path: %w", err)
	}
	own := data.Own(x)
	lambdas = append([]float64(nil), lambdas...)
	path, err := fitting.Heed(ctx, func() (*Path[T, L], error) {
		d, err := c.design(ctx, own)
		if err != nil {
			return nil, err
		}
		p := c.task(d, labels.Tasks(learn.OneVsRest)[0].Targets(), weights)
		if len(lambdas) == 0 {
			top := p.LambdaMax()
			if top == 0 {
				return nil, fmt.Errorf("no feature tells the classes apart")
			}
			for i := range 50 {
				lambdas = append(lambdas, top*math.Pow(0.01, float64(i)/49))
			}
		} else if c.PerPoint {
			for i := range lambdas {
				lambdas[i] *= counting(len(y), weights)
			}
		}
		out := &Path[T, L]{design: d, classes: labels.Classes, intercept: c.Intercept}
		var last *solve.L1Solution
		for _, l := range lambdas {
			if last, err = p.Solve(ctx, l, last); err != nil {
				return nil, err
			}
			out.solutions = append(out.solutions, last)
		}
		return out, nil
	})
	if err != nil {
		return nil, fmt.Errorf("sparse logistic path: %w", err)
	}
	return path, nil
}

// Len is the number of λ.
func (h *Path[T, L]) Len() int { return len(h.solutions) }

// Lambda is the i-th λ, in the convention of the sum.
func (h *Path[T, L]) Lambda(i int) float64 { return h.solutions[i].Lambda }

// NonZero is the number of coefficients that are not 0 at the i-th λ.
func (h *Path[T, L]) NonZero(i int) int { return h.solutions[i].NonZero() }

// Coef is the coefficients at the i-th λ, of the training points or of the
// explicit features, and the bias.
func (h *Path[T, L]) Coef(i int) (coef []float64, bias float64) {
	coef, bias = append([]float64(nil), h.solutions[i].Beta...), h.solutions[i].Bias
	if h.design.moved.Moved() { // the bias is that of the points as they were
		if m, err := h.Model(i); err == nil {
			bias = m.Func().Bias[0]
		}
	}
	return coef, bias
}

// Gap is the duality gap at the i-th λ relative to the objective.
func (h *Path[T, L]) Gap(i int) float64 { return h.solutions[i].Gap / h.solutions[i].Value }

// Model is the solution at the i-th λ.
func (h *Path[T, L]) Model(i int) (*Classifier[T, L], error) {
	s := h.solutions[i]
	f, err := h.design.function(context.Background(), [][]float64{s.Beta},
		fitting.BiasOrNil(h.intercept, []float64{s.Bias}))
	if err != nil {
		return nil, err
	}
	report := learn.Report{Learner: "sparse logistic", Certified: "relative duality gap", Converged: true,
		Bytes: 8 * int64(len(h.design.columns.Data))}
	account(&report, s)
	return newClassifier(f, h.classes, false, report), nil
}
