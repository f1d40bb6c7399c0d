package features

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// Loss is what a wrong or doubtful row costs, z = y(f(x) + b), y = ±1.
type Loss int

const (
	// Squares is ½(1 - z)², solved exactly in one pass.
	Squares Loss = iota
	// Hinge is max(0, 1 - z): a support vector machine, by stochastic steps.
	Hinge
	// logistic is log(1 + e^{-z}), which Logistic has for itself.
	logistic
)

// Classification tells classes apart on random features, one class against the rest,
//
//	minimise over v, b   Σ wᵢ ℓ(yᵢ(⟨v, φ(xᵢ)⟩ + b)) + (λ/2)‖v‖².
//
// With Squares the certificate is the relative residual of the normal equations, and b is free;
// with the other losses it is the duality gap relative to the objective at 0, the largest of the
// outputs, and b is penalised as v is: it is √k(0) times one more coordinate, so that the unit of
// the kernel is that of λ alone. Stochastic steps follow the order of the rows: Fit shuffles them,
// those of a source should be in no particular order.
type Classification[T any, L cmp.Ordered] struct {
	Kernel    kernel.Kernel[T] // stationary, of which the spectral measure is known
	Loss      Loss
	Lambda    float64 // λ > 0; 0 means 1. The C of a support vector machine is 1/λ
	Intercept bool    // fit b; else b = 0
	// Passes over the rows for stochastic steps; 0 means one, in Fit as many as bring the gap to a
	// fifth of Tol, up to 200 of them and 200 000 steps. Squares take one.
	Passes int
	// Certify reads a source once more after the last pass, for the objective and its gap; Fit
	// always does.
	Certify bool
	Tol     float64 // relative gap up to which stochastic steps are said to have converged; 0 means 0.05

	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1

	Options

	early bool // passes end where the gap is small
}

// enoughSteps in at most mostPasses are what Fit takes: few rows have learners that need no luck.
const (
	enoughSteps = 200_000
	mostPasses  = 200
)

// Fit learns from points and their labels. When ctx ends during stochastic steps the error is a
// *learn.Stopped.
func (c Classification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *Classifier[T, L], err error) {
	defer fault.Name("random features", &err)
	if c.Loss != Squares && c.Loss != Hinge {
		return nil, fmt.Errorf("unknown loss %d", int(c.Loss))
	}
	return asModel(newClassifier[T, L])(c.fit(ctx, x, y))
}

// fit is Fit with any loss.
func (c Classification[T, L]) fit(ctx context.Context, x data.Points[T], y []L) (*fitted[T, L], error) {
	labels, err := fitting.Labels(x, y)
	if err != nil {
		return nil, err
	}
	weights := c.Weights
	if c.Balance != learn.Unbalanced || len(c.ClassWeights) > 0 || weights != nil {
		if weights, err = labels.PointWeights(c.Balance, c.ClassWeights, weights); err != nil {
			return nil, err
		}
	}
	if err := kernel.Check(c.Kernel, x); err != nil {
		return nil, err
	}
	codes := make([]float64, len(y))
	for i, code := range labels.Code {
		codes[i] = float64(code)
	}
	if c.Loss != Squares {
		order := shuffled(len(y), c.Seed)
		x, codes, weights = data.Gather(x, order), data.Take(codes, order), data.Take(weights, order)
		if c.Passes == 0 {
			c.Passes, c.early = min((enoughSteps+len(y)-1)/len(y), mostPasses), true
		}
	}
	c.Certify = true
	return c.fitRows(ctx, data.NewInMemory(x, codes, 1, weights), labels.Classes)
}

// FitSource learns from rows that come in blocks: the target of a row is the number of its class in
// the list of them. ClassWeights, Balance and Weights are not read: the rows have weights of their
// own.
func (c Classification[T, L]) FitSource(
	ctx context.Context, rows data.Source[T], classes []L,
) (_ *Classifier[T, L], err error) {
	defer fault.Name("random features", &err)
	if c.Loss != Squares && c.Loss != Hinge {
		return nil, fmt.Errorf("unknown loss %d", int(c.Loss))
	}
	return asModel(newClassifier[T, L])(c.fitSource(ctx, rows, classes))
}

func (c Classification[T, L]) fitSource(ctx context.Context, rows data.Source[T], classes []L) (*fitted[T, L], error) {
	coded, err := fitting.Coded(rows, len(classes))
	if err != nil {
		return nil, err
	}
	return c.fitRows(ctx, coded, classes)
}

