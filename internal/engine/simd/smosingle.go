package simd

import (
	"math"
	"math/bits"
)

// The passes of boxpair.go with the gradient z in single precision, and with bits for who may be
// raised and who may be lowered: bit t of a []uint32 is bit t%32 of word t/32. They are fast where
// the lengths are multiples of 32.

// StepMasked takes step·(ki[t] - kj[t]) from z[t] and returns the largest z[t]
// of those in up, -Inf when there is none.
func StepMasked(step float32, ki, kj, z []float32, up []uint32) float32 {
	n := len(z)
	ki, kj, up = ki[:n], kj[:n], up[:(n+31)/32]
	best := float32(math.Inf(-1))
	if stepMasked(step, ki, kj, z, up, &best) {
		return best
	}
	for t := range z {
		z[t] -= step * (ki[t] - kj[t])
		if up[t>>5]>>(t&31)&1 != 0 {
			best = max(best, z[t])
		}
	}
	return best
}

// FirstEqual is the first t in mask with z[t] = value, -1 when there is none.
func FirstEqual(z []float32, mask []uint32, value float32) int {
	n := len(z)
	mask = mask[:(n+31)/32]
	if t, ok := firstEqual(z, mask, value); ok {
		if t < n {
			return t
		}
		return -1
	}
	for w, m := range mask {
		for ; m != 0; m &= m - 1 {
			if t := 32*w + bits.TrailingZeros32(m); t < n && z[t] == value {
				return t
			}
		}
	}
	return -1
}

// PartnerMasked finds the t in down with the largest gain (zi - z[t])²/curve among those with z[t]
// < zi, where curve is kii + diag[t] - 2ki[t], at least least; -1 when there is none. low is the
// smallest z[t] of all in down.
func PartnerMasked(z []float32, down []uint32, diag, ki []float32, zi, kii, least float32) (at int, low float32) {
	n := len(z)
	down, diag, ki = down[:(n+31)/32], diag[:n], ki[:n]
	if at, low, ok := partnerMasked(z, down, diag, ki, zi, kii, least); ok {
		if at >= n {
			at = -1
		}
		return at, low
	}
	at, low = -1, float32(math.Inf(1))
	num, den := float32(0), float32(1)
	for w, m := range down {
		for ; m != 0; m &= m - 1 {
			t := 32*w + bits.TrailingZeros32(m)
			if t >= n {
				break
			}
			low = min(low, z[t])
			d := zi - z[t]
			if d <= 0 {
				continue
			}
			curve := max(kii+diag[t]-ki[t]-ki[t], least)
			if d*d*den > num*curve {
				at, num, den = t, d*d, curve
			}
		}
	}
	return at, low
}

// GatherRow sets dst[c] = row[index[c]]. The caller answers for the indices:
// they are not checked.
func GatherRow(dst, row []float32, index []int32) {
	n := len(index)
	dst = dst[:n]
	for c := gatherRowWhole(dst, row, index); c < n; c++ {
		dst[c] = row[index[c]]
	}
}

// FlushTiny sets subnormal entries to 0: arithmetic with them is a hundred
// times slower.
func FlushTiny(x []float32) {
	const least = 0x1p-126
	for i := flushTinyWhole(x); i < len(x); i++ {
		if v := x[i]; v < least && v > -least {
			x[i] = 0
		}
	}
}
