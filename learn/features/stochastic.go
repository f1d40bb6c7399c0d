package features

import (
	"context"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/trace"
)

// stochastic minimises (1/n)Σ wᵢ ℓ(yᵢ⟨v, φᵢ⟩) + (λ/2n)‖v‖², y = ±1, by a step for each row as it
// comes, each output by itself. An intercept is one more feature, of the size √k(0) of the others
// together, and is penalised as they are: what is found does not depend on the unit of the kernel.
type stochastic[T any] struct {
	Options
	kernel    kernel.Kernel[T]
	rows      data.Source[T]
	hinge     bool
	lambda    float64
	intercept bool
	sign      func(output int, target float64) float64
	outputs   int
	passes    int
	enough    float64 // relative gap at which passes end early; 0: never

	waves  *waves[T]
	kept   linalg.Matrix[float64] // the features of all rows, where these are one block
	work   linalg.Matrix[float64] // of each output a row: v of the logistic loss, Σ α y φ of the hinge
	mean   linalg.Matrix[float64] // the averaged v
	spent  []float64              // Σ wα over the rows seen, of each output: what the hinge's dual needs
	seen   int
	length float64 // of a step of the logistic loss
	one    float64 // the feature of the intercept; 0 without
}

// run passes over the rows. When ctx ends what was learnt up to then stays.
func (s *stochastic[T]) run(ctx context.Context) error {
	start := time.Now()
	for turn := range s.passes {
		err := s.pass(ctx, func(b data.Block[T], phi linalg.Matrix[float64]) error {
			if s.work.Rows == 0 {
				s.begin(phi)
			}
			at := s.seen
			par.For(s.Threads, s.outputs, 1, func(o, _ int) {
				for i := range b.Len() {
					s.step(o, at+i+1, s.sign(o, b.Target(i)[0]), b.Weight(i), phi.Row(i))
				}
			})
			s.seen += b.Len()
			return nil
		})
		if err != nil {
			return err
		}
		s.Trace.Report(trace.Step{Iteration: turn + 1, Elapsed: time.Since(start)})
		if s.enough == 0 || (turn+1)&turn != 0 || turn+1 == s.passes { // looked at after 1, 2, 4, … passes
			continue
		}
		_, gap, err := s.gap(ctx)
		if err != nil {
			return err
		}
		if gap <= s.enough {
			break
		}
	}
	return ctx.Err()
}

// pass is one over all rows; the features of a single block are made once.
func (s *stochastic[T]) pass(ctx context.Context, f func(b data.Block[T], phi linalg.Matrix[float64]) error) error {
	if s.kept.Rows > 0 {
		return s.rows.Pass(ctx, blockRows, func(b data.Block[T]) error { return f(b, s.kept) })
	}
	return pass(ctx, s.kernel, s.rows, s.Options, &s.waves, func(b data.Block[T], phi linalg.Matrix[float64]) error {
		if b.Len() == s.rows.Len() {
			s.kept = phi
		}
		return f(b, phi)
	})
}

// begin makes room, and the step of the logistic loss: 1/2R² with R² = ‖φ‖², which is k(0) for all
// points, and no more than the penalty allows.
func (s *stochastic[T]) begin(phi linalg.Matrix[float64]) {
	d := phi.Cols + 1
	s.work, s.mean, s.spent = linalg.New[float64](s.outputs, d), linalg.New[float64](s.outputs, d),
		make([]float64, s.outputs)
	r2 := simd.Dot(phi.Row(0), phi.Row(0))
	if s.intercept {
		s.one = math.Sqrt(r2)
		if s.one == 0 {
			s.one = 1 // a kernel of zeros has no unit
		}
		r2 += s.one * s.one
	}
	s.length = 1 / (2*math.Max(r2, math.SmallestNonzeroFloat64) + s.lambda/float64(s.rows.Len()))
}

