package gp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Classification is Gaussian process classification: f ~ GP(0, k), and for two
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
type Classification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // wᵢ ≥ 0: how many rows a row counts as; nil means 1

	Samples int // draws behind a predicted probability, for more than two classes; 0 means 2000. They are seeded by Seed

	HyperOptions
	learn.Resources
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
func (c Classification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	p, labels, err := c.open(x, y)
	if err != nil {
		return nil, fmt.Errorf("gp classifier: %w", err)
	}
	latent, report, err := p.fit(ctx)
	if err != nil {
		return nil, fmt.Errorf("gp classifier: %w", err)
	}
	f := typed[T](latent.f).Prepare()
	latent.f = rkhs.Erase(f) // what is made ready for its centres is for both
	return &Classifier[T, L]{*learn.NewExpansionClassifier(f, labels.Classes, nil, report), latent}, nil
}

// open is the problem of points and labels that lose their types, after a look at both, and the
// labels.
func (c Classification[T, L]) open(x data.Points[T], y []L) (*classification, learn.Labels[L], error) {
	p := &classification{
		kernel: kernel.Erase(c.Kernel), x: data.Erase(x), samples: c.Samples,
		HyperOptions: c.HyperOptions, Resources: c.Resources, start: time.Now(),
	}
	labels, weights, err := fitting.CheckClassification(p.kernel, p.x, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, labels, err
	}
	p.code, p.classes, p.weights = labels.Code, len(labels.Classes), weights
	return p, labels, p.check()
}

// classification is a Classification of points and labels that have lost their types.
type classification struct {
	kernel  kernel.Kernel[any]
	x       data.Points[any]
	code    []int // the class of each point
	classes int
	weights []float64
	samples int
	start   time.Time
	HyperOptions
	learn.Resources
}

// check refuses bad options, and takes the points that have a weight into memory of its own.
func (c *classification) check() (err error) {
	if c.Resources, err = c.Resources.WithDefaults(); err != nil {
		return err
	}
	if c.HyperOptions, err = c.HyperOptions.withDefaults(); err != nil {
		return err
	}
	if err := fitting.SetOrDefaultInt("Samples", &c.samples, 2000); err != nil {
		return err
	}
	if need := c.bytes(); need > c.Bytes {
		return &learn.OverBudget{
			Learner: "gp classifier", Points: len(c.code), Needs: need, Budget: c.Bytes,
			Instead: "give it more memory, take fewer points, or use logistic regression",
		}
	}
	rows, err := heavyRows(c.x, c.weights)
	c.x, c.code, c.weights = data.OwnSubset(c.x, rows), data.Take(c.code, rows), data.Take(c.weights, rows)
	return err
}

// bytes is the n×n matrices alive at once.
func (c *classification) bytes() int64 {
	n, classes := len(c.code), c.classes
	matrices := 5
	if classes > 2 {
		matrices = 4 + 3*classes
	}
	return 8 * int64(n) * int64(n) * int64(matrices)
}

// laplace approximates the posterior with a kernel.
func (c *classification) laplace(
	ctx context.Context, k kernel.Kernel[any], trace trace.Func,
) (laplacePosterior, error) {
	n := c.x.Len()
	gram := linalg.New[float64](n, n)
	kernel.FillSym(c.Threads, blas64.General(gram), kernel.Prepare(ctx, k, c.x, c.x))
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
	if c.classes == 2 {
		return newBinaryLaplace(ctx, c.Threads, gram, c.code, c.weights, trace)
	}
	return newSoftmaxLaplace(ctx, c.Threads, gram, c.code, c.weights, c.classes, trace)
}

func (c *classification) fit(ctx context.Context) (_ *latent, r learn.Report, err error) {
	m, err := fitting.Heed(ctx, func() (m *latent, err error) {
		m, r, err = c.climb(ctx)
		return m, err
	})
	return m, r, fitting.Explain(ctx, err, c.kernel, c.x, c.Resources)
}

