package forest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Classification predicts classes: at each node of a tree the cut is taken that leaves the least
// impurity of classes on its two sides, by their weights; Criterion says of which sort. The shares
// of the classes in the leaves of a point, in the mean over the trees, are its probabilities.
//
// The zero value is a random forest of 100 trees on bootstrap samples, which looks at √d columns in
// each node as scikit-learn's does.
type Classification[L cmp.Ordered] struct {
	forest.Growth
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // of rows; nil means 1
	learn.Resources
}

// Fit grows the trees.
func (c Classification[L]) Fit(ctx context.Context, x data.Points[kernel.Vec], y []L) (_ *Classifier[L], err error) {
	defer fault.Name("forest classifier", &err)
	start := time.Now()
	labels, err := fitting.Labels(x, y)
	if err != nil {
		return nil, err
	}
	weights, err := labels.PointWeights(c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	k := len(labels.Classes)
	report, err := room("forest classifier", &c.Resources, c.Growth, x, k)
	if err != nil {
		return nil, err
	}
	f, bag, err := forest.Supervised{Growth: c.Growth, Weights: weights, Threads: c.Threads}.FitClasses(ctx, x,
		labels.Code, k)
	if err != nil {
		return nil, fault.Plain(err)
	}
	if bag != nil {
		report.Notes = append(report.Notes, fmt.Sprintf("out of bag, %.4g of %d rows are right", bag.Score, bag.Judged))
	}
	share, total := make([]float64, k), 0.0
	for i, code := range labels.Code {
		share[code] += weights[i]
		total += weights[i]
	}
	for code := range share {
		share[code] /= total
	}
	report.Elapsed = time.Since(start)
	return &Classifier[L]{*newModel("forest-classifier", f, share, bag, report), labels.Classes}, nil
}

// Classifier is a fitted Classification or BoostingClassification.
type Classifier[L cmp.Ordered] struct {
	model
	classes []L
}

// Classes lists the labels in increasing order.
func (m *Classifier[L]) Classes() []L { return slices.Clone(m.classes) }

// HasProba is true.
func (m *Classifier[L]) HasProba() bool { return true }

// DecidesByProba is true: classes and decisions follow from the probabilities.
func (m *Classifier[L]) DecidesByProba() bool { return true }

// Proba returns the mean shares of the classes in the leaves of each point; of boosted trees the
// softmax of their sums.
func (m *Classifier[L]) Proba(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.classes), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes those of point i to row i of dst.
func (m *Classifier[L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), len(m.classes)); err != nil {
		return err
	}
	return m.each(ctx, x, func(i int, share []float64) { dst.SetRow(i, share) })
}

// each hands over the shares of every point.
func (m *Classifier[L]) each(ctx context.Context, x data.Points[kernel.Vec], to func(i int, share []float64)) error {
	if x.Len() == 0 {
		return nil
	}
	return apply.With(x.Len(), len(m.classes), func(all *mat.Dense) error {
		sums := all.RawMatrix().Data[:x.Len()*m.forest.Outputs()]
		if err := m.average(ctx, sums, x); err != nil {
			return err
		}
		k := m.forest.Outputs()
		for i := x.Len() - 1; i >= 0; i-- { // from the last on: of two classes a row has more room than its sum
			share := all.RawRowView(i)
			if m.boosted() {
				probabilities(share, sums[i*k:(i+1)*k])
			}
			to(i, share)
		}
		return nil
	})
}

// Decisions is 1 for two classes, else their number.
func (m *Classifier[L]) Decisions() int {
	if len(m.classes) == 2 {
		return 1
	}
	return len(m.classes)
}

// Decision returns the shares of the classes, a row for each point; for two classes one column, the
// share of the second less that of the first.
func (m *Classifier[L]) Decision(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return apply.Matrix(x, m.Decisions(), func(dst *mat.Dense) error { return m.DecisionTo(ctx, dst, x) })
}

// DecisionTo writes those of point i to row i of dst.
func (m *Classifier[L]) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), m.Decisions()); err != nil {
		return err
	}
	return m.each(ctx, x, func(i int, share []float64) {
		if len(share) == 2 {
			dst.Set(i, 0, share[1]-share[0])
			return
		}
		dst.SetRow(i, share)
	})
}

// Predict returns the class with the largest share for each point, of equals the smaller label.
func (m *Classifier[L]) Predict(ctx context.Context, x data.Points[kernel.Vec]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes that of point i to dst[i].
func (m *Classifier[L]) PredictTo(ctx context.Context, dst []L, x data.Points[kernel.Vec]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckLen(len(dst), x.Len()); err != nil {
		return err
	}
	return m.each(ctx, x, func(i int, share []float64) { dst[i] = m.classes[learn.ArgMax(share)] })
}

// Saved returns the model as plain data; its arrays are those of the forest.
func (m *Classifier[L]) Saved() learn.Saved[kernel.Vec] {
	return m.saved(len(m.classes))
}

var (
	_ learn.Classifier[kernel.Vec, string] = (*Classifier[string])(nil)
	_ learn.Probabilistic[kernel.Vec]      = (*Classifier[string])(nil)
)
