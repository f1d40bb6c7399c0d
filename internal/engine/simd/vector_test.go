package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// elementwise is a vector function of F with its reference.
type elementwise[F Float] struct {
	name     string
	run, ref func(dst, src []F)
}

var elementwise64 = []elementwise[float64]{
	{"exp", Exp64, expRef[float64]},
	{"scaleExp", func(d, s []float64) { ScaleExp64(d, s, -0.7) }, func(d, s []float64) { scaleExpRef(d, s, -0.7) }},
	{"tanh", Tanh64, tanhRef[float64]},
	{"log1p", Log1p64, log1pRef[float64]},
	{"sqrt", Sqrt64, sqrtRef[float64]},
	{"reciprocal", Reciprocal64, reciprocalRef[float64]},
	{"affine", func(d, s []float64) { Affine64(d, s, 3.3, -0.1) }, func(d, s []float64) { affineRef(d, s, 3.3, -0.1) }},
	{"pow -2.5", pow64By(-2.5), func(d, s []float64) { c := powCaseOf(-2.5); powRef(d, s, &c) }},
	{"pow 1e300", pow64By(1e300), func(d, s []float64) { c := powCaseOf(1e300); powRef(d, s, &c) }},
	{"pow 77", powInt64By(77), func(d, s []float64) { c := powCaseOf(77); powRef(d, s, &c) }},
	{"pow 1", powInt64By(1), func(d, s []float64) { copy(d, s) }},
	{"pow 13", powInt64By(13), func(d, s []float64) { powIntRef(d, s, 13, 2) }},
}

var elementwise32 = []elementwise[float32]{
	{"scaleExp", func(d, s []float32) { ScaleExp32(d, s, -0.7) }, func(d, s []float32) { scaleExpRef(d, s, -0.7) }},
	{"tanh", Tanh32, tanhRef[float32]},
	{"log1p", Log1p32, log1pRef[float32]},
	{"sqrt", Sqrt32, sqrtRef[float32]},
	{"affine", func(d, s []float32) { Affine32(d, s, 3.3, -0.1) }, func(d, s []float32) { affineRef(d, s, 3.3, -0.1) }},
	{"pow 13", powInt32By(13), func(d, s []float32) { powIntRef(d, s, 13, 2) }},
}

// exp32 is exp in single precision.
func exp32(dst, src []float32) { ScaleExp32(dst, src, 1) }

// arguments is n numbers of which every third is special and the others are
// of any bits or of ordinary size.
func arguments[F Float](r *rand.Rand, n int) []F {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 5e-324, -5e-324, 0x1p-1022,
		0x1p-1030,
		math.MaxFloat64, -math.MaxFloat64, 709.782712893384, 709.7827128933841, -745.1332191019411, -745.13321910194122,
		-708.4, -740, 0x1p-149, 0x1p-126,
		88.72283, 88.7229, -103.97, -104, -87.4, math.Nextafter(1, 0), math.Nextafter(1, 2), math.Nextafter(-1, 0), -2, 2,
		3.5, 1e-20, 1e20, 20, -20}
	x := make([]F, n)
	for i := range x {
		switch r.IntN(3) {
		case 0:
			x[i] = F(special[r.IntN(len(special))])
		case 1:
			x[i] = fromBits[F](r.Uint64())
		default:
			x[i] = F(r.NormFloat64() * 30)
		}
	}
	return x
}

// sameBits holds NaN equal to NaN.
func sameBits[F Float](a, b F) bool { return toBits(a) == toBits(b) || a != a && b != b }

// checkElementwise runs c on every length, out of place and in place, between guards.
func checkElementwise[F Float](t *testing.T, c elementwise[F]) {
	const guard = 16
	r := rand.New(rand.NewPCG(3, 4))
	mark := F(-12345.678)
	for n := range 257 {
		src := arguments[F](r, n)
		want := make([]F, n)
		c.ref(want, src)
		for _, inPlace := range []bool{false, true} {
			buffer := make([]F, n+2*guard)
			for i := range buffer {
				buffer[i] = mark
			}
			dst, from := buffer[guard:guard+n], src
			if inPlace {
				copy(dst, src)
				from = dst
			}
			c.run(dst, from)
			for i, v := range buffer {
				switch {
				case i < guard || i >= guard+n:
					if v != mark {
						t.Fatalf("n=%d: wrote outside, at %d", n, i-guard)
					}
				case !sameBits(v, want[i-guard]):
					t.Fatalf("n=%d in place=%v: f(%v) = %v at %d, want %v", n, inPlace, src[i-guard], v, i-guard, want[i-guard])
				}
			}
		}
	}
}

