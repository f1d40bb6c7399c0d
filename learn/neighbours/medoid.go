package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
)

// Medoid gives a point the label of the nearest medoid in feature space. The medoid of a class is
// its point with the least sum of squared distances d² = k(x, x) + k(y, y) - 2k(x, y) to the
// others, by weight; of equals the first. Its decision function is linear in feature space: d² to a
// medoid m is k(x, x) + k(m, m) - 2k(m, x), so the nearest has the largest k(m, x) - ½k(m, m).
// Class weights would not move a medoid.
type Medoid[T any, L cmp.Ordered] struct {
	Kernel  kernel.Kernel[T]
	Weights []float64 // weight of a point; nil means 1
	learn.Resources
}

// Fit learns from points and their labels.
func (c Medoid[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *MedoidClassifier[T, L], err error) {
	defer fault.Name("nearest medoid", &err)
	start := time.Now()
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, learn.Unbalanced, nil, c.Weights)
	if err == nil {
		c.Resources, err = c.Resources.WithDefaults()
	}
	if err != nil {
		return nil, err
	}
	moved := fitting.MoveToMean(c.Kernel, data.Own(x))
	return fitting.Heed(ctx, func() (*MedoidClassifier[T, L], error) { return c.fit(ctx, moved, labels, weights, start) })
}

func (c Medoid[T, L]) fit(
	ctx context.Context, moved fitting.Moved[T], labels learn.Labels[L], weights []float64, start time.Time,
) (*MedoidClassifier[T, L], error) {
	x := moved.Points
	m := &MedoidClassifier[T, L]{}
	report := learn.Report{Learner: "nearest medoid", Certified: "exact", Converged: true,
		Warnings: fitting.Doubts(ctx, c.Kernel, x, c.Resources)}
	k := len(labels.Classes)
	self := make([]float64, k)
	for code, members := range labels.Members() {
		at, cost, err := c.medoid(ctx, data.Gather(x, members), members, weights)
		if err != nil {
			return nil, err
		}
		m.medoids = append(m.medoids, members[at])
		report.Objective += cost
		report.Bytes = max(report.Bytes, 8*int64(len(members))*int64(1+c.blockRows(len(members))))
		p := x.At(members[at])
		self[code] = c.Kernel.Eval(p, p)
	}
	beta := make([][]float64, k)
	for o := range beta {
		beta[o] = make([]float64, x.Len())
		beta[o][m.medoids[o]] = 1
	}
	f, support := nearest(c.Kernel, x, beta, self)
	report.Elapsed = time.Since(start)
	m.ExpansionClassifier = *learn.NewExpansionClassifier(moved.Back(f), labels.Classes, support, report)
	return m, nil
}

// blockRows is how many rows of n kernel values are held at a time.
func (c Medoid[T, L]) blockRows(n int) int {
	return max(1, min(n, int(min(c.Bytes/int64(8*n)-1, 1<<20/int64(n)+1))))
}

// medoid finds the point of a class with least cost, a block of rows at a time.
func (c Medoid[T, L]) medoid(
	ctx context.Context, x data.Points[T], members []int, weights []float64,
) (int, float64, error) {
	n := x.Len()
	if need := int64(16 * n); need > c.Bytes { // k(x, x) and one row
		return 0, 0, &learn.OverBudget{Learner: "nearest medoid", Points: len(weights), Needs: need, Budget: c.Bytes,
			Instead: "give it more memory or take fewer points"}
	}
	self := make([]float64, n)
	kernel.Diag(ctx, c.Kernel, self, x)
	rows := c.blockRows(n)
	tiles := kernel.Prepare(ctx, c.Kernel, x, x)
	best, least := 0, math.Inf(1)
	for lo := 0; lo < n; lo += rows {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		block := linalg.New[float64](min(rows, n-lo), n)
		tiles.Tile(blas64.General(block), lo, 0)
		for i := range block.Rows {
			cost := 0.0
			for j, v := range block.Row(i) {
				cost += weights[members[j]] * (self[lo+i] + self[j] - 2*v)
			}
			if math.IsNaN(cost) || math.IsInf(cost, 0) {
				return 0, 0, fmt.Errorf("distances of row %d are not finite; scale the points or the kernel", members[lo+i])
			}
			if cost < least-1e-12*math.Abs(cost) {
				best, least = lo+i, cost
			}
		}
	}
	return best, least, nil
}

// MedoidClassifier is a fitted Medoid.
type MedoidClassifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	medoids []int
}

// Medoids is the training point that stands for each class.
func (m *MedoidClassifier[T, L]) Medoids() []int { return slices.Clone(m.medoids) }
