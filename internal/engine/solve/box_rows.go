package solve

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/trace"
)

// BoxRowsOptions steers BoxRows; the zero value is a sound choice.
type BoxRowsOptions struct {
	Tol    float64   // KKT violation to reach; 0 means 1e-3
	Ridge  []float64 // D, a number for each variable; nil: 0
	NoSums bool      // the programme has bounds alone
	Visits int       // bound on the variables looked at, all passes together; 0 means 1000 for each
	Seed   uint64
	Trace  trace.Func
}

// BoxRowsResult is where BoxRows stopped.
type BoxRowsResult struct {
	Beta      []float64 // the variables, their sums those of the start
	W         []float64 // Σ βₜ·x_{p(t)}
	F         []float64 // XW at every point, without the ridge
	Violation float64   // of a KKT condition, as BoxViolation has it; without sums the largest projected gradient
	Passes    int       // over the variables; a pass over some of them counts as a share
	Converged bool
}

// BoxRows solves a BoxQP whose matrix is known by its rows, K = XXᵀ, with a ridge beside it,
//
//	minimise over β   ½‖Xᵀβ‖² + ½ Σ Dₜβₜ² - cᵀβ   within bounds and sums,
//
// by coordinate descent that keeps w = Xᵀβ (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008;
// Ho and Lin 2012 for ε-SVR), a step by O(non-zeros of a row). A sum s_g = Δ_g has a multiplier
// λ_g, which is the bias of a machine, and the square of what it lacks has a price,
//
//	L(β; λ) = … + Σ_g λ_g(s_g - Δ_g) + ½ρ(s_g - Δ_g)²,   λ_g ← λ_g + ρ(s_g - Δ_g)
//
// (method of multipliers: Hestenes 1969, Powell 1969): the price is as the square of one column
// more, of entries √ρ, and ρ is the mean of ‖x‖². Variables that are sure of their bound rest, as
// in DCD. At the end the sums are made right, and everything is told of the result that has them.
func BoxRows(ctx context.Context, q BoxQP, x LinearRows, beta []float64, o BoxRowsOptions) (*BoxRowsResult, error) {
	d := newRowsDescent(q, x, beta, o)
	tol, inner := o.Tol, math.Inf(1)
	if tol == 0 {
		tol = 1e-3
	}
	if o.Visits == 0 {
		o.Visits = 1000 * len(d.order)
	}
	start := time.Now()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		violation := d.pass(ctx)
		o.Trace.Report(trace.Step{
			Iteration: d.visits / max(len(d.order), 1), Objective: math.NaN(), Residual: violation, Elapsed: time.Since(start),
		})
		if math.IsInf(inner, 1) {
			inner = max(violation/4, tol/2)
		}
		out := d.visits >= o.Visits
		if violation > inner && !out {
			continue
		}
		if d.active < len(d.order) && !out {
			d.wake()
			continue
		}
		moved := d.multiply()
		if moved <= tol/4 && inner <= tol/2 || out {
			r := d.result()
			r.Converged = r.Violation <= tol
			if r.Converged || out {
				return r, ctx.Err()
			}
			tol /= 2 // what making the sums right has cost
		}
		inner = max(min(inner/2, moved), tol/2)
		d.wake()
	}
}

// rowsDescent is where coordinate descent stands.
type rowsDescent struct {
	q          BoxQP
	x          LinearRows
	ridge      []float64
	sums       bool
	rho        float64
	beta, w    []float64
	curve      []float64 // of each variable
	lack       []float64 // s_g - Δ_g
	multiplier []float64 // λ_g
	order      []int     // variables that can move, those in play first
	active     int
	high, low  float64 // of the projected gradient in the pass before
	visits     int
	rng        *rand.Rand
}

func newRowsDescent(q BoxQP, x LinearRows, beta []float64, o BoxRowsOptions) *rowsDescent {
	groups := max(q.Groups, 1)
	d := &rowsDescent{
		q: q, x: x, ridge: o.Ridge, sums: !o.NoSums, beta: slices.Clone(beta),
		w: make([]float64, x.Dim()), curve: make([]float64, len(beta)),
		lack: make([]float64, groups), multiplier: make([]float64, groups),
		rng: rand.New(rand.NewPCG(o.Seed, 0xb0c5)),
	}
	mean := 0.0
	for t := range beta {
		if q.Lower[t] < q.Upper[t] {
			d.order = append(d.order, t)
		}
		d.curve[t] = x.SquaredNorm(d.point(t))
		mean += d.curve[t] / float64(len(beta))
		if o.Ridge != nil {
			d.curve[t] += o.Ridge[t]
		}
		if b := beta[t]; b != 0 {
			x.Add(d.point(t), b, d.w)
		}
	}
	if d.sums {
		if d.rho = mean; !(d.rho > 0) {
			d.rho = 1
		}
		for t := range d.curve {
			d.curve[t] += d.rho
		}
	}
	d.guess()
	d.wake()
	return d
}

// guess is the multipliers that the start asks for.
func (d *rowsDescent) guess() {
	if d.sums {
		copy(d.multiplier, Multipliers(d.q, d.beta, d.withRidge(d.values())))
	}
}

func (d *rowsDescent) point(t int) int {
	if d.q.Point == nil {
		return t
	}
	return d.q.Point[t]
}

func (d *rowsDescent) group(t int) int {
	if d.q.Group == nil {
		return 0
	}
	return int(d.q.Group[t])
}

