package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// KNN is the k-nearest-neighbour classifier in the feature space of a kernel:
// the class with most votes among the K nearest points wins, of equals the
// smaller label. The kernel need not be positive semi-definite; then "nearest"
// still means least k(x, x) + k(y, y) - 2k(x, y).
type KNN[T any, L cmp.Ordered] struct {
	Kernel        kernel.Kernel[T]
	Balance       Balance       // weights of the classes ClassWeights does not name
	ClassWeights  map[L]float64 // weight of a vote for a class
	SampleWeights []float64     // weight of a point's vote; nil means 1. A point of weight 0 still takes the place of a neighbour
	NeighbourOptions
}

// Fit keeps the points and their labels.
func (c KNN[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*KNNModel[T, L], error) {
	start := time.Now()
	labels, votes, err := checkClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.SampleWeights)
	if err == nil {
		err = c.check(x.Len())
	}
	if err != nil {
		return nil, fmt.Errorf("knn: %w", err)
	}
	bytes := int64(8 * x.Len() * (1 + len(labels.Classes)))
	index, err := newNeighbourIndex(ctx, "knn", c.Kernel, x, c.NeighbourOptions, bytes)
	if err != nil {
		return nil, fmt.Errorf("knn: %w", err)
	}
	coef := mat.NewDense(x.Len(), len(labels.Classes), nil)
	for i, code := range labels.Code {
		coef.Set(i, code, votes[i])
	}
	m := &KNNModel[T, L]{classes: labels.Classes}
	m.neighbours = neighbours[T]{index: index, o: c.NeighbourOptions, coef: coef}
	m.report = Report{Learner: "knn", Certified: "exact", Converged: true, Elapsed: time.Since(start), Bytes: bytes}
	return m, nil
}

// neighbours is what the nearest-neighbour models share.
type neighbours[T any] struct {
	index  *neighbourIndex[T]
	o      NeighbourOptions
	coef   *mat.Dense // a row for each training point: its vote, or its target and weight
	report Report
}

// Report says how the fit went.
func (m *neighbours[T]) Report() Report { return m.report }

// Func has the training points for centres and their votes (one column for each
// class) or weighted targets as coefficients: its value is the vote of all
// points, each by its kernel value, which is not what Predict counts.
func (m *neighbours[T]) Func() *rkhs.Func[T] {
	return &rkhs.Func[T]{Kernel: m.index.kernel, Centers: m.index.x, Coef: mat.DenseCopyOf(m.coef)}
}

// Neighbours returns the training points nearest to each point, nearest first,
// with the distances; those are NaN where the kernel does not know k(x, x).
func (m *neighbours[T]) Neighbours(x data.Points[T]) (index [][]int, distance [][]float64) {
	index, distance = make([][]int, x.Len()), make([][]float64, x.Len())
	m.index.search(x, m.o.K, func(i int, self float64, found []neighbour) {
		for _, f := range found {
			index[i] = append(index[i], f.at)
			distance[i] = append(distance[i], math.Sqrt(math.Max(f.key+self, 0)))
		}
	})
	return index, distance
}

// sums adds the rows of coef of the neighbours by their weights.
func (m *neighbours[T]) sums(x data.Points[T], row func(i int, sum []float64)) {
	_, width := m.coef.Dims()
	m.index.search(x, m.o.K, func(i int, self float64, found []neighbour) {
		sum := make([]float64, width)
		for a, w := range neighbourWeights(m.o.Weighted, self, found) {
			for c, v := range m.coef.RawRowView(found[a].at) {
				sum[c] += w * v
			}
		}
		row(i, sum)
	})
}

// KNNModel is a fitted KNN.
type KNNModel[T any, L cmp.Ordered] struct {
	neighbours[T]
	classes []L
}

// Classes lists the labels in increasing order.
func (m *KNNModel[T, L]) Classes() []L { return slices.Clone(m.classes) }

// Proba writes the share of the votes of each class, a row for each point.
func (m *KNNModel[T, L]) Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	if x.Len() == 0 {
		return dst
	}
	if dst == nil {
		dst = mat.NewDense(x.Len(), len(m.classes), nil)
	}
	m.sums(x, func(i int, sum []float64) {
		total := sumOf(sum)
		for c, v := range sum {
			if total == 0 { // neighbours of no weight: nothing is known
				dst.Set(i, c, 1/float64(len(sum)))
				continue
			}
			dst.Set(i, c, v/total)
		}
	})
	return dst
}

// Decision writes the votes of each class, a row for each point; for two classes
// one column, the votes of the second less those of the first.
func (m *KNNModel[T, L]) Decision(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	if x.Len() == 0 {
		return dst
	}
	if dst == nil {
		outputs := len(m.classes)
		if outputs == 2 {
			outputs = 1
		}
		dst = mat.NewDense(x.Len(), outputs, nil)
	}
	m.sums(x, func(i int, sum []float64) {
		if len(sum) == 2 {
			dst.Set(i, 0, sum[1]-sum[0])
			return
		}
		dst.SetRow(i, sum)
	})
	return dst
}

// Predict returns the label with most votes for each point, in dst when it is
// long enough.
func (m *KNNModel[T, L]) Predict(dst []L, x data.Points[T]) []L {
	code := make([]int, x.Len())
	m.sums(x, func(i int, sum []float64) { code[i] = ArgMax(sum) })
	return decode(dst, m.classes, code)
}

// KNNRegression predicts the mean of the K nearest points in feature space.
type KNNRegression[T any] struct {
	Kernel        kernel.Kernel[T]
	SampleWeights []float64 // weight of a point in the mean; nil means 1
	NeighbourOptions
}

// Fit keeps the points and their values.
func (c KNNRegression[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*KNNRegressionModel[T], error) {
	start := time.Now()
	weights, err := checkRegression(c.Kernel, x, y, c.SampleWeights)
	if err == nil {
		err = c.check(x.Len())
	}
	if err != nil {
		return nil, fmt.Errorf("knn regression: %w", err)
	}
	bytes := int64(24 * len(y))
	index, err := newNeighbourIndex(ctx, "knn regression", c.Kernel, x, c.NeighbourOptions, bytes)
	if err != nil {
		return nil, fmt.Errorf("knn regression: %w", err)
	}
	coef := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		coef.Set(i, 0, weights[i]*v)
		coef.Set(i, 1, weights[i])
	}
	m := &KNNRegressionModel[T]{}
	m.neighbours = neighbours[T]{index: index, o: c.NeighbourOptions, coef: coef}
	m.report = Report{Learner: "knn regression", Certified: "exact", Converged: true, Elapsed: time.Since(start), Bytes: bytes}
	return m, nil
}

// KNNRegressionModel is a fitted KNNRegression.
type KNNRegressionModel[T any] struct{ neighbours[T] }

// Predict returns a value for each point, in dst when it is long enough; NaN
// where all neighbours have weight 0.
func (m *KNNRegressionModel[T]) Predict(dst []float64, x data.Points[T]) []float64 {
	if len(dst) < x.Len() {
		dst = make([]float64, x.Len())
	}
	dst = dst[:x.Len()]
	m.sums(x, func(i int, sum []float64) { dst[i] = sum[0] / sum[1] })
	return dst
}
