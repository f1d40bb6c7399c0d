package nystrom

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// falkon is the equations (ΦᵀWΦ + λI)v = ΦᵀWy, Φ = K(X, C)L⁻ᵀ, by products with K(X, C) in passes
// over the rows. The preconditioner is the same matrix as the centres know it, Σ sφ(c)φ(c)ᵀ + λI.
// For centres drawn evenly and without weights that is (n/M)·LᵀL + λI, the preconditioner of Rudi,
// Carratino and Rosasco (2017, eq. 13) in the coordinates v = Lᵀα: their iterates are these. With
// an intercept everything is about the means: v sees Kα - c, c its mean over the rows.
type falkon struct {
	p      *problem
	double gram.Pair[any]
	b      linalg.Matrix[float64]
	mean   []float64 // of φ over the rows; nil without an intercept
	ofRows []float64 // of k(C, x) over the rows, likewise
	moment linalg.Matrix[float64]
}

func (p *problem) newFalkon(ctx context.Context) (*falkon, error) {
	f := &falkon{p: p}
	var err error
	if f.double, err = p.closing(gram.NewPair(p.kernel, p.rows, p.basis.centers,
		gram.PairOptions{Threads: p.Threads, Device: p.Device})); err != nil {
		return nil, err
	}
	if err := f.rightSide(ctx); err != nil {
		return nil, err
	}
	switch {
	case p.basis.device != nil: // the preconditioner is made there
	case p.Sketch > 0:
		f.moment, err = p.sketch(ctx)
	default:
		f.moment = p.basis.secondMoment(p.intercept, nil)
	}
	return f, err
}

// rightSide makes b = L⁻¹KᵀW(y - mean) and the means of φ in one pass.
func (f *falkon) rightSide(ctx context.Context) error {
	p, m, outputs := f.p, f.p.basis.dim(), f.p.outputs
	columns := outputs
	if p.intercept { // the means need one more
		columns++
	}
	both := linalg.New[float64](m, columns)
	if err := f.double.MulTo(ctx, linalg.Dense(both), nil, func(b data.Block[any], _, u *mat.Dense) {
		out := linalg.Of(u)
		for i := range b.Len() {
			row, w := out.Row(i), b.Weight(i)
			p.target(row[:outputs], b, i)
			for j := range row[:outputs] {
				row[j] = w * (row[j] - p.mean[j])
			}
			if p.intercept {
				row[outputs] = w
			}
		}
	}); err != nil {
		return err
	}
	if p.intercept {
		f.ofRows = make([]float64, m)
		for j := range m {
			f.ofRows[j] = both.At(j, outputs) / p.weight
		}
	}
	p.basis.l.solve(both, false)
	f.b = both.Slice(0, m, 0, outputs).Clone()
	if p.intercept {
		f.mean = make([]float64, m)
		for j := range m {
			f.mean[j] = both.At(j, outputs) / p.weight
		}
	}
	return ctx.Err()
}

// failable is a context that also ends with the first error of a pass: solvers of operators know no
// other way to be told.
type failable struct {
	context.Context
	failed error
}

// Err is the error of the pass, or that of the context.
func (c *failable) Err() error {
	if c.failed != nil {
		return c.failed
	}
	return c.Context.Err()
}

// operator is ΦᵀWΦ on the first coordinates, as many as the pair has centres: the first rows of L⁻¹
// need no more of K, since L is triangular.
type operator struct {
	f    *falkon
	pair gram.Pair[any]
	l    triangle
	m    int
	ctx  *failable
}

func (f *falkon) operator(ctx *failable, pair gram.Pair[any]) *operator {
	_, m := pair.Dims()
	return &operator{f, pair, f.p.basis.l, m, ctx}
}

// Dims is the number of coordinates, twice.
func (o *operator) Dims() (int, int) { return o.m, o.m }

// MulTo sets dst = ΦᵀWΦv.
func (o *operator) MulTo(dst, v *mat.Dense, _ bool) {
	f := o.f
	alpha := linalg.Of(v).Clone()
	o.l.solve(alpha, true)
	shift := make([]float64, alpha.Cols)
	if f.ofRows != nil {
		for j := range alpha.Rows {
			for c, a := range alpha.Row(j) {
				shift[c] += f.ofRows[j] * a
			}
		}
	}
	err := o.pair.MulTo(o.ctx.Context, dst, linalg.Dense(alpha), func(b data.Block[any], kv, u *mat.Dense) {
		in, out := linalg.Of(kv), linalg.Of(u)
		for i := range b.Len() {
			w, row := b.Weight(i), out.Row(i)
			for c, t := range in.Row(i) {
				row[c] = w * (t - shift[c])
			}
		}
	})
	if err != nil {
		o.ctx.failed = err
		return
	}
	o.l.solve(linalg.Of(dst), false)
}

