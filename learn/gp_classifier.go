package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// GPClassifier is Gaussian process classification: f ~ GP(0, k), and for two
// classes p(y = ±1 | f) = 1/(1 + e^{-yf}), for more one process f_c for each class and
//
//	p(y = c | f) = e^{f_c}/Σ e^{f_b}.
//
// The posterior of f is replaced by the Gaussian at its mode (Laplace's
// approximation; Rasmussen and Williams 2006, §3.4 and §3.5), which Newton's
// method with step halving finds; the parameters of the kernel, shared by
// all classes, maximise the marginal likelihood under that approximation (§5.5.1) unless
// they are fixed. Predicted probabilities average over the posterior: by
// the trapezoidal rule for two classes, by sampling for more.
type GPClassifier[T any, L cmp.Ordered] struct {
	Kernel  kernel.Kernel[T]
	Samples int // draws behind a predicted probability, for more than two classes; 0 means 2000. They are seeded by Seed

	HyperOptions
	Resources
}

// laplacePosterior is Laplace's approximation at one kernel.
type laplacePosterior interface {
	// evidence is the approximate log marginal likelihood.
	evidence() float64
	// weights is M such that its derivative by θ is Σᵢⱼ Mᵢⱼ ∂Kᵢⱼ/∂θ.
	weights(ctx context.Context) (linalg.Matrix[float64], error)
	// coefficients is ∇log p(y|f) at the mode, a column for each process: the
	// latent means are K(·, X) times these.
	coefficients() linalg.Matrix[float64]
	// moments sets cov to the posterior covariance of the processes at one
	// point, given k(x, X) and k(x, x).
	moments(cov linalg.Matrix[float64], cross []float64, self float64)
	// account is the Newton steps, the certificate ‖∇log p - a‖∞, and whether it was
	// small enough.
	account() (steps int, gradient float64, converged bool)
}

// Fit learns from points and their labels.
func (c GPClassifier[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*GPClassifierModel[T, L], error) {
	start := time.Now()
	labels, err := c.check(x, y)
	if err != nil {
		return nil, fmt.Errorf("gp classifier: %w", err)
	}
	own := data.Own(x)
	m, err := heeding(ctx, func() (*GPClassifierModel[T, L], error) { return c.fit(ctx, own, labels, start) })
	if err != nil {
		return nil, fmt.Errorf("gp classifier: %w", err)
	}
	return m, nil
}

func (c *GPClassifier[T, L]) check(x data.Points[T], y []L) (Labels[L], error) {
	var labels Labels[L]
	if x == nil || x.Len() == 0 {
		return labels, ErrNoPoints
	}
	labels, err := EncodeLabels(y)
	if err != nil {
		return labels, err
	}
	if x.Len() != len(y) {
		return labels, fmt.Errorf("%d points but %d labels", x.Len(), len(y))
	}
	if err := kernel.Check(c.Kernel, x); err != nil {
		return labels, err
	}
	if c.Resources, err = c.Resources.withDefaults(); err != nil {
		return labels, err
	}
	if c.HyperOptions, err = c.HyperOptions.withDefaults(); err != nil {
		return labels, err
	}
	if c.Samples < 0 {
		return labels, fmt.Errorf("Samples is %d; give a positive number, or 0", c.Samples)
	}
	if c.Samples == 0 {
		c.Samples = 2000
	}
	if need := c.bytes(len(y), len(labels.Classes)); need > c.Bytes {
		return labels, &OverBudget{Learner: "gp classifier", Points: len(y), Needs: need, Budget: c.Bytes, Instead: "raise Bytes, take fewer points, or use Logistic"}
	}
	return labels, nil
}

// bytes is the n×n matrices alive at once.
func (GPClassifier[T, L]) bytes(n, classes int) int64 {
	matrices := 5
	if classes > 2 {
		matrices = 4 + 3*classes
	}
	return 8 * int64(n) * int64(n) * int64(matrices)
}

// laplace approximates the posterior with a kernel.
func (c GPClassifier[T, L]) laplace(ctx context.Context, k kernel.Kernel[T], x data.Points[T], labels Labels[L], trace trace.Func) (laplacePosterior, error) {
	n := x.Len()
	gram := linalg.New[float64](n, n)
	kernel.FillSym(c.Threads, gram, kernel.Prepare(kernel.Until(ctx, k), x, x))
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, v := range gram.Row(i)[:i+1] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("a kernel value of row %d is %g", i, v)
			}
		}
	}
	if len(labels.Classes) == 2 {
		return newBinaryLaplace(ctx, c.Threads, gram, labels.Code, trace)
	}
	return newSoftmaxLaplace(ctx, c.Threads, gram, labels.Code, len(labels.Classes), trace)
}

