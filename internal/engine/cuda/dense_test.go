package cuda

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Dense algebra is what plain loops say: a factor times its transpose is the matrix, solutions
// solve, with a part of the factor too; and a matrix that is not positive is told by the number of
// its minor.
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

// Solutions by products with the inverses of blocks are those of the double loop, with a part of
// the factor too, and blocks that do not come out even.
func TestTriangle(t *testing.T) {
	for where, d := range under(t) {
		n, side := 75, 16
		if !strings.HasPrefix(where, "chip") {
			d = Emulate(Emulated{Libraries: true})
		} else {
			n, side = 1700, triangleSide(1700)
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
		tri, err := newTriangle(Triangle{device: d, n: n, stride: n, l: pl, number: 8, side: side}, 0)
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

// A matrix times columns, its mirrored triangle, the inverse of what a factor is of, and
// eigenvectors are what plain loops say.
func TestSymmetric(t *testing.T) {
	for where, d := range under(t) {
		if !strings.HasPrefix(where, "chip") {
			d = Emulate(Emulated{Libraries: true})
		}
		l := d.Libraries()
		if l == nil {
			t.Log("SKIPPED: no libraries for dense matrices on", where)
			continue
		}
		const n, columns = 70, 5
		rng := rand.New(rand.NewPCG(7, 7))
		a, x := make([]float64, n*n), make([]float64, n*columns)
		for i := range n {
			for j := range i {
				a[i*n+j] = rng.NormFloat64()
				a[j*n+i] = a[i*n+j]
			}
			a[i*n+i] = 3 * n
		}
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		at := func(v []float64) Ptr {
			p, err := d.Alloc(int64(8 * len(v)))
			check(t, err)
			check(t, d.ToDevice(0, p, bytesOf(v)))
			return p
		}
		from := func(p Ptr, size int) []float64 {
			v := make([]float64, size)
			check(t, d.Wait())
			check(t, d.ToHost(0, bytesOf(v), p))
			check(t, d.Sync(0))
			return v
		}
		half := make([]float64, n*n)
		for i := range n {
			copy(half[i*n:], a[i*n:i*n+i+1])
		}
		pa, px, py := at(half), at(x), at(make([]float64, n*columns))
		check(t, Mirror(d, 0, n, pa))
		if got := from(pa, n*n); !slices.Equal(got, a) {
			t.Fatal(where, "the triangles differ")
		}
		check(t, l.Product(0, n, columns, pa, px, py))
		y := from(py, n*columns)
		for c := range columns {
			for i := range n {
				s := 0.0
				for j := range n {
					s += a[i*n+j] * x[c*n+j]
				}
				if !(math.Abs(s-y[c*n+i]) <= 1e-10) {
					t.Fatalf("%s: (ax)[%d, %d] is %g, want %g", where, i, c, y[c*n+i], s)
				}
			}
		}
		pl, spare, out := at(a), at(make([]float64, n*n)), at(make([]float64, n*n))
		if bad, err := l.Cholesky(0, n, pl); err != nil || bad != 0 {
			t.Fatal(where, bad, err)
		}
		check(t, Inverse(d, 0, n, pl, spare, out))
		check(t, Mirror(d, 0, n, out))
		inverse := from(out, n*n)
		for i := range n {
			for j := range n {
				s := 0.0
				if i == j {
					s = -1
				}
				for k := range n {
					s += a[i*n+k] * inverse[k*n+j]
				}
				if !(math.Abs(s) <= 1e-12) {
					t.Fatalf("%s: AA⁻¹ - I is %g at (%d, %d)", where, s, i, j)
				}
			}
		}
		pe, pw := at(half), at(make([]float64, n)) // the lower triangle is read
		check(t, l.Eigen(0, n, pe, pw))
		u, w := from(pe, n*n), from(pw, n)
		if !slices.IsSorted(w) {
			t.Error(where, "eigenvalues are not in order")
		}
		for e := range n {
			for i := range n {
				s := -w[e] * u[e*n+i]
				for j := range n {
					s += a[i*n+j] * u[e*n+j]
				}
				if !(math.Abs(s) <= 1e-9) {
					t.Fatalf("%s: (A - λI)u is %g for eigenvalue %d", where, s, e)
				}
			}
			for f := range e + 1 {
				s := 0.0
				if f == e {
					s = -1
				}
				for i := range n {
					s += u[e*n+i] * u[f*n+i]
				}
				if !(math.Abs(s) <= 1e-11) {
					t.Fatalf("%s: eigenvectors %d and %d are off by %g", where, e, f, s)
				}
			}
		}
		for _, p := range []Ptr{pa, px, py, pl, spare, out, pe, pw} {
			check(t, d.Free(p))
		}
		if !strings.HasPrefix(where, "chip") && Left(d) != "" {
			t.Error(Left(d))
		}
	}
}

// Sums under permutations are those of the double loop, with a row in shared memory and, of a
// device that has too little of it, without.
func TestPermuted(t *testing.T) {
	for where, d := range under(t) {
		sizes := []int{1, 2, 33, 70}
		if strings.HasPrefix(where, "chip") {
			sizes = append(sizes, 3001)
		}
		for _, n := range sizes {
			count := 37
			if n > 100 {
				count = 3
			}
			rng := rand.New(rand.NewPCG(8, uint64(n)))
			k, l := make([]float64, n*n), make([]float64, n*n)
			for _, m := range [][]float64{k, l} {
				for i := range n {
					for j := range i + 1 {
						m[i*n+j] = rng.NormFloat64()
						m[j*n+i] = m[i*n+j]
					}
				}
			}
			perms, inverse := make([]int32, count*n), make([]int32, count*n)
			for b := range count {
				for i, p := range rng.Perm(n) {
					perms[b*n+i], inverse[b*n+p] = int32(p), int32(i)
				}
			}
			var at []Ptr
			put := func(b []byte) Ptr {
				p, err := d.Alloc(int64(len(b)))
				check(t, err)
				check(t, d.ToDevice(0, p, b))
				at = append(at, p)
				return p
			}
			part, out := put(make([]byte, PermutedBytes(n, count))), put(make([]byte, 8*count))
			pk, pl, pp, pi := put(bytesOf(k)), put(bytesOf(l)), put(bytesOf(perms)), put(bytesOf(inverse))
			check(t, permuted(d, 0, n, pk, pl, pp, pi, count, part, out, 0))
			without, got := make([]float64, count), make([]float64, count)
			check(t, d.ToHost(0, bytesOf(without), out))
			check(t, d.Sync(0))
			check(t, Permuted(d, 0, n, pk, pl, pp, pi, count, part, out))
			check(t, d.ToHost(0, bytesOf(got), out))
			check(t, d.Sync(0))
			if !slices.Equal(got, without) {
				t.Fatal(where, n, "points: other bits without shared memory")
			}
			for b, v := range got {
				want, size := 0.0, 0.0
				p := perms[b*n : (b+1)*n]
				for i := range n {
					for j := range n {
						e := k[i*n+j] * l[int(p[i])*n+int(p[j])]
						want, size = want+e, size+math.Abs(e)
					}
				}
				if !(math.Abs(v-want) <= 1e-12*size) {
					t.Fatalf("%s: %d points, permutation %d: %g, want %g", where, n, b, v, want)
				}
			}
			for _, p := range at {
				check(t, d.Free(p))
			}
		}
	}
}

// A driver that is too old is refused, with both releases; a machine without devices says so.
func TestOldDriver(t *testing.T) {
	_, err := EmulateOpen(Emulated{Driver: 11080})
	if !errors.Is(err, ErrOldDriver) || !strings.Contains(err.Error(), "CUDA 11.8, kernels need 12.4") {
		t.Error(err)
	}
	if _, err := EmulateOpen(); !errors.Is(err, ErrNoDevice) {
		t.Error(err)
	}
	if d, err := EmulateOpen(Emulated{}, Emulated{Driver: 13000}); err != nil || len(d) != 2 ||
		d[1].Info().Driver != 13000 {
		t.Error(d, err)
	}
}