// step is the t-th, counted from 1.
func (s *stochastic[T]) step(o, t int, y, weight float64, phi []float64) {
	if s.hinge {
		u, mean := s.work.Row(o), s.mean.Row(o)
		last := len(u) - 1
		score := simd.Dot(phi, u[:last]) + s.one*u[last]
		n := float64(s.rows.Len())
		// Steps of length n/λt make v after t rows the sum of αyφ over them times n/λt, α being 0
		// or w (Shalev-Shwartz and others 2011).
		scale := 0.0
		if t > 1 {
			scale = n / (s.lambda * float64(t-1))
		}
		if y*score*scale < 1 && weight > 0 {
			simd.Axpy(y*weight, phi, u[:last])
			u[last] += y * weight * s.one
			s.spent[o] += weight
		}
		// The weight of v grows as t³ (Shamir and Zhang 2013).
		share := 4 / float64(t+3)
		now := n / (s.lambda * float64(t)) * share
		for j, v := range u {
			mean[j] += now*v - share*mean[j]
		}
		return
	}
	// A row of weight w counts as k of weight w/k: steps of weight 4 are half as long as is safe.
	times := max(1, math.Ceil(weight/4))
	for range int(times) {
		s.newton(o, t, y, weight/times, phi)
	}
}

// newton is a step of constant length on the second-order expansion of the loss at the average so
// far, ℓ'(v̄) + ℓ”(v̄)(v - v̄) (Bach and Moulines 2013, §3.3).
func (s *stochastic[T]) newton(o, t int, y, weight float64, phi []float64) {
	u, mean := s.work.Row(o), s.mean.Row(o)
	last := len(u) - 1
	z, apart := simd.Dot(phi, mean[:last])+s.one*mean[last], simd.Dot(phi, u[:last])+s.one*u[last]
	p := sigmoid.Of(-y * z)
	slope := s.length * weight * (y*p - p*(1-p)*(apart-z))
	shrink := 1 - s.length*s.lambda/float64(s.rows.Len())
	share := 1 / float64(t)
	for j, x := range phi {
		u[j] = shrink*u[j] + slope*x
		mean[j] += share * (u[j] - mean[j])
	}
	u[last] = shrink*u[last] + slope*s.one
	mean[last] += share * (u[last] - mean[last])
}

// account is the objective of an output at its averaged v, and the gap to a dual value, both of Σ
// wℓ + (λ/2)‖v‖².
type account struct{ objective, gap float64 }

// certify reads the rows once more, and adds up their weights. The dual of the hinge is that of
// what was learnt: D = Σα - ‖Σαyφ‖²/2λ with the α of the steps, each row having been met once a
// pass. That of the logistic loss is at α = wσ(-yf).
func (s *stochastic[T]) certify(ctx context.Context) (_ []account, weight float64, _ error) {
	d := s.waves.dim()
	loss := make([]float64, s.outputs)
	dual := make([]float64, s.outputs)
	image := linalg.New[float64](s.outputs, d+1)
	if err := s.pass(ctx, func(b data.Block[T], phi linalg.Matrix[float64]) error {
		par.For(s.Threads, s.outputs, 1, func(o, _ int) {
			mean, sum := s.mean.Row(o), image.Row(o)
			for i := range b.Len() {
				w, y := b.Weight(i), s.sign(o, b.Target(i)[0])
				z := y * (simd.Dot(phi.Row(i), mean[:d]) + s.one*mean[d])
				if s.hinge {
					loss[o] += w * math.Max(0, 1-z)
					continue
				}
				loss[o] += w * sigmoid.Softplus(-z)
				p := sigmoid.Of(-z)
				simd.Axpy(w*y*p, phi.Row(i), sum[:d])
				sum[d] += w * y * p * s.one
				dual[o] += w * entropy(p)
			}
		})
		for i := range b.Len() {
			weight += b.Weight(i)
		}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	out := make([]account, s.outputs)
	for o := range out {
		mean, sum := s.mean.Row(o), image.Row(o)
		if s.hinge {
			sum = s.work.Row(o)
			times := float64(s.seen) / float64(s.rows.Len()) // passes
			dual[o] = s.spent[o]/times - fitting.SquaredNorm(sum)/(2*s.lambda*times*times)
		} else {
			dual[o] -= fitting.SquaredNorm(sum) / (2 * s.lambda)
		}
		out[o].objective = loss[o] + s.lambda/2*fitting.SquaredNorm(mean)
		out[o].gap = math.Max(out[o].objective-dual[o], 0)
	}
	return out, weight, nil
}

func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log(p) - (1-p)*math.Log1p(-p)
}

// solution is v and b of all outputs.
func (s *stochastic[T]) solution() (v linalg.Matrix[float64], bias []float64) {
	d := s.waves.dim()
	v = linalg.New[float64](d, s.outputs)
	for o := range s.outputs {
		for j, x := range s.mean.Row(o)[:d] {
			v.Set(j, o, x)
		}
		if s.intercept {
			bias = append(bias, s.one*s.mean.At(o, d))
		}
	}
	return v, bias
}
