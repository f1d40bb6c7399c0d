package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// expSumCase is random input for d coordinates and n centres, with exponents
// between -span and span.
type expSumCase[F Float] struct {
	x, c, w, v, out, sums guarded[F]
	d, n, ldc, width      int
}

func newExpSumCase[F Float](r *rand.Rand, d, n int, span float64) expSumCase[F] {
	e := expSumCase[F]{d: d, n: n, width: ExpSumWidth[F](), ldc: n + r.IntN(4)}
	e.x, e.c = guard[F](r, d*e.width, 1+r.IntN(8)), guard[F](r, max(0, (d-1)*e.ldc+n), 1+r.IntN(8))
	e.w, e.v = guard[F](r, n, 3), guard[F](r, e.width, 5)
	e.out, e.sums = guard[F](r, e.width, 2), guard[F](r, n*e.width/2, 7)
	largest := math.Sqrt(span / float64(max(d, 1)))
	for _, g := range []guarded[F]{e.x, e.c} {
		for i := range g.x {
			g.x[i] = F((r.Float64()*2 - 1) * largest)
		}
	}
	return e
}

// exponent is s in float64, and a bound for its rounding in F.
func (e expSumCase[F]) exponent(l, j int, distance bool) (s, bound float64) {
	for p := range e.d {
		a, b := float64(e.x.x[p*e.width+l]), float64(e.c.x[p*e.ldc+j])
		t := a * b
		if distance {
			t = -0.75 * (a - b) * (a - b)
		}
		s, bound = s+t, bound+math.Abs(t)
	}
	return s, bound * float64(e.d+3) * unit[F]() * math.Ln2
}

func (e expSumCase[F]) check(t *testing.T, what string, distance, both bool) {
	t.Helper()
	start, before := append([]F(nil), e.out.x...), append([]F(nil), e.sums.x...)
	switch {
	case both:
		ExpSumBoth(e.x.x, e.c.x, e.ldc, e.w.x, e.v.x, e.out.x, e.sums.x)
	case distance:
		ExpSumDistances(e.x.x, e.c.x, e.ldc, -0.75, e.w.x, e.out.x)
	default:
		ExpSumProducts(e.x.x, e.c.x, e.ldc, e.w.x, e.out.x)
	}
	floor := -1000.0
	if isSingle[F]() {
		floor = -120
	}
	ulps := 4 * unit[F]()
	columns := make([][3]float64, e.n) // want, bound, got
	for l := range e.out.x {
		want, size, bound := float64(start[l]), math.Abs(float64(start[l])), 0.0
		for j := range e.n {
			s, off := e.exponent(l, j, distance)
			k := math.Exp2(max(s, floor))
			term := float64(e.w.x[j]) * k
			want, size = want+term, size+math.Abs(term)
			bound += math.Abs(term) * (off + ulps)
			col := float64(e.v.x[l]) * k
			columns[j][0] += col
			columns[j][1] += math.Abs(col) * (off + ulps + float64(e.width+2)*unit[F]())
		}
		bound += size * float64(e.n+1) * unit[F]()
		if got := float64(e.out.x[l]); !(math.Abs(got-want) <= bound) {
			t.Fatalf("%s d=%d n=%d: sum %d is %g, want %g ± %g", what, e.d, e.n, l, got, want, bound)
		}
	}
	for i, v := range e.sums.x {
		j := i / (e.width / 2)
		columns[j][2] += float64(v) - float64(before[i])
		columns[j][1] += 2 * (math.Abs(float64(before[i])) + math.Abs(float64(v))) * unit[F]()
	}
	for j, c := range columns {
		if both && !(math.Abs(c[2]-c[0]) <= c[1]) {
			t.Fatalf("%s d=%d n=%d: column %d gained %g, want %g ± %g", what, e.d, e.n, j, c[2], c[0], c[1])
		}
		if !both && c[2] != 0 {
			t.Fatalf("%s wrote sums", what)
		}
	}
	for _, g := range []guarded[F]{e.x, e.c, e.w, e.v, e.out, e.sums} {
		g.intact(t)
	}
}

func testExpSum[F Float](t *testing.T) {
	r := rand.New(rand.NewPCG(61, 1))
	far := 900.0
	if isSingle[F]() {
		far = 100
	}
	for _, d := range []int{0, 1, 2, 3, 5, 20, 33} {
		for n := range 41 {
			if testing.Short() && (n+d)%4 > 0 {
				continue // a fourth of the lengths, others for each dimension
			}
			for _, span := range []float64{1e-3, 1, 30, far} {
				newExpSumCase[F](r, d, n, span).check(t, "products", false, false)
				newExpSumCase[F](r, d, n, span).check(t, "distances", true, false)
				newExpSumCase[F](r, d, n, span).check(t, "both", false, true)
				newExpSumCase[F](r, d, n, span*100).check(t, "far distances", true, false)
			}
		}
	}
	for n := 41; n <= 256; n += datatest.Size(1, 5) {
		newExpSumCase[F](r, 1+n%7, n, 1).check(t, "products", false, false)
		newExpSumCase[F](r, 1+n%7, n, 1).check(t, "distances", true, false)
		newExpSumCase[F](r, 1+n%7, n, 1).check(t, "both", false, true)
	}
}

func TestExpSums(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", testExpSum[float64])
		t.Run("float32", testExpSum[float32])
	})
}