func TestElementwiseIsTheReferenceToTheBit(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, c := range elementwise64 {
			t.Run(c.name+"/64", func(t *testing.T) { checkElementwise(t, c) })
		}
		for _, c := range elementwise32 {
			t.Run(c.name+"/32", func(t *testing.T) { checkElementwise(t, c) })
		}
	})
}

// The reference at special arguments is the math package.
func TestElementwiseSpecialCases(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 1e9, -1e9, -2, -0.5}
	check := func(name string, run func(dst, src []float64), run32 func(dst, src []float32), want func(float64) float64) {
		for _, x := range special {
			y, y32 := []float64{x}, []float32{float32(x)}
			run(y, y)
			if run32 != nil {
				run32(y32, y32)
			}
			w := want(x)
			if math.IsNaN(w) != math.IsNaN(y[0]) || math.IsInf(w, 0) != math.IsInf(y[0], 0) ||
				math.Signbit(w) != math.Signbit(y[0]) && w == w ||
				w == 0 != (y[0] == 0) || math.Abs(w-y[0]) > 1e-15*math.Abs(w) {
				t.Errorf("%s(%v) = %v, want %v", name, x, y[0], w)
			}
			if run32 == nil {
				continue
			}
			w32 := float64(float32(want(float64(float32(x)))))
			g := float64(y32[0])
			if math.IsNaN(w32) != math.IsNaN(g) || math.IsInf(w32, 0) != math.IsInf(g, 0) ||
				math.Signbit(w32) != math.Signbit(g) && w32 == w32 ||
				w32 == 0 != (g == 0) || math.Abs(w32-g) > 1e-6*math.Abs(w32) {
				t.Errorf("%s32(%v) = %v, want %v", name, x, g, w32)
			}
		}
	}
	check("exp", Exp64, exp32, math.Exp)
	check("tanh", Tanh64, Tanh32, math.Tanh)
	check("log1p", Log1p64, Log1p32, math.Log1p)
	check("sqrt", Sqrt64, Sqrt32, math.Sqrt)
	check("reciprocal", Reciprocal64, nil, func(x float64) float64 { return 1 / x })
	for _, p := range []float64{0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 70, 71, 1e300, -1e300, 2.5, math.Inf(1), math.Inf(-1),
		math.NaN()} {
		check(fmt.Sprintf("pow %v", p), pow64By(p), pow32By(p), func(x float64) float64 { return math.Pow(x, p) })
		if p == math.Trunc(p) && math.Abs(p) < 100 {
			check(fmt.Sprintf("powInt %v", p), powInt64By(int(p)), powInt32By(int(p)),
				func(x float64) float64 { return math.Pow(x, p) })
		}
	}
}

// The reference's float32 fma against the exact sum in 256 bits.
func TestFMA32RoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200000 {
		a, b := fromBits[float32](uint64(r.Uint32())), fromBits[float32](uint64(r.Uint32()))
		c := fromBits[float32](uint64(r.Uint32()))
		if r.IntN(2) == 0 {
			// Near cancellation or a tie.
			c = -a * b * (1 + float32(r.IntN(3)-1)*0x1p-23)
		}
		if math.IsNaN(float64(a*b)) || math.IsInf(float64(a*b), 0) || c != c || math.IsInf(float64(c), 0) {
			continue
		}
		exact := newBig().Mul(bigOf(float64(a)), bigOf(float64(b)))
		want, _ := exact.SetPrec(1000).Add(exact, bigOf(float64(c))).Float32()
		if got := fma32(a, b, c); got != want {
			t.Fatalf("fma32(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	}
}

func FuzzElementwise(f *testing.F) {
	f.Add(uint64(0), uint64(1))
	f.Add(math.Float64bits(709.78), math.Float64bits(-745.1))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		src := []float64{fromBits[float64](a), fromBits[float64](b)}
		src32 := []float32{fromBits[float32](a), fromBits[float32](b)}
		everyLevel(t, func(t *testing.T) {
			for _, c := range elementwise64 {
				got, want := make([]float64, 2), make([]float64, 2)
				c.run(got, src)
				c.ref(want, src)
				if !sameBits(got[0], want[0]) || !sameBits(got[1], want[1]) {
					t.Errorf("%s(%v) = %v, want %v", c.name, src, got, want)
				}
			}
			for _, c := range elementwise32 {
				got, want := make([]float32, 2), make([]float32, 2)
				c.run(got, src32)
				c.ref(want, src32)
				if !sameBits(got[0], want[0]) || !sameBits(got[1], want[1]) {
					t.Errorf("%s32(%v) = %v, want %v", c.name, src32, got, want)
				}
			}
		})
	})
}
