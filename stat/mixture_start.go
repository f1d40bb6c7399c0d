package stat

import (
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// kMeansStart assigns each row to one of k clusters: centres by k-means++,
// then Lloyd's steps, with columns measured in units of their spread.
func kMeansStart(x linalg.Matrix[float64], ridge []float64, k int, rng *rand.Rand) []int {
	n, d := x.Rows, x.Cols
	between := func(a, b []float64) float64 {
		s := 0.0
		for j, v := range a {
			s += (v - b[j]) * (v - b[j]) / ridge[j]
		}
		return s
	}
	centres := linalg.New[float64](k, d)
	copy(centres.Row(0), x.Row(rng.IntN(n)))
	nearest := make([]float64, n)
	for c := 1; c < k; c++ {
		total := 0.0
		for i := range nearest {
			v := between(x.Row(i), centres.Row(c-1))
			if c == 1 || v < nearest[i] {
				nearest[i] = v
			}
			total += nearest[i]
		}
		pick := rng.IntN(n)
		if total > 0 {
			left := rng.Float64() * total
			for i, v := range nearest {
				if left -= v; left < 0 {
					pick = i
					break
				}
			}
		}
		copy(centres.Row(c), x.Row(pick))
	}
	of := make([]int, n)
	for step := range 20 {
		changed := false
		for i := range of {
			best, at := 0.0, -1
			for c := range k {
				if v := between(x.Row(i), centres.Row(c)); at < 0 || v < best {
					best, at = v, c
				}
			}
			changed = changed || of[i] != at
			of[i] = at
		}
		if step > 0 && !changed {
			break
		}
		sums, counts := linalg.New[float64](k, d), make([]float64, k)
		for i, c := range of {
			counts[c]++
			for j, v := range x.Row(i) {
				sums.Row(c)[j] += v
			}
		}
		for c, m := range counts {
			for j := range d {
				if m > 0 {
					centres.Set(c, j, sums.At(c, j)/m)
				}
			}
		}
	}
	return of
}
