package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// allDraws is how many draws stand for the distribution of several targets at a row: a share is
// then known to about half a hundredth.
const allDraws = 4000

// settleAll prepares for intervals that hold all targets of a row together. A joint model has them
// by its own distribution (boundAll). Those of others hold each target for a share 1 - (1 -
// level)/m of observations, so that all of them together are held for the level at least
// (Bonferroni).
func (m *Model) settleAll(w *Want) error {
	switch {
	case !w.OfAll:
		return nil
	case w.Interval == 0:
		return fmt.Errorf("intervals of all targets together, and no share is given; give one, as 0.9")
	case w.OfMean:
		return fmt.Errorf("intervals are of the mean, or of all targets together; leave one of the two out")
	case !m.several():
		return fmt.Errorf("%w of all targets together: the model has one; leave that out", ErrNoIntervals)
	case m.HasOutputs():
		w.Std = true
	default:
		w.Interval = 1 - (1-w.Interval)/float64(len(m.Targets()))
	}
	return nil
}

// boundAll sets Low and High of every target so that a new observation of all of them lies inside
// with the probability given, under the normal distribution that a joint model has at each row: the
// half-widths are q standard deviations, with q the quantile of the largest |z_t| of correlated
// standard normal z.
func (p *Prediction) boundAll(level float64) {
	k := 1 + len(p.More)
	rng := rand.New(rand.NewPCG(1, 0x616c6c))
	draws := make([]float64, allDraws*k)
	for i := range draws {
		draws[i] = rng.NormFloat64()
	}
	of := func(t int) *Prediction {
		if t == 0 {
			return p
		}
		return p.More[t-1]
	}
	for t := range k {
		of(t).Low, of(t).High = make([]float64, len(p.Outputs)), make([]float64, len(p.Outputs))
	}
	largest := make([]float64, allDraws)
	for i, c := range p.Outputs {
		r := mat.NewSymDense(k, nil)
		for t := range k {
			for u := range t {
				r.SetSym(t, u, c.At(t, u)/(of(t).ObservationStd[i]*of(u).ObservationStd[i]))
			}
			r.SetSym(t, t, 1)
		}
		var chol mat.Cholesky
		var l mat.TriDense
		if !chol.Factorize(r) { // of noise alone: independent
			one := mat.NewSymDense(k, nil)
			for t := range k {
				one.SetSym(t, t, 1)
			}
			chol.Factorize(one)
		}
		chol.LTo(&l)
		for d := range largest {
			largest[d] = 0
			for t := range k {
				z := 0.0
				for u := range t + 1 {
					z += l.At(t, u) * draws[d*k+u]
				}
				largest[d] = math.Max(largest[d], math.Abs(z))
			}
		}
		slices.Sort(largest)
		q := largest[min(int(math.Ceil(level*allDraws)), allDraws)-1]
		for t := range k {
			half := q * of(t).ObservationStd[i]
			of(t).Low[i], of(t).High[i] = of(t).Values[i]-half, of(t).Values[i]+half
		}
	}
}
