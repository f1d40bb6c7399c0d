package simd

import "math"

// This file is for machines without a fused multiply-add, where the one of package math is dozens
// of integer operations: WebAssembly. Its functions are within rounding of the ones in
// vector_ref.go, not equal to the bit. It is compiled everywhere, so that the tests of every
// machine hold it to that.

// ln2 as a sum of two numbers, of which the first has 32 zeros at its end: k·ln2Upper is exact for
// every exponent k without a fused product (the split of fdlibm's e_exp.c).
const (
	ln2Upper = 0x1.62e42feep-1
	ln2Lower = 0x1.a39ef35793c76p-33
)

// expPlain is exp as in vector_ref.go, each product rounded by itself. It is one function without
// calls: a loop over it is what a surface costs.
func expPlain(x float64) float64 {
	if !(x > -708 && x < 709) { // results at the ends of the range, NaN: seldom, and worth the care of the reference
		return constants64.exp(x)
	}
	k := math.RoundToEven(x * log2e64)
	r := x - k*ln2Upper - k*ln2Lower
	// Two halves of the polynomial at a time, in even and odd powers: half as long a chain of
	// products.
	z := r * r
	even := 0x1p-1 + z*(0x1.5555555555556p-5+z*(0x1.6c16c16c162d4p-10+z*(0x1.a01a01a6d889cp-16+z*(0x1.27e4db646b17ep-22+z*0x1.1f730349868cfp-29))))
	odd := 0x1.5555555555557p-3 + z*(0x1.11111111100dcp-7+z*(0x1.a01a01abe7fe1p-13+z*(0x1.71de0231960ebp-19+z*0x1.af4de97ca4194p-26)))
	p := 1 + (r + z*(even+r*odd))
	return p * math.Float64frombits(uint64(int64(k)+1023)<<52)
}

func expPlainTo(dst, src []float64) {
	for i, x := range src {
		dst[i] = expPlain(x)
	}
}

func scaleExpPlainTo[F Float](dst, src []F, a F) {
	for i, x := range src {
		dst[i] = F(expPlain(float64(a * x)))
	}
}

func affinePlainTo[F Float](dst, src []F, a, b F) {
	for i, x := range src {
		dst[i] = a*x + b
	}
}

// fmaPlain is a·b + c with an error of little more than half a unit in the last place: the product
// with what its rounding lost (Dekker 1971), the sum with what its rounding lost (Knuth), and both
// added back. Where halves would overflow it is the plain sum. The conversions keep a compiler from
// fusing products into sums, which arm64's does.
func fmaPlain(a, b, c float64) float64 {
	const most = 0x1p990
	p := float64(a * b)
	if !(math.Abs(a) < most && math.Abs(b) < most && math.Abs(p) < most && math.Abs(c) < most) {
		return p + c
	}
	const splitter = 1<<27 + 1
	t := float64(splitter * a)
	ah := t - (t - a)
	al := a - ah
	t = float64(splitter * b)
	bh := t - (t - b)
	bl := b - bh
	lost := ((float64(ah*bh) - p) + float64(ah*bl) + float64(al*bh)) + float64(al*bl)
	s := p + c
	v := s - p
	return s + (((p - (s - v)) + (c - v)) + lost)
}
