package worker

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// listed is a kernel on the places of objects, each a vector of one number, by the matrix of all
// its values.
type listed struct{ k *mat.Dense }

// Eval is k of the objects at two places.
func (l listed) Eval(x, y kernel.Vec) float64 { return l.k.At(int(x[0]), int(y[0])) }

// Block is the same for all pairs.
func (l listed) Block(dst *mat.Dense, x, y data.Points[kernel.Vec]) {
	for i := range x.Len() {
		from, to := l.k.RawRowView(int(x.At(i)[0])), dst.RawRowView(i)
		for j := range to {
			to[j] = from[int(y.At(j)[0])]
		}
	}
}

// Objects is how many objects there are: a file then knows that the kernel was precomputed.
func (l listed) Objects() int { n, _ := l.k.Dims(); return n }

// CheckPoints refuses values that are not finite.
func (l listed) CheckPoints(x data.Points[kernel.Vec]) error {
	n, _ := l.k.Dims()
	for i := range x.Len() {
		for j, v := range l.k.RawRowView(int(x.At(i)[0]))[:n] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("kernel value %d of row %d is %g", j, i, v)
			}
		}
	}
	return nil
}

func places(n int) data.DenseRows {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return data.Line(x)
}

// onObjects is a model that was fitted to places, as one on training objects.
type onObjects struct {
	m learn.Saver[any]
	k *mat.Dense
}

// Func is the function on objects.
func (o onObjects) Func() *rkhs.Func[int] {
	f := o.m.Func()
	at := make(data.Slice[int], f.Centers.Len())
	for i := range at {
		at[i] = int(f.Centers.At(i).(kernel.Vec)[0])
	}
	return &rkhs.Func[int]{Kernel: kernel.Precomputed{K: o.k}, Centers: at, Coef: f.Coef, Bias: f.Bias}
}

// Report says how the fit went.
func (o onObjects) Report() learn.Report { return o.m.Report() }

// Saved is the model as plain data.
func (o onObjects) Saved() learn.Saved[int] {
	s := o.m.Saved()
	return learn.Saved[int]{Learner: s.Learner, Func: o.Func(), Classes: s.Classes, Numbers: s.Numbers, Arrays: s.Arrays,
		Report: s.Report}
}