// The value 2^s of every exponent is within the claimed units of roundoff: one
// coordinate, one centre at 1, so that s is the coordinate itself.
func testExpSumValues[F Float](t *testing.T, units float64) {
	width := ExpSumWidth[F]()
	r := rand.New(rand.NewPCG(62, 1))
	x, out := make([]F, width), make([]F, width)
	one := []F{1}
	span := 1000.0
	if isSingle[F]() {
		span = 120
	}
	worst := 0.0
	for round := range 20000 {
		for l := range x {
			x[l] = F((r.Float64()*2 - 1) * span)
			if round%2 == 0 {
				x[l] = F(r.NormFloat64())
			}
			if round%16 == 0 {
				x[l] = F(math.Round(float64(x[l])*64) / 64) // where the rounding to a step ties
			}
		}
		clear(out)
		ExpSumProducts(x, one, 1, one, out)
		for l, got := range out {
			high, low := exp2Exactly(float64(x[l]))
			worst = max(worst, math.Abs((float64(got)-high)-low)/high/unit[F]())
		}
	}
	if worst > units {
		t.Errorf("off by %.2f units of roundoff, claimed %g", worst, units)
	}
}

// exp2Exactly is 2^s as a sum of two float64, by e^r of the rest with twelve more bits.
func exp2Exactly(s float64) (high, low float64) {
	k := math.Round(s)
	r := (s - k) / 256 // exact
	// Taylor in double-double would be more than is needed: 2^r-1 has 8 bits in hand, and
	// squaring eight times as (1+a)² = 1 + (2a+a²) keeps them.
	a := math.Expm1(r * math.Ln2)
	lost := math.FMA(r, math.Ln2, -(r*math.Ln2)) + r*ln2Low64
	b := a
	e := lost * (1 + a)
	for range 8 {
		sq := b * b
		next := 2*b + sq
		rest := (2*b - next) + sq + math.FMA(b, b, -sq)
		e = 2*e + 2*b*e + rest
		b = next
	}
	high = 1 + b
	low = (1 - high) + b + e
	scale := math.Ldexp(1, int(k))
	return high * scale, low * scale
}

func TestExpSumValues(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testExpSumValues[float64](t, 3) })
		t.Run("float32", func(t *testing.T) { testExpSumValues[float32](t, 5) })
	})
}

func FuzzExpSum(f *testing.F) {
	f.Add(uint64(1), uint8(2), uint8(9), 3.0)
	f.Fuzz(func(t *testing.T, seed uint64, d, n uint8, span float64) {
		span = math.Mod(math.Abs(span), 100)
		if !(span >= 0) {
			t.Skip("not a span")
		}
		everyLevel(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			newExpSumCase[float64](r, int(d%40), int(n), span).check(t, "products", false, false)
			newExpSumCase[float32](r, int(d%40), int(n), span).check(t, "both", false, true)
			newExpSumCase[float32](r, int(d%40), int(n), span*10).check(t, "distances", true, false)
			newExpSumCase[float64](r, int(d%40), int(n), span*10).check(t, "distances", true, false)
		})
	})
}

func TestExpSumRefusesShortSlices(t *testing.T) {
	w := ExpSumWidth[float64]()
	for name, f := range map[string]func(){
		"panel": func() {
			ExpSumProducts(make([]float64, w+1), make([]float64, 3), 3, make([]float64, 3), make([]float64, w))
		},
		"width": func() {
			ExpSumDistances(make([]float64, w), make([]float64, 3), 3, -1, make([]float64, 3), make([]float64, w-1))
		},
		"centres": func() {
			ExpSumProducts(make([]float64, 2*w), make([]float64, 5), 3, make([]float64, 3), make([]float64, w))
		},
		"stride": func() {
			ExpSumProducts(make([]float64, 2*w), make([]float64, 9), 2, make([]float64, 3), make([]float64, w))
		},
		"scale": func() {
			ExpSumDistances(make([]float64, w), make([]float64, 3), 3, 0, make([]float64, 3), make([]float64, w))
		},
		"sums": func() {
			ExpSumBoth(make([]float64, w), make([]float64, 3), 3, make([]float64, 3), make([]float64, w), make([]float64, w),
				make([]float64, w))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func benchmarkExpSum[F Float](b *testing.B, d int, f func(x, c, w, v, out, sums []F)) {
	const n = 128
	width := ExpSumWidth[F]()
	x, c := make([]F, d*width), make([]F, d*n)
	for i := range x {
		x[i] = F(i%7) / 30
	}
	for i := range c {
		c[i] = F(i%11) / 30
	}
	w, v, out, sums := make([]F, n), make([]F, width), make([]F, width), make([]F, n*width/2)
	for b.Loop() {
		f(x, c, w, v, out, sums)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(n*width)*1e9, "ns/pair")
}

func BenchmarkExpSum(b *testing.B) {
	for _, l := range Supported()[1:] {
		defer Force(l)()
		for _, d := range []int{2, 20} {
			b.Run(fmt.Sprintf("%v/d=%d/products64", l, d), func(b *testing.B) {
				benchmarkExpSum(b, d, func(x, c, w, _, out, _ []float64) { ExpSumProducts(x, c, 128, w, out) })
			})
			b.Run(fmt.Sprintf("%v/d=%d/distances64", l, d), func(b *testing.B) {
				benchmarkExpSum(b, d, func(x, c, w, _, out, _ []float64) { ExpSumDistances(x, c, 128, -1, w, out) })
			})
			b.Run(fmt.Sprintf("%v/d=%d/products32", l, d), func(b *testing.B) {
				benchmarkExpSum(b, d, func(x, c, w, _, out, _ []float32) { ExpSumProducts(x, c, 128, w, out) })
			})
			b.Run(fmt.Sprintf("%v/d=%d/both32", l, d), func(b *testing.B) {
				benchmarkExpSum(b, d, func(x, c, w, v, out, sums []float32) { ExpSumBoth(x, c, 128, w, v, out, sums) })
			})
		}
	}
}
