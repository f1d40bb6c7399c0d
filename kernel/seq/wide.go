package seq

import "math"

// wide is a number ≥ 0 with a range without bounds, m·2^{512e} with m in [2⁻²⁵⁶, 2²⁵⁶) or 0: sums
// over alignments of long sequences leave the range of float64, and logarithms of every cell would
// cost far more.
type wide struct {
	m float64
	e int
}

const (
	wideBase = 0x1p512
	wideHigh = 0x1p256
	wideLow  = 0x1p-256
)

// wideOf is v for finite v ≥ 0.
func wideOf(v float64) wide { return wide{v, 0}.tidy() }

func (a wide) tidy() wide {
	switch {
	case a.m == 0:
		return wide{}
	case a.m >= wideHigh:
		return wide{a.m * (1 / wideBase), a.e + 1}
	case a.m < wideLow:
		return wide{a.m * wideBase, a.e - 1}
	}
	return a
}

func (a wide) plus(b wide) wide {
	switch {
	case a.m == 0:
		return b
	case b.m == 0:
		return a
	case a.e == b.e:
		return wide{a.m + b.m, a.e}.tidy()
	case a.e < b.e:
		a, b = b, a
	}
	if a.e == b.e+1 {
		return wide{a.m + b.m*(1/wideBase), a.e}.tidy()
	}
	return a
}

func (a wide) times(b wide) wide { return wide{a.m * b.m, a.e + b.e}.tidy() }

// log is the logarithm, -Inf at 0.
func (a wide) log() float64 {
	if a.m == 0 {
		return math.Inf(-1)
	}
	return math.Log(a.m) + float64(a.e)*(512*math.Ln2)
}
