package tune

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Random judges cells drawn at random (Bergstra & Bengio 2012): each axis
// uniform between its smallest and largest value, on its own scale; candidates in turn.
type Random struct {
	Cells int // 0 means 60
}

func (r Random) check() error {
	if r.Cells < 0 {
		return fault.Errorf("tune", "Random.Cells is %d; give a positive number, or 0", r.Cells)
	}
	return nil
}

func (r Random) run(ctx context.Context, s searcher) error {
	cells := r.Cells
	if cells == 0 {
		cells = 60
	}
	s.plan(cells)
	return s.judge(ctx, drawn(s, cells))
}

// drawn is cells at random, the candidates in turn.
func drawn(s searcher, cells int) []trial {
	rng := rand.New(rand.NewPCG(s.seed(), 0x72616e646f6d))
	all := s.candidates()
	var trials []trial
	for i := range cells {
		c := i % len(all)
		unit := make([]float64, len(all[c]))
		for a := range unit {
			unit[a] = rng.Float64()
		}
		trials = append(trials, trial{c, fromUnit(all[c], unit)})
	}
	return trials
}

// fromUnit maps [0, 1] to each axis, between its smallest and largest value.
func fromUnit(axes []axisRange, unit []float64) []float64 {
	theta := make([]float64, len(axes))
	for a, axis := range axes {
		to, from := axis.scale()
		lo, hi := axis.Values[0], axis.Values[len(axis.Values)-1]
		v := lo
		if lo < hi {
			v = min(max(from(to(lo)+unit[a]*(to(hi)-to(lo))), lo), hi)
		}
		if axis.domain.Integer {
			v = math.Round(v)
		}
		theta[a] = v
	}
	return theta
}
