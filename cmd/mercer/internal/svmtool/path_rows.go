package svmtool

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// laidOutRows makes rows of a Gaussian kernel from all entries laid out by column, to the bits of
// rowEvaluator.value: inner products are summed in the order of the columns (an entry that is 0
// leaves a sum as it was), all at a time.
type laidOutRows struct {
	columns [][]float64
	x, y    []float64 // exponents and what they are raised to
}

// mostWhole is how many entries are laid out at most.
const mostWhole = 1 << 22

func newLaidOutRows(rows data.SparseRows) *laidOutRows {
	n := rows.Len()
	w := &laidOutRows{columns: make([][]float64, rows.Dim()), x: make([]float64, n), y: make([]float64, n)}
	all := make([]float64, n*rows.Dim())
	for c := range w.columns {
		w.columns[c], all = all[:n:n], all[n:]
	}
	for i := range n {
		v := rows.At(i)
		for a, c := range v.Index {
			w.columns[c][i] = v.Value[a]
		}
	}
	return w
}

func (w *laidOutRows) fill(e *rowEvaluator, dst []float32, i int) {
	own, dots := e.x.At(i), w.y
	clear(dots)
	index, value := own.Index, own.Value
	for ; len(index) >= 4; index, value = index[4:], value[4:] {
		a, b, c, d := w.columns[index[0]][:len(dots)], w.columns[index[1]][:len(dots)], w.columns[index[2]][:len(dots)],
			w.columns[index[3]][:len(dots)]
		p, q, r, s := value[0], value[1], value[2], value[3]
		for j, sum := range dots {
			sum += float64(a[j] * p)
			sum += float64(b[j] * q)
			sum += float64(c[j] * r)
			dots[j] = sum + float64(d[j]*s)
		}
	}
	for k, c := range index {
		column, v := w.columns[c][:len(dots)], value[k]
		for j, sum := range dots {
			dots[j] = sum + float64(column[j]*v)
		}
	}
	norm, x := e.square[i], w.x[:len(dots)]
	for j, dot := range dots {
		x[j] = -e.Gamma * (norm + e.square[j] - 2*dot)
	}
	simd.Exp64(dots, x)
	dst = dst[:len(dots)]
	for j, y := range dots {
		if dst[j] = float32(y); !sameInSingle(y) {
			dst[j] = float32(libmExp(x[j]))
		}
	}
}

// sameInSingle says that whoever computes exp to two units in the last place, and y is such a
// value, gets the same number in single precision: y is not near to the middle between two of
// those, nor below the least normal one.
func sameInSingle(y float64) bool {
	const below, near = 1 << 29, 4 // the bits that single precision has not
	rest := math.Float64bits(y)%below - below/2 + near
	return rest > 2*near && y > 0x1p-126
}
