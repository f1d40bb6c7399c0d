package gram

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/trace"
)

// How working sets are solved. Measured on an H200 (100 000, 400 000 and 2 000 000 points, prices 1
// and 10): sets of 512, 1024 and 2048 variables differ by a tenth; shares of 0.02 to 0.2 inside
// them by a tenth, too, once pair updates of a set are bounded by 256 to 1024, and by half without.
const (
	boxSet    = 1024
	boxInner  = 0.05    // of the violation outside, reached inside the set
	boxLimit  = 512     // pair updates of a set
	boxBatch  = 8       // working sets between two looks at how far it is
	boxRounds = 20      // times that Kβ is made anew, at most
	boxStall  = 2000    // working sets without progress
	boxMargin = 0.9     // of the tolerance, aimed at in single precision
	boxDrift  = 0.25    // of the tolerance: single precision that drifts further in a later round has too few digits
	renewMost = 1 << 17 // points at a time that Kβ is made of
)

// boxRun is one solution under way.
type boxRun struct {
	*BoxSystem
	ctx   context.Context
	box   *cuda.Box
	o     BoxOptions
	p     BoxProgram
	state cuda.BoxState
	start time.Time
	beta  []float64
	f     []float64
}

// Solve finds β from a feasible start (nil: zeros). Working sets are chosen, solved and Kβ brought
// up to date on the device, in single precision; where the violation is below the tolerance Kβ is
// made anew from all of β in double precision, and the violation by that is what is certified.
// While it is above the tolerance the solution goes on from there, in double precision where single
// precision had drifted away by as much as matters.
func (b *BoxSystem) Solve(ctx context.Context, p BoxProgram, beta []float64, o BoxOptions) (_ *BoxSolution, err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			b.device.gaveUp(err, fmt.Sprintf("a machine of %d points", b.n))
			err = fault.In("gram", err)
		}
	}()
	vars := len(p.Linear)
	if o.Tol == 0 {
		o.Tol = 1e-3
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = max(1e7, 1000*vars)
	}
	if o.WorkingSet == 0 {
		o.WorkingSet = boxSet
	}
	r := &boxRun{BoxSystem: b, ctx: ctx, o: o, p: p, start: time.Now(), beta: make([]float64, vars),
		f: make([]float64, b.n)}
	copy(r.beta, beta)
	if r.box, err = cuda.NewBox(b.chip, b.queue, r.program(), b.n, max(min(o.WorkingSet, cuda.MostBoxSet, vars), 2),
		b.square, b.single, b.double); err != nil {
		return nil, err
	}
	defer func() {
		_ = b.chip.Sync(b.queue)
		r.box.Close()
	}()
	return r.solve()
}

// program is p as the kernels take it.
func (r *boxRun) program() cuda.BoxProgram {
	p := cuda.BoxProgram{Point: make([]int32, len(r.beta)), Group: make([]uint8, len(r.beta)), Groups: max(r.p.Groups, 1),
		Linear: r.p.Linear, Lower: r.p.Lower, Upper: r.p.Upper, Start: r.beta}
	for t := range p.Point {
		p.Point[t] = int32(r.point(t))
	}
	if r.p.Group != nil {
		copy(p.Group, r.p.Group)
	}
	return p
}

func (r *boxRun) point(t int) int {
	if r.p.Point == nil {
		return t
	}
	return r.p.Point[t]
}

func (r *boxRun) solve() (*BoxSolution, error) {
	out := &BoxSolution{}
	r.state = cuda.BoxState{Inner: boxInner, Most: uint64(r.o.MaxIterations), Limit: boxLimit}
	if err := r.renew(); err != nil {
		return nil, err
	}
	last := math.Inf(1)
	for ; ; out.Rounds++ {
		// By Kβ in double precision: is it good enough as it is?
		sets := r.state.Sets
		if err := r.aim(r.o.Tol, 1, out.Double); err != nil {
			return nil, err
		}
		out.Violation = r.state.Violation
		if out.Converged = r.state.Done == cuda.BoxReached && !(out.Violation > r.o.Tol); out.Converged ||
			r.state.Done != cuda.BoxGoesOn || out.Rounds == boxRounds {
			break
		}
		if out.Rounds > 1 && out.Violation > 0.5*last {
			out.Double = true
		}
		last = out.Violation
		if err := r.work(out.Double); err != nil {
			return nil, err
		}
		stuck := r.state.Sets == sets+1 && out.Double
		before := append([]float64(nil), r.f...)
		if err := r.box.Read(r.beta, before); err != nil {
			return nil, err
		}
		if err := r.renew(); err != nil {
			return nil, err
		}
		drift := 0.0
		for i, v := range r.f {
			drift = max(drift, math.Abs(v-before[i]))
		}
		out.Double = out.Double || out.Rounds > 0 && drift > boxDrift*r.o.Tol // the first round moved the most
		if stuck {
			break
		}
	}
	out.Beta, out.F = r.beta, r.f
	if out.Violation = r.state.Violation; !out.Converged { // the last look moved on
		if err := r.box.Read(r.beta, r.f); err != nil {
			return nil, err
		}
	}
	out.Iterations, out.WorkingSets = int(r.state.Steps), int(r.state.Sets)
	return out, nil
}

// aim does some working sets towards a violation.
func (r *boxRun) aim(target float64, sets int, double bool) (err error) {
	r.state.Target, r.state.Done = target, cuda.BoxGoesOn
	if err := r.box.SetState(r.state); err != nil {
		return err
	}
	if err := r.box.Run(sets, double); err != nil {
		return err
	}
	return r.look()
}

func (r *boxRun) look() (err error) {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.state, err = r.box.State(); err != nil {
		return err
	}
	if r.o.Trace != nil {
		r.o.Trace(trace.Step{Iteration: int(r.state.Steps), Objective: math.NaN(), Residual: r.state.Violation,
			Elapsed: time.Since(r.start)})
	}
	return nil
}

// work goes on until the target is reached, nothing moves any more, or the violation has not fallen
// for long.
func (r *boxRun) work(double bool) error {
	best, since := r.state.Violation, r.state.Sets
	target := boxMargin * r.o.Tol
	if err := r.aim(target, boxBatch, double); err != nil {
		return err
	}
	for r.state.Done == cuda.BoxGoesOn {
		if v := r.state.Violation; v < 0.95*best {
			best, since = v, r.state.Sets
		} else if r.state.Sets-since > boxStall || math.IsNaN(v) {
			return nil
		}
		sets := boxBatch
		if r.state.Violation < 2*target {
			sets = boxBatch / 4
		}
		if err := r.box.Run(sets, double); err != nil {
			return err
		}
		if err := r.look(); err != nil {
			return err
		}
	}
	return nil
}

// renew makes Kβ anew, and leaves it in f.
func (r *boxRun) renew() error {
	coef := make([]float64, r.n)
	for t, b := range r.beta {
		coef[r.point(t)] += b
	}
	var points []int32
	var used []float64
	for i, c := range coef {
		if c != 0 {
			points, used = append(points, int32(i)), append(used, c)
		}
	}
	if err := r.box.Renew(points, used, renewMost); err != nil {
		return err
	}
	return r.box.Read(r.beta, r.f)
}
