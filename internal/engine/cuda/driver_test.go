//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// asOlder is the chip with the kernels for all chips: PTX that the driver compiles.
func asOlder(t *testing.T) Device {
	a, err := driver()
	if err != nil {
		return nil
	}
	c, err := openChip(a, 0, 8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Every image unpacks to what the driver takes: machine code, or text that ends with a zero.
func TestImages(t *testing.T) {
	for _, c := range [][2]int{{8, 0}, {8, 6}, {9, 0}, {10, 0}, {12, 0}} {
		names, err := imagesFor(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := image(name)
			if err != nil {
				t.Fatal(err)
			}
			if code := bytes.HasPrefix(b, []byte("\x7fELF")); code != (c == [2]int{9, 0}) || b[len(b)-1] != 0 {
				t.Errorf("%v: %s", c, name)
			}
		}
	}
	if _, err := imagesFor(7, 5); err == nil {
		t.Error("a chip that kernels are not for")
	}
}

// A factor by halves is that of the whole, and the minor that is not positive is told by its number in the whole matrix.
func TestCholeskyByHalves(t *testing.T) {
	all, err := Open()
	if err != nil {
		t.Skip("SKIPPED: no GPU, factors by halves are NOT tested: ", err)
	}
	defer func() { check(t, all[0].Close()) }()
	l, ok := all[0].Libraries().(*libraries)
	if !ok {
		t.Skip("SKIPPED: no libraries for dense matrices")
	}
	const n = 700
	rng := rand.New(rand.NewPCG(3, 3))
	a := make([]float64, n*n)
	for i := range n {
		for j := range i {
			a[i*n+j] = rng.NormFloat64()
		}
		a[i*n+i] = 4 * n
	}
	factor := func(leaf int, a []float64) ([]float64, int) {
		l.leaf = leaf
		p, err := all[0].Alloc(8 * n * n)
		check(t, err)
		check(t, all[0].ToDevice(0, p, bytesOf(a)))
		bad, err := l.Cholesky(0, n, p)
		check(t, err)
		out := make([]float64, n*n)
		check(t, all[0].ToHost(0, bytesOf(out), p))
		check(t, all[0].Sync(0))
		check(t, all[0].Free(p))
		return out, bad
	}
	want, bad := factor(n, a)
	got, other := factor(97, a)
	if bad != 0 || other != 0 {
		t.Fatal(bad, other)
	}
	for i := range n {
		for j := range i + 1 {
			if d := got[i*n+j] - want[i*n+j]; !(d*d <= 1e-24) {
				t.Fatal(i, j, got[i*n+j], want[i*n+j])
			}
		}
	}
	a[511*n+511] = -1
	if _, bad := factor(97, a); bad != 512 {
		t.Error("minor", bad, "want 512")
	}
}
