package ridge

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// kernelBlocks is S·K·S by rows, evaluated when they are asked for.
type kernelBlocks struct {
	p    *ridgeProblem
	ctx  context.Context
	base *kernel.Base[any]
	on   *gram.DeviceRows[any] // nil: the processor's
	own  *bool                 // the device solves for blocks
}

// Dims is the shape of K.
func (o kernelBlocks) Dims() (int, int) { return o.p.x.Len(), o.p.x.Len() }

// rows is S[index]·K[index, :]·S·v.
func (o kernelBlocks) rows(dst *mat.Dense, x data.Points[any], v *mat.Dense) {
	in := linalg.Of(v)
	if o.p.s != nil {
		in = in.Clone()
		o.p.scaleRows(in)
	}
	// the error is that of the context, which the solver looks at
	if done, err := o.on.MulTo(o.ctx, dst, x, linalg.Dense(in)); done || err != nil {
		return
	}
	gram.FromTiles(o.base.Prepare(o.ctx, x), gram.Options{Threads: o.p.Threads}).MulTo(dst, linalg.Dense(in), false)
}

// MulTo sets dst = S·K·S·v.
func (o kernelBlocks) MulTo(dst, v *mat.Dense, _ bool) {
	o.rows(dst, o.p.x, v)
	o.p.scaleRows(linalg.Of(dst))
}

// RowsTo sets dst = (S·K·S)[index, :]·v.
func (o kernelBlocks) RowsTo(dst *mat.Dense, index []int, v *mat.Dense) {
	o.rows(dst, data.Gather(o.p.x, index), v)
	if o.p.s != nil {
		for r, i := range index {
			row := linalg.Of(dst).Row(r)
			for j := range row {
				row[j] *= o.p.s[i]
			}
		}
	}
}

// BlockTo sets dst = (S·K·S)[index, index].
func (o kernelBlocks) BlockTo(dst *mat.Dense, index []int) {
	x, d := data.Gather(o.p.x, index), linalg.Of(dst)
	kernel.FillSym(o.p.Threads, blas64.General(d), kernel.Prepare(o.ctx, o.p.kernel, x, x))
	if o.p.s != nil {
		for r, i := range index {
			row := d.Row(r)
			for c, j := range index {
				row[c] *= o.p.s[i] * o.p.s[j]
			}
		}
	}
}

// SolveBlock factorises K[index, index] + shift·I on the device, where there is one and points have
// the same weight. A failure is the last.
func (o kernelBlocks) SolveBlock(dst *mat.Dense, index []int, shift float64, r *mat.Dense) bool {
	k, vectors := kernel.Concrete(o.p.kernel).(kernel.Kernel[kernel.Vec])
	if !*o.own || !vectors {
		return false
	}
	f, err := gram.NewCenterFactor(o.p.Device, k, data.Concrete(data.Gather(o.p.x, index)).(data.Points[kernel.Vec]),
		shift)
	if err == nil {
		defer f.Close()
		dst.Copy(r)
		if err = f.SolveTo(dst, false); err == nil {
			err = f.SolveTo(dst, true)
		}
	}
	*o.own = err == nil
	return *o.own
}

// The coordinates that are taken at a time: a hundredth of all of them, or a twentieth where a
// device factorises the block, which takes it no longer than the rows of K (H200: some milliseconds
// for 8000 of them and 200 000 points).
const (
	blockShare  = 100
	deviceShare = 20
	leastBlock  = 50
	deviceBlock = 8000 // at the most
	deviceLeast = 1000 // else the processor is as soon done

	fewestEpochs = 10 // that a solution takes
)

// blockFor is how many coordinates are taken at a time, and whether a device is to factorise their
// block.
func (p *ridgeProblem) blockFor(n int) (block int, byDevice bool) {
	large := min(n/deviceShare, deviceBlock)
	if p.s == nil && large >= deviceLeast && 16*int64(large)*int64(large) <= p.Bytes/2 &&
		p.Device.Expect(fewestEpochs*float64(n)*float64(n), p.Threads) {
		return large, true
	}
	return max(n/blockShare, min(n, leastBlock)), false
}

// solveASkotch never holds more than a block of K and some vectors. When the context ends after an
// epoch the solution is that of the last one, beside its error.
func (p *ridgeProblem) solveASkotch(ctx context.Context, tol float64, rank int, seed uint64) (*ridgeSolution, error) {
	n, right := len(p.keep), p.right()
	block, byDevice := p.blockFor(n)
	used := 8 * (2*int64(block)*int64(block) + 6*int64(n)*int64(right.Cols))
	if used > p.Bytes {
		return nil, &learn.OverBudget{Learner: ASkotch.String(), Points: n, Needs: used, Budget: p.Bytes,
			Instead: "give it more memory: a block of the kernel matrix and some vectors are the least"}
	}
	x := linalg.New[float64](n, right.Cols)
	s := solve.ASkotch{Shift: p.lambda, Block: block, Rank: rank, Tol: tol, Threads: p.Threads, Seed: seed, Trace: p.Trace}
	on := gram.NewDeviceRows(p.Device, p.kernel, p.x, gram.Double, p.Threads)
	defer on.Close()
	res, err := s.Solve(ctx, kernelBlocks{p, ctx, kernel.NewBase(p.kernel, p.x), on, &byDevice}, linalg.Dense(x),
		linalg.Dense(right))
	each := (n + block - 1) / block
	switch {
	case ctx.Err() != nil && res.Iterations < each: // no epoch was finished
		return nil, ctx.Err()
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("K + λI with λ = %g: %w", p.lambda, err)
	}
	beta, c, err := p.combine(x)
	if err != nil {
		return nil, err
	}
	return &ridgeSolution{beta: beta, c: c, residual: res.Residual, steps: res.Iterations, bytes: used, how: ASkotch,
		settled: res.Converged}, ctx.Err()
}
