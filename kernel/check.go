package kernel

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Check says whether k can be used on the points x: the parameters make sense all
// through the algebra, vectors are finite and of one dimension, and lie where k is
// defined. The error names the parameter or the row, with the value.
func Check[T any](k Kernel[T], x data.Points[T]) error { return check(Erase(k), data.Erase(x)) }

func check(k Kernel[any], x data.Points[any]) error {
	if k == nil {
		return fault.Errorf("kernel", "no kernel (nil)")
	}
	if err := validate(k); err != nil {
		return err
	}
	if err := checkFinite(x); err != nil {
		return err
	}
	return checkPoints(k, x)
}

// CheckPair is Check for the points of a rectangular Gram matrix: the points of y
// have to be usable with those of x.
func CheckPair[T any](k Kernel[T], x, y data.Points[T]) error {
	return checkPair(Erase(k), data.Erase(x), data.Erase(y))
}

func checkPair(k Kernel[any], x, y data.Points[any]) error {
	if err := check(k, x); err != nil {
		return err
	}
	if err, asked := doorFor(k).checkPair(x, y); asked {
		return err
	}
	if err := checkFinite(y); err != nil {
		return fmt.Errorf("the second set: %w", err)
	}
	if v, ok := data.VectorsOf(y); ok && x.Len() > 0 {
		if u, ok := data.VectorsOf(x); ok {
			d := len(u.At(0))
			for i := range v.Len() {
				if e := len(v.At(i)); e != d {
					return fault.Errorf("kernel", "row %d of the second set has %d coordinates, those of the first have %d", i, e, d)
				}
			}
		}
	}
	return checkPoints(k, y)
}

// CheckNext is Check for points y to be used with points x that have passed Check before, as a
// fitted function's centres have: only y is looked at, and no parameter again.
func CheckNext[T any](k Kernel[T], x, y data.Points[T]) error {
	if v, ok := y.(data.Points[Vec]); ok { // a service asks for one row after another: nothing is allocated
		return checkNextVectors(any(k).(Kernel[Vec]), any(x).(data.Points[Vec]), v)
	}
	return checkNext(Erase(k), data.Erase(x), data.Erase(y))
}

func checkNext(k Kernel[any], x, y data.Points[any]) error {
	if err, asked := doorFor(k).checkPair(x, y); asked {
		return err
	}
	if err := checkFinite(y); err != nil {
		return err
	}
	if v, ok := data.VectorsOf(y); ok {
		if u, ok := data.VectorsOf(x); ok {
			if err := checkNextDim(u, v); err != nil {
				return err
			}
		}
	}
	return checkPoints(k, y)
}

// checkNextVectors is checkNext of points that are known to be vectors.
func checkNextVectors(k Kernel[Vec], x, y data.Points[Vec]) error {
	if c, ok := k.(PairChecker[Vec]); ok {
		return c.CheckPair(x, y)
	}
	if err := checkFiniteVectors(y); err != nil {
		return err
	}
	if err := checkNextDim(x, y); err != nil {
		return err
	}
	if c, ok := k.(PointChecker[Vec]); ok {
		return c.CheckPoints(y)
	}
	return nil
}

func checkNextDim(x, y data.Points[Vec]) error {
	if x.Len() == 0 || y.Len() == 0 {
		return nil
	}
	if d, e := len(x.At(0)), len(y.At(0)); d != e {
		return fault.Errorf("kernel", "row 0 has %d coordinates, want %d", e, d)
	}
	return nil
}

// Validate says whether the parameters of k make sense, all through the
// algebra.
func Validate[T any](k Kernel[T]) error {
	if k == nil {
		return fault.Errorf("kernel", "no kernel (nil)")
	}
	return validate(k)
}

// validate is for a kernel on points of any type.
func validate(k any) error {
	if k == nil {
		return fault.Errorf("kernel", "a part of the kernel is nil")
	}
	if v, ok := k.(Validator); ok {
		return v.Validate()
	}
	return nil
}

func validateAll(what string, ks []Kernel[any]) error {
	if len(ks) == 0 {
		return fault.Errorf("kernel", "%s of nothing", what)
	}
	for _, k := range ks {
		if err := validate(k); err != nil {
			return err
		}
	}
	return nil
}

func checkPoints(k Kernel[any], x data.Points[any]) error { return doorFor(k).checkPoints(x) }

