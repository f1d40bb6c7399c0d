package rkhs

import (
	"context"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// evaluateOne is evaluate of one point, to the same bits, in the calling goroutine. Nothing is
// allocated for kernels on vectors, see kernel.Base.
func (f *Func[T]) evaluateOne(ctx context.Context, dst []float64, x T) error {
	coef := linalg.Of(f.Coef)
	if coef.Cols == 1 && f.base.HasSums() {
		if v, ok, err := f.base.RowSum(ctx, x, column(coef)); ok || err != nil {
			dst[0] = v
			return err
		}
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.grow(coef.Rows)
	if err := f.base.Row(ctx, s.double, x); err != nil {
		return err
	}
	clear(dst)
	out := linalg.Matrix[float64]{Rows: 1, Cols: len(dst), Stride: len(dst), Data: dst}
	for lo := 0; lo < coef.Rows; lo += tileCenters {
		w := min(tileCenters, coef.Rows-lo)
		k := s.double[lo : lo+w]
		if len(dst) > fewOutputs {
			linalg.GemmRowwise(1, linalg.NoTrans, linalg.NoTrans, 1,
				linalg.Matrix[float64]{Rows: 1, Cols: w, Stride: w, Data: k}, coef.Slice(lo, lo+w, 0, coef.Cols), 1, out)
			continue
		}
		for j := range dst {
			dst[j] += simd.Dot(k, s.column(coef, j, lo, w))
		}
	}
	return nil
}

// At is f at one point of the kernel, an entry for each output; it is not checked.
func (f *Func[T]) At(x T) []float64 {
	v := append([]float64(nil), f.Bias...)
	if v == nil {
		v = make([]float64, f.Outputs())
	}
	coef := linalg.Of(f.Coef)
	for i := range coef.Rows {
		k := f.Kernel.Eval(f.Centers.At(i), x)
		for j, a := range coef.Row(i) {
			v[j] += a * k
		}
	}
	return v
}
