package simd

import (
	"math"
	"math/big"
)

// The oracle: the functions in 256-bit arithmetic, far beyond what is tested.

const oracleBits = 256

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(oracleBits).SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(oracleBits) }

// bigExpm1 is eˣ-1 by halving x until Taylor's series is short, then
// e²ʸ-1 = (eʸ-1)·(eʸ-1+2), which does not cancel.
func bigExpm1(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return newBig()
	}
	halvings := max(0, x.MantExp(nil)+8)
	y := newBig().SetMantExp(x, -halvings)
	sum, term := newBig().Set(y), newBig().Set(y)
	for i := 2; i < 32; i++ {
		term.Mul(term, y)
		term.Quo(term, bigOf(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, newBig().Add(sum, bigOf(2)))
	}
	return sum
}

func bigExp(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return newBig().Quo(bigOf(1), bigExp(newBig().Neg(x)))
	}
	return newBig().Add(bigExpm1(x), bigOf(1))
}

// bigLog1p is log(1+x).
func bigLog1p(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) > 0.5 {
		return bigLog(newBig().Add(x, bigOf(1)))
	}
	return smallLog1p(x)
}

// smallLog1p is log(1+x) for |x| ≤ ½, by cubic steps from the float64 logarithm.
func smallLog1p(x *big.Float) *big.Float {
	f, _ := x.Float64()
	if math.Abs(f) < 0x1p-60 {
		// x - x²/2 + x³/3 - x⁴/4
		sum, power := newBig(), bigOf(1)
		for i := 1; i <= 4; i++ {
			power.Mul(power, x)
			term := newBig().Quo(power, bigOf(float64(i)))
			if i%2 == 0 {
				term.Neg(term)
			}
			sum.Add(sum, term)
		}
		return sum
	}
	y := bigOf(math.Log1p(f))
	for range 2 {
		// (1+x)·e⁻ʸ - 1 = x·e⁻ʸ + (e⁻ʸ-1)
		m := bigExpm1(newBig().Neg(y))
		t := newBig().Mul(x, newBig().Add(m, bigOf(1)))
		t.Add(t, m)
		square := newBig().Mul(t, t)
		y.Add(y, t)
		y.Sub(y, square.Quo(square, bigOf(2)))
	}
	return y
}

// bigLog is log x = e·ln2 + log m.
func bigLog(x *big.Float) *big.Float {
	m := newBig()
	e := x.MantExp(m)
	if f, _ := m.Float64(); f < math.Sqrt2/2 {
		m.SetMantExp(m, 1)
		e--
	}
	sum := newBig().Mul(bigOf(float64(e)), bigLn2)
	return sum.Add(sum, smallLog1p(m.Sub(m, bigOf(1))))
}

var bigLn2 = newBig().Neg(smallLog1p(bigOf(-0.5)))

func bigTanh(x *big.Float) *big.Float {
	e := bigExpm1(newBig().Add(x, x))
	return newBig().Quo(e, newBig().Add(e, bigOf(2)))
}

func bigPow(p float64) func(*big.Float) *big.Float {
	return func(x *big.Float) *big.Float {
		y := bigLog(x)
		return bigExp(y.Mul(y, bigOf(p)))
	}
}

func bigPowInt(p int) func(*big.Float) *big.Float {
	return func(x *big.Float) *big.Float {
		y := bigOf(1)
		for range p {
			y.Mul(y, x)
		}
		return y
	}
}

// format is a number format: bits of the significand, exponent of the smallest denormal and of
// overflow.
type numberFormat struct{ significand, smallest, overflow int }

var (
	double = numberFormat{53, -1074, 1024}
	single = numberFormat{24, -149, 128}
)

// ulps is |got - exact| in units in the last place of exact. A result that
// overflowed is right when exact is within half a unit of overflow or beyond.
func (f numberFormat) ulps(got float64, exact *big.Float) float64 {
	e := exact.MantExp(nil) // exact = m·2^e, ½ ≤ |m| < 1
	unit := max(e-f.significand, f.smallest)
	if exact.Sign() == 0 {
		unit = f.smallest
	}
	if math.IsNaN(got) {
		return math.Inf(1)
	}
	if math.IsInf(got, 0) {
		if exact.Sign() != 0 && math.Signbit(got) == exact.Signbit() && e > f.overflow {
			return 0
		}
		limit := newBig().SetMantExp(bigOf(1), f.overflow)
		got, _ := limit.Float64()
		if !math.IsInf(got, 0) {
			return f.ulps(math.Copysign(got, 1), newBig().Abs(exact))
		}
		diff := limit.Sub(limit, newBig().Abs(exact))
		u, _ := diff.SetMantExp(diff, -unit).Float64()
		return math.Abs(u)
	}
	diff := newBig().Sub(bigOf(got), exact)
	u, _ := diff.SetMantExp(diff, -unit).Float64()
	return math.Abs(u)
}