// checkTyped asks a part of an operator, which is asked for one row after another by a service:
// nothing is erased for it.
func checkTyped[T any](k Kernel[T], x data.Points[T]) error {
	if c, ok := k.(PointChecker[T]); ok {
		return c.CheckPoints(x)
	}
	return nil
}

// checkFinite refuses NaN, Inf and rows of different lengths, for the two kinds of vectors.
func checkFinite(x data.Points[any]) error {
	switch p := data.Concrete(x).(type) {
	case data.Points[Vec]:
		return checkFiniteVectors(p)
	case data.Points[data.SparseVec]:
		for i := range p.Len() {
			row := p.At(i)
			for j, v := range row.Value {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fault.Errorf("kernel", "row %d, column %d is %g; impute or drop it", i, row.Index[j], v)
				}
				if j > 0 && row.Index[j] <= row.Index[j-1] {
					return fault.Errorf("kernel", "row %d: column %d comes after column %d; columns have to increase", i, row.Index[j],
						row.Index[j-1])
				}
			}
		}
	}
	return nil
}

func checkFiniteVectors(x data.Points[Vec]) error {
	i := firstUnfit(x)
	if i == x.Len() {
		return nil
	}
	row := x.At(i)
	if len(row) != len(x.At(0)) {
		return fault.Errorf("kernel", "row %d has %d coordinates, row 0 has %d", i, len(row), len(x.At(0)))
	}
	for j, v := range row {
		if v-v != 0 {
			return fault.Errorf("kernel", "row %d, column %d is %g; impute or drop it", i, j, v)
		}
	}
	return nil
}

// firstUnfit is the number of the first row that is not finite or not as long as the first, Len
// where all are well. Many rows are looked at by all processors; for a few nothing is allocated,
// since a service asks about one row at a time.
func firstUnfit(x data.Points[Vec]) int {
	const size = 1 << 12
	n := x.Len()
	if n <= size {
		return unfitIn(x, 0, n)
	}
	return firstUnfitOfMany(x, n, size)
}

func firstUnfitOfMany(x data.Points[Vec], n, size int) int {
	first := make([]int, (n+size-1)/size)
	par.For(0, n, size, func(lo, hi int) {
		if first[lo/size] = unfitIn(x, lo, hi); first[lo/size] == hi {
			first[lo/size] = n
		}
	})
	return slices.Min(first)
}

// unfitIn is the first such row from lo on, hi where there is none.
func unfitIn(x data.Points[Vec], lo, hi int) int {
	for i := lo; i < hi; i++ {
		row, sum := x.At(i), 0.0
		for _, v := range row {
			sum += v - v // 0, or NaN of what is not finite
		}
		if sum != 0 || len(row) != len(x.At(0)) {
			return i
		}
	}
	return hi
}

// checkDim refuses points whose dimension is not what the kernel was made for.
func checkDim(name, what string, want int, x data.Points[Vec]) error {
	for i := range x.Len() {
		if d := len(x.At(i)); d != want {
			return fault.Errorf("kernel", "%s: %d %s but row %d has %d coordinates", name, want, what, i, d)
		}
	}
	return nil
}

// checkEmbedded asks the inner kernel of k about the mapped points, if it has anything to say about
// points.
func checkEmbedded(inner Kernel[Vec], k embedded, x data.Points[Vec]) error {
	if _, asks := inner.(PointChecker[Vec]); !asks {
		return nil
	}
	return checkPoints(OnVectors(inner), data.EraseVectors(embedPoints(k.embedding(), x)))
}

// embedPoints maps all points into one matrix.
func embedPoints(e embedding, x data.Points[Vec]) data.DenseRows {
	if x.Len() == 0 {
		return data.RowsOf(linalg.New[float64](0, 0))
	}
	m := linalg.New[float64](x.Len(), e.dim(len(x.At(0))))
	for i := range m.Rows {
		e.apply(m.Row(i), x.At(i))
	}
	return data.RowsOf(m)
}

// mapPoints maps all points once; vectors are collected into one matrix.
func mapPoints[T, U any](phi func(T) U, x data.Points[T]) data.Points[U] {
	out := make(data.Slice[U], x.Len())
	for i := range out {
		out[i] = phi(x.At(i))
	}
	if v, ok := any(out).(data.Slice[Vec]); ok && len(v) > 0 {
		m := linalg.New[float64](len(v), len(v[0]))
		for i, row := range v {
			if len(row) != m.Cols {
				return out // ragged: Check will say so
			}
			copy(m.Row(i), row)
		}
		return data.FromVectors[U](data.RowsOf(m))
	}
	return out
}
