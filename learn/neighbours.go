package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// NeighbourSearch is how nearest neighbours are found. Both ways find the same.
type NeighbourSearch int

const (
	// AutoSearch takes the tree where the kernel is known to be positive semi-definite and there
	// are enough points, else brute force.
	AutoSearch NeighbourSearch = iota
	// BruteSearch computes blocks of distances to all points.
	BruteSearch
	// TreeSearch descends a vantage-point tree (Yianilos 1993). It is exact where the kernel
	// is positive semi-definite, for then d is a metric.
	TreeSearch
)

// NeighbourOptions is what the nearest-neighbour learners share. Distance is that of the
// feature space, d²(x, y) = k(x, x) + k(y, y) - 2k(x, y); of points equally far the one
// that comes first in the training set is nearer.
type NeighbourOptions struct {
	K        int             // neighbours; 0 means 5, or all points if fewer
	Weighted bool            // neighbours count by 1/d, those at distance 0 alone when there are any
	Search   NeighbourSearch // how they are found
	Resources
}

// neighbourIndex is a training set made ready for queries.
type neighbourIndex[T any] struct {
	kernel  kernel.Kernel[T]
	x       data.Points[T]
	self    []float64 // k(x, x)
	largest float64   // of |self|
	tree    *vantageTree[T]
	threads par.Threads
}

// treeFrom is the number of points from which AutoSearch takes the tree.
const treeFrom = 256

func newNeighbourIndex[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], o NeighbourOptions) (*neighbourIndex[T], error) {
	n := x.Len()
	index := &neighbourIndex[T]{kernel: k, x: ownCopy(x, everyIndex(n)), self: make([]float64, n), threads: o.Threads}
	kernel.Diag(k, index.self, index.x)
	for i, v := range index.self {
		if math.IsNaN(v) || math.Abs(v) > largestFeature {
			return nil, fmt.Errorf("k(x, x) of row %d is %g; scale the points or the kernel", i, v)
		}
		index.largest = math.Max(index.largest, math.Abs(v))
	}
	if o.Search == TreeSearch || o.Search == AutoSearch && n >= treeFrom && kernel.PropertiesOf(k).PSD == kernel.Yes {
		t, err := newVantageTree(ctx, index)
		if err != nil {
			return nil, err
		}
		index.tree = t
	}
	return index, nil
}

// key orders the neighbours of a query: d² less k(q, q), which is the same for
// all of them and need not be known.
func (x *neighbourIndex[T]) key(q T, j int) float64 {
	return x.self[j] - 2*x.kernel.Eval(x.x.At(j), q)
}

// slack bounds the rounding of a squared distance. Pruning allows for it, so
// that ties are settled by index whichever way they were found.
func (x *neighbourIndex[T]) slack(self float64) float64 {
	return 1e-9 * (x.largest + math.Abs(self))
}

// neighbour is a candidate.
type neighbour struct {
	key float64
	at  int
}

func nearer(a, b neighbour) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) }

// nearestFew keeps the k nearest candidates, in order.
type nearestFew struct {
	k     int
	found []neighbour
}

func (h *nearestFew) worst() float64 {
	if len(h.found) < h.k {
		return math.Inf(1)
	}
	return h.found[h.k-1].key
}

