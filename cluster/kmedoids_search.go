package cluster

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// medoidSearch is the state of a k-medoids search: for every point its nearest
// and second nearest medoid.
type medoidSearch struct {
	d       linalg.Matrix[float64]
	k       int
	threads int
	report  func()

	medoids     []int
	isMedoid    []bool
	near        []int // position in medoids
	dNear, dSec []float64
	cost        float64
	swaps       int
}

// assign recomputes everything from medoids. A medoid belongs to itself, even
// where another one coincides with it, so that no cluster is empty.
func (s *medoidSearch) assign() {
	n := s.d.Rows
	if s.near == nil {
		s.near, s.dNear, s.dSec = make([]int, n), make([]float64, n), make([]float64, n)
	}
	s.isMedoid = make([]bool, n)
	for _, m := range s.medoids {
		s.isMedoid[m] = true
	}
	par.For(s.threads, n, 512, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.dNear[i], s.dSec[i] = math.Inf(1), math.Inf(1)
			row := s.d.Row(i)
			for c, m := range s.medoids {
				v := row[m]
				if m == i {
					v = -1 // comes first
				}
				switch {
				case v < s.dNear[i]:
					s.dSec[i], s.dNear[i], s.near[i] = s.dNear[i], v, c
				case v < s.dSec[i]:
					s.dSec[i] = v
				}
			}
			s.dNear[i] = math.Max(s.dNear[i], 0)
		}
	})
	s.cost = 0
	for _, v := range s.dNear {
		s.cost += v
	}
}

// medoidOf is the point of a cluster with the smallest sum of distances.
func (s *medoidSearch) medoidOf(cluster []int) int {
	sums := make([]float64, len(cluster))
	par.For(s.threads, len(cluster), 64, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			row := s.d.Row(cluster[a])
			for _, j := range cluster {
				sums[a] += row[j]
			}
		}
	})
	return cluster[nearest(sums)]
}

// alternate is the loop of the notes.
func (s *medoidSearch) alternate(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := s.cost
		for c, cluster := range members(s.near, s.k) {
			s.medoids[c] = s.medoidOf(cluster)
		}
		s.assign()
		s.report()
		if !(s.cost < before) {
			return nil
		}
		s.swaps++
	}
}

// build is the greedy start of PAM: the 1-medoid, then each time the point
// that lowers the cost most.
func (s *medoidSearch) build() {
	n := s.d.Rows
	s.medoids = []int{s.medoidOf(par.Indices(0, n))}
	s.assign()
	for len(s.medoids) < s.k {
		gain := make([]float64, n)
		par.For(s.threads, n, 16, func(lo, hi int) {
			for c := lo; c < hi; c++ {
				if s.isMedoid[c] {
					gain[c] = math.Inf(1)
					continue
				}
				for i, v := range s.d.Row(c) {
					if v < s.dNear[i] {
						gain[c] += v - s.dNear[i]
					}
				}
			}
		})
		s.medoids = append(s.medoids, nearest(gain))
		s.assign()
	}
}

// removal is what taking each medoid away would add to the cost.
func (s *medoidSearch) removal() []float64 {
	loss := make([]float64, s.k)
	for i, c := range s.near {
		loss[c] += s.dSec[i] - s.dNear[i]
	}
	return loss
}

// bestFor finds the medoid that point c should replace, and by how much the
// cost changes: Schubert and Rousseeuw (2021), algorithm 3. delta is scratch.
func (s *medoidSearch) bestFor(c int, removal, delta []float64) (medoid int, change float64) {
	copy(delta, removal)
	gain := 0.0
	for i, v := range s.d.Row(c) {
		switch {
		case v < s.dNear[i]:
			gain += v - s.dNear[i]
			delta[s.near[i]] += s.dNear[i] - s.dSec[i]
		case v < s.dSec[i]:
			delta[s.near[i]] += v - s.dSec[i]
		}
	}
	medoid = nearest(delta)
	return medoid, delta[medoid] + gain
}

// improves says whether a change is more than rounding.
func (s *medoidSearch) improves(change float64) bool { return change < -1e-12*s.cost }

// bestSwaps makes the best swap of all until none helps.
func (s *medoidSearch) bestSwaps(ctx context.Context) error {
	n := s.d.Rows
	with, change := make([]int, n), make([]float64, n)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		removal := s.removal()
		par.For(s.threads, n, 16, func(lo, hi int) {
			delta := make([]float64, s.k)
			for c := lo; c < hi; c++ {
				change[c] = 0
				if !s.isMedoid[c] && ctx.Err() == nil {
					with[c], change[c] = s.bestFor(c, removal, delta)
				}
			}
		})
		c := nearest(change)
		if err := ctx.Err(); err != nil {
			return err
		}
		if !s.improves(change[c]) {
			return nil
		}
		s.medoids[with[c]] = c
		s.assign()
		s.swaps++
		s.report()
	}
}

// eagerSwaps makes every swap that helps as it is met, until a whole round
// over the points finds none.
func (s *medoidSearch) eagerSwaps(ctx context.Context) error {
	n := s.d.Rows
	delta := make([]float64, s.k)
	removal := s.removal()
	for c, since := 0, 0; since < n; c, since = (c+1)%n, since+1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.isMedoid[c] {
			continue
		}
		if medoid, change := s.bestFor(c, removal, delta); s.improves(change) {
			s.medoids[medoid] = c
			s.assign()
			s.swaps++
			s.report()
			removal = s.removal()
			since = 0
		}
	}
	return nil
}
