package cuda

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Dense algebra is what plain loops say: a factor times its transpose is the matrix, solutions solve, with a part of the factor too; and a matrix that is not
// positive is told by the number of its minor.
func TestDense(t *testing.T) {
	for where, d := range under(t) {
		if !strings.HasPrefix(where, "chip") {
			d = Emulate(Emulated{Libraries: true})
		}
		l := d.Libraries()
		if l == nil {
			t.Log("SKIPPED: no libraries for dense matrices on", where)
			continue
		}
		const n = 70
		rng := rand.New(rand.NewPCG(2, 2))
		b := make([]float64, n*n)
		for i := range b {
			if b[i] = rng.NormFloat64(); i%n > i/n {
				b[i] = 0 // a lower triangle
			}
		}
		at := func(v []float64) Ptr {
			p, err := d.Alloc(int64(8 * len(v)))
			check(t, err)
			check(t, d.ToDevice(0, p, bytesOf(v)))
			return p
		}
		from := func(p Ptr, size int) []float64 {
			v := make([]float64, size)
			check(t, d.ToHost(0, bytesOf(v), p))
			check(t, d.Sync(0))
			return v
		}
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
				t.Fatalf("%s: %s is %g, want %g", where, what, got, want)
			}
		}
		// a = bᵀb + 3xxᵀ + I
		x := b[(n-1)*n:]
		pa, px, pd := at(make([]float64, n*n)), at(x), at(make([]float64, n))
		check(t, l.Gram(0, n, at(b), pa))
		check(t, l.AddOuter(0, n, 3, px, pa))
		check(t, Diagonal(d, 0, n, pa, 1, pd))
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for k := range n {
					a[i*n+j] += b[k*n+i] * b[k*n+j]
				}
				a[i*n+j] += 3 * x[i] * x[j]
				if i == j {
					near("the diagonal", from(pd, n)[i], a[i*n+i])
					a[i*n+i]++
				}
			}
		}
		got := from(pa, n*n)
		for i := range n {
			for j := range i + 1 {
				near("the matrix", got[i*n+j], a[i*n+j])
			}
		}
		bad, err := l.Cholesky(0, n, pa)
		check(t, err)
		if bad != 0 {
			t.Fatal(where, "minor", bad)
		}
		ones := make([]float64, n)
		for i := range ones {
			ones[i] = 1
		}
		pl := at(make([]float64, n*n))
		check(t, Lower(d, 0, n, pa, at(ones), pl))
		f := from(pl, n*n)
		for i := range n {
			for j := range n {
				s := 0.0
				for k := range n {
					s += f[i*n+k] * f[j*n+k]
				}
				near("LLᵀ", s, a[i*n+j])
			}
		}
		check(t, l.TimesTransposed(0, n, pa, px))
		y := from(px, n)
		for j := range n {
			s := 0.0
			for i := range n {
				s += f[i*n+j] * x[i]
			}
			near("Lᵀx", y[j], s)
		}
		for _, part := range []int{n, 41} {
			for _, columns := range []int{1, 3} {
				for _, transposed := range []bool{false, true} {
					right := b[n*n-part*columns:]
					p := at(right)
					check(t, l.Solve(0, part, n, pa, transposed, columns, p))
					z := from(p, len(right))
					for c := range columns {
						for i := range part {
							s := 0.0
							for k := range part {
								e := f[i*n+k]
								if transposed {
									e = f[k*n+i]
								}
								s += e * z[c*part+k]
							}
							near("a solution", s, right[c*part+i])
						}
					}
				}
			}
		}
		a[5*n+5] = -1
		if bad, err := l.Cholesky(0, n, at(a)); err != nil || bad != 6 {
			t.Error(where, "minor", bad, err)
		}
	}
}

// Solutions by products with the inverses of blocks are those of the double loop, with a part of the factor too, and blocks that do not come out even.
func TestTriangle(t *testing.T) {
	for where, d := range under(t) {
		n, side := 75, 16
		if !strings.HasPrefix(where, "chip") {
			d = Emulate(Emulated{Libraries: true})
		} else {
			n, side = 1700, triangleSide
		}
		if d.Libraries() == nil {
			t.Log("SKIPPED: no libraries for dense matrices on", where)
			continue
		}
		rng := rand.New(rand.NewPCG(5, 5))
		l, b := make([]float64, n*n), make([]float64, n)
		for i := range n {
			for j := range n {
				l[i*n+j] = math.NaN() // above the diagonal nothing is read
				if j <= i {
					l[i*n+j] = rng.NormFloat64() / float64(n)
				}
			}
			l[i*n+i] = 1 + rng.Float64()
			b[i] = rng.NormFloat64()
		}
		at := func(v []float64) Ptr {
			p, err := d.Alloc(int64(8 * len(v)))
			check(t, err)
			check(t, d.ToDevice(0, p, bytesOf(v)))
			return p
		}
		pl, px := at(l), at(make([]float64, n))
		tri, err := newTriangle(d, 0, n, pl, side)
		check(t, err)
		for _, part := range []int{n, side + 1, side, 1} {
			for _, transposed := range []bool{false, true} {
				pb := at(b)
				check(t, tri.Solve(0, part, transposed, pb, px))
				x := make([]float64, part)
				check(t, d.ToHost(0, bytesOf(x), px))
				check(t, d.Sync(0))
				for i := range part {
					s := 0.0
					for k := range part {
						if !transposed && k <= i {
							s += l[i*n+k] * x[k]
						} else if transposed && k >= i {
							s += l[k*n+i] * x[k]
						}
					}
					if !(math.Abs(s-b[i]) <= 1e-12) {
						t.Fatalf("%s: %d of %d, transposed %v: %g, want %g", where, i, part, transposed, s, b[i])
					}
				}
				check(t, d.Free(pb))
			}
		}
		tri.Close()
		check(t, d.Free(pl))
		check(t, d.Free(px))
		if !strings.HasPrefix(where, "chip") && Left(d) != "" {
			t.Error(Left(d))
		}
	}
}