// climb finds the parameters, and the posterior at them.
func (c *classification) climb(ctx context.Context) (*latent, learn.Report, error) {
	report := learn.Report{
		Learner: "gp classifier", Certified: "gradient at the mode of the posterior", Bytes: c.bytes(),
	}
	params := kernel.Params(c.kernel)
	coords, err := c.kernelCoordinates(params)
	if err != nil {
		return nil, report, err
	}
	k := c.kernel
	if len(coords) > 0 {
		var fault error
		wanted := searched(coords, len(params))
		found, err := c.search(ctx, kernel.Values(c.kernel), coords, c.Trace, func(theta, grad []float64) float64 {
			at := withParams(c.kernel, theta)
			p, err := c.laplace(ctx, at, nil)
			if err == nil {
				err = gradientOf(ctx, at, p, grad, wanted, c.x)
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
			return nil, report, err
		}
		k = withParams(c.kernel, found.theta)
		report.Iterations = found.iterations
		for _, i := range found.atBound {
			report.Warnings = append(report.Warnings, fmt.Sprintf("%s ended at the bound %.3g of the search", params[i].Name,
				found.theta[i]))
		}
		if !found.converged {
			report.Warnings = append(report.Warnings,
				fmt.Sprintf("the search for hyper-parameters stopped at %d iterations; allow more of them", c.MaxIterations))
		}
	}
	trace := c.Trace
	if len(coords) > 0 {
		trace = nil // the steps of the search were reported
	}
	p, err := c.laplace(ctx, k, trace)
	if err != nil {
		return nil, report, err
	}
	var steps int
	steps, report.Certificate, report.Converged = p.account()
	if report.Iterations == 0 {
		report.Iterations = steps
	}
	if !report.Converged {
		report.Warnings = append(report.Warnings, fmt.Sprintf("Newton's method left a gradient of %.2g", report.Certificate))
	}
	report.Warnings = append(report.Warnings, fitting.Doubts(ctx, k, c.x, c.Resources)...)
	report.Objective, report.Elapsed = -p.evidence(), time.Since(c.start)
	f := &rkhs.Func[any]{Kernel: k, Centers: c.x, Coef: linalg.Dense(p.coefficients())}
	m := &latent{f: f, posterior: p, threads: c.Threads}
	if c.classes > 2 {
		m.draws = standardNormals(c.samples, c.classes, c.Seed)
	}
	return m, report, fitting.FiniteCoefficients(f)
}

// gradientOf sets grad to the derivatives of the approximate evidence by those parameters that are
// wanted.
func gradientOf(
	ctx context.Context, k kernel.Kernel[any], p laplacePosterior, grad []float64, wanted []bool, x data.Points[any],
) error {
	w, err := p.weights(ctx)
	if err != nil {
		return err
	}
	return kernel.ParamGradDot(ctx, k, grad, wanted, linalg.Dense(w), x, x)
}

// Evidence is the approximate log marginal likelihood of the labels at the
// parameters as given, with its derivatives by them.
func (c Classification[T, L]) Evidence(ctx context.Context, x data.Points[T], y []L) (Evidence, error) {
	p, _, err := c.open(x, y)
	if err != nil {
		return Evidence{}, fmt.Errorf("gp classifier: %w", err)
	}
	e, err := p.evidence(ctx)
	if err != nil {
		return Evidence{}, fmt.Errorf("gp classifier: %w", err)
	}
	return e, nil
}

func (c *classification) evidence(ctx context.Context) (Evidence, error) {
	return fitting.Heed(ctx, func() (Evidence, error) {
		p, err := c.laplace(ctx, c.kernel, nil)
		if err != nil {
			return Evidence{}, err
		}
		grad := make([]float64, len(kernel.Params(c.kernel)))
		err = gradientOf(ctx, c.kernel, p, grad, nil, c.x)
		return Evidence{LogMarginal: p.evidence(), Kernel: grad}, err
	})
}

// Classifier is a fitted Classification. Its function is the posterior mean of the latent function:
// one output for two classes, positive for the larger label; else one for each class in order.
type Classifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	*latent
}

// latent is the posterior of the latent processes of a Classifier, for points that have lost their
// type.
type latent struct {
	f         *rkhs.Func[any] // its mean
	posterior laplacePosterior
	draws     linalg.Matrix[float64]
	threads   int
}

// Kernel is the kernel with the parameters found.
func (m *Classifier[T, L]) Kernel() kernel.Kernel[T] { return m.Func().Kernel }

// LogMarginal is the approximate log marginal likelihood of the labels.
func (m *latent) LogMarginal() float64 { return m.posterior.evidence() }

// Latent returns the posterior mean and covariance of the latent processes at
// each point.
func (m *Classifier[T, L]) Latent(
	ctx context.Context, x data.Points[T],
) (mean *mat.Dense, cov []*mat.Dense, err error) {
	return m.moments(ctx, data.Erase(x))
}

func (m *latent) moments(
	ctx context.Context, x data.Points[any],
) (mean *mat.Dense, cov []*mat.Dense, err error) {
	f := m.f
	if mean, err = apply.New(ctx, f, x); err != nil || x.Len() == 0 {
		return mean, nil, err
	}
	q := f.Outputs()
	self := make([]float64, x.Len())
	kernel.Diag(ctx, f.Kernel, self, x)
	cov = make([]*mat.Dense, x.Len())
	for lo := 0; lo < x.Len(); lo += varianceBlock {
		hi := min(lo+varianceBlock, x.Len())
		index := par.Indices(lo, hi)
		cross := linalg.New[float64](hi-lo, f.Centers.Len())
		kernel.Fill(m.threads, blas64.General(cross), f.Tiles(ctx, data.Gather(x, index)))
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		parFor(m.threads, hi-lo, func(i int) {
			c := linalg.New[float64](q, q)
			m.posterior.moments(c, cross.Row(i), self[lo+i])
			cov[lo+i] = linalg.Dense(c)
		})
	}
	return mean, cov, ctx.Err()
}

// HasProba is true.
func (m *Classifier[T, L]) HasProba() bool { return true }

// Proba returns the probability of each class, a row for each point.
func (m *Classifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.Classes()), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the probabilities of point i to row i of dst.
func (m *Classifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return m.proba(ctx, dst, data.Erase(x))
}

func (m *latent) proba(ctx context.Context, dst *mat.Dense, x data.Points[any]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	classes := max(2, m.f.Outputs())
	if err := apply.CheckDims(dst, x.Len(), classes); err != nil || x.Len() == 0 {
		return err
	}
	mean, cov, err := m.moments(ctx, x)
	if err != nil {
		return err
	}
	if classes == 2 {
		for i := range x.Len() {
			p := averageSigmoid(mean.At(i, 0), cov[i].At(0, 0))
			dst.Set(i, 0, 1-p)
			dst.Set(i, 1, p)
		}
		return nil
	}
	parFor(m.threads, x.Len(), func(i int) {
		averageSoftmax(dst.RawRowView(i), mean.RawRowView(i), linalg.Of(cov[i]), m.draws)
	})
	return ctx.Err()
}

// Predict returns the most probable label of each point.
func (m *Classifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the most probable label of point i to dst[i].
func (m *Classifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	if m.Decisions() == 1 { // the averaged sigmoid is above ½ where the mean is above 0
		return m.ExpansionClassifier.PredictTo(ctx, dst, x)
	}
	return learn.PredictMostProbable(ctx, m, dst, x)
}
