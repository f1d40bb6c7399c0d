package nystrom

import (
	"context"
	"errors"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// Kernel values in single precision are off by u = 2⁻²⁴, and KᵀWK in the norm by about u√(MΣw)·max
// k. L⁻¹ from both sides makes that an error of 1/d in a coordinate whose pivot of K(C, C) is d;
// the matrix itself is λ + dΣw/M there. So single precision is for the first coordinates, the large
// pivots, as far as the error is below singleShare of the matrix; the rest waits for double
// precision. Rounds of refinement take the error out again: each solves for the residual in double
// precision.
const (
	singleShare = 0.1
	singleGain  = 2e-6 // a round's tolerance: a residual in double precision costs as much as some iterations
	singleSteps = 40   // its iterations, at the most
	leastGain   = 0.3  // of a round that is followed by another
	leastPart   = 0.25 // of the coordinates, for which it is worth the while
)

// leading is the number of coordinates that single precision can serve.
func (r *run) leading() int {
	b, p := r.f.p.basis, r.f.p
	top := 0.0
	for i := range b.dim() {
		top = math.Max(top, b.l.pivot(i))
	}
	noise := 0x1p-24 * math.Sqrt(float64(b.dim())*p.weight) * top * top
	for i := range b.dim() {
		d := b.l.pivot(i) * b.l.pivot(i)
		if noise > singleShare*d*(r.lambda+d*p.weight/float64(b.dim())) {
			return i
		}
	}
	return b.dim()
}

// inSingle improves v in single precision, and says whether it did anything. The solution is
// settled where the residual in double precision says so.
func (r *run) inSingle(ctx context.Context, v linalg.Matrix[float64], warm bool) (bool, error) {
	f, m := r.f, r.leading()
	// without pivots small ones stand anywhere, and a round in vain costs a device less than an
	// iteration in double precision
	if f.p.basis.device != nil {
		m = v.Rows
	}
	if float64(m) < leastPart*float64(v.Rows) {
		return false, nil
	}
	centers := data.Span(f.p.basis.centers, 0, m)
	pair, err := f.p.closing(gram.NewPair(f.p.kernel, f.p.rows, centers,
		gram.PairOptions{Threads: f.p.Threads, Precision: gram.Single, Device: f.p.Device}))
	if err != nil {
		return false, err
	}
	rest, before := f.b.Clone(), math.Inf(1)
	for first := !warm; r.left > 0; first = false {
		if !first {
			if rest, err = f.residual(ctx, v, r.lambda); err != nil {
				return true, err
			}
		}
		lead := rest.Slice(0, m, 0, v.Cols).Clone()
		r.out.residual = largestRatio(rest, f.b)
		now := largestRatio(lead, f.b)
		if r.out.settled = r.out.residual <= f.p.Tol; r.out.settled || now > leastGain*before || now < f.p.Tol/4 {
			return true, nil
		}
		before = now
		step, all := linalg.New[float64](m, v.Cols), r.out.residual
		_, err := r.iterate(ctx, pair, step, lead, math.Max(singleGain, f.p.Tol/now/4), singleSteps, false, true,
			func() []float64 {
				sum := v.Clone()
				for i, d := range step.Data {
					sum.Data[i] += d
				}
				return sum.Data
			})
		var bent *solve.NotPositive
		if errors.As(err, &bent) {
			err = nil // rounding, in a direction that is as good as flat: what was gained before is kept
		}
		for i := range m {
			for j, d := range step.Row(i) {
				v.Row(i)[j] += d
			}
		}
		if r.out.residual *= all; err != nil {
			return true, err
		}
	}
	return true, nil
}
