package rkhs

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// EvalOptions bound an evaluation. The zero value is usable.
type EvalOptions struct {
	Threads int   // 0 means GOMAXPROCS
	Bytes   int64 // memory for prepared points, beside dst; 0 means 256 MiB
	Single  bool  // kernel values in float32: about 7 digits, twice the speed
}

// Prepare makes f keep its centres in the form in which the kernel reads them, once they have been read, so that
// evaluating few points again and again does not prepare all centres each time. It takes about as much memory
// as the centres. Kernel and Centers must not change afterwards. It returns f. What is kept is shared by all goroutines; a function that
// is prepared already stays as it is. Functions of fitted models are prepared.
func (f *Func[T]) Prepare() *Func[T] {
	if f.base != nil {
		return f
	}
	f.base = kernel.NewBase(f.Kernel, f.Centers)
	return f
}

// Evaluate returns f at every point of x, a row each. The error names the row that is not a point of the kernel, or is
// that of ctx.
func (f *Func[T]) Evaluate(ctx context.Context, x data.Points[T], o ...EvalOptions) (*mat.Dense, error) {
	if x == nil || x.Len() == 0 {
		return nil, fault.Errorf("rkhs", "no points to evaluate at")
	}
	dst := mat.NewDense(x.Len(), f.Outputs(), nil)
	if err := f.EvaluateTo(ctx, dst, x, o...); err != nil {
		return nil, err
	}
	return dst, nil
}

// EvaluateTo sets row i of dst to f(x.At(i)), in parallel; o is at most one. Kernel values are made and used tile by
// tile: memory does not grow with centres times points. The error names the row that is not a point of the kernel, or is
// that of ctx; dst is worthless then.
func (f *Func[T]) EvaluateTo(ctx context.Context, dst *mat.Dense, x data.Points[T], o ...EvalOptions) error {
	if x == nil || x.Len() == 0 {
		return fault.Errorf("rkhs", "no points to evaluate at")
	}
	if r, c := dst.Dims(); r != x.Len() || c != f.Outputs() {
		return fault.Errorf("rkhs", "%d outputs at %d points do not fit a %d×%d matrix", f.Outputs(), x.Len(), r, c)
	}
	if err := kernel.CheckNext(f.Kernel, f.Centers, x); err != nil {
		return fault.In("rkhs", err)
	}
	var options EvalOptions
	if len(o) > 0 {
		options = o[0]
	}
	out := linalg.Of(dst)
	switch few := x.Len()*f.Centers.Len() <= fewPairs; {
	case few && x.Len() == 1 && f.base != nil && !options.Single:
		if err := f.evaluateOne(ctx, out.Row(0), x.At(0)); err != nil {
			return err
		}
	case few:
		f.evaluateFew(out, f.Tiles(ctx, x), options)
	default:
		f.evaluateMany(ctx, out, x, options)
	}
	for i := 0; f.Bias != nil && i < out.Rows; i++ {
		simd.Axpy(1, f.Bias, out.Row(i))
	}
	return ctx.Err()
}

// Tiles is the values k(x, cᵢ) that f is a sum of, a row for each point of x; the points are not checked. Centres that are prepared
// are not prepared again.
func (f *Func[T]) Tiles(ctx context.Context, x data.Points[T]) kernel.Tiles {
	if f.base != nil {
		return f.base.Prepare(ctx, x)
	}
	return kernel.Prepare(ctx, f.Kernel, x, f.Centers)
}

// fewPairs is up to how many kernel values one goroutine is as fast as several.
const fewPairs = 1 << 15

// fewWidth is how many centres are met at a time.
const fewWidth = 1024

// scratch is the memory of evaluateFew between calls.
type scratch struct {
	double []float64
	single []float32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// evaluateOne is one row of K·α in the calling goroutine. Nothing is allocated for kernels on vectors, see kernel.Base.
func (f *Func[T]) evaluateOne(ctx context.Context, dst []float64, x T) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	coef := linalg.Of(f.Coef)
	s.grow(coef.Rows)
	if err := f.base.Row(ctx, s.double, x); err != nil {
		return err
	}
	clear(dst)
	addProducts(dst, s.double, coef)
	return nil
}

