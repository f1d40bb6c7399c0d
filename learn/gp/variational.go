package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
)

// variationalProblem is rows with classes to learn from through few points. The target of a row is
// the number of its class.
type variationalProblem struct {
	learn.Resources
	rows    data.Source[any]
	census  fitting.Census
	outputs int // 1 for two classes, else their number
	steps   int
	tol     float64
	flat    *flatRows // of all rows, once a device has asked for them
}

// variational is q(f) for each output: f(x) = ⟨φ(x), v⟩ + what Z does not know, with v ~ N(m, A⁻¹)
// in place of N(0, I) (the whitened form). The bound is
//
//	ELBO = Σ w E log p(y | f) - KL(q(v) ‖ N(0, I)).
//
// A natural gradient step of length 1 makes A = I + Σ wgφφᵀ and Am = Σ wφ(∂E/∂μ + gμ), g = -2
// ∂E/∂variance ≥ 0 (Khan and Lin 2017), which is Newton's step as if the expectations were a
// quadratic; shorter steps mix that with what was before.
type variational struct {
	*inducing
	mean      linalg.Matrix[float64] // m, a column for each output
	precision []linalg.Matrix[float64]
	root      []*linalg.Cholesky // of the precisions
	natural   linalg.Matrix[float64]
	value     float64
	residual  float64
	iterated  int
	settled   bool
	length    float64 // of the last steps

	next        []linalg.Matrix[float64] // A after a whole step
	nextNatural linalg.Matrix[float64]

	pull, bend [][]float64 // on a device, of each output: w∂E/∂μ and -2w∂E/∂v of every row
}

// prior is q = p, on memory of its own.
func (p *variationalProblem) prior(u *inducing) *variational {
	m := u.count()
	q := &variational{inducing: u, mean: linalg.New[float64](m, p.outputs), natural: linalg.New[float64](m, p.outputs)}
	for range p.outputs {
		q.precision = append(q.precision, unitMatrix(m))
	}
	return q
}

func unitMatrix(m int) linalg.Matrix[float64] {
	a := linalg.New[float64](m, m)
	for i := range m {
		a.Set(i, i, 1)
	}
	return a
}

// factorise makes the roots and means of natural parameters.
func (p *variationalProblem) factorise(ctx context.Context, q *variational) error {
	q.root = make([]*linalg.Cholesky, p.outputs)
	for c := range q.root {
		chol, err := linalg.NewCholeskyContext(ctx, p.Threads, q.precision[c].Clone())
		if err != nil {
			return err
		}
		q.root[c] = chol
		m := column(q.natural, c)
		chol.Solve(p.Threads, fitting.Column(m))
		setColumn(q.mean, c, m)
	}
	return nil
}

func column(a linalg.Matrix[float64], c int) []float64 {
	out := make([]float64, a.Rows)
	for i := range out {
		out[i] = a.At(i, c)
	}
	return out
}

func setColumn(a linalg.Matrix[float64], c int, v []float64) {
	for i, x := range v {
		a.Set(i, c, x)
	}
}

// rowMoments is what q says of the rows of a block, and the expectations there.
type rowMoments struct {
	mean, variance     linalg.Matrix[float64] // a row each, a column for each output
	byMean, byVariance linalg.Matrix[float64]
	value              []float64
	spread             []linalg.Matrix[float64] // ΦR⁻ᵀ of each output, A = RRᵀ
}

// moments are those of a block: the variance is k(x, x) - ‖φ‖² + ‖R⁻¹φ‖².
func (p *variationalProblem) moments(
	ctx context.Context, q *variational, b data.Block[any], x features,
) (rowMoments, error) {
	n, outputs := b.Len(), p.outputs
	one := func() linalg.Matrix[float64] { return linalg.New[float64](n, outputs) }
	r := rowMoments{mean: one(), variance: one(), byMean: one(), byVariance: one(), value: make([]float64, n)}
	linalg.Gemm(p.Threads, linalg.NoTrans, linalg.NoTrans, 1, x.phi, q.mean, 0, r.mean)
	for c := range outputs {
		t := x.phi.Clone()
		if err := linalg.TrsmContext(ctx, p.Threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, q.root[c].L,
			t); err != nil {
			return r, err
		}
		r.spread = append(r.spread, t)
	}
	fitting.Rows(ctx, p.Threads, n, 16, func(lo, hi int) {
		var rule quadrature
		for i := lo; i < hi; i++ {
			lost := x.self[i] - x.known(i)
			for c := range outputs {
				r.variance.Set(i, c, lost+fitting.SquaredNorm(r.spread[c].Row(i)))
			}
			r.value[i] = rule.expected(int(b.Target(i)[0]), r.mean.Row(i), r.variance.Row(i), r.byMean.Row(i),
				r.byVariance.Row(i))
		}
	})
	return r, ctx.Err()
}

