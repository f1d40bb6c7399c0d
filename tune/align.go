package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// alignRows is how many rows kernels are compared on before any learner sees them.
const alignRows = 400

// alignment compares kernels with the target, and with each other, by their centred Gram matrices
// on some rows:
//
//	A(K, Y) = ⟨HKH, YYᵀ⟩ / (‖HKH‖·‖HYYᵀH‖),   H = I - 11ᵀ/n
//
// Y the target, or an indicator for each class (C. Cortes, M. Mohri and A. Rostamizadeh, Algorithms
// for learning kernels based on centered alignment, JMLR 2012).
type alignment struct {
	rows   data.Points[any]
	target *mat.Dense // HYYᵀH
}

func newAlignment(p learn.Problem[any], seed uint64) *alignment {
	index := make([]int, p.Len())
	for i := range index {
		index[i] = i
	}
	if p.Len() > alignRows {
		index = someRows(p, alignRows, seed)
	}
	return alignedTo(p.Gather(index))
}

// alignedTo compares kernels with the target of all rows of a problem.
func alignedTo(p learn.Problem[any]) *alignment {
	n := p.Len()
	width := max(p.ClassCount(), p.Targets())
	y := mat.NewDense(n, width, nil)
	deviation := make([]float64, p.Targets())
	for t := range deviation {
		if deviation[t] = 1; len(p.More) > 0 {
			deviation[t] = p.Target(t).Deviation()
		}
	}
	for a := range n {
		if p.Task.Classification() {
			y.Set(a, int(p.Y[a]), 1)
		} else {
			for t := range p.Targets() { // each in units of its own
				one := p.Target(t)
				y.Set(a, t, one.Y[a]/deviation[t])
			}
		}
	}
	yy := mat.NewDense(n, n, nil)
	yy.Mul(y, y.T())
	center(yy)
	return &alignment{p.Points, yy}
}

// gram is HKH on the rows, with the mean of its diagonal, which is what a kernel has to be divided
// by to be of unit variance.
func (a *alignment) gram(ctx context.Context, k kernel.Kernel[any]) (*mat.Dense, float64, error) {
	n := a.rows.Len()
	m := mat.NewDense(n, n, nil)
	if err := kernel.Block(ctx, k, m, a.rows, a.rows); err != nil {
		return nil, 0, err
	}
	center(m)
	variance := mat.Trace(m) / float64(n)
	return m, variance, nil
}

// with is A(K, Y) of a centred Gram matrix, 0 for a kernel that is constant.
func (a *alignment) with(m *mat.Dense) float64 {
	norm := mat.Norm(m, 2) * mat.Norm(a.target, 2)
	if !(norm > 0) || math.IsInf(norm, 0) {
		return 0
	}
	return inner(m, a.target) / norm
}

// weights is v ≥ 0 that makes Σ vᵢKᵢ align best with the target: the minimum of vᵀMv - 2vᵀa with
// Mᵢⱼ = ⟨Kᵢ, Kⱼ⟩ and aᵢ = ⟨Kᵢ, YYᵀ⟩, up to a factor, by coordinate descent. The weights add up
// to 1.
func (a *alignment) weights(grams []*mat.Dense) []float64 {
	p := len(grams)
	m := linalg.New[float64](p, p)
	target := make([]float64, p)
	for i := range p {
		target[i] = inner(grams[i], a.target)
		for j := range i + 1 {
			v := inner(grams[i], grams[j])
			m.Set(i, j, v)
			m.Set(j, i, v)
		}
	}
	v := make([]float64, p)
	for range 1000 {
		change := 0.0
		for i := range p {
			if m.At(i, i) <= 0 {
				continue
			}
			rest := target[i]
			for j := range p {
				if j != i {
					rest -= m.At(i, j) * v[j]
				}
			}
			next := max(rest/m.At(i, i), 0)
			change = max(change, math.Abs(next-v[i]))
			v[i] = next
		}
		if change <= 1e-9*slices.Max(v) {
			break
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	if !(sum > 0) {
		for i := range v {
			v[i] = 1 / float64(p)
		}
		return v
	}
	for i := range v {
		v[i] /= sum
	}
	return v
}

// center sets m = HmH.
func center(m *mat.Dense) {
	n, _ := m.Dims()
	rows := make([]float64, n)
	mean := 0.0
	for i := range rows {
		for _, v := range m.RawRowView(i) {
			rows[i] += v
		}
		rows[i] /= float64(n)
		mean += rows[i] / float64(n)
	}
	m.Apply(func(i, j int, v float64) float64 { return v - rows[i] - rows[j] + mean }, m)
}

func inner(a, b *mat.Dense) float64 {
	n, _ := a.Dims()
	s := 0.0
	for i := range n {
		x, y := a.RawRowView(i), b.RawRowView(i)
		for j := range x {
			s += x[j] * y[j]
		}
	}
	return s
}

// somePairs draws pairs of different points.
func somePairs(n, count int, seed uint64) [][2]int {
	rng := rand.New(rand.NewPCG(seed, 0x7061697273))
	var out [][2]int
	for range count {
		if i, j := rng.IntN(n), rng.IntN(n); i != j {
			out = append(out, [2]int{i, j})
		}
	}
	return out
}