// wake brings all variables into play.
func (d *rowsDescent) wake() { d.active, d.high, d.low = len(d.order), math.Inf(1), math.Inf(-1) }

// pass goes over the variables in play in random order and returns the range of their projected
// gradients, or the largest of them where that is more.
func (d *rowsDescent) pass(ctx context.Context) float64 {
	for a := range d.active {
		b := a + d.rng.IntN(d.active-a)
		d.order[a], d.order[b] = d.order[b], d.order[a]
	}
	high, low := math.Inf(-1), math.Inf(1)
	for a := 0; a < d.active; a++ {
		if d.visits++; d.visits&4095 == 0 && ctx.Err() != nil {
			return 0
		}
		t := d.order[a]
		g, p := d.group(t), d.point(t)
		slope := d.x.Dot(p, d.w) - d.q.Linear[t]
		if d.sums {
			slope += d.multiplier[g] + d.rho*d.lack[g]
		}
		if d.ridge != nil {
			slope += d.ridge[t] * d.beta[t]
		}
		projected, rests, old := slope, false, d.beta[t]
		switch {
		case old <= d.q.Lower[t]:
			projected, rests = min(slope, 0), slope > d.high
		case old >= d.q.Upper[t]:
			projected, rests = max(slope, 0), slope < d.low
		}
		if rests {
			d.active--
			d.order[a], d.order[d.active] = d.order[d.active], d.order[a]
			a--
			continue
		}
		high, low = max(high, projected), min(low, projected)
		if projected == 0 {
			continue
		}
		to := math.Copysign(math.Inf(1), -slope) // a point at the origin: its loss cannot be helped
		if d.curve[t] > 0 {
			to = old - slope/d.curve[t]
		}
		to = min(max(to, d.q.Lower[t]), d.q.Upper[t])
		if step := to - old; step != 0 && !math.IsInf(step, 0) {
			d.beta[t] = to
			d.x.Add(p, step, d.w)
			d.lack[g] += step
		}
	}
	d.high, d.low = high, low
	if high <= 0 {
		d.high = math.Inf(1)
	}
	if low >= 0 {
		d.low = math.Inf(-1)
	}
	if d.active == 0 {
		return 0
	}
	return max(high-low, high, -low)
}

// multiply moves the multipliers by what the sums lack, and returns the farthest that one went.
func (d *rowsDescent) multiply() float64 {
	moved := 0.0
	if !d.sums {
		return moved
	}
	for g, s := range d.lack {
		d.multiplier[g] += d.rho * s
		moved = max(moved, math.Abs(d.rho*s))
	}
	return moved
}

// result is β with its sums made right, and what goes with it, made afresh.
func (d *rowsDescent) result() *BoxRowsResult {
	r := &BoxRowsResult{
		Beta: slices.Clone(d.beta), W: make([]float64, len(d.w)),
		Passes: (d.visits + len(d.order) - 1) / max(len(d.order), 1),
	}
	if d.sums {
		slopes := d.withRidge(d.values())
		for g, s := range d.lack {
			d.settle(r.Beta, slopes, g, s)
		}
	}
	for t, b := range r.Beta {
		if b != 0 {
			d.x.Add(d.point(t), b, r.W)
		}
	}
	beta, w := d.beta, d.w
	d.beta, d.w = r.Beta, r.W
	r.F = d.values()
	slopes := d.withRidge(r.F)
	if d.sums {
		r.Violation, _, _ = BoxViolation(d.q, r.Beta, slopes)
	} else {
		for t, b := range r.Beta {
			z := d.q.Linear[t] - slopes[d.point(t)]
			if z > 0 && b < d.q.Upper[t] || z < 0 && b > d.q.Lower[t] {
				r.Violation = max(r.Violation, math.Abs(z))
			}
		}
	}
	d.beta, d.w = beta, w
	return r
}

// values is Xw.
func (d *rowsDescent) values() []float64 {
	f := make([]float64, d.x.Len())
	for i := range f {
		f[i] = d.x.Dot(i, d.w)
	}
	return f
}

// withRidge is f with Dβ, where each variable has a point of its own; a ridge is of no others.
func (d *rowsDescent) withRidge(f []float64) []float64 {
	if d.ridge == nil {
		return f
	}
	f = slices.Clone(f)
	for t, b := range d.beta {
		f[d.point(t)] += d.ridge[t] * b
	}
	return f
}

// settle takes excess off the sum of a group: from the variables whose move costs least by the
// gradient, each as far as it goes before the next one moves. These are the free ones; a little from
// everybody would leave all of them strictly inside their boxes.
func (d *rowsDescent) settle(beta, slopes []float64, group int, excess float64) {
	var order []int
	for t, b := range beta {
		if d.group(t) == group && (excess > 0 && b > d.q.Lower[t] || excess < 0 && b < d.q.Upper[t]) {
			order = append(order, t)
		}
	}
	z := func(t int) float64 { return math.Copysign(1, excess) * (d.q.Linear[t] - slopes[d.point(t)]) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(z(a), z(b)), cmp.Compare(a, b)) })
	for _, t := range order {
		to := min(max(beta[t]-excess, d.q.Lower[t]), d.q.Upper[t])
		excess -= beta[t] - to
		if beta[t] = to; excess == 0 || to > d.q.Lower[t] && to < d.q.Upper[t] {
			return
		}
	}
}
