package fitting

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
)

// Moved is points with their mean m taken off, for learners to which that makes no difference:
// those with an intercept that is not penalised, or that look at distances only. With a bilinear
// kernel
//
//	k(x, y) = k(x-m, y-m) + k(m, y) + k(x, m) - k(m, m),
//
// and what is added is a constant for each of the two: the intercept takes it up. Far from the
// origin it is also all that a floating-point number has digits for: columns near 10⁶ leave 4 of
// the 16 digits of an inner product to what tells the points apart.
type Moved[T any] struct {
	Points data.Points[T] // those that were given where they were not moved
	mean   kernel.Vec     // nil where they were not moved
	kernel kernel.Kernel[T]
}

// farAway is how large k(m, m) is, in units of the mean of k(x-m, x-m), where points are moved.
// Nearer by, a digit or two are lost, and the centres of a function stay the points that were
// given.
const farAway = 64

// MoveToMean takes the mean off points that lie far from the origin, where the kernel is bilinear.
func MoveToMean[T any](k kernel.Kernel[T], x data.Points[T]) Moved[T] {
	out := Moved[T]{Points: x, kernel: k}
	rows, ok := data.VectorsOf(x)
	if !ok || x.Len() == 0 || !kernel.Bilinear(k) {
		return out
	}
	for i := range x.Len() {
		if len(rows.At(i)) != len(rows.At(0)) {
			return out // for others to refuse
		}
	}
	form := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	if plainlyNear(form, rows) {
		return out
	}
	mean := meanOf(rows)
	size := form.Eval(mean, mean)
	moved := shifted(rows, mean)
	spread := 0.0
	for i := range moved.Len() {
		v := moved.At(i)
		spread += form.Eval(v, v) / float64(x.Len())
	}
	if !(size > farAway*spread) || math.IsInf(size, 0) {
		return out
	}
	out.Points, out.mean = data.FromVectors[T](moved), mean
	return out
}

// plainlyNear says that points are so far from being moved that sums in one pass tell: the mean of
// k(x-m, x-m) is that of k(x, x), less k(m, m).
func plainlyNear(form kernel.Kernel[kernel.Vec], rows data.Points[kernel.Vec]) bool {
	n := rows.Len()
	mean, all := make(kernel.Vec, len(rows.At(0))), 0.0
	for i := range n {
		v := rows.At(i)
		simd.Axpy(1/float64(n), v, mean)
		all += form.Eval(v, v) / float64(n)
	}
	size := form.Eval(mean, mean)
	spread := all - size
	return spread > 0 && size <= farAway/2*spread
}

// Moved says whether the points were moved.
func (m Moved[T]) Moved() bool { return m.mean != nil }

// To moves other points by as much.
func (m Moved[T]) To(x data.Points[T]) data.Points[T] {
	if m.mean == nil {
		return x
	}
	rows, ok := data.VectorsOf(x)
	if !ok {
		return x // for others to refuse
	}
	return data.FromVectors[T](shifted(rows, m.mean))
}

// Back is f, found on the moved points, as a function of points where they were: f(x-m) = Σ αᵢk(cᵢ,
// x) + b - Σ αᵢk(cᵢ, m).
func (m Moved[T]) Back(f *rkhs.Func[T]) *rkhs.Func[T] {
	if m.mean == nil {
		return f
	}
	mean := any(m.mean).(T) // T is kernel.Vec, or any
	out := *f
	out.Bias = make([]float64, f.Outputs())
	copy(out.Bias, f.Bias)
	for i := range f.Centers.Len() {
		v := m.kernel.Eval(f.Centers.At(i), mean)
		for o := range out.Bias {
			out.Bias[o] -= f.Coef.At(i, o) * v
		}
	}
	return &out
}

// meanOf is the mean of rows, once more of what the first left over.
func meanOf(x data.Points[kernel.Vec]) kernel.Vec {
	mean := make(kernel.Vec, len(x.At(0)))
	for range 2 {
		rest := make(kernel.Vec, len(mean))
		for i := range x.Len() {
			for j, v := range x.At(i) {
				rest[j] += (v - mean[j]) / float64(x.Len())
			}
		}
		for j, v := range rest {
			mean[j] += v
		}
	}
	return mean
}

// shifted is rows less a vector.
func shifted(x data.Points[kernel.Vec], by kernel.Vec) data.Points[kernel.Vec] {
	out := linalg.New[float64](x.Len(), len(by))
	for i := range x.Len() {
		row := out.Row(i)
		for j, v := range x.At(i) {
			row[j] = v - by[j]
		}
	}
	return data.RowsOf(out)
}
