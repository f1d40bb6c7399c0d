package rkhs

import (
	"context"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// EvalOptions bound an evaluation. The zero value is usable.
type EvalOptions struct {
	Threads int   // 0 means GOMAXPROCS
	Bytes   int64 // memory for prepared points, beside dst; 0 means 256 MiB
	// Device evaluates many points where that is worth the while; nil means the one that OnDevice
	// named, or the processor. The last bits of a row may then depend on how many others there are.
	Device *gram.Device
	Single bool // kernel values in float32: about 7 digits, twice the speed
}

// Prepare makes f keep its centres in the form in which the kernel reads them, once they have been
// read, so that evaluating few points again and again does not prepare all centres each time. It
// takes about as much memory as the centres. Kernel and Centers must not change afterwards. It
// returns f. What is kept is shared by all goroutines; a function that is prepared already stays as
// it is. Functions of fitted models are prepared.
func (f *Func[T]) Prepare() *Func[T] {
	if f.base != nil {
		return f
	}
	f.base = kernel.NewBase(f.Kernel, f.Centers)
	return f
}

// OnDevice makes f evaluate many points on a device where that is worth the while; nil means the
// processor. It returns f.
func (f *Func[T]) OnDevice(d *gram.Device) *Func[T] {
	f.device = d
	return f
}

// onDevice is the product of kernel and coefficients on the device, and whether it was made there:
// not where a point is unfit. The centres of a function that is prepared stay there.
func onDevice(ctx context.Context, f *Func[any], dst *mat.Dense, x data.Points[any], o EvalOptions) (bool, error) {
	if o.Device == nil || x.Len() == 1 {
		return false, nil
	}
	precision := gram.Double
	if o.Single {
		precision = gram.Single
	}
	var rows *gram.DeviceRows[any]
	var done func()
	if f.base != nil {
		rows, done = gram.KeptDeviceRows(o.Device, *f.base, f.Kernel, f.Centers, precision, o.Threads)
	} else {
		rows = gram.NewDeviceRows(o.Device, f.Kernel, f.Centers, precision, o.Threads)
		done = rows.Close
	}
	defer done()
	rows.Fit(fitness(f))
	return rows.MulTo(ctx, dst, x, f.Coef)
}

// fitness says whether points are in the domain of the kernel, nil where that is everywhere: that
// numbers are finite, and as many as those of the centres, a device sees by itself.
func fitness(f *Func[any]) func(x data.Points[any]) bool {
	if !kernel.ChecksPoints(f.Kernel) {
		return nil
	}
	return func(x data.Points[any]) bool { return kernel.CheckNext(f.Kernel, f.Centers, x) == nil }
}

// Evaluate returns f at every point of x, a row each. The error names the row that is not a point
// of the kernel, or is that of ctx.
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

// EvaluateTo sets row i of dst to f(x.At(i)), in parallel; o is at most one. A row has the same
// bits wherever it stands among others, however many they are, and at any number of threads. Kernel
// values are made and used tile by tile: memory does not grow with centres times points. The error
// names the row that is not a point of the kernel, or is that of ctx; dst is worthless then.
func (f *Func[T]) EvaluateTo(ctx context.Context, dst *mat.Dense, x data.Points[T], o ...EvalOptions) error {
	if f.base == nil || x == nil || x.Len() != 1 || len(o) > 0 && o[0].Single {
		return evaluateTo(ctx, f.open(), dst, data.Erase(x), o)
	}
	if err := fits(dst, 1, f.Outputs()); err != nil {
		return err
	}
	if err := kernel.CheckNext(f.Kernel, f.Centers, x); err != nil {
		return fault.In("rkhs", &fault.Point{Err: err})
	}
	row := linalg.Of(dst).Row(0)
	if err := f.evaluateOne(ctx, row, x.At(0)); err != nil {
		return err
	}
	if f.Bias != nil {
		simd.Axpy(1, f.Bias, row)
	}
	return ctx.Err()
}

// fits says whether dst has a row for each point and a column for each output.
func fits(dst *mat.Dense, points, outputs int) error {
	if r, c := dst.Dims(); r != points || c != outputs {
		return fault.Errorf("rkhs", "%d outputs at %d points do not fit a %d×%d matrix", outputs, points, r, c)
	}
	return nil
}

// evaluateTo is EvaluateTo of any number of points.
func evaluateTo(ctx context.Context, f *Func[any], dst *mat.Dense, x data.Points[any], o []EvalOptions) error {
	if x == nil || x.Len() == 0 {
		return fault.Errorf("rkhs", "no points to evaluate at")
	}
	if err := fits(dst, x.Len(), f.Outputs()); err != nil {
		return err
	}
	var options EvalOptions
	if len(o) > 0 {
		options = o[0]
	}
	if options.Device == nil {
		options.Device = f.device
	}
	out := linalg.Of(dst)
	done, err := onDevice(ctx, f, dst, x, options)
	if err != nil {
		return err
	}
	if !done {
		if err := kernel.CheckNext(f.Kernel, f.Centers, x); err != nil {
			return fault.In("rkhs", &fault.Point{Err: err})
		}
		evaluate(ctx, f, out, x, options)
	} // else all but the bias
	for i := 0; f.Bias != nil && i < out.Rows; i++ {
		simd.Axpy(1, f.Bias, out.Row(i))
	}
	return ctx.Err()
}

// Tiles is the kernel between points, which are not checked, and the centres. Its values for a
// point have the same bits whatever other points there are, as those of EvaluateTo.
func (f *Func[T]) Tiles(ctx context.Context, x data.Points[T]) kernel.Tiles {
	return f.columns().Prepare(ctx, x)
}

// columns is the prepared centres: those that Prepare keeps, or new ones.
func (f *Func[T]) columns() *kernel.Base[T] {
	if f.base != nil {
		return f.base
	}
	return kernel.NewBase(f.Kernel, f.Centers)
}

// The kernel values that are met at a time: a megabyte of them stays in the second-level cache.
// Sums over the centres are cut by tileCenters whatever the points are, and each point has its own;
// so the others have no say in its bits.
const (
	tilePoints  = 64
	tileCenters = 1024
)

// fewOutputs is up to how many outputs an inner product for each is as fast as a matrix product.
const fewOutputs = 4

// scratch is the memory of an evaluation between calls.
type scratch struct {
	double []float64
	output []float64
	single []float32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// evaluate sets dst to K·α, a chunk of points at a time.
func evaluate(ctx context.Context, f *Func[any], dst linalg.Matrix[float64], x data.Points[any], o EvalOptions) {
	coef := linalg.Of(f.Coef)
	if coef.Cols <= fewOutputs && coef.Stride != 1 {
		coef = transposed(coef)
	}
	step := chunk(x, o.Bytes)
	base := f.columns()
	for start := 0; start < x.Len() && ctx.Err() == nil; start += step {
		end := min(start+step, x.Len())
		t := base.Prepare(ctx, window(x, start, end))
		if dst.Cols == 1 && sum(f, t, dst.Slice(start, end, 0, 1), o) {
			continue
		}
		par.For(o.Threads, end-start, tilePoints, func(lo, hi int) {
			s := scratches.Get().(*scratch)
			s.rows(dst.Slice(start+lo, start+hi, 0, dst.Cols), t, coef, lo, o.Single)
			scratches.Put(s)
		})
	}
}

// sum is the product with one column of coefficients where the kernel has a faster way than tiles,
// whatever the points are, and says whether it has.
func sum(f *Func[any], t kernel.Tiles, dst linalg.Matrix[float64], o EvalOptions) bool {
	s, ok := t.(kernel.Summer)
	if !ok {
		return false
	}
	sums := s.Sums(o.Single)
	if sums == nil {
		return false
	}
	out := dst.Data[:dst.Rows]
	if dst.Stride != 1 {
		out = make([]float64, dst.Rows)
	}
	sums(o.Threads, 0, out, column(linalg.Of(f.Coef)))
	if dst.Stride != 1 {
		for i, v := range out {
			dst.Set(i, 0, v)
		}
	}
	return true
}

// column is the first column of m, its own memory where that is in one piece.
func column(m linalg.Matrix[float64]) []float64 {
	if m.Stride == 1 {
		return m.Data[:m.Rows]
	}
	return transposed(m).Row(0)
}

// transposed is a matrix with a row for each column of m.
func transposed(m linalg.Matrix[float64]) linalg.Matrix[float64] {
	out := linalg.New[float64](m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			out.Set(j, i, v)
		}
	}
	return out
}

// rows sets dst to the values at the points from i on. Of few outputs coef has a row for each, or
// is one column.
func (s *scratch) rows(dst linalg.Matrix[float64], t kernel.Tiles, coef linalg.Matrix[float64], i int, single bool) {
	for a := range dst.Rows {
		clear(dst.Row(a))
	}
	_, centers := t.Dims()
	for lo := 0; lo < centers && t.Err() == nil; lo += tileCenters {
		w := min(tileCenters, centers-lo)
		s.tile(t, dst.Rows, w, i, lo, single)
		if dst.Cols > fewOutputs {
			k := linalg.Matrix[float64]{Rows: dst.Rows, Cols: w, Stride: w, Data: s.double}
			linalg.GemmRowwise(1, linalg.NoTrans, linalg.NoTrans, 1, k, coef.Slice(lo, lo+w, 0, coef.Cols), 1, dst)
			continue
		}
		for a := range dst.Rows {
			s.products(dst.Row(a), s.double[a*w:(a+1)*w], coef, lo)
		}
	}
}

// products adds kᵀ·coef of few outputs to row, k being the values of the centres from lo on.
func (s *scratch) products(row, k []float64, coef linalg.Matrix[float64], lo int) {
	for j := range row {
		column := coef.Data[lo : lo+len(k)]
		if coef.Stride != 1 {
			column = coef.Row(j)[lo : lo+len(k)]
		}
		row[j] += simd.Dot(k, column)
	}
}

// column is w coefficients of output j from centre lo on, in one piece.
func (s *scratch) column(coef linalg.Matrix[float64], j, lo, w int) []float64 {
	if coef.Stride == 1 {
		return coef.Data[lo : lo+w]
	}
	if cap(s.output) < w {
		s.output = make([]float64, tileCenters)
	}
	out := s.output[:w]
	for i := range out {
		out[i] = coef.At(lo+i, j)
	}
	return out
}

func (s *scratch) grow(n int) {
	if cap(s.double) < n {
		s.double = make([]float64, n)
	}
	s.double = s.double[:n]
}

// tile sets double to the values of the points from i on and the centres from j on.
func (s *scratch) tile(t kernel.Tiles, rows, w, i, j int, single bool) {
	n := rows * w
	s.grow(n)
	if !single {
		t.Tile(blas64.General{Rows: rows, Cols: w, Data: s.double, Stride: w}, i, j)
		return
	}
	if cap(s.single) < n {
		s.single = make([]float32, n)
	}
	s.single = s.single[:n]
	t.Tile32(blas32.General{Rows: rows, Cols: w, Data: s.single, Stride: w}, i, j)
	simd.Widen(s.double, s.single)
}

// chunk is how many points are prepared at a time: what the budget allows, a
// prepared point of d coordinates being about 4 numbers for each (two
// precisions, packed and not).
func chunk(x data.Points[any], bytes int64) int {
	if bytes <= 0 {
		bytes = 256 << 20
	}
	dim := int64(16)
	if d, ok := data.Concrete(x).(interface{ Dim() int }); ok {
		dim = int64(d.Dim()) + 1
	}
	rows := max(bytes/(32*dim), 256)
	return int(min(rows, int64(max(x.Len(), 1))))
}

// window is the points lo ≤ i < hi of x; matrix-backed ones stay so.
func window(x data.Points[any], lo, hi int) data.Points[any] {
	if lo == 0 && hi == x.Len() {
		return x
	}
	switch p := data.Concrete(x).(type) {
	case data.DenseRows:
		m := linalg.Matrix[float64](p.RawMatrix())
		return data.FromVectors[any](data.RowsOf(m.Slice(lo, hi, 0, m.Cols)))
	}
	return data.Gather(x, par.Indices(lo, hi))
}