func (c GPClassifier[T, L]) fit(ctx context.Context, x data.Points[T], labels Labels[L], start time.Time) (*GPClassifierModel[T, L], error) {
	params := kernel.Params(c.Kernel)
	coords, err := c.kernelCoordinates(params)
	if err != nil {
		return nil, err
	}
	report := Report{Learner: "gp classifier", Certified: "gradient at the mode of the posterior", Bytes: c.bytes(x.Len(), len(labels.Classes))}
	k := c.Kernel
	if len(coords) > 0 {
		var fault error
		wanted := searched(coords, len(params))
		found, err := c.search(ctx, kernel.Values(c.Kernel), coords, c.Trace, func(theta, grad []float64) float64 {
			at := withParams(c.Kernel, theta)
			p, err := c.laplace(ctx, at, x, labels, nil)
			if err == nil {
				err = gradientOf(ctx, at, p, grad, wanted, x)
			}
			if err != nil {
				fault = err
				clear(grad)
				return math.Inf(-1)
			}
			return p.evidence()
		})
		if err != nil {
			if fault != nil && ctx.Err() == nil {
				err = fmt.Errorf("%w (last: %w)", err, fault)
			}
			return nil, err
		}
		k = withParams(c.Kernel, found.theta)
		report.Iterations = found.iterations
		for _, i := range found.atBound {
			report.Warnings = append(report.Warnings, fmt.Sprintf("%s ended at the bound %.3g of the search", params[i].Name, found.theta[i]))
		}
		if !found.converged {
			report.Warnings = append(report.Warnings, fmt.Sprintf("the search for hyper-parameters stopped at %d iterations; raise MaxIterations", c.MaxIterations))
		}
	}
	trace := c.Trace
	if len(coords) > 0 {
		trace = nil // the steps of the search were reported
	}
	p, err := c.laplace(ctx, k, x, labels, trace)
	if err != nil {
		return nil, err
	}
	var steps int
	steps, report.Certificate, report.Converged = p.account()
	if report.Iterations == 0 {
		report.Iterations = steps
	}
	if !report.Converged {
		report.Warnings = append(report.Warnings, fmt.Sprintf("Newton's method left a gradient of %.2g", report.Certificate))
	}
	report.Objective, report.Elapsed = -p.evidence(), time.Since(start)
	f := &rkhs.Func[T]{Kernel: k, Centers: x, Coef: linalg.Dense(p.coefficients())}
	m := &GPClassifierModel[T, L]{f: f, posterior: p, classes: labels.Classes, threads: c.Threads, report: report}
	if len(labels.Classes) > 2 {
		m.draws = standardNormals(c.Samples, len(labels.Classes), c.Seed)
	}
	return m, finiteCoefficients(f)
}

// gradientOf sets grad to the derivatives of the approximate evidence by those parameters that are wanted.
func gradientOf[T any](ctx context.Context, k kernel.Kernel[T], p laplacePosterior, grad []float64, wanted []bool, x data.Points[T]) error {
	w, err := p.weights(ctx)
	if err != nil {
		return err
	}
	return kernel.ParamGradDotOf(kernel.Until(ctx, k), grad, wanted, linalg.Dense(w), x, x)
}

