package nystrom

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Tuning says how parameters are found by the error on rows held out. The zero value is a sound
// choice.
type Tuning struct {
	// Groups are places among the parameters of the kernel (kernel.Params); those of a group are
	// multiplied by one factor. Nil: each parameter with a logarithmic scale by itself. λ is found
	// as well.
	Groups [][]int
	Held   []int // rows held out; nil: drawn, 5 000 and at most a quarter
	Rows   int   // most rows fitted to; 0 means 20 000
	Steps  int   // of L-BFGS in each round; 0 means 20
}

// Tuned is what a tuning found.
type Tuned[T any] struct {
	Kernel kernel.Kernel[T]
	Lambda float64 // a point: that of a fit with PerPoint
	Rounds []TunedRound
}

// TunedRound is one descent.
type TunedRound struct {
	Rows, Centers int
	Before, After float64 // root mean square error on the rows held out
	Calls         int     // evaluations of the error and its gradient
	Elapsed       time.Duration
}

// firstRows is the number of rows of the first round.
const firstRows = 2000

// jitterShare is ε in units of k(x, x): it bounds the condition of K(C, C) and so the error of
// gradients.
const jitterShare = 1e-8

// Tune finds parameters of the kernel and λ: a block of rows is held out, and the error on it
// descended by L-BFGS with exact gradients, in rounds of twice as many rows and √2 times as many
// centres, each from where the one before ended. Lambda is where λ begins, Centers are those of the
// last round. When ctx ends the best that was found by then is the result; its error is returned
// where that is nothing.
func (r Regression[T]) Tune(ctx context.Context, x data.Points[T], y []float64, o Tuning) (_ Tuned[T], err error) {
	defer fault.Name("nystrom", &err)
	found, err := r.open().tuneOne(ctx, data.Erase(x), y, o)
	return typedTuned[T](found), err
}

// typedTuned gives the points of what was found their type back.
func typedTuned[T any](found Tuned[any]) Tuned[T] {
	k, _ := kernel.Typed[T](found.Kernel)
	return Tuned[T]{Kernel: k, Lambda: found.Lambda, Rounds: found.Rounds}
}

func (r regression) tuneOne(ctx context.Context, x data.Points[any], y []float64, o Tuning) (Tuned[any], error) {
	if err := fitting.CheckTargets(x, y); err != nil {
		return Tuned[any]{}, err
	}
	return r.tune(ctx, x, y, nil, o)
}

// Tune is that of Regression, by the squared distance of decision values from ±1.
func (c Classification[T, L]) Tune(ctx context.Context, x data.Points[T], y []L, o Tuning) (_ Tuned[T], err error) {
	defer fault.Name("nystrom classifier", &err)
	points := data.Erase(x)
	labels, weights, err := checkLabels(points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return Tuned[T]{}, err
	}
	c.Weights = weights
	found, err := c.Regression.open().tune(ctx, points, codesOf(labels.Code), signs(len(labels.Classes)), o)
	return typedTuned[T](found), err
}

func (r regression) tune(
	ctx context.Context, x data.Points[any], y []float64, t targets, o Tuning,
) (out Tuned[any], err error) {
	if r.Options, err = r.Options.withDefaults(); err != nil {
		return out, err
	}
	if err := fitting.SetOrDefault("Lambda", &r.Lambda, 1); err != nil {
		return out, err
	}
	if err := kernel.Check(r.Kernel, x); err != nil {
		return out, err
	}
	if _, err := fitting.Prices(1, x.Len(), r.Weights); err != nil {
		return out, err
	}
	if !r.PerPoint {
		r.Lambda /= float64(x.Len())
	}
	params := kernel.Params(r.Kernel)
	rest, err := o.complete(params, x.Len(), r.Seed)
	if err != nil {
		return out, err
	}
	out = Tuned[any]{Kernel: r.Kernel, Lambda: r.Lambda}
	all := min(len(rest), o.Rows)
	for rows := min(firstRows, all); ; rows = min(2*rows, all) {
		centers := min(rows, max(64, int(float64(r.count(x.Len()))*math.Sqrt(float64(rows)/float64(all)))))
		for centers > 64 && tuningBytes(rows, len(o.Held), centers) > r.Bytes {
			centers /= 2
		}
		if need := tuningBytes(rows, len(o.Held), centers); need > r.Bytes {
			if len(out.Rounds) == 0 {
				err = &learn.OverBudget{Learner: "tuning on centres", Points: rows, Needs: need, Budget: r.Bytes,
					Instead: "give it more memory or take fewer centres"}
			}
			return out, err
		}
		h := &heldOut{ctx: ctx, kernel: out.Kernel, groups: o.Groups, theta: kernel.Values(out.Kernel), lambda: out.Lambda,
			threads: r.Threads,
			fitted:  data.Gather(x, rest[:rows]), judged: data.Gather(x, o.Held), least: math.Inf(1)}
		h.centers = data.Span(h.fitted, 0, centers)
		h.setTargets(y, t, r.Weights, rest[:rows], o.Held)
		if err := h.setJitter(); err != nil {
			return out, err
		}
		round, err := h.descend(o.Steps)
		switch {
		case err != nil && ctx.Err() != nil && len(out.Rounds) > 0:
			return out, nil
		case err != nil:
			return out, err
		}
		if out.Kernel, out.Lambda, err = h.at(h.best); err != nil {
			return out, err
		}
		if out.Rounds = append(out.Rounds, round); rows == all || ctx.Err() != nil {
			return out, nil
		}
	}
}

