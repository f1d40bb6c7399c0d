package nystrom

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/trace"
)

// run goes through stages, each twice as long as the one before if that did not halve the gap,
// until the gaps are small or the passes are spent. When ctx ends the best of the finished stages
// stays.
func (s *hinges) run(ctx context.Context) error {
	start := time.Now()
	size, err := s.look(ctx, nil) // objective at 0, the dual point of who is violated there, and ‖φ‖²
	if err != nil {
		return err
	}
	if s.intercept {
		s.seat(size)
		size += s.machines[0].seat
	}
	for long := 1; ; {
		_, gap := s.account()
		s.p.Trace.Report(trace.Step{Iteration: s.passes, Residual: gap, Objective: s.objective(), Elapsed: time.Since(start)})
		if gap <= s.p.Tol || s.passes >= s.p.MaxIterations {
			return ctx.Err()
		}
		turns := min(long, max(s.p.MaxIterations-s.passes-1, 1))
		for _, m := range s.machines {
			m.settled = m.relativeGap() <= s.p.Tol
			m.begin(size, turns*s.p.kept)
		}
		for range turns {
			if err := s.pass(ctx); err != nil {
				return err
			}
		}
		places := make([]point, len(s.machines))
		for o, m := range s.machines {
			places[o] = m.average()
		}
		if _, err := s.look(ctx, places); err != nil {
			return err
		}
		if _, now := s.account(); now > gap/2 {
			long *= 2
		}
	}
}

// seat has b measured as v is, by the mean of ‖φ‖²: steps are then the same whatever unit the
// kernel has.
func (s *hinges) seat(size float64) {
	if size < 1e-300 {
		size = 1 // a kernel of zeros has no unit
	}
	for _, m := range s.machines {
		m.seat = size
	}
}

func (s *hinges) objective() float64 {
	v, _ := s.account()
	return v
}

// pass is one step of every machine for each row, in an order of the pass' own within each block.
func (s *hinges) pass(ctx context.Context) error {
	mean := s.p.weight / float64(s.p.kept)
	for _, m := range s.machines {
		m.seen.clear()
	}
	if err := s.visit(ctx, func(b data.Block[any], phi, y linalg.Matrix[float64]) error {
		order := rand.New(rand.NewPCG(s.p.Seed+uint64(s.passes)<<32, uint64(b.First))).Perm(b.Len())
		par.For(s.p.Threads, len(s.machines), 1, func(o, _ int) {
			m := s.machines[o]
			for _, i := range order {
				if w := b.Weight(i); w > 0 && !m.settled {
					m.step(y.At(i, o), w/mean, w, phi.Row(i))
				}
			}
		})
		return nil
	}); err != nil {
		return err
	}
	s.passes++
	for _, m := range s.machines {
		if !m.settled {
			m.combine(&m.seen)
		}
	}
	return nil
}

// look finds the losses of each machine at a place, nil for 0, and the dual point of the rows that
// are violated there; the mean of ‖φ‖² comes back.
func (s *hinges) look(ctx context.Context, places []point) (float64, error) {
	dim := s.p.basis.dim()
	losses := make([]float64, len(s.machines))
	v := linalg.New[float64](dim, len(s.machines))
	for o, p := range places {
		for j, x := range p.v {
			v.Set(j, o, x)
		}
	}
	for _, m := range s.machines {
		m.seen.clear()
	}
	size, seen := 0.0, 0
	err := s.visit(ctx, func(b data.Block[any], phi, y linalg.Matrix[float64]) error {
		scores := linalg.New[float64](b.Len(), len(s.machines))
		if err := linalg.GemmContext(ctx, s.p.Threads, linalg.NoTrans, linalg.NoTrans, 1, phi, v, 0, scores); err != nil {
			return err
		}
		size += meanNorm(phi) * float64(b.Len())
		seen += b.Len()
		par.For(s.p.Threads, len(s.machines), 1, func(o, _ int) {
			m, bias := s.machines[o], 0.0
			if places != nil {
				bias = places[o].b
			}
			for i := range b.Len() {
				w, sign := b.Weight(i), y.At(i, o)
				if loss := 1 - sign*(scores.At(i, o)+bias); loss > 0 && w > 0 {
					losses[o] += w * loss
					m.seen.add(sign, w, phi.Row(i))
				}
			}
		})
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.passes++
	for o, m := range s.machines {
		place := newPoint(dim)
		if places != nil {
			place = places[o]
		}
		if !m.settled {
			m.primalAt(place, losses[o])
			m.combine(&m.seen)
		}
	}
	return math.Max(size/float64(seen), math.SmallestNonzeroFloat64), nil
}
