package gp

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// SparseClassification is Gaussian process classification by few inducing points Z: f ~ GP(0, k),
// for two classes p(y = ±1 | f) = 1/(1 + e^{-yf}), for more one process f_c for each class and p(y
// = c | f) = e^{f_c}/Σ e^{f_b}. The posterior of f(Z) is replaced by the normal distribution q that
// maximises
//
//	ELBO = Σ wᵢ E_q log p(yᵢ | f(xᵢ)) - KL(q ‖ p) ≤ log p(y)
//
// (J. Hensman, A. Matthews and Z. Ghahramani, Scalable variational Gaussian process classification,
// 2015), whitened, each class by itself. Expectations are quadratures; for more than two classes
// those of the lower bound one-vs-each on the softmax (M. Titsias 2016), so that the ELBO stays
// one. Natural gradient steps find q for all rows; the parameters of the kernel, which all classes
// share, and Z, if asked for, maximise the ELBO of that q. The certificate is the distance of q
// from where its natural gradient leads. Predicted probabilities average over q: by quadrature for
// two classes, by draws for more.
type SparseClassification[T any, L cmp.Ordered] struct {
	Kernel  kernel.Kernel[T]
	Samples int // draws behind a predicted probability, for more than two classes; 0 means 2000. They are seeded by Seed

	Balance      learn.Balance  // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64  // weight of a class
	Weights      []float64      // wᵢ ≥ 0: how many rows a row counts as; nil means 1
	Given        data.Points[T] // Z, or where its search starts; nil means a choice among the rows

	InducingOptions
	HyperOptions
	learn.Resources
}

// Steps and tolerance of the search for q.
const (
	variationalSteps = 100
	variationalTol   = 1e-5
)

