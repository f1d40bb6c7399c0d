package smoothing

import (
	"context"
	"math"
)

// MinimiseLog minimises f over [low, high] on a log scale: a scan, and then
// golden sections around its best place. ok is false when the least value is
// at the lower end.
func MinimiseLog(ctx context.Context, low, high float64, steps int, f func(float64) float64) (at float64, ok bool) {
	a, b := math.Log(low), math.Log(high)
	best, value := 0, math.Inf(1)
	for i := range steps + 1 {
		if v := f(math.Exp(a + (b-a)*float64(i)/float64(steps))); v < value {
			best, value = i, v
		}
		if ctx.Err() != nil {
			return 0, false
		}
	}
	if best == 0 {
		return low, false
	}
	width := (b - a) / float64(steps)
	left, right := a+width*float64(best-1), min(b, a+width*float64(best+1))
	const golden = 0.6180339887498949
	u, v := right-golden*(right-left), left+golden*(right-left)
	fu, fv := f(math.Exp(u)), f(math.Exp(v))
	for right-left > 1e-5 && ctx.Err() == nil {
		if fu <= fv {
			right, v, fv = v, u, fu
			u = right - golden*(right-left)
			fu = f(math.Exp(u))
		} else {
			left, u, fu = u, v, fv
			v = left + golden*(right-left)
			fv = f(math.Exp(v))
		}
	}
	return math.Exp((left + right) / 2), true
}

// Bisect finds a zero of f between points where its signs differ, to the last bits.
func Bisect(f func(float64) float64, low, high float64) float64 {
	negative := f(low) < 0
	for range 200 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if (f(mid) < 0) == negative {
			low = mid
		} else {
			high = mid
		}
	}
	return low + (high-low)/2
}