func (h *nearestFew) offer(c neighbour) {
	if len(h.found) == h.k && nearer(c, h.found[h.k-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(h.found, c, nearer)
	h.found = slices.Insert(h.found, at, c)
	if len(h.found) > h.k {
		h.found = h.found[:h.k]
	}
}

// queryRows is how many queries one goroutine answers at a time by brute force.
const queryRows = 32

// search finds the k nearest of each query and hands them to visit, in parallel.
// self is k(q, q), NaN when it is not known (precomputed kernels); the tree needs it.
func (x *neighbourIndex[T]) search(q data.Points[T], k int, visit func(i int, self float64, found []neighbour)) {
	n := x.x.Len()
	tiles := kernel.Prepare(x.kernel, q, x.x)
	par.For(x.threads, q.Len(), queryRows, func(lo, hi int) {
		var block linalg.Matrix[float64]
		for i := lo; i < hi; i++ {
			p := q.At(i)
			self := x.kernel.Eval(p, p)
			h := &nearestFew{k: k}
			if x.tree != nil && !math.IsNaN(self) {
				x.tree.search(h, p, self)
				visit(i, self, h.found)
				continue
			}
			if block.Data == nil {
				block = linalg.New[float64](hi-lo, n)
				tiles.Tile(block, lo, 0)
			}
			// Blocks screen, single evaluations decide: all ways rank by the same bits.
			rough := &nearestFew{k: k}
			row := block.Row(i - lo)
			for j, v := range row {
				rough.offer(neighbour{x.self[j] - 2*v, j})
			}
			s := self
			if math.IsNaN(s) {
				s = 0
			}
			limit := rough.worst() + x.slack(s)
			for j, v := range row {
				if x.self[j]-2*v <= limit {
					h.offer(neighbour{x.key(p, j), j})
				}
			}
			visit(i, self, h.found)
		}
	})
}

// weights is what each neighbour counts.
func neighbourWeights(weighted bool, self float64, found []neighbour) []float64 {
	w := make([]float64, len(found))
	if math.IsNaN(self) {
		self = 0
	}
	for a, f := range found {
		w[a] = 1
		if weighted {
			w[a] = 1 / math.Sqrt(math.Max(f.key+self, 0))
		}
	}
	if weighted && slices.ContainsFunc(w, func(v float64) bool { return math.IsInf(v, 1) }) {
		for a, v := range w {
			w[a] = 0
			if math.IsInf(v, 1) {
				w[a] = 1
			}
		}
	}
	return w
}

func (o *NeighbourOptions) check(n int) error {
	if o.K == 0 {
		o.K = min(5, n)
	}
	if o.K < 0 || o.K > n {
		return fmt.Errorf("K is %d; give a number from 1 to the %d points, or 0", o.K, n)
	}
	if o.Search < AutoSearch || o.Search > TreeSearch {
		return fmt.Errorf("Search is %d; give one of AutoSearch, BruteSearch, TreeSearch", o.Search)
	}
	var err error
	o.Resources, err = o.Resources.withDefaults()
	return err
}

// KNN is the k-nearest-neighbour classifier in the feature space of a kernel:
// the class with most votes among the K nearest points wins, of equals the
// smaller label. The kernel need not be positive semi-definite; then "nearest"
// still means least k(x, x) + k(y, y) - 2k(x, y).
type KNN[T any, L cmp.Ordered] struct {
	Kernel        kernel.Kernel[T]
	SampleWeights []float64 // weight of a point's vote; nil means 1
	NeighbourOptions
}

// Fit keeps the points and their labels.
func (c KNN[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*KNNModel[T, L], error) {
	start := time.Now()
	labels, votes, err := checkClassification(c.Kernel, x, y, Unbalanced, nil, c.SampleWeights)
	if err == nil {
		err = c.check(x.Len())
	}
	if err != nil {
		return nil, fmt.Errorf("knn: %w", err)
	}
	index, err := newNeighbourIndex(ctx, c.Kernel, x, c.NeighbourOptions)
	if err != nil {
		return nil, fmt.Errorf("knn: %w", err)
	}
	coef := mat.NewDense(x.Len(), len(labels.Classes), nil)
	for i, code := range labels.Code {
		coef.Set(i, code, votes[i])
	}
	m := &KNNModel[T, L]{classes: labels.Classes}
	m.neighbours = neighbours[T]{index: index, o: c.NeighbourOptions, coef: coef}
	m.report = Report{Learner: "knn", Certified: "exact", Converged: true, Elapsed: time.Since(start), Bytes: int64(8 * x.Len() * (1 + len(labels.Classes)))}
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
			if total == 0 { // neighbours of no weight
				v, total = 1, 1
			}
			dst.Set(i, c, v/total)
		}
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
	index, err := newNeighbourIndex(ctx, c.Kernel, x, c.NeighbourOptions)
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
	m.report = Report{Learner: "knn regression", Certified: "exact", Converged: true, Elapsed: time.Since(start), Bytes: int64(24 * len(y))}
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

var (
	_ Classifier[kernel.Vec, int] = (*KNNModel[kernel.Vec, int])(nil)
	_ Regressor[kernel.Vec]       = (*KNNRegressionModel[kernel.Vec])(nil)
)
