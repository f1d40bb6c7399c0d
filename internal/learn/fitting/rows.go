package fitting

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// SurveyRows is how many rows of a source are looked through at a time.
const SurveyRows = 1 << 14

// CheckBlock refuses rows that a kernel cannot take, targets and weights that nothing can be learnt
// from, and names the row.
func CheckBlock[T any](k kernel.Kernel[T], b data.Block[T]) error {
	if err := checkPoints(k, b.Points); err != nil {
		if b.First > 0 {
			err = fmt.Errorf("among the rows from %d on: %w", b.First, err)
		}
		return err
	}
	return CheckTargetsOf(b)
}

// checkPoints is kernel.Check. Rows of one matrix, which all have as many columns, are looked
// through by all processors; what is wrong among them is then said as of all of them.
func checkPoints[T any](k kernel.Kernel[T], x data.Points[T]) error {
	v, _ := data.VectorsOf(data.Erase(x))
	if _, matrix := v.(data.DenseRows); !matrix || x.Len() <= checkedRows {
		return kernel.Check(k, x)
	}
	var wrong atomic.Bool
	par.For(0, x.Len(), checkedRows, func(lo, hi int) {
		if kernel.Check(k, data.Span(x, lo, hi)) != nil {
			wrong.Store(true)
		}
	})
	if wrong.Load() {
		return kernel.Check(k, x)
	}
	return nil
}

// checkedRows is how many rows of a matrix a goroutine looks through.
const checkedRows = 1 << 11

// CheckTargetsOf is CheckBlock of targets and weights alone.
func CheckTargetsOf[T any](b data.Block[T]) error {
	for i := range b.Len() {
		if w := b.Weight(i); !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("sample weight of row %d is %g; give a finite number, 0 or more", b.First+i, w)
		}
		for _, v := range b.Target(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("target of row %d is %g; drop the row or fill the value in", b.First+i, v)
			}
			if math.Abs(v) > learn.LargestTarget {
				return fmt.Errorf("target of row %d is %g, too large to square; scale the targets", b.First+i, v)
			}
		}
	}
	return nil
}

// Census is what one pass over rows finds: how many count, their weight, and the mean and variance
// of the first target.
type Census struct {
	Kept           int // rows of positive weight
	Weight         float64
	Mean, Variance float64
}

// Survey looks every row through, with CheckBlock. Sums are of differences from the first target,
// which keeps their digits.
func Survey[T any](ctx context.Context, k kernel.Kernel[T], rows data.Source[T]) (Census, error) {
	var c Census
	shift, sum, squares := 0.0, 0.0, 0.0
	err := rows.Pass(ctx, SurveyRows, func(b data.Block[T]) error {
		if err := CheckBlock(k, b); err != nil {
			return err
		}
		for i := range b.Len() {
			w := b.Weight(i)
			if w == 0 {
				continue
			}
			y := b.Target(i)[0]
			if c.Kept == 0 {
				shift = y
			}
			c.Kept++
			c.Weight += w
			sum += w * (y - shift)
			squares += w * (y - shift) * (y - shift)
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	if c.Kept == 0 {
		return c, fmt.Errorf("all sample weights are 0")
	}
	off := sum / c.Weight
	c.Mean, c.Variance = shift+off, math.Max(squares/c.Weight-off*off, 0)
	return c, nil
}

// Draw is the points of DrawRows.
func Draw[T any](ctx context.Context, rows data.Source[T], kept, count int, seed uint64) (data.Points[T], error) {
	b, err := DrawRows(ctx, rows, kept, count, seed)
	return b.Points, err
}

// DrawRows collects count of the kept rows of positive weight, all equally likely, in their order,
// with their targets and weights.
func DrawRows[T any](
	ctx context.Context, rows data.Source[T], kept, count int, seed uint64,
) (data.Block[T], error) {
	all := data.Block[T]{Outputs: rows.Outputs()}
	index, err := gram.UniformCenters(kept, count, seed)
	if err != nil {
		return all, err
	}
	slices.Sort(index)
	seen, at := 0, 0
	var parts []data.Points[T]
	err = rows.Pass(ctx, SurveyRows, func(b data.Block[T]) error {
		var take []int
		for i := range b.Len() {
			if b.Weight(i) == 0 {
				continue
			}
			if at < count && index[at] == seen {
				take = append(take, i)
				all.Targets = append(all.Targets, b.Target(i)...)
				all.Weights = append(all.Weights, b.Weight(i))
				at++
			}
			seen++
		}
		if len(take) > 0 {
			parts = append(parts, data.OwnSubset(b.Points, take))
		}
		return nil
	})
	all.Points = data.JoinPoints(parts)
	return all, err
}
