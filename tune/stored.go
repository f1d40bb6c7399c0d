package tune

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// stored is a kernel with its Gram matrix of the rows of a problem: values between those are looked
// up. The learners that a search fits fold by fold take it for the kernel, and so share one matrix
// among all folds and all settings of the learner.
type stored struct {
	kernel.Kernel[any]
	rows *data.Numbered[any]
	gram linalg.Matrix[float64]
}

// shared is a kernel that has its Gram matrix, with a problem whose parts know their places in it;
// or what it was given, where the budget holds no Gram matrix, where the learner moves the points,
// for a learner of one's own, who may want to know the kernel, and for one that looks at no values.
func (e *engine) shared(s *space, k kernel.Kernel[any], threads int) (kernel.Kernel[any], learn.Problem[any]) {
	p := e.p
	if s.Custom != nil || s.entry.OwnKernel || e.metricsFor(s, k) != e.metrics ||
		16*int64(p.Len())*int64(p.Len()) > e.bytes {
		return k, p
	}
	rows := data.Number(p.Points)
	p.Points = rows
	gram := linalg.New[float64](p.Len(), p.Len())
	e.metrics.gram64(gram, k, threads)
	return &stored{k, rows, gram}, p
}

// Unwrap is the kernel that the matrix is of.
func (k *stored) Unwrap() kernel.Kernel[any] { return k.Kernel }

// Block looks the values up where all points are rows of the problem.
func (k *stored) Block(dst *mat.Dense, x, y data.Points[any]) {
	a, first := k.places(x)
	b, second := k.places(y)
	out := linalg.Of(dst)
	if !first || !second {
		kernel.Fill(1, blas64.General(out), kernel.Prepare(context.Background(), k.Kernel, x, y))
		return
	}
	for i, from := range a {
		row, values := out.Row(i), k.gram.Row(from)
		for j, at := range b {
			row[j] = values[at]
		}
	}
}

func (k *stored) places(x data.Points[any]) ([]int, bool) {
	if n, ok := x.(*data.Numbered[any]); ok {
		return n.NumbersIn(k.rows)
	}
	if n, ok := data.Concrete(x).(*data.Numbered[kernel.Vec]); ok { // of a learner on vectors alone
		if rows, ok := data.Concrete(k.rows).(*data.Numbered[kernel.Vec]); ok {
			return n.NumbersIn(rows)
		}
	}
	return nil, false
}