// complete fills in what is not said, and lists the rows to fit to in random order.
func (o *Tuning) complete(params []kernel.Param, n int, seed uint64) (rest []int, err error) {
	if n < 8 {
		return nil, fmt.Errorf("%d rows; a part of them is to be held out, give at least 8", n)
	}
	if o.Groups == nil {
		for i, p := range params {
			if p.Domain.LogScale && !p.Domain.Integer && p.Value > 0 {
				o.Groups = append(o.Groups, []int{i})
			}
		}
	}
	for g, places := range o.Groups {
		for _, p := range places {
			if p < 0 || p >= len(params) || !(params[p].Value > 0) {
				return nil, fmt.Errorf("group %d has place %d, which is no positive parameter of the kernel (it has %d)", g, p,
					len(params))
			}
		}
	}
	if err := errors.Join(fitting.SetOrDefaultInt("Rows", &o.Rows, 20000),
		fitting.SetOrDefaultInt("Steps", &o.Steps, 20)); err != nil {
		return nil, err
	}
	order := rand.New(rand.NewPCG(seed, 0x68656c64)).Perm(n)
	if o.Held == nil {
		count := min(5000, n/4)
		o.Held, rest = order[:count], order[count:]
		return rest, nil
	}
	held := make([]bool, n)
	for _, i := range o.Held {
		if i < 0 || i >= n || held[i] {
			return nil, fmt.Errorf("Held has row %d twice, or there is none such: there are %d rows", i, n)
		}
		held[i] = true
	}
	for _, i := range order {
		if !held[i] {
			rest = append(rest, i)
		}
	}
	if len(rest) < 2 || len(o.Held) == 0 {
		return nil, fmt.Errorf("Held has %d of %d rows; there must be some on both sides", len(o.Held), n)
	}
	return rest, nil
}

// tuningBytes is what an evaluation holds: kernel values of all rows, features and weights of some,
// and three matrices of centres.
func tuningBytes(rows, held, centers int) int64 {
	return 8 * int64(centers) * int64(rows+held+2*min(rows, gradRows)+3*centers)
}

// setTargets takes those of the rows, with the mean of the fitted ones taken off, and their
// weights.
func (h *heldOut) setTargets(y []float64, t targets, weights []float64, fitted, judged []int) {
	outputs := 1
	if t != nil {
		outputs = t.outputs()
	}
	of := func(rows []int) linalg.Matrix[float64] {
		m := linalg.New[float64](len(rows), outputs)
		for i, r := range rows {
			if t == nil {
				m.Row(i)[0] = y[r]
			} else {
				t.set(m.Row(i), y[r:r+1])
			}
		}
		return m
	}
	h.y, h.z = of(fitted), of(judged)
	h.w, h.v = data.Take(weights, fitted), data.Take(weights, judged)
	mean, total := make([]float64, outputs), 0.0
	for i := range h.y.Rows {
		w := weightAt(h.w, i)
		total += w
		for o, v := range h.y.Row(i) {
			mean[o] += (v - mean[o]) * w / math.Max(total, math.SmallestNonzeroFloat64)
		}
	}
	for _, m := range []linalg.Matrix[float64]{h.y, h.z} {
		for i := range m.Rows {
			for o := range m.Row(i) {
				m.Row(i)[o] -= mean[o]
			}
		}
	}
	h.floor = math.Max(1e-30*fitting.SquaredNorm(h.z.Data)/float64(h.z.Rows), 1e-300)
}

func (h *heldOut) setJitter() error {
	self := make([]float64, h.centers.Len())
	if err := kernel.Diag(h.ctx, h.kernel, self, h.centers); err != nil {
		return err
	}
	h.jitter = jitterShare * fitting.Sum(self) / float64(len(self))
	return nil
}

// descend goes down from where the parameters are.
func (h *heldOut) descend(steps int) (TunedRound, error) {
	start := time.Now()
	u := make([]float64, len(h.groups)+1)
	first := h.Eval(u, make([]float64, len(u)))
	if math.IsInf(first, 1) {
		if err := h.ctx.Err(); err != nil {
			return TunedRound{}, err
		}
		return TunedRound{}, fmt.Errorf("the equations on %d centres cannot be solved where the search begins; raise lambda",
			h.centers.Len())
	}
	if _, err := solve.LBFGS(h.ctx, h, u, solve.Settings{Tol: 1e-3, MaxIter: steps}); err != nil && h.ctx.Err() == nil {
		return TunedRound{}, err
	}
	return TunedRound{Rows: h.fitted.Len(), Centers: h.centers.Len(), Before: math.Exp(first), After: math.Exp(h.least),
		Calls: h.calls, Elapsed: time.Since(start)}, nil
}