// Evidence is the approximate log marginal likelihood of the labels at the
// parameters as given, with its derivatives by them.
func (c GPClassifier[T, L]) Evidence(ctx context.Context, x data.Points[T], y []L) (Evidence, error) {
	labels, err := c.check(x, y)
	if err != nil {
		return Evidence{}, fmt.Errorf("gp classifier: %w", err)
	}
	own := data.Own(x)
	e, err := heeding(ctx, func() (Evidence, error) {
		p, err := c.laplace(ctx, c.Kernel, own, labels, nil)
		if err != nil {
			return Evidence{}, err
		}
		grad := make([]float64, len(kernel.Params(c.Kernel)))
		err = gradientOf(ctx, c.Kernel, p, grad, nil, own)
		return Evidence{LogMarginal: p.evidence(), Kernel: grad}, err
	})
	if err != nil {
		return Evidence{}, fmt.Errorf("gp classifier: %w", err)
	}
	return e, nil
}

// GPClassifierModel is a fitted GPClassifier.
type GPClassifierModel[T any, L cmp.Ordered] struct {
	f         *rkhs.Func[T]
	posterior laplacePosterior
	classes   []L
	draws     linalg.Matrix[float64]
	threads   int
	report    Report
}

// Func is the posterior mean of the latent function: one output for two
// classes, positive for the larger label; else one for each class in order.
func (m *GPClassifierModel[T, L]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went; its objective is the negative approximate log
// marginal likelihood.
func (m *GPClassifierModel[T, L]) Report() Report { return m.report }

// Classes lists the labels in increasing order.
func (m *GPClassifierModel[T, L]) Classes() []L { return append([]L(nil), m.classes...) }

// Kernel is the kernel with the parameters found.
func (m *GPClassifierModel[T, L]) Kernel() kernel.Kernel[T] { return m.f.Kernel }

// LogMarginal is the approximate log marginal likelihood of the labels.
func (m *GPClassifierModel[T, L]) LogMarginal() float64 { return m.posterior.evidence() }

// Latent returns the posterior mean and covariance of the latent processes at
// each point.
func (m *GPClassifierModel[T, L]) Latent(x data.Points[T]) (mean *mat.Dense, cov []*mat.Dense) {
	q := m.f.Outputs()
	if x.Len() == 0 {
		return nil, nil
	}
	mean = evaluateAll(m.f, nil, x)
	self := make([]float64, x.Len())
	kernel.Diag(m.f.Kernel, self, x)
	cov = make([]*mat.Dense, x.Len())
	for lo := 0; lo < x.Len(); lo += varianceBlock {
		hi := min(lo+varianceBlock, x.Len())
		index := everyIndex(hi - lo)
		for i := range index {
			index[i] += lo
		}
		cross := linalg.New[float64](hi-lo, m.f.Centers.Len())
		kernel.Fill(m.threads, cross, kernel.Prepare(m.f.Kernel, data.Gather(x, index), m.f.Centers))
		parFor(m.threads, hi-lo, func(i int) {
			c := linalg.New[float64](q, q)
			m.posterior.moments(c, cross.Row(i), self[lo+i])
			cov[lo+i] = linalg.Dense(c)
		})
	}
	return mean, cov
}

// Proba writes the probability of each class (a column, in the order of
// Classes) for each point into dst, or into a new matrix when dst is nil.
func (m *GPClassifierModel[T, L]) Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	mean, cov := m.Latent(x)
	if mean == nil {
		return dst
	}
	if dst == nil {
		dst = mat.NewDense(x.Len(), len(m.classes), nil)
	}
	if len(m.classes) == 2 {
		for i := range x.Len() {
			p := averageSigmoid(mean.At(i, 0), cov[i].At(0, 0))
			dst.Set(i, 0, 1-p)
			dst.Set(i, 1, p)
		}
		return dst
	}
	parFor(m.threads, x.Len(), func(i int) {
		averageSoftmax(dst.RawRowView(i), mean.RawRowView(i), linalg.Of(cov[i]), m.draws)
	})
	return dst
}

// Predict returns the most probable label of each point, in dst when it is
// long enough.
func (m *GPClassifierModel[T, L]) Predict(dst []L, x data.Points[T]) []L {
	code := make([]int, x.Len())
	if len(m.classes) == 2 { // the averaged sigmoid is above ½ where the mean is above 0
		for i, v := range evaluate(m.f, nil, x) {
			code[i] = DecideOneVsRest([]float64{v})
		}
	} else if p := m.Proba(nil, x); p != nil {
		for i := range code {
			code[i] = ArgMax(p.RawRowView(i))
		}
	}
	return decode(dst, m.classes, code)
}
