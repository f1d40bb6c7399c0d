package discrete

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Ranking is the place of each of n items, 0 the best: r[i] < r[j] says that i is better than j.
// Equal places are a tie: nothing is known of their order. Unranked says that nothing is known of
// an item at all. Places are 0, 1, 2, … without a gap. A permutation is a Ranking in which every
// place comes once.
//
// A ranking that leaves something open stands for all permutations that agree with it, each as
// likely as the others; kernels on rankings are means over them,
//
//	k(R, S) = 1/(|R||S|) Σ_{σ ∈ R} Σ_{τ ∈ S} k(σ, τ)
//
// (the convolution of Jiao & Vert, The Kendall and Mallows kernels for permutations, ICML 2015,
// TPAMI 2018).
type Ranking []int

// Unranked is the place of an item of which nothing is known.
const Unranked = -1

// Permutation is the ranking of all items, from the best to the last; places of an order are
// counted from 0 in its errors.
func Permutation(order []int) (Ranking, error) { return inOrder(order, len(order), Unranked) }

// TopK is the ranking of n items of which the best are known, in their order; all others are below
// them, tied.
func TopK(order []int, n int) (Ranking, error) { return inOrder(order, n, len(order)) }

// Partial is the ranking of n items of which the order of some is known; the others may be anywhere
// between them.
func Partial(order []int, n int) (Ranking, error) { return inOrder(order, n, Unranked) }

func inOrder(order []int, n, rest int) (Ranking, error) {
	r := make(Ranking, n)
	for i := range r {
		r[i] = rest
	}
	at := make(map[int]int, len(order))
	for place, item := range order {
		if item < 0 || item >= n {
			return nil, fmt.Errorf("kernel: ranking: position %d is item %d, and there are the items 0 to %d", place, item, n-1)
		}
		if before, ok := at[item]; ok {
			return nil, fmt.Errorf("kernel: ranking: position %d: item %d is at position %d already", place, item, before)
		}
		at[item], r[item] = place, place
	}
	return r, nil
}

// ByScore ranks items by score, the highest first; equal scores tie, NaN is not ranked.
func ByScore(score []float64) Ranking {
	order := make([]int, 0, len(score))
	r := make(Ranking, len(score))
	for i, v := range score {
		r[i] = Unranked
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	place := -1
	for p, i := range order {
		if p == 0 || score[i] != score[order[p-1]] {
			place++
		}
		r[i] = place
	}
	return r
}

// checkRankings refuses what is no ranking, and rankings of different numbers of items.
func checkRankings(name string, x data.Points[Ranking]) error {
	for i := range x.Len() {
		r := x.At(i)
		if len(r) != len(x.At(0)) {
			return fmt.Errorf("kernel: %s: row %d ranks %d items, row 0 ranks %d", name, i, len(r), len(x.At(0)))
		}
		taken := make([]bool, len(r))
		top := -1
		for item, place := range r {
			if place < Unranked || place >= len(r) {
				return fmt.Errorf("kernel: %s: row %d, item %d has place %d, want 0 to %d, or %d where it is not ranked", name, i,
					item, place, len(r)-1, Unranked)
			}
			if place >= 0 {
				taken[place] = true
				top = max(top, place)
			}
		}
		for place := range top {
			if !taken[place] {
				return fmt.Errorf("kernel: %s: row %d: no item has place %d, but one has place %d; places are 0, 1, 2, … "+
					"without a gap", name, i, place, top)
			}
		}
	}
	return nil
}

// ranked is a ranking made ready.
type ranked struct {
	place Ranking
	order []int // the ranked items by place
	// lean is for each item what its place says against an item of which nothing is known: the
	// probability to be better, less that to be worse, (k+1-2a)/(k+1) for the a-th of k ranked
	// items, ties at their mean place; 0 for an item that is not ranked.
	lean []float64
}

func rank(r Ranking) ranked {
	x := ranked{place: r, lean: make([]float64, len(r))}
	for i, p := range r {
		if p >= 0 {
			x.order = append(x.order, i)
		}
	}
	slices.SortStableFunc(x.order, func(a, b int) int { return r[a] - r[b] })
	k := float64(len(x.order))
	for from := 0; from < len(x.order); {
		to := x.groupEnd(from)
		mean := float64(from+1+to) / 2 // places from+1 … to, counted from 1
		for _, i := range x.order[from:to] {
			x.lean[i] = (k + 1 - 2*mean) / (k + 1)
		}
		from = to
	}
	return x
}

// groupEnd is where the tie that begins at from ends.
func (x ranked) groupEnd(from int) int {
	to := from + 1
	for to < len(x.order) && x.place[x.order[to]] == x.place[x.order[from]] {
		to++
	}
	return to
}

// rankingProperties is what is known of a kernel whose values are at most bound.
func rankingProperties(strict kernel.Tri) kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Strict: strict, Stationary: kernel.No, Isotropic: kernel.No, Bound: 1,
		Smoothness: math.NaN()}
}
