package fitting

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// SurveyRows is how many rows of a source are looked through at a time.
const SurveyRows = 1 << 14

// CheckBlock refuses rows that a kernel cannot take, targets and weights that nothing can be learnt
// from, and names the row.
func CheckBlock[T any](k kernel.Kernel[T], b data.Block[T]) error {
	if err := kernel.Check(k, b.Points); err != nil {
		if b.First > 0 {
			err = fmt.Errorf("among the rows from %d on: %w", b.First, err)
		}
		return err
	}
	return CheckTargetsOf(b)
}

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

// Draw collects count of the kept rows of positive weight, all equally likely, in their order.
func Draw[T any](ctx context.Context, rows data.Source[T], kept, count int, seed uint64) (data.Points[T], error) {
	index, err := gram.UniformCenters(kept, count, seed)
	if err != nil {
		return nil, err
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
				at++
			}
			seen++
		}
		if len(take) > 0 {
			parts = append(parts, data.OwnSubset(b.Points, take))
		}
		return nil
	})
	return data.JoinPoints(parts), err
}
