package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/simd"
)

// everyLevel runs f once for each CPU level of this machine.
func everyLevel(t *testing.T, f func(t *testing.T)) {
	for _, l := range simd.Supported() {
		t.Run(l.String(), func(t *testing.T) {
			defer simd.Force(l)()
			f(t)
		})
	}
}

// guarded returns an r×c matrix of normal variates with an odd stride, inside
// a buffer that is NaN everywhere else, and what checks that it still is.
func guarded[F Float](r *rand.Rand, rows, cols int) (Matrix[F], func() error) {
	const before = 13
	stride := cols + 3
	buf := make([]F, 2*before+rows*stride)
	for i := range buf {
		buf[i] = F(math.NaN())
	}
	m := Matrix[F]{Rows: rows, Cols: cols, Stride: stride, Data: buf[before:]}
	if rows > 0 {
		m.Data = buf[before : before+(rows-1)*stride+cols]
	}
	for i := range rows {
		for j := range cols {
			m.Set(i, j, F(r.NormFloat64()))
		}
	}
	return m, func() error {
		for p, v := range buf {
			i, j := (p-before)/stride, (p-before)%stride
			in := p >= before && i < rows && j < cols
			if !in && v == v {
				return fmt.Errorf("element %d before or after a row was written", p-before)
			}
		}
		return nil
	}
}

func opAt[F Float](o Op, m Matrix[F], i, j int) float64 {
	if o == Trans {
		i, j = j, i
	}
	return float64(m.At(i, j))
}

// eps is the unit roundoff of F.
func eps[F Float]() float64 {
	if _, ok := any(*new(F)).(float64); ok {
		return 0x1p-53
	}
	return 0x1p-24
}

// gemmCheck compares one product with the definition. The bound is the standard
// one, γₖ·|A||B| (Higham, Accuracy and Stability, §3.5), with room for alpha and beta.
func gemmCheck[F Float](t *testing.T, threads Threads, part Triangle, ta, tb Op, m, n, k int, alpha, beta F) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(m*1000+n), uint64(k)))
	ar, ac := ta.dims(m, k)
	br, bc := tb.dims(k, n)
	a, checkA := guarded[F](r, ar, ac)
	b, checkB := guarded[F](r, br, bc)
	c, checkC := guarded[F](r, m, n)
	before := c.Clone()
	if beta == 0 {
		for i := range m {
			for j := range n {
				c.Set(i, j, F(math.NaN()))
			}
		}
	}
	GemmFunc(threads, part, ta, tb, alpha, a, b, beta, c, nil)
	for _, err := range []error{checkA(), checkB(), checkC()} {
		if err != nil {
			t.Fatalf("%d×%d×%d: %v", m, n, k, err)
		}
	}
	for i := range m {
		lo, hi := part.columns(i, 0, n)
		for j := range n {
			if j < lo || j >= hi {
				if beta == 0 == (c.At(i, j) == c.At(i, j)) || beta != 0 && c.At(i, j) != before.At(i, j) {
					t.Fatalf("(%d, %d) outside the part was written", i, j)
				}
				continue
			}
			s, abs := 0.0, 0.0
			for p := range k {
				v := opAt(ta, a, i, p) * opAt(tb, b, p, j)
				s += v
				abs += math.Abs(v)
			}
			want := float64(alpha) * s
			bound := math.Abs(float64(alpha)) * abs
			if beta != 0 {
				want += float64(beta) * float64(before.At(i, j))
				bound += math.Abs(float64(beta) * float64(before.At(i, j)))
			}
			if d := math.Abs(float64(c.At(i, j)) - want); !(d <= float64(k+4)*eps[F]()*bound) {
				t.Fatalf("%v %v %d×%d×%d alpha %g beta %g: (%d, %d) is %g, want %g", ta, tb, m, n, k, alpha, beta, i, j, c.At(i, j), want)
			}
		}
	}
}

func testGemm[F Float](t *testing.T) {
	shapes := [][3]int{{1, 1, 1}, {3, 5, 7}, {8, 24, 1}, {8, 48, 33}, {9, 25, 4}, {1, 300, 17}, {300, 1, 17}, {64, 64, 64},
		{65, 63, 200}, {200, 250, 3}, {37, 530, 411}, {5, 6, 0}, {0, 4, 3}, {4, 0, 3}, {100, 100, 1000}}
	for _, s := range shapes {
		for _, ta := range []Op{NoTrans, Trans} {
			for _, tb := range []Op{NoTrans, Trans} {
				gemmCheck[F](t, 2, Full, ta, tb, s[0], s[1], s[2], 1, 0)
				gemmCheck[F](t, 2, Full, ta, tb, s[0], s[1], s[2], -0.5, 2)
				gemmCheck[F](t, 2, Lower, ta, tb, s[0], s[1], s[2], 1, 0)
				gemmCheck[F](t, 2, Upper, ta, tb, s[0], s[1], s[2], -0.5, 1)
			}
		}
	}
	for n := range 66 {
		gemmCheck[F](t, 1, Full, NoTrans, NoTrans, n, n, n, 1, 1)
		gemmCheck[F](t, 1, Full, NoTrans, Trans, n, 2*n, 30, 1, 0)
	}
}

func TestGemm(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", testGemm[float64])
		t.Run("float32", testGemm[float32])
	})
}