// fitted is a function with its report, and the classes that it tells apart.
type fitted[T any, L cmp.Ordered] struct {
	f       *rkhs.Func[T]
	report  learn.Report
	classes []L
}

// asModel makes models of what a fit returns, and of what it had when its context ended.
func asModel[T any, L cmp.Ordered, M learn.Model[T]](of func(*fitted[T, L]) M) func(*fitted[T, L], error) (M, error) {
	return func(m *fitted[T, L], err error) (none M, _ error) {
		switch {
		case err != nil && m != nil:
			return none, &learn.Stopped[T]{Model: of(m), Err: err}
		case err != nil:
			return none, err
		}
		return of(m), nil
	}
}

func (c Classification[T, L]) fitRows(ctx context.Context, rows data.Source[T], classes []L) (*fitted[T, L], error) {
	outputs := len(classes)
	if outputs == 2 {
		outputs = 1
	}
	sign := func(o int, target float64) float64 {
		if int(target) == o && outputs > 1 || int(target) == 1 && outputs == 1 {
			return 1
		}
		return -1
	}
	if c.Loss != Squares {
		f, report, err := c.descend(ctx, rows, outputs, sign)
		if f == nil {
			return nil, err
		}
		return &fitted[T, L]{f, report, classes}, err
	}
	f, report, err := solveRidge(ctx, "features classifier", c.Kernel, rows, c.Lambda, c.Intercept, c.Options, outputs,
		func(dst, row []float64) {
			for o := range dst {
				dst[o] = sign(o, row[0])
			}
		})
	if err != nil {
		return nil, err
	}
	return &fitted[T, L]{f, report, classes}, nil
}

// descend takes the stochastic steps. When the context ends what they had learnt comes beside its
// error.
func (c Classification[T, L]) descend(
	ctx context.Context, rows data.Source[T], outputs int, sign func(int, float64) float64,
) (*rkhs.Func[T], learn.Report, error) {
	start := time.Now()
	report := learn.Report{Learner: nameOf(c.Loss), Certified: "relative duality gap", Certificate: math.Inf(1)}
	o, err := prepare(c.Kernel, rows, c.Options, &c.Lambda, outputs, false)
	if err != nil {
		return nil, report, err
	}
	if err := fitting.SetOrDefaultInt("Passes", &c.Passes, 1); err != nil {
		return nil, report, err
	}
	if err := fitting.SetOrDefault("Tol", &c.Tol, 0.05); err != nil {
		return nil, report, err
	}
	s := &stochastic[T]{Options: o, kernel: c.Kernel, rows: rows, hinge: c.Loss == Hinge, lambda: c.Lambda,
		intercept: c.Intercept, sign: sign, outputs: outputs, passes: c.Passes}
	if c.early {
		s.enough = c.Tol / 5
	}
	ended := s.run(ctx)
	if ended != nil && (ctx.Err() == nil || s.seen == 0) {
		return nil, report, ended
	}
	v, bias := s.solution()
	f, err := s.waves.function(v, bias)
	if err != nil {
		return nil, report, err
	}
	report.Iterations, report.Bytes = s.seen, bytesFor(o.Frequencies, outputs, false)
	if ended == nil && c.Certify {
		ended = s.judge(ctx, &report, c.Tol)
		if ended != nil && ctx.Err() == nil {
			return nil, report, ended
		}
	}
	if math.IsInf(report.Certificate, 1) {
		report.Warnings = append(report.Warnings, "the objective was not looked at: that takes one more pass over the rows")
	}
	report.Elapsed = time.Since(start)
	return f, report, ended
}

// judge adds the objective and its gap to a report.
func (s *stochastic[T]) judge(ctx context.Context, report *learn.Report, tol float64) error {
	var err error
	if report.Objective, report.Certificate, err = s.gap(ctx); err != nil {
		return err
	}
	report.Converged = report.Certificate <= tol
	if !report.Converged {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("relative duality gap %.2g after %d steps; allow more passes or raise lambda", report.Certificate,
				s.seen))
	}
	return nil
}

// gap is the objective, and the largest gap of an output relative to the objective at 0.
func (s *stochastic[T]) gap(ctx context.Context) (objective, largest float64, err error) {
	all, total, err := s.certify(ctx)
	if !s.hinge {
		total *= math.Ln2
	}
	for _, a := range all {
		objective += a.objective
		largest = math.Max(largest, a.gap/total)
	}
	return objective, largest, err
}

func nameOf(l Loss) string {
	switch l {
	case logistic:
		return "features logistic"
	case Hinge:
		return "features svm"
	}
	return "features classifier"
}
