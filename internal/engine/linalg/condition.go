package linalg

import "math"

// NormOneEstimate estimates ‖B‖₁ of a linear map of order n from products
// with it and with its transpose, each overwriting the n×1 argument. The
// result never exceeds ‖B‖₁ and is seldom less than a third of it.
//
// Hager (1984) as refined by Higham (ACM TOMS 14, 1988, algorithm 674): climb
// x ↦ ‖Bx‖₁ over the vertices of the unit ball, at most five steps, then try
// the alternating vector that defeats the usual counterexamples.
func NormOneEstimate(n int, times, timesTransposed func(v Matrix[float64])) float64 {
	if n == 0 {
		return 0
	}
	v := New[float64](n, 1)
	for i := range v.Data {
		v.Data[i] = 1 / float64(n)
	}
	times(v)
	if n == 1 {
		return math.Abs(v.Data[0])
	}
	est := sumAbs(v.Data)
	sign := make([]float64, n)
	signsOf(sign, v.Data)
	copy(v.Data, sign)
	timesTransposed(v)
	at := argMaxAbs(v.Data)
	for range 4 {
		clear(v.Data)
		v.Data[at] = 1
		times(v)
		was := est
		now := sumAbs(v.Data)
		if sameSigns(sign, v.Data) || now <= was {
			est = math.Max(was, now)
			break
		}
		est = now
		signsOf(sign, v.Data)
		copy(v.Data, sign)
		timesTransposed(v)
		next := argMaxAbs(v.Data)
		if v.Data[at] == math.Abs(v.Data[next]) {
			break
		}
		at = next
	}
	s := 1.0
	for i := range v.Data {
		v.Data[i] = s * (1 + float64(i)/float64(n-1))
		s = -s
	}
	times(v)
	return math.Max(est, 2*sumAbs(v.Data)/(3*float64(n)))
}

// Cond estimates the condition number ‖A‖₁·‖A⁻¹‖₁ from the factor alone, in
// O(n²). Both norms are estimated, so the result is a lower bound, seldom
// below a tenth of the truth.
func (c *CholeskyOf[F]) Cond(t int) float64 {
	n := c.L.Rows
	narrow := New[F](n, 1)
	inverse := func(v Matrix[float64]) {
		for i := range n {
			narrow.Data[i] = F(v.Data[i])
		}
		c.Solve(t, narrow)
		for i := range n {
			v.Data[i] = float64(narrow.Data[i])
		}
	}
	forward := func(v Matrix[float64]) { c.multiply(v.Data) }
	return NormOneEstimate(n, forward, forward) * NormOneEstimate(n, inverse, inverse)
}

// multiply overwrites v with L·(Lᵀ·v).
func (c *CholeskyOf[F]) multiply(v []float64) {
	n := c.L.Rows
	w := make([]float64, n)
	for i := range n {
		for k, l := range c.L.Row(i)[:i+1] {
			w[k] += float64(l) * v[i]
		}
	}
	for i := range n {
		s := 0.0
		for k, l := range c.L.Row(i)[:i+1] {
			s += float64(l) * w[k]
		}
		v[i] = s
	}
}

func sumAbs(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += math.Abs(v)
	}
	return s
}

func signsOf(dst, x []float64) {
	for i, v := range x {
		dst[i] = math.Copysign(1, v)
	}
}

func sameSigns(sign, x []float64) bool {
	for i, v := range x {
		if math.Copysign(1, v) != sign[i] {
			return false
		}
	}
	return true
}

func argMaxAbs(x []float64) int {
	at := 0
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	return at
}
