package smooth

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

// localFit solves the weighted least squares around one point, by modified
// Gram-Schmidt with a second pass, which is as stable as Householder's QR here
// and gives the operator's row for little more.
type localFit struct {
	m       *LocalRegressionModel
	d       []float64   // distances
	part    []float64   // the same in another order, for the span
	rows    []int       // points with weight
	root    []float64   // their √weights
	columns [][]float64 // Q, a column at a time
	first   []float64   // c = R⁻ᵀe₁
	r       [][]float64
	row     []float64
}

func newLocalFit(m *LocalRegressionModel) *localFit {
	n, p := m.z.Rows, len(m.powers)
	f := &localFit{m: m, d: make([]float64, n), part: make([]float64, n), first: make([]float64, p)}
	for range p {
		f.columns = append(f.columns, make([]float64, n))
		f.r = append(f.r, make([]float64, p))
	}
	return f
}

// at fits around q and returns the value there, NaN where no point has weight.
func (f *localFit) at(q []float64) float64 {
	f.weigh(q)
	if len(f.rows) == 0 {
		return math.NaN()
	}
	f.factor(q)
	y := 0.0
	for a, l := range f.operator() {
		y += l * f.m.t[f.rows[a]]
	}
	return y
}

// weigh finds the points in reach and the roots of their weights.
func (f *localFit) weigh(q []float64) {
	m := f.m
	for i := range f.d {
		s := 0.0
		for j, v := range m.z.Row(i) {
			s += (v - q[j]) * (v - q[j])
		}
		f.d[i] = math.Sqrt(s)
	}
	h := 1.0
	if m.nearest > 0 {
		copy(f.part, f.d)
		h = nthSmallest(f.part, m.nearest-1)
		// With many points at one place, here or to a side, all of the span may lie at its very
		// edge, where nothing has weight: it then goes on to the next distance.
		edge := smoothing.Kernel(m.config.Smoother).Shape(1)
		if least := slices.Min(f.d); h == 0 || least >= 0.999*h && edge < 1e-12 {
			next := math.Inf(1)
			for _, d := range f.d {
				if d > h+1e-9*h {
					next = min(next, d)
				}
			}
			switch {
			case !math.IsInf(next, 1):
				h = next
			case h > 0:
				h *= 2 // all points are as far as each other
			default:
				h = 1
			}
		}
	}
	f.rows, f.root = f.rows[:0], f.root[:0]
	for i, d := range f.d {
		w := m.omega[i] * smoothing.Kernel(m.config.Smoother).Shape(d/h)
		if m.nearest > 0 && m.config.Smoother == density.Gaussian && d > 8*h {
			w = 0
		}
		if w > 0 {
			f.rows, f.root = append(f.rows, i), append(f.root, math.Sqrt(w))
		}
	}
}

// factor makes Q and c. A monomial that depends on those before it, among the
// points in reach, is left out: the fit then has the degree the points allow.
func (f *localFit) factor(q []float64) {
	m, n := f.m, len(f.rows)
	kept := 0
	clear(f.first)
	for _, powers := range m.powers {
		col := f.columns[kept][:n]
		for a, i := range f.rows {
			v := f.root[a]
			for j, p := range powers {
				for range p {
					v *= m.z.At(i, j) - q[j]
				}
			}
			col[a] = v
		}
		size := simd.Norm64(col)
		r := f.r[kept]
		clear(r)
		for range 2 {
			for b := range kept {
				s := simd.Dot64(f.columns[b][:n], col)
				simd.Axpy64(-s, f.columns[b][:n], col)
				r[b] += s
			}
		}
		norm := simd.Norm64(col)
		if !(norm > 1e-9*size) || kept == n {
			continue
		}
		simd.Scal64(1/norm, col)
		// Rᵀc = e₁, a row at a time.
		c := 0.0
		if kept == 0 {
			c = 1
		}
		for b := range kept {
			c -= r[b] * f.first[b]
		}
		f.first[kept] = c / norm
		if kept++; kept == len(f.columns) {
			break
		}
	}
	f.row = f.row[:0]
	for a := range f.rows {
		s := 0.0
		for b := range kept {
			s += f.first[b] * f.columns[b][a]
		}
		f.row = append(f.row, s*f.root[a])
	}
}

// operator is l with y = Σ lₐ·t[rows[a]].
func (f *localFit) operator() []float64 {
	if len(f.rows) == 0 {
		return nil
	}
	return f.row
}

// nthSmallest is the value that would stand at place k of v, were v sorted; v is left in another
// order (Hoare 1961). The middle of three is the pivot, so that sorted distances are no worst case.
func nthSmallest(v []float64, k int) float64 {
	low, high := 0, len(v)-1
	for low < high {
		pivot := median3(v[low], v[low+(high-low)/2], v[high])
		i, j := low, high
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return v[k]
		}
	}
	return v[k]
}

func median3(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
