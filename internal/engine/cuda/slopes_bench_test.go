package cuda

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The parts of an evidence, on a chip.
func BenchmarkEvidenceParts(b *testing.B) {
	real, err := Open()
	if err != nil {
		b.Skipf("SKIPPED: no GPU: %v", err)
	}
	d := Pooled(real[0])
	defer func() { _ = d.Close() }()
	l := d.Libraries()
	for _, n := range []int{2000, 5000, 10000, 20000} {
		part := func(name string, f func() error) {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					check(b, f())
					check(b, d.Wait())
				}
			})
		}
		const dim = 8
		rng := rand.New(rand.NewPCG(1, 1))
		x := make([]float64, n*dim)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		tree := Tree{Sources: []Source{{SqDist, dim}}, Code: []Instruction{{Op: Load}, {Op: Exp, A: -0.5 / dim},
			{Op: Affine, A: 1.5}}}
		s, err := NewTree(d, tree)
		check(b, err)
		bytes := 8 * int64(n) * int64(n)
		px, pa := put(b, d, x), put(b, d, x[:n])
		k, err := d.Alloc(bytes)
		check(b, err)
		inverse, err := d.Alloc(bytes)
		check(b, err)
		fill := func() error { return s.Matrix(0, Points{n, px}, 0.1, k) }
		part("matrix", fill)
		part("matrix and factor", func() error {
			if err := fill(); err != nil {
				return err
			}
			bad, err := l.Cholesky(0, n, k)
			if err == nil && bad != 0 {
				err = fmt.Errorf("pivot %d", bad)
			}
			return err
		})
		part("inverse of the factor", func() error { return InvertLower(d, 0, n, k, inverse) })
		part("inverse", func() error { return l.Gram(0, n, k, inverse) })
		for _, images := range []bool{false, true} {
			part(fmt.Sprintf("slopes, by images %v", images), func() error {
				_, _, err := s.Slopes(0, Points{n, px}, Weights{inverse, pa, 1}, make([][2]bool, 3), []bool{images})
				return err
			})
		}
		s.Close()
		for _, p := range []Ptr{px, pa, k, inverse} {
			check(b, d.Free(p))
		}
	}
}