// Fit learns from points and their labels. When ctx ends in a search the error is a *learn.Stopped
// with the best place so far.
func (c SparseClassification[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (_ *SparseClassifier[T, L], err error) {
	defer fault.Name("sparse gp classifier", &err)
	rows, classes, err := c.rows(x, y)
	if err != nil {
		return nil, err
	}
	found, err := c.open().fit(ctx, rows, len(classes), data.Erase(x))
	if err != nil {
		return nil, err
	}
	return newSparseClassifier[T](ctx, found, classes)
}

// FitSource learns from rows that come in blocks: the target of a row is the number of its class in
// the list of them. ClassWeights, Balance and Weights are not read: the rows have weights of their
// own.
func (c SparseClassification[T, L]) FitSource(
	ctx context.Context, rows data.Source[T], classes []L,
) (_ *SparseClassifier[T, L], err error) {
	defer fault.Name("sparse gp classifier", &err)
	found, err := c.open().fitSource(ctx, fitting.EraseSource(rows), len(classes))
	if err != nil {
		return nil, err
	}
	return newSparseClassifier[T](ctx, found, classes)
}

// sparseClassification is a SparseClassification of points and labels that have lost their types.
type sparseClassification SparseClassification[any, int]

func (c SparseClassification[T, L]) open() *sparseClassification {
	return &sparseClassification{
		Kernel: kernel.Erase(c.Kernel), Samples: c.Samples, Given: data.Erase(c.Given),
		InducingOptions: c.InducingOptions, HyperOptions: c.HyperOptions, Resources: c.Resources,
	}
}

func (c *sparseClassification) fitSource(
	ctx context.Context, rows data.Source[any], classes int,
) (*sparseClasses, error) {
	coded, err := fitting.Coded(rows, classes)
	if err != nil {
		return nil, err
	}
	return c.fit(ctx, coded, classes, nil)
}

// sparseClasses is the end of a search: the mean of the posterior, and what the search was stopped
// by, if it was.
type sparseClasses struct {
	f       *rkhs.Func[any]
	q       *variational
	draws   linalg.Matrix[float64]
	report  learn.Report
	stopped error
}

// fit searches and makes the model. x is all points, where they are at hand, to say what is wrong
// with the kernel there.
func (c *sparseClassification) fit(
	ctx context.Context, rows data.Source[any], classes int, x data.Points[any],
) (*sparseClasses, error) {
	start := time.Now()
	p, z, err := c.problem(ctx, rows, classes)
	if err != nil {
		return nil, err
	}
	s := &sparseSearch{HyperOptions: c.HyperOptions, kernel: c.Kernel, points: z, trace: c.Trace,
		kernels: len(kernel.Params(c.Kernel))}
	s.at = func(ctx context.Context, k kernel.Kernel[any], z data.Points[any], _, grad []float64, wanted []bool,
		dim int) (any, float64, error) {
		return c.at(ctx, p, s, k, z, grad, wanted, dim)
	}
	found, stopped := s.run(ctx, c.MoveInducing)
	if found == nil {
		return nil, fitting.Explain(ctx, stopped, c.Kernel, x, c.Resources)
	}
	q := found.state.(*variational)
	if q.root == nil { // it comes from a device
		if err := p.factorise(context.WithoutCancel(ctx), q); err != nil {
			return nil, err
		}
	}
	report := found.report("svgp classifier", c.MaxIterations)
	report.Certificate, report.Certified, report.Bytes = q.residual, "natural gradient of the bound",
		int64(p.outputs)*sparseBytes(z.Len(), found.dim)
	report.Iterations = max(report.Iterations, q.iterated)
	report.Converged = q.settled && stopped == nil
	if !q.settled {
		report.Warnings = append(report.Warnings, fmt.Sprintf("natural gradient steps left a residual of %.2g", q.residual))
	}
	if stopped == nil {
		report.Warnings = append(report.Warnings, fitting.Doubts(ctx, q.kernel, q.points, c.Resources)...)
	}
	report.Elapsed = time.Since(start)
	out := &sparseClasses{q: q, report: report, stopped: stopped}
	if out.f, err = q.function(); err != nil {
		return nil, err
	}
	q.next, q.nextNatural = nil, linalg.Matrix[float64]{}
	if classes > 2 {
		out.draws = standardNormals(c.Samples, classes, c.Seed)
	}
	return out, nil
}

// at is the best q at some parameters, from the best of the search so far. An unfinished one comes
// beside the context's error.
func (c *sparseClassification) at(
	ctx context.Context, p *variationalProblem, s *sparseSearch, k kernel.Kernel[any], z data.Points[any],
	grad []float64, wanted []bool, dim int,
) (any, float64, error) {
	from, _ := s.best.state.(*variational)
	report := c.Trace
	if grad != nil {
		report = nil // the steps of the search are reported
	}
	if grad == nil {
		wanted = make([]bool, len(kernel.Params(k)))
	}
	q, err := p.solve(ctx, k, z, wanted, from, report)
	if err == nil && grad != nil {
		err = p.gradient(ctx, q, grad, wanted, dim)
	}
	if q != nil {
		q.leave()
		q.pull, q.bend = nil, nil
	}
	if q == nil || err != nil && grad != nil {
		return nil, 0, err
	}
	return q, q.value, err
}

// Bound is the ELBO of the best q at the parameters and inducing points as given or chosen, with
// its derivatives by the parameters of the kernel and, if they move, the points. Nothing else is
// fitted.
func (c SparseClassification[T, L]) Bound(ctx context.Context, x data.Points[T], y []L) (_ SparseBound, err error) {
	defer fault.Name("sparse gp classifier", &err)
	rows, classes, err := c.rows(x, y)
	if err != nil {
		return SparseBound{}, err
	}
	return c.open().bound(ctx, rows, len(classes))
}

func (c *sparseClassification) bound(
	ctx context.Context, rows data.Source[any], classes int,
) (SparseBound, error) {
	p, z, err := c.problem(ctx, rows, classes)
	if err != nil {
		return SparseBound{}, err
	}
	p.tol, p.steps = 1e-10, 10*variationalSteps
	q, err := p.solve(ctx, c.Kernel, z, nil, nil, nil)
	if err != nil {
		return SparseBound{}, err
	}
	defer q.leave()
	params, dim := len(kernel.Params(c.Kernel)), 0
	if c.MoveInducing {
		if dim, err = vectors(c.Kernel, z); err != nil {
			return SparseBound{}, err
		}
	}
	grad := make([]float64, params+z.Len()*dim)
	if err := p.gradient(ctx, q, grad, nil, dim); err != nil {
		return SparseBound{}, err
	}
	return SparseBound{Value: q.value, Kernel: grad[:params], Inducing: grad[params:], Jitter: q.jitter}, nil
}

// rows is points with the codes of their labels and their weights, and the classes.
func (c SparseClassification[T, L]) rows(x data.Points[T], y []L) (data.Source[any], []L, error) {
	points := data.Erase(x)
	labels, weights, err := fitting.CheckClassification(
		kernel.Erase(c.Kernel), points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, nil, err
	}
	return codedRows(points, labels.Code, weights), labels.Classes, nil
}

func codedRows(x data.Points[any], code []int, weights []float64) data.Source[any] {
	codes := make([]float64, len(code))
	for i, c := range code {
		codes[i] = float64(c)
	}
	return data.NewInMemory(x, codes, 1, weights)
}

// problem checks the options, looks the rows through and chooses the inducing points.
func (c *sparseClassification) problem(
	ctx context.Context, rows data.Source[any], classes int,
) (*variationalProblem, data.Points[any], error) {
	if err := kernel.Validate(c.Kernel); err != nil {
		return nil, nil, err
	}
	var err error
	if c.Resources, err = c.Resources.WithDefaults(); err != nil {
		return nil, nil, err
	}
	if c.HyperOptions, err = c.HyperOptions.withDefaults(); err != nil {
		return nil, nil, err
	}
	if err := fitting.SetOrDefaultInt("Samples", &c.Samples, 2000); err != nil {
		return nil, nil, err
	}
	census, err := fitting.Survey(ctx, c.Kernel, rows)
	if err != nil {
		return nil, nil, err
	}
	p := &variationalProblem{Resources: c.Resources, rows: rows, census: census, outputs: classes,
		steps: variationalSteps, tol: variationalTol}
	if p.outputs == 2 {
		p.outputs = 1
	}
	z, err := chooseInducing(ctx, c.InducingOptions, c.Kernel, rows, census.Kept, c.Given, c.Seed, c.Resources,
		"sparse gp classifier", int64(p.outputs))
	return p, z, err
}
