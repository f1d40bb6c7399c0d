package svmtool

import (
	"container/list"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// pathKernel gives rows of the kernel matrix in single precision, as LIBSVM
// keeps them, and the diagonal in double. The last rows used are kept, within a
// budget; a value does not depend on what is.
type pathKernel struct {
	diag  []float64
	fill  func(dst []float32, i int)
	rows  [][]float32
	order *list.List // of row numbers, the last used in front
	at    []*list.Element
	most  int // rows
}

func newPathKernel[T any](t *trainer, p problem[T]) *pathKernel {
	n := p.x.Len()
	k := &pathKernel{diag: make([]float64, n), rows: make([][]float32, n), at: make([]*list.Element, n), order: list.New()}
	bytes := int64(t.CacheMB * (1 << 20))
	if bytes == 0 {
		bytes = gram.DefaultBytes()
	}
	k.most = int(max(4, min(bytes/int64(4*n+64), int64(n)))) // four: those in hand must not be given away
	if x, ok := data.SparseOfPoints(p.x); ok {
		e := newRowEvaluator(t.Kernel, x)
		k.fill = e.fill
		for i := range k.diag {
			k.diag[i] = e.value(e.square[i], i, i)
		}
		return k
	}
	k.fill = func(dst []float32, i int) {
		for j := range dst {
			dst[j] = float32(p.k.Eval(p.x.At(i), p.x.At(j)))
		}
	}
	for i := range k.diag {
		k.diag[i] = p.k.Eval(p.x.At(i), p.x.At(i))
	}
	return k
}

// row returns row i. It stays as it is until three other rows have been asked for.
func (k *pathKernel) row(i int) []float32 {
	if k.rows[i] != nil {
		if k.most < len(k.rows) {
			k.order.MoveToFront(k.at[i])
		}
		return k.rows[i]
	}
	var row []float32
	if k.order.Len() == k.most {
		last := k.order.Back()
		j := k.order.Remove(last).(int)
		row, k.rows[j] = k.rows[j], nil
	} else {
		row = make([]float32, len(k.rows))
	}
	k.fill(row, i)
	k.rows[i], k.at[i] = row, k.order.PushFront(i)
	return row
}

// rowEvaluator computes kernel values of sparse rows. Inner products are summed
// in the order of the columns and everything else follows LIBSVM's formulas, so
// that each value is the same to the last bit.
type rowEvaluator struct {
	kernelParams
	x      data.SparseRows
	square []float64 // ‖xᵢ‖²
	dense  []float64 // one row, laid out by column; nil where columns are too many for that
	whole  *laidOutRows
}

// mostLaidOut is the most columns for which a row is laid out (128 MB): one
// large index in a file must not cost memory.
const mostLaidOut = 1 << 24

func newRowEvaluator(k kernelParams, x data.Points[data.SparseVec]) *rowEvaluator {
	rows, ok := x.(data.SparseRows)
	if !ok {
		list := make([]data.SparseVec, x.Len())
		dim := 0
		for i := range list {
			list[i] = x.At(i)
			if n := len(list[i].Index); n > 0 {
				dim = max(dim, int(list[i].Index[n-1])+1)
			}
		}
		rows = data.SparseOf(list, dim)
	}
	e := &rowEvaluator{kernelParams: k, x: rows, square: make([]float64, rows.Len())}
	if rows.Dim() <= mostLaidOut {
		e.dense = make([]float64, rows.Dim())
	}
	for i := range e.square {
		for _, v := range rows.At(i).Value {
			e.square[i] += float64(v * v)
		}
	}
	if k.Type == rbf && dense(rows) && rows.Len()*rows.Dim() <= mostWhole {
		e.whole = newLaidOutRows(rows)
	}
	return e
}

// fill computes row i. Columns that only row j has meet a zero, which leaves
// the sum as it was.
func (e *rowEvaluator) fill(dst []float32, i int) {
	own := e.x.At(i)
	if e.whole != nil {
		e.whole.fill(e, dst, i)
		return
	}
	if e.dense == nil {
		for j := range dst {
			dst[j] = float32(e.value(innerProduct(own, e.x.At(j)), i, j))
		}
		return
	}
	for a, c := range own.Index {
		e.dense[c] = own.Value[a]
	}
	par.For(0, len(dst), 1024, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			v := e.x.At(j)
			sum := 0.0
			for a, c := range v.Index {
				sum += float64(v.Value[a] * e.dense[c])
			}
			dst[j] = float32(e.value(sum, i, j))
		}
	})
	for _, c := range own.Index {
		e.dense[c] = 0
	}
}

// value is the kernel of rows i and j with the given inner product.
func (e *rowEvaluator) value(dot float64, i, j int) float64 {
	switch e.Type {
	case linear:
		return dot
	case polynomial:
		return wholePower(float64(e.Gamma*dot)+e.Coef0, e.Degree)
	case sigmoid:
		return libmTanh(float64(e.Gamma*dot) + e.Coef0)
	default:
		return libmExp(-e.Gamma * (e.square[i] + e.square[j] - 2*dot))
	}
}

// wholePower is base^times by repeated squaring, the lowest bit first.
func wholePower(base float64, times int) float64 {
	out := 1.0
	for ; times > 0; times /= 2 {
		if times%2 == 1 {
			out *= base
		}
		base *= base
	}
	return out
}
