package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// l1Step is the quadratic model of the loss at a point, with the penalty beside it, while it is
// minimised over the active coefficients.
type l1Step struct {
	p      *L1Logistic
	s      *L1Solution
	active []int

	h, v       []float64 // curvatures; h∘(change of score)
	theta, rho []float64 // slopes of the loss at the point, and of the model
	sumH, loss float64
	curve      []float64 // of the model along each active coefficient
	target, d  []float64 // the coefficients it goes to, and how far that is
	db         float64   // of the intercept
}

func (p *L1Logistic) modelAt(s *L1Solution, active []int) *l1Step {
	n, m := len(p.Sign), len(active)
	q := &l1Step{p: p, s: s, active: active, h: make([]float64, n), v: make([]float64, n), theta: make([]float64, n),
		rho:   make([]float64, n),
		curve: make([]float64, m), target: make([]float64, m), d: make([]float64, m)}
	for i, y := range p.Sign {
		margin := y * s.score[i]
		short := slack(margin)
		q.h[i] = p.Weight[i] * math.Max(short*(1-short), 1e-12)
		q.sumH += q.h[i]
		q.theta[i] = p.Weight[i] * y * short
		q.loss += p.Weight[i] * softLoss(margin)
	}
	for a, j := range active {
		q.target[a] = s.Beta[j]
		for i, x := range p.Columns.Row(j) {
			q.curve[a] += q.h[i] * x * x
		}
	}
	return q
}

// sweep moves each coefficient that only names to the least of the model along it, then the
// intercept; gain is the most that one of them gave.
func (q *l1Step) sweep(only func(a int) bool) (gain float64) {
	for a, j := range q.active {
		if q.curve[a] == 0 || !only(a) {
			continue
		}
		x := q.p.Columns.Row(j)
		g := q.s.correlation[j] - simd.Dot(x, q.v)
		at := q.target[a]
		to := shrinkTo(at+g/q.curve[a], q.s.Lambda/q.curve[a])
		if step := to - at; step != 0 {
			q.target[a] = to
			q.d[a] = to - q.s.Beta[j]
			for i, t := range x {
				q.v[i] += q.h[i] * t * step
			}
			gain = math.Max(gain, q.curve[a]*step*step)
		}
	}
	if q.p.Intercept && q.sumH > 0 { // Σθ = 0 before the step
		sum := 0.0
		for _, t := range q.v {
			sum += t
		}
		step := -sum / q.sumH
		q.db += step
		for i := range q.v {
			q.v[i] += q.h[i] * step
		}
		gain = math.Max(gain, q.sumH*step*step)
	}
	return gain
}

// minimise sweeps until nothing gains more than inner² of what the first sweep did; between sweeps
// those that are not 0 move together to their best values of the same signs.
func (q *l1Step) minimise(ctx context.Context, inner float64) {
	signs := signSearch{columns: q.p.Columns, h: q.h, lambda: q.s.Lambda, intercept: q.p.Intercept &&
		q.sumH > 0, threads: q.p.Threads, exact: true}
	all := func(int) bool { return true }
	used := func(a int) bool { return q.target[a] != 0 }
	first := 0.0
	for outer := 0; outer < 50 && ctx.Err() == nil; outer++ {
		gain := q.sweep(all)
		if outer == 0 {
			first = gain
		}
		if gain <= inner*inner*first || gain == 0 {
			break
		}
		for range settlingSweeps {
			if q.sweep(used) <= inner*inner*first || ctx.Err() != nil {
				break
			}
		}
		for i := range q.rho {
			q.rho[i] = q.theta[i] - q.v[i]
		}
		q.db += signs.run(q.active, q.target, q.rho)
		for i := range q.v {
			q.v[i] = q.theta[i] - q.rho[i]
		}
		for a, j := range q.active {
			q.d[a] = q.target[a] - q.s.Beta[j]
		}
	}
}

// direction is the change of each score, and the slope of the objective along it.
func (q *l1Step) direction() (change []float64, slope float64) {
	change = make([]float64, len(q.v))
	for i := range change {
		change[i] = q.v[i] / q.h[i]
		if q.h[i] == 0 { // no weight
			change[i] = 0
		}
	}
	for i, y := range q.p.Sign {
		if q.p.Weight[i] == 0 { // its score moves all the same
			change[i] = q.db
			for a, j := range q.active {
				change[i] += q.d[a] * q.p.Columns.At(j, i)
			}
		}
		slope -= q.p.Weight[i] * y * slack(y*q.s.score[i]) * change[i]
	}
	for a, j := range q.active {
		slope += q.s.Lambda * (math.Abs(q.target[a]) - math.Abs(q.s.Beta[j]))
	}
	return change, slope
}

// take goes along the direction as far as the objective falls enough; false where it does not fall.
func (q *l1Step) take(change []float64, slope float64) bool {
	s, norm := q.s, 0.0
	for _, j := range q.active {
		norm += math.Abs(s.Beta[j])
	}
	value := q.loss + s.Lambda*norm
	for t := 1.0; t > 1e-10; t /= 2 {
		next := 0.0
		for i, y := range q.p.Sign {
			next += q.p.Weight[i] * softLoss(y*(s.score[i]+t*change[i]))
		}
		for a, j := range q.active {
			next += s.Lambda * math.Abs(s.Beta[j]+t*q.d[a])
		}
		if next <= value+0.01*t*slope+1e-15*math.Abs(value) {
			for a, j := range q.active {
				if t == 1 {
					s.Beta[j] = q.target[a] // exactly 0 where the sweep made it so
				} else {
					s.Beta[j] += t * q.d[a]
				}
			}
			s.Bias += t * q.db
			for i := range s.score {
				s.score[i] += t * change[i]
			}
			return next < value
		}
	}
	return false
}
