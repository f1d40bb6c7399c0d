package gram

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// operand is the matrix V of a product K·V in the form its tiles are multiplied
// in: a few columns one by one, each contiguous (matrix times vector, bound by
// reading the tile, which is in cache); many as rows (matrix times matrix).
type operand[F linalg.Float] struct {
	m    int              // columns of V
	cols linalg.Matrix[F] // m×n, when m ≤ fewColumns
	rows linalg.Matrix[F] // n×m, when m > fewColumns
}

// fewColumns is up to how many columns a tile is multiplied column by column.
const fewColumns = 8

func newOperand[F linalg.Float](v linalg.Matrix[float64]) operand[F] {
	o := operand[F]{m: v.Cols}
	if o.m > fewColumns {
		o.rows = convert[F](v)
		return o
	}
	o.cols = linalg.New[F](v.Cols, v.Rows)
	for i := range v.Rows {
		for j, e := range v.Row(i) {
			o.cols.Data[j*o.cols.Stride+i] = F(e)
		}
	}
	return o
}

// scratch is what addTile needs for tiles with at most rows rows or columns.
func (o operand[F]) scratch(rows int) []F { return make([]F, rows*max(o.m, 1)) }

// addTile adds op(k)·V[lo:lo+inner] to acc, in the calling goroutine; sums
// within a tile are in F, over tiles in float64.
func (o operand[F]) addTile(acc linalg.Matrix[float64], op linalg.Op, k linalg.Matrix[F], lo int, scratch []F) {
	out, inner := k.Rows, k.Cols
	if op == linalg.Trans {
		out, inner = inner, out
	}
	if o.m > fewColumns {
		part := linalg.Matrix[F]{Rows: out, Cols: o.m, Data: scratch[:out*o.m], Stride: o.m}
		linalg.Gemm(1, op, linalg.NoTrans, 1, k, o.rows.Slice(lo, lo+inner, 0, o.m), 0, part)
		accumulate(acc, part)
		return
	}
	y := scratch[:out]
	for c := range o.m {
		x := o.cols.Row(c)[lo : lo+inner]
		if op == linalg.Trans {
			clear(y)
			addRows(y, k, x)
		} else {
			dotRows(y, k, x)
		}
		d := acc.Data[c:]
		for i, v := range y {
			d[i*acc.Stride] += float64(v)
		}
	}
}

// dotRows sets y = k·x.
func dotRows[F linalg.Float](y []F, k linalg.Matrix[F], x []F) {
	var four [4]F
	i := 0
	for ; i+4 <= k.Rows; i += 4 {
		simd.DotRows(k.Data[i*k.Stride:], k.Stride, x, &four)
		copy(y[i:], four[:])
	}
	for ; i < k.Rows; i++ {
		y[i] = simd.Dot(k.Row(i), x)
	}
}

// addRows adds kᵀ·x to y.
func addRows[F linalg.Float](y []F, k linalg.Matrix[F], x []F) {
	i := 0
	for ; i+4 <= k.Rows; i += 4 {
		simd.AxpyRows((*[4]F)(x[i:]), k.Data[i*k.Stride:], k.Stride, y)
	}
	for ; i < k.Rows; i++ {
		simd.Axpy(x[i], k.Row(i), y)
	}
}
