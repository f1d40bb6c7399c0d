package rkhs

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// EvalOptions bound an evaluation. The zero value is usable.
type EvalOptions struct {
	Threads int   // 0 means GOMAXPROCS
	Bytes   int64 // memory for prepared points, beside dst; 0 means 256 MiB
	Single  bool  // kernel values in float32: about 7 digits, twice the speed
}

// EvalTo sets row i of dst to f(x.At(i)), in parallel. The points are taken to
// be checked; Evaluate checks them.
func (f *Func[T]) EvalTo(dst *mat.Dense, x data.Points[T]) { f.EvalWith(dst, x, EvalOptions{}) }

// Evaluate returns f at every point of x, a row each, after checking that the
// kernel can take them.
func (f *Func[T]) Evaluate(x data.Points[T], o EvalOptions) (*mat.Dense, error) {
	if x == nil || x.Len() == 0 {
		return nil, fmt.Errorf("rkhs: no points to evaluate at")
	}
	if err := kernel.CheckPair(f.Kernel, f.Centers, x); err != nil {
		return nil, fmt.Errorf("rkhs: %w", err)
	}
	dst := mat.NewDense(x.Len(), f.Outputs(), nil)
	f.EvalWith(dst, x, o)
	return dst, nil
}

// EvalWith is EvalTo with bounds. Kernel values are made and used tile by
// tile; memory does not grow with centres times points.
func (f *Func[T]) EvalWith(dst *mat.Dense, x data.Points[T], o EvalOptions) {
	out, coef := linalg.Of(dst), linalg.Of(f.Coef)
	g := gram.Options{Threads: o.Threads, Bytes: o.Bytes}
	if o.Single {
		g.Precision = gram.Single
	}
	step := chunk(x, o.Bytes)
	for lo := 0; lo < x.Len(); lo += step {
		hi := min(lo+step, x.Len())
		piece := linalg.Dense(out.Slice(lo, hi, 0, out.Cols))
		gram.FromTiles(kernel.Prepare(f.Kernel, window(x, lo, hi), f.Centers), g).MulTo(piece, linalg.Dense(coef), false)
	}
	if f.Bias == nil {
		return
	}
	for i := range out.Rows {
		row := out.Row(i)
		for j, b := range f.Bias {
			row[j] += b
		}
	}
}

// At is f at one point, an entry for each output.
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

// chunk is how many points are prepared at a time: what the budget allows, a
// prepared point of d coordinates being about 4 numbers for each (two
// precisions, packed and not).
func chunk[T any](x data.Points[T], bytes int64) int {
	if bytes <= 0 {
		bytes = 256 << 20
	}
	dim := int64(16)
	if d, ok := x.(interface{ Dim() int }); ok {
		dim = int64(d.Dim()) + 1
	}
	rows := max(bytes/(32*dim), 256)
	return int(min(rows, int64(max(x.Len(), 1))))
}

// window is the points lo ≤ i < hi of x; matrix-backed ones stay so.
func window[T any](x data.Points[T], lo, hi int) data.Points[T] {
	if lo == 0 && hi == x.Len() {
		return x
	}
	switch p := any(x).(type) {
	case data.DenseRows:
		m := linalg.Matrix[float64](p.RawMatrix())
		return any(data.RowsOf(m.Slice(lo, hi, 0, m.Cols))).(data.Points[T])
	}
	index := make([]int, hi-lo)
	for i := range index {
		index[i] = lo + i
	}
	return data.Gather(x, index)
}

// GradTo sets row j of dst to the gradient of output j of f at x,
// ∇f(x) = Σᵢ αᵢ ∂k(x, cᵢ)/∂x. The error says that the kernel has no gradient.
func GradTo(dst *mat.Dense, f *Func[kernel.Vec], x kernel.Vec) error {
	out, coef := linalg.Of(dst), linalg.Of(f.Coef)
	if out.Rows != coef.Cols || out.Cols != len(x) {
		return fmt.Errorf("rkhs: gradient of %d outputs in %d coordinates does not fit a %d×%d matrix", coef.Cols, len(x), out.Rows, out.Cols)
	}
	for j := range out.Rows {
		clear(out.Row(j))
	}
	g := make(kernel.Vec, len(x))
	for i := range coef.Rows {
		if err := kernel.InputGrad(f.Kernel, g, x, f.Centers.At(i)); err != nil {
			return fmt.Errorf("rkhs: %w", err)
		}
		for j, a := range coef.Row(i) {
			row := out.Row(j)
			for p, v := range g {
				row[p] += a * v
			}
		}
	}
	return nil
}