// look evaluates the bound at q, where a whole step would lead, and how far q is from there.
func (p *variationalProblem) look(ctx context.Context, q *variational) error {
	if q.on != nil {
		err := p.lookDevice(ctx, q)
		if err == nil || errors.Is(err, gram.ErrDependent) || ctx.Err() != nil {
			return err
		}
		q.leave()
	}
	if err := p.factorise(ctx, q); err != nil {
		return err
	}
	m := q.count()
	q.nextNatural = linalg.New[float64](m, p.outputs)
	q.next = nil
	for range p.outputs {
		q.next = append(q.next, unitMatrix(m))
	}
	slope := linalg.New[float64](m, p.outputs) // Σ wφ ∂E/∂μ
	sum := 0.0
	if err := q.visit(ctx, p.rows, func(b data.Block[any], x features) error {
		r, err := p.moments(ctx, q, b, x)
		if err != nil {
			return err
		}
		pull := linalg.New[float64](b.Len(), p.outputs)
		for i, v := range r.value {
			w := b.Weight(i)
			sum += w * v
			for c := range p.outputs {
				r.byMean.Set(i, c, w*r.byMean.At(i, c))
				r.byVariance.Set(i, c, w*r.byVariance.At(i, c))
				pull.Set(i, c, r.byMean.At(i, c)-2*r.byVariance.At(i, c)*r.mean.At(i, c))
			}
		}
		linalg.Gemm(p.Threads, linalg.Trans, linalg.NoTrans, 1, x.phi, r.byMean, 1, slope)
		linalg.Gemm(p.Threads, linalg.Trans, linalg.NoTrans, 1, x.phi, pull, 1, q.nextNatural)
		for c := range p.outputs {
			scaled := r.spread[c] // no longer needed
			for i := range scaled.Rows {
				root := math.Sqrt(math.Max(-2*r.byVariance.At(i, c), 0))
				to := scaled.Row(i)
				for j, v := range x.phi.Row(i) {
					to[j] = root * v
				}
			}
			if err := linalg.SyrkContext(ctx, p.Threads, linalg.Lower, linalg.Trans, 1, scaled, 1, q.next[c]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	divergence, err := p.divergence(ctx, q)
	p.judge(q, sum-divergence, slope)
	return err
}

// judge notes the bound and how far q is from where a whole step would lead.
func (p *variationalProblem) judge(q *variational, value float64, slope linalg.Matrix[float64]) {
	q.value, q.residual = value, 0
	for c := range p.outputs {
		g, length := 0.0, 1.0
		for i := range slope.Rows {
			d := slope.At(i, c) - q.mean.At(i, c)
			g += d * d
			length += q.mean.At(i, c) * q.mean.At(i, c)
		}
		q.residual = math.Max(q.residual, math.Max(math.Sqrt(g/length), difference(q.precision[c], q.next[c])))
	}
}

// difference is ‖A - B‖/‖B‖ of lower triangles.
func difference(a, b linalg.Matrix[float64]) float64 {
	top, below := 0.0, 0.0
	for i := range a.Rows {
		for j, v := range a.Row(i)[:i+1] {
			d := v - b.At(i, j)
			top += d * d
			below += b.At(i, j) * b.At(i, j)
		}
	}
	return math.Sqrt(top / below)
}

// divergence is KL(q ‖ p) = Σ ½(tr A⁻¹ + ‖m‖² - M + log det A).
func (p *variationalProblem) divergence(ctx context.Context, q *variational) (float64, error) {
	total := 0.0
	for c, chol := range q.root {
		inverse, err := chol.InverseContext(ctx, p.Threads)
		if err != nil {
			return 0, err
		}
		for i := range inverse.Rows {
			m := q.mean.At(i, c)
			total += 0.5 * (inverse.At(i, i) + m*m - 1)
		}
		total += 0.5 * chol.LogDet()
	}
	return total, nil
}

// climb takes natural gradient steps from q to the best of its kind. When the context ends, the
// last finished step comes beside the error.
func (p *variationalProblem) climb(ctx context.Context, q *variational, report trace.Func) (*variational, error) {
	start := time.Now()
	if err := p.look(ctx, q); err != nil {
		return nil, err
	}
	length, good := 1.0, 0
	if q.length > 0 {
		length = q.length // where another search of its kind ended
	}
	var last mixture
	last.add(q)
	for q.iterated < p.steps && q.residual > p.tol && length > 1e-6 {
		to := p.mixed(ctx, q, last)
		mixed := to != nil
		if !mixed {
			to = p.towards(q, length)
		}
		err := p.look(ctx, to)
		if ctx.Err() != nil {
			return q, ctx.Err()
		}
		up := err == nil && to.value >= q.value-1e-12*math.Abs(q.value)
		if !up && !(mixed && err == nil && to.residual <= q.residual/2) { // too far: the expectations are no quadratic
			if mixed {
				last = last[:0]
				last.add(q)
			} else {
				length, good = length/2, 0
			}
			continue
		}
		last.add(to)
		to.iterated = q.iterated + 1
		q = to
		report.Report(trace.Step{Iteration: q.iterated, Objective: -q.value, Residual: q.residual,
			Elapsed: time.Since(start)})
		if mixed {
			continue
		}
		if good++; good == 4 { // what was too far before is likely to be too far again
			length, good = math.Min(1, 2*length), 0
		}
	}
	q.length = length
	q.settled = q.residual <= p.tol
	return q, ctx.Err()
}

// towards is q a part of the way to where its natural gradient leads.
func (p *variationalProblem) towards(q *variational, length float64) *variational {
	to := p.prior(q.inducing)
	mix := func(dst, a, b []float64) {
		for i := range dst {
			dst[i] = (1-length)*a[i] + length*b[i]
		}
	}
	mix(to.natural.Data, q.natural.Data, q.nextNatural.Data)
	for c := range to.precision {
		mix(to.precision[c].Data, q.precision[c].Data, q.next[c].Data)
	}
	return to
}

// solve is the best q with a kernel and inducing points, from where another one was, nil: from a
// sample of the rows. wanted is the
// parameters that gradient will be asked for; what it leaves on a device is the caller's to leave.
func (p *variationalProblem) solve(
	ctx context.Context, k kernel.Kernel[any], z data.Points[any], wanted []bool, from *variational, report trace.Func,
) (*variational, error) {
	var err error
	if from == nil {
		if from, err = p.sampled(ctx, k, z); err != nil {
			return nil, err
		}
	}
	u, err := p.inducing(ctx, k, z, wanted)
	if err != nil {
		return nil, err
	}
	q := p.prior(u)
	if from != nil {
		q.length = from.length
		copy(q.natural.Data, from.natural.Data)
		for c := range q.precision {
			copy(q.precision[c].Data, from.precision[c].Data)
		}
	}
	q, err = p.climb(ctx, q, report)
	if q != nil && err == nil && (math.IsNaN(q.value) || math.IsInf(q.value, 0)) {
		q, err = nil, fmt.Errorf("the bound is %g; scale the kernel", q.value)
	}
	if err != nil {
		u.leave()
	}
	return q, err
}

// gradient sets grad to the derivatives of the bound by the parameters of the kernel that are
// wanted and, with dim > 0, by the inducing points. q is at its best, so that it may be held: φ̄ =
// w Σ (∂E/∂μ m + 2 ∂E/∂v (A⁻¹ - I)φ).
func (p *variationalProblem) gradient(
	ctx context.Context, q *variational, grad []float64, wanted []bool, dim int,
) error {
	if q.on != nil && p.gradientDevice(ctx, q, grad, wanted, dim) == nil {
		return nil
	}
	if q.root == nil { // a device had its own
		if err := p.factorise(ctx, q); err != nil {
			return err
		}
	}
	d := newSlopes(q.inducing, wanted, dim)
	if err := q.visit(ctx, p.rows, func(b data.Block[any], x features) error {
		r, err := p.moments(ctx, q, b, x)
		if err != nil {
			return err
		}
		for i := range b.Len() {
			for c := range p.outputs {
				r.byMean.Set(i, c, b.Weight(i)*r.byMean.At(i, c))
				r.byVariance.Set(i, c, b.Weight(i)*r.byVariance.At(i, c))
			}
		}
		bar, selfbar := linalg.New[float64](b.Len(), q.count()), make([]float64, b.Len())
		linalg.Gemm(p.Threads, linalg.NoTrans, linalg.Trans, 1, r.byMean, q.mean, 0, bar)
		for c, t := range r.spread {
			if err := linalg.TrsmContext(ctx, p.Threads, linalg.Right, linalg.Lower, linalg.NoTrans, linalg.NonUnit, 1,
				q.root[c].L, t); err != nil {
				return err
			}
			for i := range bar.Rows {
				v := r.byVariance.At(i, c)
				selfbar[i] += v
				to, phi := bar.Row(i), x.phi.Row(i)
				for j, s := range t.Row(i) {
					to[j] += 2 * v * (s - phi[j])
				}
			}
		}
		return d.add(ctx, b.Points, x, bar, selfbar)
	}); err != nil {
		return err
	}
	if err := d.finish(ctx); err != nil {
		return err
	}
	copy(grad, d.theta)
	copy(grad[len(d.theta):], d.points.Data)
	return nil
}
