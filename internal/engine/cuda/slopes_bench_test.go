package cuda

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// Times of the parts of an evidence, where somebody asks for them by MERCER_TIMING=1 and there is a chip.
func TestEvidenceParts(t *testing.T) {
	real, err := Open()
	if os.Getenv("MERCER_TIMING") != "1" || err != nil {
		t.Skip("SKIPPED: times are NOT measured here: no MERCER_TIMING=1, or no GPU")
	}
	d := Pooled(real[0])
	defer func() { _ = d.Close() }()
	l := d.Libraries()
	timed := func(f func()) float64 {
		best := math.Inf(1)
		for range 4 {
			check(t, d.Wait())
			start := time.Now()
			f()
			check(t, d.Wait())
			best = math.Min(best, time.Since(start).Seconds())
		}
		return 1000 * best
	}
	for _, n := range []int{2000, 5000, 10000, 20000} {
		const dim = 8
		rng := rand.New(rand.NewPCG(1, 1))
		x := make([]float64, n*dim)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		tree := Tree{Sources: []Source{{SqDist, dim}}, Code: []Instruction{{Op: Load}, {Op: Exp, A: -0.5 / dim}, {Op: Affine, A: 1.5}}}
		s, err := NewTree(d, tree)
		check(t, err)
		bytes := 8 * int64(n) * int64(n)
		px, pa := put(t, d, x), put(t, d, x[:n])
		a, err := d.Alloc(bytes)
		check(t, err)
		b, err := d.Alloc(bytes)
		check(t, err)
		fill := func() { check(t, s.Matrix(0, Points{n, px}, 0.1, a)) }
		t.Logf("n = %d: K %.3f ms", n, timed(fill))
		t.Logf("n = %d: K and Cholesky %.3f ms", n, timed(func() {
			fill()
			bad, err := l.Cholesky(0, n, a)
			check(t, err)
			if bad != 0 {
				t.Fatal(bad)
			}
		}))
		for _, rows := range []int{256, 512, 1024} {
			someRows = rows
			t.Logf("n = %d: %d rows at a time: the inverse of L (and half as often back) %.3f ms, MᵀM %.3f ms", n, rows,
				timed(func() { check(t, InvertLower(d, 0, n, a, b)) }), timed(func() { check(t, l.Gram(0, n, a, b)) }))
		}
		someRows = 512
		t.Logf("n = %d: slopes by numbers %.3f ms", n, timed(func() {
			_, _, err := s.Slopes(0, Points{n, px}, Weights{b, pa, 1}, make([][2]bool, 3), []bool{false})
			check(t, err)
		}))
		t.Logf("n = %d: slopes by all %.3f ms", n, timed(func() {
			_, _, err := s.Slopes(0, Points{n, px}, Weights{b, pa, 1}, make([][2]bool, 3), []bool{true})
			check(t, err)
		}))
		s.Close()
		for _, p := range []Ptr{px, pa, a, b} {
			check(t, d.Free(p))
		}
	}
}
