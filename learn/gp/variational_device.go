package gp

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// inducing is the points Z with the features of all rows on a device, if there is one for them.
func (p *variationalProblem) inducing(
	ctx context.Context, k kernel.Kernel[any], z data.Points[any], wanted []bool,
) (*inducing, error) {
	f := deviceFeatures(ctx, p.Device, k, p.rows, z, wanted)
	if f == nil {
		return newInducing(ctx, p.Threads, k, z)
	}
	u := &inducing{kernel: k, points: z, jitter: f.Jitter(), threads: p.Threads, on: f}
	l := linalg.New[float64](z.Len(), z.Len())
	self, err := selvesOf(ctx, k, p.rows, z)
	if err == nil && p.flat == nil {
		p.flat, err = flatten(ctx, p.rows)
	}
	if err == nil {
		err = f.FactorTo(linalg.Dense(l))
	}
	if err != nil {
		u.leave()
		return newInducing(ctx, p.Threads, k, z)
	}
	u.chol = &linalg.Cholesky{L: l}
	known := f.Known()
	u.lost = make([]float64, len(known))
	par.For(p.Threads, len(known), deviceChunk, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			u.lost[i] = self.lost(i, known[i])
		}
	})
	return u, nil
}

// lookDevice is look with all that takes n·M² or M³ operations on a device. The expectations are the
// processors', one row after another.
func (p *variationalProblem) lookDevice(ctx context.Context, q *variational) error {
	n, m := p.rows.Len(), q.count()
	columns := func() [][]float64 {
		out := make([][]float64, p.outputs)
		for c := range out {
			out[c] = make([]float64, n)
		}
		return out
	}
	mean, variance, pull := columns(), columns(), columns()
	q.pull, q.bend = columns(), columns()
	divergence := 0.0
	for c := range p.outputs {
		more, err := p.meetDevice(q, c, mean[c], variance[c])
		if err != nil {
			return err
		}
		divergence += more
	}
	sum := rowSums(p.Threads, n, 1, func(lo, hi int, sum []float64) {
		var rule quadrature
		one := make([]float64, 4*p.outputs)
		at := func(k int) []float64 { return one[k*p.outputs : (k+1)*p.outputs] }
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			for c := range p.outputs {
				at(0)[c], at(1)[c] = mean[c][i], q.lost[i]+variance[c][i]
			}
			w := p.flat.weights[i]
			sum[0] += w * rule.expected(int(p.flat.targets[i]), at(0), at(1), at(2), at(3))
			for c := range p.outputs {
				byMean, byVariance := w*at(2)[c], w*at(3)[c]
				q.pull[c][i], q.bend[c][i], pull[c][i] = byMean, math.Max(-2*byVariance, 0), byMean-2*byVariance*at(0)[c]
			}
		}
	})[0]
	if err := ctx.Err(); err != nil {
		return err
	}
	slope, v := linalg.New[float64](m, p.outputs), make([]float64, m)
	q.nextNatural, q.next = linalg.New[float64](m, p.outputs), nil
	for c := range p.outputs {
		if err := q.on.TransposedTo(v, q.pull[c]); err != nil {
			return err
		}
		setColumn(slope, c, v)
		if err := q.on.TransposedTo(v, pull[c]); err != nil {
			return err
		}
		setColumn(q.nextNatural, c, v)
		q.next = append(q.next, linalg.New[float64](m, m))
		if err := q.on.MomentTo(linalg.Dense(q.next[c]), q.bend[c]); err != nil {
			return err
		}
	}
	p.judge(q, sum-divergence, slope)
	return nil
}

// meetDevice finds the mean of an output with what q says of the rows, and its part of KL(q ‖ p).
func (p *variationalProblem) meetDevice(
	q *variational, c int, mean, variance []float64,
) (divergence float64, err error) {
	a, err := q.on.Precision(linalg.Dense(q.precision[c]))
	if err != nil {
		return 0, err
	}
	defer a.Close()
	v := column(q.natural, c)
	if err := a.SolveTo(v); err != nil {
		return 0, err
	}
	setColumn(q.mean, c, v)
	if err := q.on.TimesTo(mean, v); err != nil {
		return 0, err
	}
	if err := a.SpreadTo(variance); err != nil {
		return 0, err
	}
	trace, err := a.InverseTrace()
	divergence = trace - float64(len(v)) + a.LogDet()
	for _, x := range v {
		divergence += x * x
	}
	return 0.5 * divergence, err
}

// gradientDevice is gradient at the q that was looked at last.
func (p *variationalProblem) gradientDevice(
	ctx context.Context, q *variational, grad []float64, wanted []bool, dim int,
) error {
	var terms []gram.FeatureTerm
	self := make([]float64, p.rows.Len())
	for c := range p.outputs {
		a, err := q.on.Precision(linalg.Dense(q.precision[c]))
		if err != nil {
			return err
		}
		defer a.Close()
		terms = append(terms, gram.FeatureTerm{Pull: q.pull[c], Mean: column(q.mean, c), Moment: a, Weights: q.bend[c]})
		for i, v := range q.bend[c] {
			self[i] -= 0.5 * v
		}
	}
	params := len(kernel.Params(q.kernel))
	var points []float64
	if dim > 0 {
		points = grad[params:]
	}
	if err := q.on.SlopesTo(ctx, grad[:params], points, terms, nil); err != nil {
		return err
	}
	return selfGrad(ctx, q.kernel, p.rows, grad[:params], wanted, self)
}
