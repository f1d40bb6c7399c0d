package kernel

import (
	"math"
	"sync"
)

// maternTable is a Matérn kernel of general ν with its profile tabulated: on each
// half octave of z = √(2ν) r/ℓ, e^z M_ν(z) is a Chebyshev interpolant. The nearest
// singularity is the origin, which is 3+2√2 half-widths from the middle, so n
// terms leave an error of about 11.6⁻ⁿ.
type maternTable struct {
	Matern
	once   *sync.Once
	pieces *[maternPieces][maternTerms]float64
}

const (
	maternTerms  = 18
	maternLow    = -10 // pieces from 2⁻¹⁰ …
	maternPieces = 2 * 17
	// tableWorth is how many values in one call make the table worth its 600
	// evaluations.
	tableWorth = 256
)

func (k Matern) prepareProfile() Profiled {
	if _, closed := halfInteger(k.Nu); closed || !(k.Nu > 0) || k.Nu >= largeNu {
		return k
	}
	return maternTable{k, new(sync.Once), new([maternPieces][maternTerms]float64)}
}

// fill interpolates at the Chebyshev nodes of every piece.
func (t maternTable) fill() {
	for p := range t.pieces {
		lo, hi := pieceBounds(p)
		var f [maternTerms]float64
		for i := range f {
			u := math.Cos(math.Pi * (float64(i) + 0.5) / maternTerms)
			z := (lo+hi)/2 + u*(hi-lo)/2
			f[i] = maternCorrelation(t.Nu, z) * math.Exp(z)
		}
		for j := range t.pieces[p] {
			s := 0.0
			for i, v := range f {
				s += v * math.Cos(math.Pi*float64(j)*(float64(i)+0.5)/maternTerms)
			}
			t.pieces[p][j] = 2 * s / maternTerms
		}
		t.pieces[p][0] /= 2
	}
}

func pieceBounds(p int) (lo, hi float64) {
	return math.Exp2(maternLow + float64(p)/2), math.Exp2(maternLow + float64(p+1)/2)
}

// Profile maps r² to κ(r) by the table.
func (t maternTable) Profile(m []float64) {
	if len(m) < tableWorth {
		t.Matern.Profile(m)
		return
	}
	t.once.Do(t.fill)
	c := math.Sqrt(2*t.Nu) / orOne(t.Lengthscale)
	var buffer [chunk]float64
	for len(m) > 0 {
		part := m[:min(chunk, len(m))]
		e := buffer[:len(part)]
		sqrtInPlace(part)
		for i, r := range part {
			part[i] = c * r
		}
		copy(e, part)
		expScale(e, -1)
		for i, z := range part {
			part[i] = t.value(z, e[i])
		}
		m = m[len(part):]
	}
}

// Profile32 is Profile in single precision.
func (t maternTable) Profile32(m []float32) {
	var wide [chunk]float64
	for len(m) > 0 {
		part := m[:min(chunk, len(m))]
		w := wide[:len(part)]
		for i, v := range part {
			w[i] = float64(v)
		}
		t.Profile(w)
		for i, v := range w {
			part[i] = float32(v)
		}
		m = m[len(part):]
	}
}

// value is M_ν(z), given e^{-z}.
func (t maternTable) value(z, decay float64) float64 {
	f, exponent := math.Frexp(z) // z = f·2^exponent, f in [½, 1)
	p := 2 * (exponent - 1 - maternLow)
	if f >= math.Sqrt2/2 {
		p++
	}
	if z == 0 || p < 0 || p >= maternPieces || decay < 1e-300 {
		return maternCorrelation(t.Nu, z)
	}
	lo, hi := math.Ldexp(0.5, exponent), math.Ldexp(math.Sqrt2/2, exponent)
	if p&1 == 1 {
		lo, hi = hi, 2*lo
	}
	u := (2*z - lo - hi) / (hi - lo)
	b1, b2 := 0.0, 0.0
	c := &t.pieces[p]
	for j := maternTerms - 1; j >= 1; j-- {
		b1, b2 = c[j]+2*u*b1-b2, b1
	}
	return (c[0] + u*b1 - b2) * decay
}
