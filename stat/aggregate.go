package stat

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/internal/fault"
)

// aggregate gathers what several kernels say of the data and of the same permutations. Under the
// hypothesis the data is one more permutation among them, so all are ranked in one pool: each has a
// p-value by each kernel, its share of the pool that is at least as large, and the least of these
// over the kernels.
type aggregate struct {
	s       TestSettings
	weights []float64
	result  *AggregatedResult
	draws   [][]float64 // of each kernel, in increasing order
	least   []float64   // min over kernels of p/w, of each permutation
	u       float64     // the same of the data
}

func newAggregate(s TestSettings, weights []float64) *aggregate {
	a := &aggregate{s: s, weights: weights, result: &AggregatedResult{}, least: make([]float64, 2*s.Permutations),
		u: math.Inf(1)}
	for i := range a.least {
		a.least[i] = math.Inf(1)
	}
	return a
}

// add takes in the next kernel: its statistic on the data and on the permutations.
func (a *aggregate) add(kernel string, statistic float64, draws []float64, tie float64) error {
	l, r := len(a.draws), a.result
	w := a.weights[l]
	r.Statistic = statistic
	if err := r.finite(draws); err != nil {
		return err
	}
	ascending := slices.Sorted(slices.Values(draws))
	e := KernelResult{Kernel: kernel, Share: w, Statistic: statistic, P: rankP(statistic, ascending, tie)}
	pool := float64(1 + len(draws))
	for i, v := range draws {
		p := float64(len(draws)-sort.SearchFloat64s(ascending, v-tie)) / pool
		if statistic >= v-tie {
			p += 1 / pool
		}
		a.least[i] = math.Min(a.least[i], p/w)
	}
	if e.P/w < a.u {
		a.u, r.Best = e.P/w, l
	}
	a.draws, r.Each, r.Kernels = append(a.draws, ascending), append(r.Each, e), append(r.Kernels, kernel)
	return nil
}

// conclude compares u with what chance makes of it.
func (a *aggregate) conclude(measure string) *AggregatedResult {
	r, s, least := a.result, a.s, a.least
	b := len(least)
	count := 0
	for _, v := range least {
		if v <= a.u*(1+1e-12) {
			count++
		}
	}
	best := r.Each[r.Best]
	r.TestResult.conclude(s, float64(1+count)/float64(1+b), math.Inf(1))
	r.Statistic, r.Measure = best.Statistic, measure+" at "+best.Kernel
	r.Permutations, r.Seed, r.Draws = b, s.Seed, a.draws[r.Best]
	slices.Sort(least)
	c := int(math.Floor(s.Alpha*float64(b+1)*(1+1e-12))) - 1
	if c < 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d permutations cannot reject at level %g; at least %d are needed", b, s.Alpha,
			int(math.Ceil(1/s.Alpha-1e-9))-1))
		r.Level = 0
	} else {
		r.Level = least[min(c, b-1)]
	}
	for l := range r.Each {
		e := &r.Each[l]
		// p-values are k/(b+1): the largest k that is still below the level
		k := int(math.Ceil(r.Level*e.Share*float64(b+1)*(1-1e-12))) - 1
		e.Threshold = math.Inf(1)
		if k >= 1 {
			e.Threshold = a.draws[l][max(0, b-k)]
		}
		e.Reject = e.P < r.Level*e.Share*(1-1e-12)
	}
	r.Threshold = r.Each[r.Best].Threshold
	return r
}

// rankP is sampledP for draws in ascending order.
func rankP(statistic float64, ascending []float64, tie float64) float64 {
	at := sort.SearchFloat64s(ascending, statistic-tie)
	return float64(1+len(ascending)-at) / float64(1+len(ascending))
}

// shares of the level of n kernels, equal where none are given.
func shares(test string, n int, given []float64) ([]float64, error) {
	if n == 0 {
		return nil, fault.Errorf("stat", "%s: no kernels; for vectors GaussianScales makes a collection", test)
	}
	if given == nil {
		w := make([]float64, n)
		for i := range w {
			w[i] = 1 / float64(n)
		}
		return w, nil
	}
	if len(given) != n {
		return nil, fault.Errorf("stat", "%s: %d kernels but %d shares", test, n, len(given))
	}
	sum := 0.0
	for i, w := range given {
		if !(w > 0) || math.IsInf(w, 0) {
			return nil, fault.Errorf("stat", "%s: share %d is %g; want a positive number", test, i, w)
		}
		sum += w
	}
	if sum > 1+1e-9 {
		return nil, fault.Errorf("stat", "%s: the shares sum to %g; want at most 1", test, sum)
	}
	return given, nil
}
