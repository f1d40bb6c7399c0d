package svmtool

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// decideBy is decide, or decideInOrder where every digit is to be LIBSVM's.
func decideBy[T any](
	ctx context.Context, t *trainer, m *machines, k kernel.Kernel[T], sv, x data.Points[T],
) (*mat.Dense, error) {
	if t.Identical {
		return decideInOrder(m, t.Kernel, k, sv, x), nil
	}
	return decide(ctx, m, k, sv, x)
}

// decideInOrder is decide with every sum taken in LIBSVM's order, for where all
// digits of a decision value are printed or kept: regression, and the folds that
// sigmoids are fitted to. It costs a pass over both rows for each kernel value.
func decideInOrder[T any](m *machines, params kernelParams, k kernel.Kernel[T], sv, x data.Points[T]) *mat.Dense {
	n := x.Len()
	if n == 0 || m.outputs() == 0 {
		return new(mat.Dense)
	}
	out := mat.NewDense(n, m.outputs(), nil)
	total := 0
	if len(m.Coef) > 0 {
		total = len(m.Coef[0])
	}
	value := k.Eval
	if f, ok := any(params.eval).(func(x, y T) float64); ok {
		value = f
	}
	par.For(0, n, 16, func(lo, hi int) {
		values := make([]float64, total)
		for i := lo; i < hi; i++ {
			row := x.At(i)
			for j := range values {
				values[j] = value(row, sv.At(j))
			}
			m.sum(out.RawRowView(i), values)
		}
	})
	return out
}

// sum fills the decision values of one row, given its kernel values with the
// support vectors.
func (m *machines) sum(dst, values []float64) {
	if !m.Type.classifies() {
		s := 0.0
		for j, v := range values {
			s += float64(m.Coef[0][j] * v)
		}
		dst[0] = s - m.Rho[0]
		return
	}
	start := make([]int, len(m.Count)+1)
	for c, n := range m.Count {
		start[c+1] = start[c] + n
	}
	p := 0
	for a := range m.Label {
		for b := a + 1; b < len(m.Label); b++ {
			s := 0.0
			for j := start[a]; j < start[a+1]; j++ {
				s += float64(m.Coef[b-1][j] * values[j])
			}
			for j := start[b]; j < start[b+1]; j++ {
				s += float64(m.Coef[a][j] * values[j])
			}
			dst[p] = s - m.Rho[p]
			p++
		}
	}
}

// eval is the kernel of two sparse rows, summed by ascending column.
func (p kernelParams) eval(x, y data.SparseVec) float64 {
	if p.Type == rbf {
		return libmExp(-p.Gamma * squaredDistance(x, y))
	}
	e := rowEvaluator{kernelParams: p}
	return e.value(innerProduct(x, y), 0, 0)
}

func innerProduct(x, y data.SparseVec) float64 {
	sum := 0.0
	for a, b := 0, 0; a < len(x.Index) && b < len(y.Index); {
		switch {
		case x.Index[a] == y.Index[b]:
			sum += float64(x.Value[a] * y.Value[b])
			a++
			b++
		case x.Index[a] > y.Index[b]:
			b++
		default:
			a++
		}
	}
	return sum
}

func squaredDistance(x, y data.SparseVec) float64 {
	sum, a, b := 0.0, 0, 0
	for a < len(x.Index) && b < len(y.Index) {
		switch {
		case x.Index[a] == y.Index[b]:
			d := x.Value[a] - y.Value[b]
			sum += float64(d * d)
			a++
			b++
		case x.Index[a] > y.Index[b]:
			sum += float64(y.Value[b] * y.Value[b])
			b++
		default:
			sum += float64(x.Value[a] * x.Value[a])
			a++
		}
	}
	for ; a < len(x.Index); a++ {
		sum += float64(x.Value[a] * x.Value[a])
	}
	for ; b < len(y.Index); b++ {
		sum += float64(y.Value[b] * y.Value[b])
	}
	return sum
}
