package seq

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Signature is the inner product of the signatures of two paths up to Level (3 when zero), each the
// iterated integrals of a path through the steps of a series,
//
//	k(x, y) = Σ_{m=0}^{Level} ⟨S_m(x), S_m(y)⟩,   S_m(x) = ∫_{t₁<…<t_m} dx(t₁) ⊗ … ⊗ dx(t_m).
//
// In terms of the increments, with ∇(i, j) = ⟨Δxᵢ, Δyⱼ⟩, level m is the sum over increasing i₁, …,
// i_m and j₁, …, j_m of Π ∇(i_r, j_r). Order says how often an index may be repeated, an index that
// comes p times with the weight 1/p!: 1 (when zero) is the discrete signature of F. Király and H.
// Oberhauser (Kernels for sequentially ordered data, JMLR 2019), and Order = Level the signature of
// the path of straight lines. Scale (1 when zero) multiplies the series. With a Static kernel κ the
// path is lifted into its feature space, ∇(i, j) = κ(x_{i+1}, y_{j+1}) - κ(x_{i+1}, y_j) - κ(x_i,
// y_{j+1}) + κ(x_i, y_j).
//
// The signature does not see where a path begins, nor how fast it goes: WithStart and WithTime of a
// series tell it. A series of one step or none stands still: its value is 1 with all series. A
// value takes O(Level·Order²·|x|·|y|); LowRankSignature is linear in the lengths.
type Signature struct {
	Level, Order int
	Scale        float64
	Static       kernel.Kernel[kernel.Vec]
}

func (k Signature) level() int { return or(k.Level, 3) }
func (k Signature) order() int { return min(or(k.Order, 1), k.level()) }

// Name is "signature".
func (Signature) Name() string { return "signature" }

// Eval returns Σ_m ⟨S_m(x), S_m(y)⟩.
func (k Signature) Eval(x, y Series) float64 {
	if mismatched(x, y) {
		return math.NaN()
	}
	if x.less(y) {
		x, y = y, x
	}
	return iterated(increments(x, y, or(k.Scale, 1), k.Static), k.level(), k.order())
}

// PreparePoints takes the pairs as they are: their increments are products of both.
func (k Signature) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, func(s Series) Series { return s }, k.Eval)
}

// table is a matrix of numbers by rows.
type table struct {
	rows, cols int
	v          []float64
}

func newTable(rows, cols int) table { return table{rows, cols, make([]float64, rows*cols)} }

func (t table) row(i int) []float64 { return t.v[i*t.cols : (i+1)*t.cols] }

// increments is ∇(i, j).
func increments(x, y Series, scale float64, static kernel.Kernel[kernel.Vec]) table {
	t := newTable(max(x.Len()-1, 0), max(y.Len()-1, 0))
	if len(t.v) == 0 {
		return t
	}
	if static == nil {
		for i := range t.rows {
			a, b := x.At(i), x.At(i+1)
			row := t.row(i)
			for j := range row {
				c, d := y.At(j), y.At(j+1)
				s := 0.0
				for q := range a {
					s += (b[q] - a[q]) * (d[q] - c[q])
				}
				row[j] = scale * scale * s
			}
		}
		return t
	}
	points := func(s Series) data.Slice[kernel.Vec] {
		out := make(data.Slice[kernel.Vec], s.Len())
		for i := range out {
			for _, v := range s.At(i) {
				out[i] = append(out[i], scale*v)
			}
		}
		return out
	}
	u, v := points(x), points(y)
	above := make([]float64, len(v))
	for i, p := range u {
		last := 0.0
		for j, q := range v {
			now := static.Eval(p, q)
			if i > 0 && j > 0 {
				t.row(i - 1)[j-1] = (now - above[j]) - (last - above[j-1])
			}
			if j > 0 {
				above[j-1] = last
			}
			last = now
		}
		above[len(v)-1] = last
	}
	return t
}

// iterated is Σ_m of the sums over increasing indices. A[d][e](i, j) is the sum over the sequences
// of m pairs whose last index in x is i, d times, and in y is j, e times.
func iterated(nabla table, level, order int) float64 {
	total := 1.0
	if len(nabla.v) == 0 {
		return total
	}
	now := [][]table{{nabla}}
	for m := 1; ; m++ {
		for _, row := range now {
			for _, a := range row {
				for _, v := range a.v {
					total += v
				}
			}
		}
		if m == level {
			return total
		}
		most := min(m+1, order)
		next := make([][]table, most)
		for d := range next {
			next[d] = make([]table, most)
			for e := range next[d] {
				var a table
				switch {
				case d == 0 && e == 0:
					a = before(before(sumOf(now, -1, -1, nabla), true), false)
				case e == 0:
					a = before(sumOf(now, d-1, -1, nabla), true)
				case d == 0:
					a = before(sumOf(now, -1, e-1, nabla), false)
				default:
					a = sumOf(now, d-1, e-1, nabla)
				}
				f := 1 / (float64(d+1) * float64(e+1))
				for i := range a.v {
					a.v[i] *= f * nabla.v[i]
				}
				next[d][e] = a
			}
		}
		now = next
	}
}

// sumOf adds up the tables of row d and column e; -1 stands for all.
func sumOf(all [][]table, d, e int, shape table) table {
	out := newTable(shape.rows, shape.cols)
	for i, row := range all {
		for j, a := range row {
			if (d < 0 || d == i) && (e < 0 || e == j) {
				for q, v := range a.v {
					out.v[q] += v
				}
			}
		}
	}
	return out
}

// before replaces each entry by the sum of those before it, along the columns or down the rows.
func before(t table, along bool) table {
	if along {
		for i := range t.rows {
			sum := 0.0
			row := t.row(i)
			for j, v := range row {
				row[j] = sum
				sum += v
			}
		}
		return t
	}
	sum := make([]float64, t.cols)
	for i := range t.rows {
		row := t.row(i)
		for j, v := range row {
			row[j] = sum[j]
			sum[j] += v
		}
	}
	return t
}
