package seq

import (
	"cmp"
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// counts is a sparse feature vector: feature → value.
type counts = map[string]float64

// dot is Σ_f u_f·v_f, added in the order of the features so that a value always has the same bits.
func dot[F cmp.Ordered](u, v map[F]float64) float64 {
	if len(v) < len(u) {
		u, v = v, u
	}
	common := make([]F, 0, len(u))
	for f := range u {
		if _, ok := v[f]; ok {
			common = append(common, f)
		}
	}
	slices.Sort(common)
	s := 0.0
	for _, f := range common {
		s += u[f] * v[f]
	}
	return s
}

// eachCount hands out sparse features; each has a name of its own, so that their order is nothing.
func eachCount(phi counts, add func(name string, value float64)) {
	for f, v := range phi {
		add(f, v)
	}
}

// prepareCounts is the Rectangle of the inner products of sparse features.
func prepareCounts(ctx context.Context, x, y data.Points[string], phi func(string) counts) kernel.Rectangle {
	return kernel.PrepareSparse(ctx, x, y, phi)
}

// bounds lists the byte offsets of the runes of s, and its length at the end.
func bounds(s string) []int {
	at := make([]int, 0, len(s)+1)
	for i := range s {
		at = append(at, i)
	}
	return append(at, len(s))
}

// countGrams adds w for each of the substrings of k runes. Substrings share the memory of s.
func countGrams(into counts, s string, at []int, k int, w float64) {
	eachGram(s, at, k, w, func(gram string, w float64) { into[gram] += w })
}

// eachGram calls add with w for each of the substrings of k runes.
func eachGram(s string, at []int, k int, w float64, add func(gram string, w float64)) {
	for i := 0; i+k < len(at); i++ {
		add(s[at[i]:at[i+k]], w)
	}
}
