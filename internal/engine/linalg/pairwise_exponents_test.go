package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// As exponents, squared distances of near pairs are within 2e-6 in single precision, none is
// negative, and where points lie so far out that rounding would be more, close pairs are computed
// again as before.
func TestExponentsOfClosePairs(t *testing.T) {
	for _, c := range []struct {
		d    int
		part float64 // of what exponents may be
	}{{2, 0.3}, {2, 0.95}, {3, 0.95}, {3, 1.1}, {3, 1000}, {20, 0.95}, {60, 0.95}, {60, 1.1}, {300, 0.95}, {784, 0.95}} {
		const n, scale = 200, 0.5
		d := c.d
		out := math.Sqrt(c.part * mostExponent(d) / (2 * scale * float64(d)))
		rng := rand.New(rand.NewPCG(3, 0))
		x := New[float64](n, d)
		for i := range n {
			for j := range d {
				v := out * math.Copysign(1, float64(i%2)-0.5) // two clumps about the mean
				x.Set(i, j, v+0.01/math.Sqrt(float64(d))*rng.NormFloat64())
			}
		}
		p := NewPairs[float32](SquaredDistance, x, x)
		before := p.tau
		p.Exponents(scale)
		if few := c.part < 1; few != (p.tau == 0) || !few && p.tau != before {
			t.Errorf("%+v: close pairs are below %g", c, p.tau)
		}
		k := New[float32](n, n)
		p.Tile(k, 0, 0, nil)
		for i := range n {
			for j := range n {
				want := 0.0
				for col := range d {
					want += (x.At(i, col) - x.At(j, col)) * (x.At(i, col) - x.At(j, col))
				}
				got := float64(k.At(i, j))
				if got < 0 || math.Abs(math.Exp(-scale*got)-math.Exp(-scale*want)) > 2e-6 {
					t.Fatalf("%+v: squared distance of %d and %d is %g, want %g: off by %.2g", c, i, j, got, want,
						math.Abs(math.Exp(-scale*got)-math.Exp(-scale*want)))
				}
			}
		}
	}
}

// A point far out costs the others nothing: pairs with it are computed again where they are close,
// pairs without it are not.
func TestExponentsBesideAPointFarOut(t *testing.T) {
	const n, d, scale = 200, 2, 0.5
	rng := rand.New(rand.NewPCG(4, 0))
	x := New[float64](n, d)
	for i := range n {
		for j := range d {
			x.Set(i, j, 0.5*rng.NormFloat64())
		}
	}
	for i := range 2 { // close to each other
		x.Set(i, 0, 40)
		x.Set(i, 1, 1e-3*float64(i))
	}
	p, plain := NewPairs[float32](SquaredDistance, x, x), NewPairs[float32](SquaredDistance, x, x)
	p.Exponents(scale)
	if p.tau == 0 || !(p.near > 0) {
		t.Fatal("the point is not far out")
	}
	k, exact := New[float32](n, n), New[float32](n, n)
	p.Tile(k, 0, 0, nil)
	plain.Tile(exact, 0, 0, nil)
	differ := 0
	for i := range n {
		for j := range n {
			got, want := float64(k.At(i, j)), float64(exact.At(i, j))
			if (i < 2) != (j < 2) && got != want {
				t.Fatalf("squared distance of %d and %d is %g, want %g", i, j, got, want)
			}
			if got != want {
				differ++
			}
			if got < 0 || math.Abs(math.Exp(-scale*got)-math.Exp(-scale*want)) > 2e-6 {
				t.Fatalf("squared distance of %d and %d is %g, want %g", i, j, got, want)
			}
		}
	}
	if k.At(0, 1) != exact.At(0, 1) {
		t.Errorf("the distance of the two far out is %g, want %g", k.At(0, 1), exact.At(0, 1))
	}
	if differ == 0 {
		t.Error("all close pairs were computed again")
	}
}

// Exponents of rows brought to columns are within the tolerance of their precision, whatever lies
// near and far; identical rows are at 0; a row has the same bits alone and among others; and pairs
// that are close in most columns are not all computed again.
func TestColumnExponents(t *testing.T) {
	testColumnExponents[float64](t, 1e-12)
	testColumnExponents[float32](t, 1e-4)
}

func testColumnExponents[F Float](t *testing.T, tolerance float64) {
	t.Helper()
	const n, m, d, scale = 120, 60, 30, 0.5
	rng := rand.New(rand.NewPCG(5, 0))
	x := New[float64](n, d)
	for i := range n {
		x.Set(i, 0, float64(rng.IntN(3))) // few values far apart, as of months; the others say little
		for j := 1; j < d; j++ {
			x.Set(i, j, 0.02*rng.NormFloat64())
		}
	}
	copy(x.Row(n-2), x.Row(n-1)) // beyond the limit, and close to each other
	x.Set(n-1, 1, 60)
	x.Set(n-2, 1, 60.01)
	y := New[float64](m, d)
	for i := range m {
		copy(y.Row(i), x.Row(i*n/m))
	}
	copy(y.Row(m-1), x.Row(n-1))
	p, plain := NewPairs[F](SquaredDistance, y, y), NewPairs[F](SquaredDistance, y, y)
	p.ColumnExponents(scale)
	k, exact := New[F](n, m), New[F](n, m)
	p.WithRows(x).Tile(k, 0, 0, nil)
	plain.WithRows(x).Tile(exact, 0, 0, nil)
	differ, close := 0, 0
	for i := range n {
		alone := New[F](1, m)
		p.WithRows(x.Slice(i, i+1, 0, d)).Tile(alone, 0, 0, nil)
		for j := range m {
			want := 0.0
			for c := range d {
				want += (x.At(i, c) - y.At(j, c)) * (x.At(i, c) - y.At(j, c))
			}
			got := float64(k.At(i, j))
			switch off := math.Abs(math.Exp(-scale*got) - math.Exp(-scale*want)); {
			case off > tolerance, got < 0, want == 0 && got != 0:
				t.Fatalf("%T: squared distance of %d and %d is %g, want %g: off by %.2g", F(0), i, j, got, want, off)
			case alone.At(0, j) != k.At(i, j):
				t.Fatalf("%T: row %d alone has %g at %d, among others %g", F(0), i, alone.At(0, j), j, k.At(i, j))
			case i >= n-2 && k.At(i, j) != exact.At(i, j):
				t.Fatalf("%T: far out, %d and %d are %g apart, want %g", F(0), i, j, got, exact.At(i, j))
			}
			if want > 0 && want < 0.1 {
				if close++; k.At(i, j) != exact.At(i, j) {
					differ++
				}
			}
		}
	}
	if close == 0 || 2*differ < close {
		t.Errorf("%T: %d of %d close pairs were not computed again", F(0), differ, close)
	}
}
