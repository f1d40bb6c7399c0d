package linalg

import (
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

func TestCholeskyResidualAndGuards(t *testing.T) {
	for _, n := range append(edgeSizes(), 4*tileOrder, 4*tileOrder+50) {
		a := randomSPD(n, uint64(n))
		m, check := inNaN[float64](n, n)
		setLower(m, a)
		c, err := NewCholesky(2, m)
		if err != nil {
			t.Fatalf("n=%d: %v", n, err)
		}
		check(t)
		upperStillNaN(t, m)
		l := lowerOf(c.L)
		within(t, "‖A−LLᵀ‖", gap(a, naiveMul(l, transposed(l))), float64(n+1)*eps64*frobenius(a))

		b, checkB := inNaN[float64](n, 1+n%5)
		fillNormal(b, 5)
		x := b.Clone()
		c.Solve(2, b)
		checkB(t)
		within(t, "‖Ax−b‖", gap(naiveMul(a, b.Clone()), x), 50*float64(n+1)*eps64*frobenius(a)*(frobenius(b)+1))

		inv := c.Inverse(2)
		id := New[float64](n, n)
		for i := range n {
			id.Set(i, i, 1)
		}
		within(t, "‖A·A⁻¹−I‖", gap(naiveMul(a, inv), id), 100*float64(n+1)*eps64*frobenius(a)*(frobenius(inv)+1))
		for i := range n {
			for j := range i {
				if inv.At(i, j) != inv.At(j, i) {
					t.Fatalf("n=%d: inverse is not symmetric at (%d, %d)", n, i, j)
				}
			}
		}
	}
}

func TestCholeskyFloat32(t *testing.T) {
	for _, n := range []int{0, 1, 5, 48, 49, 130, 250} {
		a := randomSPD(n, 3)
		m := New[float32](n, n)
		for i := range n {
			for j := range n {
				m.Set(i, j, float32(a.At(i, j)))
			}
		}
		want := m.Clone()
		c, err := NewCholeskyOf(0, m)
		if err != nil {
			t.Fatal(err)
		}
		l := lowerOf(c.L)
		within(t, "‖A−LLᵀ‖", gap(want, naiveMul(l, transposed(l))), float64(n+1)*0x1p-23*frobenius(want))
		b := fillNormal(New[float32](n, 2), 1)
		x := b.Clone()
		c.Solve(0, x)
		within(t, "‖Ax−b‖", gap(naiveMul(want, x), b), 50*float64(n+1)*0x1p-23*frobenius(want)*(frobenius(x)+1))
	}
}

func TestCholeskySolveLAndLT(t *testing.T) {
	const n = 101
	a := randomSPD(n, 1)
	c, err := NewCholesky(0, a)
	if err != nil {
		t.Fatal(err)
	}
	l := lowerOf(c.L)
	b := fillNormal(New[float64](n, 4), 2)
	x, y := b.Clone(), b.Clone()
	c.SolveL(0, x)
	c.SolveLT(0, y)
	within(t, "‖Lx−b‖", gap(naiveMul(l, x), b), 1e-11)
	within(t, "‖Lᵀy−b‖", gap(naiveMul(transposed(l), y), b), 1e-11)
}

func TestCholeskySameBitsAtAnyThreadCount(t *testing.T) {
	for _, n := range []int{300, 3 * tileOrder, 5*tileOrder + 7} {
		t.Run(strconv.Itoa(n), func(t *testing.T) { sameCholeskyBits(t, n) })
	}
}

func sameCholeskyBits(t *testing.T, n int) {
	a := randomSPD(n, 9)
	b := fillNormal(New[float64](n, 7), 1)
	var first, firstX, firstInv Matrix[float64]
	for i, threads := range datatest.Threads() {
		c, err := NewCholesky(threads, a.Clone())
		if err != nil {
			t.Fatal(err)
		}
		x := b.Clone()
		c.Solve(threads, x)
		inv := c.Inverse(threads)
		if i == 0 {
			first, firstX, firstInv = lowerOf(c.L), x, inv
			continue
		}
		sameBits(t, "L", first, lowerOf(c.L))
		sameBits(t, "solution", firstX, x)
		sameBits(t, "inverse", firstInv, inv)
	}
}

func TestCholeskyLogDetOfAKnownMatrix(t *testing.T) {
	// The second-difference matrix tridiag(−1, 2, −1) has determinant n+1.
	for _, n := range []int{1, 2, 60, 150} {
		a := New[float64](n, n)
		for i := range n {
			a.Set(i, i, 2)
			if i > 0 {
				a.Set(i, i-1, -1)
			}
		}
		c, err := NewCholesky(0, a)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := c.LogDet(), math.Log(float64(n+1)); math.Abs(got-want) > 1e-12 {
			t.Errorf("n=%d: log det %g, want %g", n, got, want)
		}
	}
}

func TestCholeskyNamesThePivot(t *testing.T) {
	for _, n := range []int{1, 2, 47, 48, 49, 130, 200, 400} {
		for _, at := range []int{0, n / 2, n - 1} {
			for _, bad := range []float64{-2, 0, math.NaN(), math.Inf(1), math.Inf(-1)} {
				a := New[float64](n, n)
				for i := range n {
					a.Set(i, i, 1)
				}
				a.Set(at, at, bad)
				_, err := NewCholesky(0, a)
				var e *NotPositiveDefinite
				if !errors.As(err, &e) || e.Pivot != at || !(e.Value == bad || bad != bad && e.Value != e.Value) {
					t.Fatalf("n=%d, %g at %d: error %v", n, bad, at, err)
				}
			}
		}
	}
}

func TestCondIsALowerBoundAndNotFarOff(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 40} {
		for seed := range uint64(10) {
			a := randomSPD(n, seed)
			c, _ := NewCholesky(0, a.Clone())
			truth := norm1(a) * norm1(c.Inverse(0))
			got := c.Cond(0)
			if got > truth*(1+1e-10) || got < truth/10 {
				t.Errorf("n=%d: condition %g estimated as %g", n, truth, got)
			}
		}
	}
	// Hilbert matrix of order 8: κ₁ = 3.387e10 (Higham, Accuracy and Stability, table 15.1 lists
	// κ₁(H₈) = 3.39e10).
	h := New[float64](8, 8)
	for i := range 8 {
		for j := range 8 {
			h.Set(i, j, 1/float64(i+j+1))
		}
	}
	c, err := NewCholesky(0, h)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Cond(0); got < 3e10 || got > 3.5e10 {
		t.Errorf("Hilbert 8: condition estimated as %g, want about 3.39e10", got)
	}
}

func norm1(a Matrix[float64]) float64 {
	most := 0.0
	for j := range a.Cols {
		s := 0.0
		for i := range a.Rows {
			s += math.Abs(a.At(i, j))
		}
		most = math.Max(most, s)
	}
	return most
}

// Large inverses are cut otherwise than small ones: A·A⁻¹ leaves vectors as they are.
func TestLargeInverse(t *testing.T) {
	const n = 16*tileOrder + 11
	a := benchSPD(n)
	x := fillNormal(New[float64](n, 3), 2)
	c, err := NewCholesky(0, a.Clone())
	if err != nil {
		t.Fatal(err)
	}
	first, second := New[float64](n, 3), New[float64](n, 3)
	inverse := c.Inverse(0)
	Gemm(0, NoTrans, NoTrans, 1, inverse, x, 0, first)
	Gemm(0, NoTrans, NoTrans, 1, a, first, 0, second)
	within(t, "‖A·A⁻¹·x−x‖", gap(second, x), 1e-10*frobenius(x))
	sameBits(t, "inverse", inverse, c.Inverse(1))
}
