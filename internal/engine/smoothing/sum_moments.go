package smoothing

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Moments are Σ wⱼ·shape and Σ wⱼ·shape·tⱼ, without the place skip when that is
// not negative.
func (k *Sum) Moments(room *Room, q, t []float64, skip int) (mass, moment float64) {
	for a := 0; a < k.Tree.N; a += rowLength {
		b := min(a+rowLength, k.Tree.N)
		row := k.values(room, q, a, b)
		if skip >= a && skip < b {
			row[skip-a] = 0
		}
		if k.Weight != nil {
			for i, w := range k.Weight[a:b] {
				row[i] *= w
			}
		}
		mass += simd.Asum64(row)
		moment += simd.Dot64(row, t[a:b])
	}
	return mass, moment
}

// Terms sets dst to wᵢ·shape((q-zᵢ)/λᵢ) by place.
func (k *Sum) Terms(room *Room, dst, q []float64) {
	for a := 0; a < k.Tree.N; a += rowLength {
		b := min(a+rowLength, k.Tree.N)
		copy(dst[a:b], k.values(room, q, a, b))
	}
	for p, w := range k.Weight {
		dst[p] *= w
	}
}

// LeaveOut is the sum at the point of a place without that point.
func (k *Sum) LeaveOut(room *Room, q []float64, place int) float64 {
	sum := 0.0
	for a := 0; a < k.Tree.N; a += rowLength {
		b := min(a+rowLength, k.Tree.N)
		row := k.values(room, q, a, b)
		if place >= a && place < b {
			row[place-a] = 0
		}
		if k.Weight == nil {
			sum += simd.Asum64(row)
		} else {
			sum += simd.Dot64(row, k.Weight[a:b])
		}
	}
	return sum
}

// LogLeaveOut is the log of LeaveOut, where that underflows; a place of -1 leaves nothing out. Two
// passes over the exponents, one by one: this is rare.
func (k *Sum) LogLeaveOut(q []float64, place int) float64 {
	top, sum := math.Inf(-1), 0.0
	for pass := range 2 {
		for p := range k.Tree.N {
			if p == place {
				continue
			}
			e := k.LogTerm(q, p)
			if pass == 0 {
				top = max(top, e)
			} else {
				sum += math.Exp(e - top)
			}
		}
		if math.IsInf(top, -1) {
			return top
		}
	}
	return top + math.Log(sum)
}
