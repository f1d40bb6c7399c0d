package gp

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// SparseClassifier is a fitted SparseClassification. Its function is the posterior mean of the
// latent processes: one output for two classes, positive for the larger label; else one for each
// class in order.
type SparseClassifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	*sparseLatent
}

// newSparseClassifier is the model that a fit ended with.
func newSparseClassifier[T any, L cmp.Ordered](
	ctx context.Context, found *sparseClasses, classes []L,
) (*SparseClassifier[T, L], error) {
	f := typed[T](found.f).Prepare()
	p := &sparseLatent{rkhs.Erase(f), found.q, found.draws} // what is made ready for its centres is for both
	m := &SparseClassifier[T, L]{*learn.NewExpansionClassifier(f, classes, nil, found.report), p}
	return fitting.Kept[T](ctx, m, found.stopped)
}

// sparseLatent is the posterior of the latent processes of a SparseClassifier, for points that have
// lost their type.
type sparseLatent struct {
	f     *rkhs.Func[any] // its mean
	q     *variational
	draws linalg.Matrix[float64]
}

// function is the latent means, k(x, Z)L⁻ᵀm.
func (q *variational) function() (*rkhs.Func[any], error) {
	coef := q.mean.Clone()
	q.chol.SolveLT(1, coef)
	f := &rkhs.Func[any]{Kernel: q.kernel, Centers: q.points, Coef: linalg.Dense(coef)}
	return f, fitting.FiniteCoefficients(f)
}

// Kernel is the kernel with the parameters found.
func (m *SparseClassifier[T, L]) Kernel() kernel.Kernel[T] { return m.Func().Kernel }

// Inducing is the inducing points.
func (m *SparseClassifier[T, L]) Inducing() data.Points[T] { return data.Own(m.Func().Centers) }

// LogMarginal is the lower bound on the log marginal likelihood of the labels.
func (m *sparseLatent) LogMarginal() float64 { return m.q.value }

// Latent returns the posterior means and variances of the latent processes, a row for each point
// and a column for each process. They are independent.
func (m *SparseClassifier[T, L]) Latent(
	ctx context.Context, x data.Points[T],
) (mean, variance *mat.Dense, err error) {
	return m.moments(ctx, data.Erase(x))
}

func (m *sparseLatent) moments(
	ctx context.Context, x data.Points[any],
) (mean, variance *mat.Dense, err error) {
	f := m.f
	if mean, err = apply.New(ctx, f, x); err != nil || x.Len() == 0 {
		return mean, nil, err
	}
	self := make([]float64, x.Len())
	if err := kernel.Diag(ctx, f.Kernel, self, x); err != nil {
		return nil, nil, err
	}
	variance = mat.NewDense(x.Len(), f.Outputs(), nil)
	for lo := 0; lo < x.Len(); lo += varianceBlock {
		part := self[lo:min(lo+varianceBlock, x.Len())]
		v, err := m.q.reduced(ctx, f, data.Span(x, lo, lo+len(part)))
		if err != nil {
			return nil, nil, err
		}
		addSquares(part, v, -1)
		for c, root := range m.q.root {
			t, sum := v.Clone(), append([]float64(nil), part...)
			if err := root.SolveLRowwise(ctx, m.q.threads, t); err != nil {
				return nil, nil, err
			}
			addSquares(sum, t, 1)
			for i, s := range sum {
				variance.Set(lo+i, c, math.Max(s, 0))
			}
		}
	}
	return mean, variance, ctx.Err()
}

// addSquares adds the squared norm of each column, times a sign.
func addSquares(dst []float64, v linalg.Matrix[float64], sign float64) {
	for i := range v.Rows {
		for j, t := range v.Row(i) {
			dst[j] += sign * t * t
		}
	}
}

// HasProba is true.
func (m *SparseClassifier[T, L]) HasProba() bool { return true }

// Proba returns the probability of each class, a row for each point.
func (m *SparseClassifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.Classes()), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the probabilities of point i to row i of dst.
func (m *SparseClassifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return m.proba(ctx, dst, data.Erase(x))
}

func (m *sparseLatent) proba(ctx context.Context, dst *mat.Dense, x data.Points[any]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	classes := max(2, m.f.Outputs())
	if err := apply.CheckDims(dst, x.Len(), classes); err != nil || x.Len() == 0 {
		return err
	}
	mean, variance, err := m.moments(ctx, x)
	if err != nil {
		return err
	}
	parFor(m.q.threads, x.Len(), func(i int) {
		if classes == 2 {
			p := averageSigmoid(mean.At(i, 0), variance.At(i, 0))
			dst.Set(i, 0, 1-p)
			dst.Set(i, 1, p)
			return
		}
		cov := linalg.New[float64](classes, classes)
		for c := range classes {
			cov.Set(c, c, variance.At(i, c))
		}
		averageSoftmax(dst.RawRowView(i), mean.RawRowView(i), cov, m.draws)
	})
	return ctx.Err()
}

// Predict returns the most probable label of each point.
func (m *SparseClassifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the most probable label of point i to dst[i].
func (m *SparseClassifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	if m.Decisions() == 1 { // the averaged sigmoid is above ½ where the mean is above 0
		return m.ExpansionClassifier.PredictTo(ctx, dst, x)
	}
	return learn.PredictMostProbable(ctx, m, dst, x)
}

// Saved returns the model as plain data: the array "factor" is the lower triangle of the factor of
// K(Z, Z), "root0", "root1", … those of the precisions of q; "draws" is what probabilities of more
// than two classes are averaged over.
func (m *SparseClassifier[T, L]) Saved() learn.Saved[T] {
	s := m.ExpansionClassifier.Saved()
	s.Numbers, s.Arrays = m.saved()
	return s
}

func (m *sparseLatent) saved() (map[string]float64, map[string]*mat.Dense) {
	arrays := map[string]*mat.Dense{"factor": lowerTriangle(m.q.chol.L)}
	for c, root := range m.q.root {
		arrays[fmt.Sprint("root", c)] = lowerTriangle(root.L)
	}
	if m.draws.Rows > 0 {
		arrays["draws"] = linalg.Dense(m.draws)
	}
	return map[string]float64{"evidence": m.q.value}, arrays
}

func restoreSparseClassifier(s learn.Saved[any]) (learn.Model[any], error) {
	base, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	n := s.Func.Centers.Len()
	q := &variational{inducing: &inducing{kernel: s.Func.Kernel, points: s.Func.Centers}, value: s.Numbers["evidence"]}
	if q.chol, err = factor(s, "factor", n); err != nil {
		return nil, err
	}
	for c := range s.Func.Outputs() {
		root, err := factor(s, fmt.Sprint("root", c), n)
		if err != nil {
			return nil, err
		}
		q.root = append(q.root, root)
	}
	m := &SparseClassifier[any, int]{*base, &sparseLatent{f: base.Func(), q: q}}
	if s.Classes > 2 {
		if m.draws, err = drawsOf(s); err != nil {
			return nil, err
		}
	}
	return m, nil
}
