package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// fuzzTrsm solves a drawn triangular system and multiplies back.
func fuzzTrsm[F Float](t *testing.T, seed uint64, s Side, u Triangle, ta Op, d Diag, m, n int) {
	r := rand.New(rand.NewPCG(seed, 1))
	order := m
	if s == Right {
		order = n
	}
	a := triangular[F](r, u, d, order)
	b, intact := guarded[F](r, m, n)
	want := b.Clone()
	Trsm(2, s, u, ta, d, 1, a, b)
	if err := intact(); err != nil {
		t.Fatal(err)
	}
	first, second := triangularFactors(s, u, ta, d, a, b)
	for i := range m {
		for j := range n {
			sum, abs := 0.0, 0.0
			for p := range first[i] {
				v := first[i][p] * second[j][p]
				sum += v
				abs += math.Abs(v)
			}
			if e := math.Abs(sum - float64(want.At(i, j))); !(e <= 4*float64(order+4)*eps[F]()*(abs+math.Abs(float64(want.At(i,
				j))))) {
				t.Fatalf("side %v, triangle %v, op %v, unit %v, %d×%d: residual %g at (%d, %d)", s, u, ta, d, m, n, e, i, j)
			}
		}
	}
}

// FuzzTrsm draws shapes and variants of triangular systems.
func FuzzTrsm(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(5), uint8(0))
	f.Add(uint64(2), uint8(200), uint8(30), uint8(15))
	f.Fuzz(func(t *testing.T, seed uint64, m, n, how uint8) {
		s, u := Left, Lower
		if how&1 != 0 {
			s = Right
		}
		if how&2 != 0 {
			u = Upper
		}
		for _, l := range simd.Supported() {
			restore := simd.Force(l)
			fuzzTrsm[float64](t, seed, s, u, how&4 != 0, how&8 != 0, int(m), int(n))
			fuzzTrsm[float32](t, seed, s, u, how&4 != 0, how&8 != 0, int(m), int(n))
			restore()
		}
	})
}

// FuzzSquaredDistances draws points in clusters at any distance from the origin
// and holds every squared distance to a relative 1e-12 of the exact one.
func FuzzSquaredDistances(f *testing.F) {
	f.Add(uint64(1), uint8(10), uint8(7), 1e6, 1e-8)
	f.Add(uint64(2), uint8(33), uint8(1), 0.0, 1.0)
	f.Fuzz(func(t *testing.T, seed uint64, n, d uint8, offset, spread float64) {
		offset, spread = math.Abs(offset), math.Abs(spread)
		if !(offset <= 1e12) || !(spread >= 1e-12 && spread <= 1e12) {
			t.Skip("no ordinary scale")
		}
		n, d = n%40+1, d%60
		r := rand.New(rand.NewPCG(seed, 2))
		x := New[float64](int(n), int(d))
		for i := range x.Rows {
			row := x.Row(i)
			if i > 0 && r.IntN(3) == 0 { // a near-duplicate of an earlier point
				copy(row, x.Row(r.IntN(i)))
				for j := range row {
					row[j] += spread * math.Ldexp(r.NormFloat64(), -r.IntN(40))
				}
				continue
			}
			for j := range row {
				row[j] = offset + spread*r.NormFloat64()
			}
		}
		for _, l := range simd.Supported() {
			restore := simd.Force(l)
			checkSquaredDistances[float64](t, x, 1e-12)
			restore()
		}
	})
}

// FuzzFactorisations makes a symmetric matrix of the bytes, most of them with
// repeated rows or of low rank, and checks Cholesky and the eigenvalues by
// what they multiply back to.
func FuzzFactorisations(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6}, int8(0), 0.0)
	f.Add(make([]byte, 60), int8(-100), 1.0)
	f.Add([]byte("a symmetric matrix of some order, and not a nice one"), int8(90), 0.5)
	f.Fuzz(func(t *testing.T, raw []byte, exponent int8, shift float64) {
		if !(math.Abs(shift) < 1e6) {
			t.Skip("a shift this large hides the matrix")
		}
		n := min(int(math.Sqrt(2*float64(len(raw)))), 80)
		a := New[float64](n, n)
		at := 0
		for i := range n {
			for j := range i + 1 {
				v := 0.0
				if at < len(raw) {
					v = math.Ldexp(float64(int8(raw[at])), int(exponent))
				}
				at++
				if i == j {
					v += math.Ldexp(shift, int(exponent))
				}
				a.Set(i, j, v)
				a.Set(j, i, v)
			}
		}
		bound := 40 * float64(n+1) * eps64 * frobenius(a)
		chol, err := NewCholesky(1, a.Clone())
		var not *NotPositiveDefinite
		switch {
		case err == nil:
			l := lowerOf(chol.L)
			if !(gap(naiveMul(l, transposed(l)), a) <= bound) {
				t.Fatalf("n=%d: L·Lᵀ is off by %g of %g", n, gap(naiveMul(l, transposed(l)), a), frobenius(a))
			}
		case !errors.As(err, &not) || not.Pivot < 0 || not.Pivot >= n:
			t.Fatalf("n=%d: Cholesky: %v", n, err)
		}
		values, v, err := SymEigen(1, lowerOnly(a))
		if err != nil {
			t.Fatal(err)
		}
		checkEigen(t, "fuzzed", a, values, v)
		for i, w := range values {
			if i > 0 && values[i-1] > w {
				t.Fatalf("values %d and %d are out of order", i-1, i)
			}
		}
	})
}

// FuzzCSR checks sparse products and transposes against the dense ones.
func FuzzCSR(f *testing.F) {
	f.Add(uint64(1), uint8(4), uint8(5), uint8(9), 0.3)
	f.Add(uint64(2), uint8(40), uint8(200), uint8(100), 0.05)
	f.Fuzz(func(t *testing.T, seed uint64, m, n, cols uint8, density float64) {
		if !(density >= 0 && density <= 1) {
			t.Skip("not a density")
		}
		m, n = m%64, n%64 // exact distances are slow
		a, b := randomCSR(int(m), int(cols), density, seed), randomCSR(int(n), int(cols), density, seed+1)
		da, db := a.ToDense(), b.ToDense()
		bound := 10 * (float64(cols) + 1) * eps64 * (1 + frobenius(da)*frobenius(db))
		want := naiveMul(da, transposed(db))
		got, check := inNaN[float64](a.Rows, b.Rows)
		MulRows(2, got, a, b)
		check(t)
		within(t, "A·Bᵀ", gap(got, want), bound)
		y, check := inNaN[float64](a.Rows, b.Rows)
		a.MulDense(2, y, transposed(db))
		check(t)
		within(t, "A·dense", gap(y, want), bound)
		w, check := inNaN[float64](a.Cols, 2)
		z := fillNormal(New[float64](a.Rows, 2), seed)
		a.MulTransDense(2, w, z)
		check(t)
		within(t, "Aᵀ·dense", gap(w, naiveMul(transposed(da), z)), 10*float64(a.Rows+1)*eps64*(1+frobenius(da)*frobenius(z)))
		within(t, "transposed", gap(a.T().ToDense(), transposed(da)), 0)
		dist, check := inNaN[float64](a.Rows, b.Rows)
		NewRowProducts(a, b).DistanceTile(dist, 0, 0)
		check(t)
		for i := range a.Rows {
			for j := range b.Rows {
				e := exactDistance(da.Row(i), db.Row(j))
				if !(math.Abs(dist.At(i, j)-e) <= 1e-12*e) {
					t.Fatalf("distance (%d, %d) is %g, want %g", i, j, dist.At(i, j), e)
				}
			}
		}
	})
}
