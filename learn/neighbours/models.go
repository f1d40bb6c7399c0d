package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Classification is the k-nearest-neighbour classifier in the feature space of a kernel:
// the class with most votes among the K nearest points wins, of equals the
// smaller label. The kernel need not be positive semi-definite; then "nearest"
// still means least k(x, x) + k(y, y) - 2k(x, y).
type Classification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a vote for a class
	// weight of a point's vote; nil means 1. A point of weight 0 still takes the place of a
	// neighbour
	Weights []float64
	Options
}

// Fit keeps the points and their labels.
func (c Classification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *Classifier[T, L], err error) {
	defer fault.Name("knn", &err)
	start := time.Now()
	labels, votes, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	x, keep := voting(x, votes)
	if keep != nil {
		labels.Code, votes = data.Take(labels.Code, keep), data.Take(votes, keep)
	}
	if err := c.check(x.Len()); err != nil {
		return nil, err
	}
	bytes := int64(8 * x.Len() * (1 + len(labels.Classes)))
	index, err := newNeighbourIndex(ctx, "knn", c.Kernel, x, c.Options, bytes)
	if err != nil {
		return nil, err
	}
	coef := mat.NewDense(x.Len(), len(labels.Classes), nil)
	for i, code := range labels.Code {
		coef.Set(i, code, votes[i])
	}
	m := &Classifier[T, L]{classes: labels.Classes}
	m.neighbours = neighbours[T]{index: index, o: c.Options, coef: coef}
	m.report = learn.Report{Learner: "knn", Certified: "exact", Converged: true,
		Warnings: fitting.Doubts(ctx, c.Kernel, index.x, c.Resources), Elapsed: time.Since(start), Bytes: bytes}
	return m, ctx.Err()
}

// neighbours is what the nearest-neighbour models share.
type neighbours[T any] struct {
	index  *neighbourIndex[T]
	o      Options
	coef   *mat.Dense // a row for each training point: its vote, or its target and weight
	report learn.Report
}

// Report says how the fit went.
func (m *neighbours[T]) Report() learn.Report { return m.report }

// Func has the training points for centres and their votes (one column for each
// class) or weighted targets as coefficients: its value is the vote of all
// points, each by its kernel value, which is not what Predict counts.
func (m *neighbours[T]) Func() *rkhs.Func[T] {
	return &rkhs.Func[T]{Kernel: m.index.kernel, Centers: m.index.given, Coef: mat.DenseCopyOf(m.coef)}
}

// Neighbours returns the training points nearest to each point, nearest first,
// with the distances; those are NaN where the kernel does not know k(x, x).
func (m *neighbours[T]) Neighbours(
	ctx context.Context, x data.Points[T],
) (index [][]int, distance [][]float64, err error) {
	if err := m.ready(ctx, x); err != nil {
		return nil, nil, err
	}
	index, distance = make([][]int, x.Len()), make([][]float64, x.Len())
	m.index.search(ctx, x, m.o.K, func() visitor {
		return func(i int, self float64, found []neighbour) {
			for _, f := range found {
				index[i] = append(index[i], f.at)
				distance[i] = append(distance[i], math.Sqrt(math.Max(f.key+self, 0)))
			}
		}
	})
	return index, distance, ctx.Err()
}

// ready refuses points that the kernel cannot take beside the training points, and new points
// without k(x, x) where neighbours count by their distance.
func (m *neighbours[T]) ready(ctx context.Context, x data.Points[T]) error {
	if err := apply.Check(ctx, m.index.kernel, m.index.x, x); err != nil || x.Len() == 0 {
		return err
	}
	for i := 0; m.o.Weighted && i < x.Len(); i++ {
		if p := x.At(i); math.IsNaN(m.index.kernel.Eval(p, p)) {
			return fmt.Errorf("k(x, x) of row %d is not known, and neighbours count by their distance; give "+
				"kernel.Precomputed its Self", i)
		}
	}
	return nil
}

