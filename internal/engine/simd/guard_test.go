package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// everyLevel runs f once for each CPU level of this machine.
func everyLevel(t *testing.T, f func(t *testing.T)) {
	for _, l := range Supported() {
		t.Run(l.String(), func(t *testing.T) {
			defer Force(l)()
			f(t)
		})
	}
}

// guarded is n normal variates at an offset into a buffer that is NaN
// everywhere else: a routine that reads outside spreads the NaN, and one that writes
// outside is found by intact.
type guarded[F Float] struct {
	x   []F
	buf []F
	off int
}

func guard[F Float](r *rand.Rand, n, off int) guarded[F] {
	g := guarded[F]{buf: make([]F, n+2*off+32), off: off}
	for i := range g.buf {
		g.buf[i] = F(math.NaN())
	}
	g.x = g.buf[off : off+n : off+n]
	for i := range g.x {
		g.x[i] = F(r.NormFloat64())
	}
	return g
}

func (g guarded[F]) intact(t *testing.T) {
	t.Helper()
	for i, v := range g.buf {
		if (i < g.off || i >= g.off+len(g.x)) && v == v {
			t.Fatalf("element %d of %d was written", i-g.off, len(g.x))
		}
	}
}

// unit is the unit roundoff of F.
func unit[F Float]() float64 {
	if _, ok := any(*new(F)).(float64); ok {
		return 0x1p-53
	}
	return 0x1p-24
}

// near checks a sum of n terms of total magnitude abs against its exact value.
func near[F Float](t *testing.T, what string, n int, got F, want, abs float64) {
	t.Helper()
	if d := math.Abs(float64(got) - want); !(d <= float64(n+2)*unit[F]()*abs) {
		t.Fatalf("%s: n=%d: %g, want %g", what, n, got, want)
	}
}
