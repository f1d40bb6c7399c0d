package kernel

import (
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// sparsePairs is a metric between sparse rows. Every metric is a sum over the
// columns that both rows have, plus a number for each row:
//
//	‖x-y‖²    = ‖x‖² + ‖y‖² - 2 Σ xy
//	Σ|x-y|    = Σ|x| + Σ|y| + Σ (|x-y| - |x| - |y|)
//	χ²        = Σx + Σy - 4 Σ xy/(x+y)
//
// so one row is spread over a buffer of d numbers and the others are read
// against it: no row is ever expanded, and the cost is the number of stored entries. Of very many
// columns d are those that y has entries in: what x has in others meets nothing.
type sparsePairs struct {
	metric Metric
	x, y   *linalg.CSR
	// left and right are x and y with the columns in used, or as they are where that is nil.
	left, right *linalg.CSR
	used        []int32
	xs, ys      []float64 // the number for each row
	pool        *sync.Pool
	// products serves several rows at once, where the metric allows it.
	products *linalg.RowProducts
	rowwise  bool // one way for any number of rows, so that the others have no say in a value
}

func newSparsePairs(m Metric, x, y *linalg.CSR, rowwise bool) *sparsePairs {
	x, y = sameWidth(x, y)
	s := &sparsePairs{metric: m, x: x, y: y, right: y, xs: rowTerms(m, x), rowwise: rowwise}
	s.ys = s.xs
	if x != y {
		s.ys = rowTerms(m, y)
	}
	byProducts := m == Inner || m == SqDist
	if !byProducts || !rowwise { // else products, which number their own columns, serve every tile
		if s.used = linalg.UsedColumns(y); s.used != nil {
			s.right = y.OnColumns(s.used)
		}
	}
	s.left = s.onUsed(x)
	d := s.right.Cols
	s.pool = &sync.Pool{New: func() any { b := make([]float64, d); return &b }}
	if byProducts {
		if rowwise {
			s.products = linalg.NewRowProductsBy(x, y)
		} else {
			s.products = linalg.NewRowProducts(x, y)
		}
	}
	return s
}

// onUsed is rows with the columns of right.
func (s *sparsePairs) onUsed(x *linalg.CSR) *linalg.CSR {
	switch {
	case x == s.y:
		return s.right
	case s.used == nil:
		return x
	}
	return x.OnColumns(s.used)
}

// withRows is the metric between other rows, of no more columns, and the columns that s prepared.
func (s *sparsePairs) withRows(x *linalg.CSR) *sparsePairs {
	out := *s
	out.x, _ = sameWidth(x, s.y)
	out.xs, out.left = rowTerms(s.metric, out.x), s.onUsed(out.x)
	if s.products != nil {
		out.products = s.products.WithRows(out.x)
	}
	return &out
}

// sameWidth gives both matrices the larger number of columns.
func sameWidth(x, y *linalg.CSR) (*linalg.CSR, *linalg.CSR) {
	widen := func(m *linalg.CSR, cols int) *linalg.CSR {
		if m.Cols == cols {
			return m
		}
		wide := *m
		wide.Cols = cols
		return &wide
	}
	cols := max(x.Cols, y.Cols)
	return widen(x, cols), widen(y, cols)
}

// fewRows is below what spreading eight rows at a time pays.
const fewRows = 3

func rowTerms(m Metric, a *linalg.CSR) []float64 {
	t := make([]float64, a.Rows)
	for i := range t {
		_, value := a.Row(i)
		for _, v := range value {
			switch m {
			case SqDist:
				t[i] += v * v
			case L1Dist:
				t[i] += math.Abs(v)
			case ChiSqDist:
				t[i] += v
			}
		}
	}
	return t
}

// closeSparse is the fraction of ‖x‖²+‖y‖² below which the identity for the
// squared distance has lost digits, and the rows are merged instead.
const closeSparse = 1e-3

func (s *sparsePairs) tile(dst linalg.Matrix[float64], i, j int) {
	if s.products != nil && (s.rowwise || dst.Rows >= fewRows) {
		if s.metric == Inner {
			s.products.Tile(dst, i, j)
		} else {
			s.products.DistanceTile(dst, i, j)
		}
		return
	}
	buffer := s.pool.Get().(*[]float64)
	spread := *buffer
	for a := range dst.Rows {
		index, value := s.left.Row(i + a)
		for k, c := range index {
			spread[c] = value[k]
		}
		s.row(dst.Row(a), spread, i+a, j)
		for _, c := range index {
			spread[c] = 0
		}
	}
	s.pool.Put(buffer)
}

// row computes the metric between row i of x, spread out, and the rows of y from j on.
func (s *sparsePairs) row(dst, spread []float64, i, j int) {
	for b := range dst {
		index, value := s.right.Row(j + b)
		sum := 0.0
		switch s.metric {
		case Inner, SqDist:
			for k, c := range index {
				sum += spread[c] * value[k]
			}
		case L1Dist:
			for k, c := range index {
				x, y := spread[c], value[k]
				sum += math.Abs(x-y) - math.Abs(x) - math.Abs(y)
			}
		case ChiSqDist:
			for k, c := range index {
				if x, y := spread[c], value[k]; x != 0 && x+y != 0 {
					sum += x * y / (x + y)
				}
			}
		case MinSum:
			for k, c := range index {
				sum += min(spread[c], value[k])
			}
		}
		rows := s.xs[i] + s.ys[j+b]
		switch s.metric {
		case SqDist:
			d := rows - 2*sum
			if d <= closeSparse*rows {
				d = sparseBetween(SqDist, rowOf(s.x, i), rowOf(s.y, j+b))
			}
			sum = d
		case L1Dist:
			sum = max(rows+sum, 0)
		case ChiSqDist:
			sum = max(rows-4*sum, 0)
		}
		dst[b] = sum
	}
}

func rowOf(m *linalg.CSR, i int) data.SparseVec {
	index, value := m.Row(i)
	return data.SparseVec{Index: index, Value: value}
}

// sparseBetween is Metric.Between on sparse rows, by merging them.
func sparseBetween(m Metric, x, y data.SparseVec) float64 {
	s := 0.0
	eachColumn(x, y, func(_ int32, v, w float64) {
		switch m {
		case Inner:
			s += v * w
		case SqDist:
			s += (v - w) * (v - w)
		case L1Dist:
			s += math.Abs(v - w)
		case ChiSqDist:
			if v+w != 0 {
				s += (v - w) * (v - w) / (v + w)
			}
		case MinSum:
			s += min(v, w)
		}
	})
	return s
}

// eachColumn calls f for every column that x or y has, in order.
func eachColumn(x, y data.SparseVec, f func(column int32, v, w float64)) {
	a, b := 0, 0
	for a < len(x.Index) || b < len(y.Index) {
		switch {
		case b == len(y.Index) || a < len(x.Index) && x.Index[a] < y.Index[b]:
			f(x.Index[a], x.Value[a], 0)
			a++
		case a == len(x.Index) || y.Index[b] < x.Index[a]:
			f(y.Index[b], 0, y.Value[b])
			b++
		default:
			f(x.Index[a], x.Value[a], y.Value[b])
			a++
			b++
		}
	}
}