// sums adds the rows of coef of the neighbours by their weights; a sum is good until the next.
func (m *neighbours[T]) sums(ctx context.Context, x data.Points[T], row func(i int, sum []float64)) error {
	if err := m.ready(ctx, x); err != nil || x.Len() == 0 {
		return err
	}
	_, width := m.coef.Dims()
	m.index.search(ctx, x, m.o.K, func() visitor {
		sum, weights := make([]float64, width), make([]float64, m.o.K)
		return func(i int, self float64, found []neighbour) {
			clear(sum)
			w := weights[:len(found)]
			setWeights(w, m.o.Weighted, self, found)
			for a, f := range found {
				for c, v := range m.coef.RawRowView(f.at) {
					sum[c] += w[a] * v
				}
			}
			row(i, sum)
		}
	})
	return ctx.Err()
}

// Classifier is a fitted Classification.
type Classifier[T any, L cmp.Ordered] struct {
	neighbours[T]
	classes []L
}

// Classes lists the labels in increasing order.
func (m *Classifier[T, L]) Classes() []L { return slices.Clone(m.classes) }

// HasProba is true.
func (m *Classifier[T, L]) HasProba() bool { return true }

// Proba returns the share of the votes of each class, a row for each point.
func (m *Classifier[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.classes), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the shares of point i to row i of dst.
func (m *Classifier[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), len(m.classes)); err != nil {
		return err
	}
	return m.sums(ctx, x, func(i int, sum []float64) {
		total := fitting.Sum(sum)
		for c, v := range sum {
			if total == 0 { // neighbours of no weight: nothing is known
				dst.Set(i, c, 1/float64(len(sum)))
				continue
			}
			dst.Set(i, c, v/total)
		}
	})
}

// Decisions is 1 for two classes, else their number.
func (m *Classifier[T, L]) Decisions() int {
	if len(m.classes) == 2 {
		return 1
	}
	return len(m.classes)
}

// Decision returns the votes of each class, a row for each point; for two classes
// one column, the votes of the second less those of the first.
func (m *Classifier[T, L]) Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, m.Decisions(), func(dst *mat.Dense) error { return m.DecisionTo(ctx, dst, x) })
}

// DecisionTo writes the votes at point i to row i of dst.
func (m *Classifier[T, L]) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), m.Decisions()); err != nil {
		return err
	}
	return m.sums(ctx, x, func(i int, sum []float64) {
		if len(sum) == 2 {
			dst.Set(i, 0, sum[1]-sum[0])
			return
		}
		dst.SetRow(i, sum)
	})
}

// Predict returns the label with most votes for each point.
func (m *Classifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the label with most votes for point i to dst[i].
func (m *Classifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	return m.sums(ctx, x, func(i int, sum []float64) { dst[i] = m.classes[learn.ArgMax(sum)] })
}

// Regression predicts the mean of the K nearest points in feature space.
type Regression[T any] struct {
	Kernel  kernel.Kernel[T]
	Weights []float64 // weight of a point in the mean; nil means 1
	Options
}

// Fit keeps the points and their values.
func (c Regression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (_ *Regressor[T], err error) {
	defer fault.Name("knn regression", &err)
	start := time.Now()
	weights, err := fitting.CheckRegression(c.Kernel, x, y, c.Weights)
	if err != nil {
		return nil, err
	}
	x, keep := voting(x, weights)
	if keep != nil {
		y, weights = data.Take(y, keep), data.Take(weights, keep)
	}
	if err := c.check(x.Len()); err != nil {
		return nil, err
	}
	bytes := int64(24 * len(y))
	index, err := newNeighbourIndex(ctx, "knn regression", c.Kernel, x, c.Options, bytes)
	if err != nil {
		return nil, err
	}
	coef := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		coef.Set(i, 0, weights[i]*v)
		coef.Set(i, 1, weights[i])
	}
	m := &Regressor[T]{}
	m.neighbours = neighbours[T]{index: index, o: c.Options, coef: coef}
	m.report = learn.Report{Learner: "knn regression", Certified: "exact", Converged: true,
		Warnings: fitting.Doubts(ctx, c.Kernel, index.x, c.Resources), Elapsed: time.Since(start), Bytes: bytes}
	return m, ctx.Err()
}

// Regressor is a fitted Regression.
type Regressor[T any] struct{ neighbours[T] }

// Predict returns the mean of the neighbours of each point; NaN
// where all neighbours have weight 0.
func (m *Regressor[T]) Predict(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the mean of the neighbours of point i to dst[i].
func (m *Regressor[T]) PredictTo(ctx context.Context, dst []float64, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	return m.sums(ctx, x, func(i int, sum []float64) { dst[i] = sum[0] / sum[1] })
}
