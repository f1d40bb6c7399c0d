package kerneltest

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// base compares new rows against prepared columns with Eval, one at a time and some together, each
// in the place of the one before. A kernel that prepares its points reads a column once, whatever
// comes to meet it.
func base[T any](k kernel.Kernel[T], o Options[T]) error {
	ctx := context.Background()
	n := o.Points.Len()
	want, big := o.gram(k)
	y := &read[T]{Points: o.Points}
	b := kernel.NewBase(k, data.Points[T](y))
	_, prepares := any(k).(kernel.Preparer[T])
	for turn, rows := range [][]int{{0}, {n - 1}, {1}, {0}, {2, 1, n - 1}, {n - 1, n - 1}, {n / 2}} {
		got := mat.NewDense(len(rows), n, nil)
		if len(rows) == 1 {
			if err := b.Row(ctx, got.RawRowView(0), o.Points.At(rows[0])); err != nil {
				return err
			}
		} else {
			b.Prepare(ctx, data.Gather(o.Points, rows)).Tile(got.RawMatrix(), 0, 0)
		}
		for a, i := range rows {
			if err := near(fmt.Sprintf("columns prepared, turn %d", turn), got.Slice(a, a+1, 0, n).(*mat.Dense), want, i, 0,
				o.tolerance()*big); err != nil {
				return err
			}
		}
		if times := y.times.Swap(0); prepares && turn > 0 && times > 0 {
			return fmt.Errorf("columns prepared, turn %d: they were read %d times again", turn, times)
		}
	}
	return nil
}

// normalisedBase asks the same of the normalised form of a kernel that prepares its points: k(x,
// x), k(y, y) and k(x, y) share what was made of the points, and each must find its own.
func normalisedBase[T any](k kernel.Kernel[T], o Options[T]) error {
	normal := kernel.Normalize(k)
	if _, prepares := any(k).(kernel.Preparer[T]); !prepares || kernel.Check(normal, o.Points) != nil {
		return nil
	}
	return base(normal, o.of(normal))
}

// read is points that count how often one is read.
type read[T any] struct {
	data.Points[T]
	times atomic.Int64
}

func (r *read[T]) At(i int) T {
	r.times.Add(1)
	return r.Points.At(i)
}
