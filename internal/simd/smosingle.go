package simd

import "math"

// The passes of boxpair.go with the gradient in single precision. They are fast
// where the lengths are multiples of 32.

// StepPairSingle is StepTwo in single precision.
func StepPairSingle(step float32, ki, kj, up, down []float32) {
	n := len(up)
	ki, kj, down = ki[:n], kj[:n], down[:n]
	if stepPairSingle(step, ki, kj, up, down) {
		return
	}
	for t := range up {
		d := step * (ki[t] - kj[t])
		up[t] -= d
		down[t] -= d
	}
}

// ArgMaxSingle is Largest in single precision.
func ArgMaxSingle(x []float32) (at int, best float32) {
	at, best = -1, float32(math.Inf(-1))
	var where [32]int32
	var largest [32]float32
	if argMaxLanes(x, &where, &largest) {
		for l, v := range largest {
			if v > best || v == best && at >= 0 && int(where[l]) < at {
				at, best = int(where[l]), v
			}
		}
		return at, best
	}
	for t, v := range x {
		if v > best {
			at, best = t, v
		}
	}
	return at, best
}

// PartnerSingle is Partner in single precision, without the gain.
func PartnerSingle(down, diag, ki []float32, zi, kii, least float32) (at int, low float32) {
	n := len(down)
	diag, ki = diag[:n], ki[:n]
	at, low = -1, float32(math.Inf(1))
	num, den := float32(0), float32(1)
	var lanes partnerLanes
	if lanes.fill(down, diag, ki, zi, kii, least) {
		for l, v := range lanes.num {
			low = min(low, lanes.low[l])
			left, right := v*den, num*lanes.den[l]
			if v > 0 && (left > right || left == right && int(lanes.at[l]) < at) {
				at, num, den = int(lanes.at[l]), v, lanes.den[l]
			}
		}
		return at, low
	}
	for t, zj := range down {
		low = min(low, zj)
		d := zi - zj
		if d <= 0 {
			continue
		}
		curve := max(kii+diag[t]-ki[t]-ki[t], least)
		if d*d*den > num*curve {
			at, num, den = t, d*d, curve
		}
	}
	return at, low
}

// partnerLanes is the best of each residue class modulo 32.
type partnerLanes struct {
	at            [32]int32
	num, den, low [32]float32
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