// factor is a Cholesky factorisation, or the first rows of one, as a preconditioner.
type factor struct{ l triangle }

// ApplyTo sets dst = P·r.
func (c factor) ApplyTo(dst, r *mat.Dense) {
	dst.Copy(r)
	c.l.solve(linalg.Of(dst), false)
	c.l.solve(linalg.Of(dst), true)
}

// preconditioner factorises what the centres know of the matrix.
func preconditioner(ctx context.Context, threads int, moment linalg.Matrix[float64], lambda float64) (factor, error) {
	a := moment.Clone()
	for i := range a.Rows {
		a.Row(i)[i] += lambda
	}
	chol, err := linalg.NewCholeskyContext(ctx, threads, a)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("preconditioner with λ = %g: %w; raise lambda", lambda, err)
	}
	return factor{onHost{chol, threads}}, err
}

// solve goes on from v, which it overwrites, to the solution for λ. When the context ends the
// solution is the last finished iterate, beside the error.
func (f *falkon) solve(ctx context.Context, lambda float64, v linalg.Matrix[float64], warm bool) (*solution, error) {
	pre, err := f.preconditioner(ctx, lambda)
	if err != nil {
		return nil, err
	}
	r := &run{f: f, lambda: lambda, pre: pre, left: f.p.MaxIterations, out: &solution{v: v, condition: 1, residual: 1}}
	if f.p.Start != nil && !warm {
		if len(f.p.Start) != len(v.Data) {
			return nil, fmt.Errorf("Start has %d numbers, and %d centres with %d outputs have %d", len(f.p.Start), v.Rows,
				v.Cols, len(v.Data))
		}
		copy(v.Data, f.p.Start)
		warm = true
	}
	if !warm {
		clear(v.Data)
	}
	if f.p.Precision == gram.Single || f.p.Device != nil {
		started, err := r.inSingle(ctx, v, warm)
		if err != nil || r.out.settled {
			return f.solved(r.out), err
		}
		warm = warm || started
	}
	if r.left > 0 {
		r.out.settled, err = r.iterate(ctx, f.double, v, f.b, f.p.Tol, r.left, warm, false,
			func() []float64 { return v.Data })
	}
	return f.solved(r.out), err
}

// run is the way to one solution.
type run struct {
	f      *falkon
	lambda float64
	pre    factor
	left   int // iterations
	out    *solution
}

// iterate is conjugate gradients on the first coordinates, as many as x has; state is the solution
// so far, with what x adds to it. carried says that the residual is made anew by whoever asks,
// where iterations are left.
func (r *run) iterate(
	ctx context.Context, pair gram.Pair[any], x, b linalg.Matrix[float64], tol float64, most int, warm, carried bool,
	state func() []float64,
) (bool, error) {
	inner := &failable{Context: ctx}
	tell := r.f.p.Trace
	if keep, before := r.f.p.Keep, r.out.steps; keep != nil {
		tell = func(s trace.Step) {
			keep(before+s.Iteration, state())
			r.f.p.Trace.Report(s)
		}
	}
	res, err := solve.CG{Shift: r.lambda, Precond: r.pre, Tol: tol, MaxIter: min(most, r.left), Trace: tell,
		WarmStart: warm, Carried: carried}.
		Solve(inner, r.f.operator(inner, pair), linalg.Dense(x), linalg.Dense(b))
	r.left -= res.Iterations
	r.out.steps += res.Iterations
	r.out.condition = math.Max(r.out.condition, res.Condition())
	r.out.residual = 0
	for _, v := range res.Residual {
		r.out.residual = math.Max(r.out.residual, v)
	}
	return res.Converged, err
}

// residual is b - (ΦᵀWΦ + λI)v in double precision.
func (f *falkon) residual(
	ctx context.Context, v linalg.Matrix[float64], lambda float64,
) (linalg.Matrix[float64], error) {
	inner := &failable{Context: ctx}
	hv := linalg.New[float64](v.Rows, v.Cols)
	f.operator(inner, f.double).MulTo(linalg.Dense(hv), linalg.Dense(v), false)
	if err := inner.Err(); err != nil {
		return hv, err
	}
	for i, b := range f.b.Data {
		hv.Data[i] = b - hv.Data[i] - lambda*v.Data[i]
	}
	return hv, nil
}

// solved adds the intercept and the objective, Σ w‖y‖² - ⟨v, b⟩ at a solution.
func (f *falkon) solved(s *solution) *solution {
	s.objective = f.p.square
	for i, x := range s.v.Data {
		s.objective -= x * f.b.Data[i]
	}
	s.objective = math.Max(s.objective, 0)
	if f.mean != nil {
		s.bias = biases(f.p.mean, f.mean, s.v)
	}
	return s
}
