package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// inNaN is an r×c matrix inside a larger array of NaN: a read outside the
// matrix spoils the result, a write is found by check.
func inNaN[F Float](r, c int) (m Matrix[F], check func(t *testing.T)) {
	stride := c + 3
	all := make([]F, (r+2)*stride)
	for i := range all {
		all[i] = F(math.NaN())
	}
	m = Matrix[F]{Rows: r, Cols: c, Stride: stride}
	if r > 0 && c > 0 {
		m.Data = all[stride : stride+(r-1)*stride+c]
	}
	return m, func(t *testing.T) {
		t.Helper()
		for i, v := range all {
			inside := i >= stride && i < stride+r*stride && (i-stride)%stride < c
			if !inside && v == v {
				t.Fatalf("%d×%d: wrote outside the matrix, at offset %d", r, c, i-stride)
			}
		}
	}
}

func fillNormal[F Float](m Matrix[F], seed uint64) Matrix[F] {
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range m.Rows {
		for j := range m.Cols {
			m.Set(i, j, F(rng.NormFloat64()))
		}
	}
	return m
}

// randomSPD is B·Bᵀ/n + I/10.
func randomSPD(n int, seed uint64) Matrix[float64] {
	b := fillNormal(New[float64](n, n), seed)
	a := naiveMul(b, transposed(b))
	for i := range n {
		for j := range n {
			a.Set(i, j, a.At(i, j)/float64(n))
		}
		a.Set(i, i, a.At(i, i)+0.1)
	}
	return a
}

func randomSymmetric(n int, seed uint64) Matrix[float64] {
	a := fillNormal(New[float64](n, n), seed)
	MirrorLower(0, a)
	return a
}

func transposed[F Float](a Matrix[F]) Matrix[F] {
	b := New[F](a.Cols, a.Rows)
	for i := range a.Rows {
		for j := range a.Cols {
			b.Set(j, i, a.At(i, j))
		}
	}
	return b
}

// naiveMul is the double loop that everything is checked against.
func naiveMul[F Float](a, b Matrix[F]) Matrix[F] {
	c := New[F](a.Rows, b.Cols)
	for i := range a.Rows {
		ci := c.Row(i)
		for k, v := range a.Row(i) {
			for j, w := range b.Row(k) {
				ci[j] += v * w
			}
		}
	}
	return c
}

func lowerOf[F Float](a Matrix[F]) Matrix[F] {
	l := New[F](a.Rows, a.Cols)
	for i := range a.Rows {
		copy(l.Row(i)[:min(i+1, a.Cols)], a.Row(i)[:min(i+1, a.Cols)])
	}
	return l
}

// setLower copies the lower triangle of src to dst, NaN above.
func setLower[F Float](dst, src Matrix[F]) {
	for i := range src.Rows {
		for j := range src.Cols {
			if j <= i {
				dst.Set(i, j, src.At(i, j))
			} else {
				dst.Set(i, j, F(math.NaN()))
			}
		}
	}
}

func upperStillNaN[F Float](t *testing.T, a Matrix[F]) {
	t.Helper()
	for i := range a.Rows {
		for j := i + 1; j < a.Cols; j++ {
			if v := a.At(i, j); v == v {
				t.Fatalf("n=%d: wrote (%d, %d) in the strict upper triangle", a.Rows, i, j)
			}
		}
	}
}

func frobenius[F Float](a Matrix[F]) float64 {
	s := 0.0
	for i := range a.Rows {
		for _, v := range a.Row(i) {
			s += float64(v) * float64(v)
		}
	}
	return math.Sqrt(s)
}

// gap is ‖a − b‖_F; NaN anywhere makes it NaN, which fails any bound.
func gap[F Float](a, b Matrix[F]) float64 {
	d := a.Clone()
	subtract(d, b)
	return frobenius(d)
}

func within(t *testing.T, what string, got, bound float64) {
	t.Helper()
	if !(got <= bound) {
		t.Fatalf("%s is %g, bound %g", what, got, bound)
	}
}

func sameBits[F Float](t *testing.T, what string, a, b Matrix[F]) {
	t.Helper()
	for i := range a.Rows {
		for j := range a.Cols {
			if x, y := a.At(i, j), b.At(i, j); x != y && (x == x || y == y) {
				t.Fatalf("%s: (%d, %d) is %g and %g at another thread count", what, i, j, x, y)
			}
		}
	}
}

// edgeSizes are orders around the edges of the blocks.
func edgeSizes() []int {
	s := []int{}
	for n := range 20 {
		s = append(s, n)
	}
	return append(s, 31, 32, 33, 47, 48, 49, 63, 64, 65, 95, 96, 97, 98, 127, 128, 129, 130, 145, 193, 260)
}

const eps64 = 0x1p-52

func subtract[F Float](a, b Matrix[F]) {
	for i := range a.Rows {
		ra, rb := a.Row(i), b.Row(i)
		for j := range ra {
			ra[j] -= rb[j]
		}
	}
}