// addProducts adds kᵀ·coef to row.
func addProducts(row, k []float64, coef linalg.Matrix[float64]) {
	if coef.Stride == 1 {
		row[0] += simd.Dot(k, coef.Data[:len(k)])
		return
	}
	for a, v := range k {
		simd.Axpy(v, coef.Row(a), row)
	}
}

// evaluateFew is K·α in the calling goroutine, in memory that is kept between calls.
func (f *Func[T]) evaluateFew(dst linalg.Matrix[float64], t kernel.Tiles, o EvalOptions) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	rows, coef := dst.Rows, linalg.Of(f.Coef)
	for i := range rows {
		clear(dst.Row(i))
	}
	for lo := 0; lo < coef.Rows; lo += fewWidth {
		w := min(fewWidth, coef.Rows-lo)
		s.tile(t, rows, w, lo, o.Single)
		for i := range rows {
			addProducts(dst.Row(i), s.double[i*w:(i+1)*w], coef.Slice(lo, lo+w, 0, coef.Cols))
		}
	}
}

func (s *scratch) grow(n int) {
	if cap(s.double) < n {
		s.double = make([]float64, n)
	}
	s.double = s.double[:n]
}

// tile sets double to columns lo to lo+w-1 of K.
func (s *scratch) tile(t kernel.Tiles, rows, w, lo int, single bool) {
	n := rows * w
	s.grow(n)
	if !single {
		t.Tile(blas64.General{Rows: rows, Cols: w, Data: s.double, Stride: w}, 0, lo)
		return
	}
	if cap(s.single) < n {
		s.single = make([]float32, n)
	}
	s.single = s.single[:n]
	t.Tile32(blas32.General{Rows: rows, Cols: w, Data: s.single, Stride: w}, 0, lo)
	simd.Widen(s.double, s.single)
}

// evaluateMany is K·α in parallel, a chunk of points at a time.
func (f *Func[T]) evaluateMany(ctx context.Context, dst linalg.Matrix[float64], x data.Points[T], o EvalOptions) {
	g := gram.Options{Threads: o.Threads, Bytes: o.Bytes}
	if o.Single {
		g.Precision = gram.Single
	}
	step := chunk(x, o.Bytes)
	for lo := 0; lo < x.Len() && ctx.Err() == nil; lo += step {
		hi := min(lo+step, x.Len())
		piece := linalg.Dense(dst.Slice(lo, hi, 0, dst.Cols))
		gram.FromTiles(f.Tiles(ctx, window(x, lo, hi)), g).MulTo(piece, f.Coef, false)
	}
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
	return data.Gather(x, par.Indices(lo, hi))
}

// Grad is the gradient of each output of f at x, a row each.
func Grad(ctx context.Context, f *Func[kernel.Vec], x kernel.Vec) (*mat.Dense, error) {
	if len(x) == 0 {
		return nil, fault.Errorf("rkhs", "no gradient at a point without coordinates")
	}
	dst := mat.NewDense(f.Outputs(), len(x), nil)
	if err := GradTo(ctx, dst, f, x); err != nil {
		return nil, err
	}
	return dst, nil
}

// GradTo sets row j of dst to the gradient of output j of f at x,
// ∇f(x) = Σᵢ αᵢ ∂k(x, cᵢ)/∂x. The error says that the kernel has no gradient, that x is not a point of it, or is that of
// ctx.
func GradTo(ctx context.Context, dst *mat.Dense, f *Func[kernel.Vec], x kernel.Vec) error {
	out, coef := linalg.Of(dst), linalg.Of(f.Coef)
	if out.Rows != coef.Cols || out.Cols != len(x) {
		return fault.Errorf("rkhs", "gradient of %d outputs in %d coordinates does not fit a %d×%d matrix", coef.Cols, len(x), out.Rows, out.Cols)
	}
	if err := kernel.CheckNext(f.Kernel, f.Centers, data.Points[kernel.Vec](data.Slice[kernel.Vec]{x})); err != nil {
		return fault.In("rkhs", err)
	}
	for j := range out.Rows {
		clear(out.Row(j))
	}
	g := make(kernel.Vec, len(x))
	for i := 0; i < coef.Rows && ctx.Err() == nil; i++ {
		if err := kernel.InputGrad(f.Kernel, g, x, f.Centers.At(i)); err != nil {
			return fault.In("rkhs", err)
		}
		for j, a := range coef.Row(i) {
			simd.Axpy(a, g, out.Row(j))
		}
	}
	return ctx.Err()
}
