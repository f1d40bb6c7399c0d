package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// everyLevel runs f once for each CPU level of this machine.
func everyLevel(t *testing.T, f func(t *testing.T)) {
	levels := simd.Supported()
	if testing.Short() { // those between are what a machine without the best has: .ci/run is such a one for a while
		levels = slices.Compact([]simd.Level{levels[0], levels[len(levels)-1]})
	}
	for _, l := range levels {
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

// wide gives the rows of op(m) in float64.
func wide[F Float](o Op, m Matrix[F]) [][]float64 {
	r, c := o.dims(m.Rows, m.Cols)
	rows := make([][]float64, r)
	for i := range rows {
		rows[i] = make([]float64, c)
		for j := range c {
			rows[i][j] = opAt(o, m, i, j)
		}
	}
	return rows
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
func gemmCheck[F Float](t *testing.T, threads int, part Triangle, ta, tb Op, m, n, k int, alpha, beta F) {
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
	opA, opB := wide(ta, a), wide(!tb, b)
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
			row := opB[j]
			for p, v := range opA[i] {
				v *= row[p]
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
				t.Fatalf("%v %v %d×%d×%d alpha %g beta %g: (%d, %d) is %g, want %g", ta, tb, m, n, k, alpha, beta, i, j, c.At(i, j),
					want)
			}
		}
	}
}

func testGemm[F Float](t *testing.T) {
	shapes := [][3]int{{1, 1, 1}, {3, 5, 7}, {8, 24, 1}, {8, 48, 33}, {9, 25, 4}, {1, 300, 17}, {300, 1, 17}, {64, 64, 64},
		{65, 63, 200}, {200, 250, 3}, {37, 530, 411}, {5, 6, 0}, {0, 4, 3}, {4, 0, 3}, {100, 100, 1000}, {1, 3, 5000},
		{3, 1, 5000}, {9, 5, 9001}}
	turn := 0
	for _, s := range shapes {
		for _, ta := range []Op{NoTrans, Trans} {
			for _, tb := range []Op{NoTrans, Trans} {
				large := s[0]*s[1]*s[2] > 1<<18
				if turn++; testing.Short() && large && turn%4 != turn/4%4 {
					continue // one of four ways to take each, another for the next
				}
				gemmCheck[F](t, 2, Full, ta, tb, s[0], s[1], s[2], -0.5, 2)
				if testing.Short() && large {
					continue // the oracle takes most of the time
				}
				gemmCheck[F](t, 2, Full, ta, tb, s[0], s[1], s[2], 1, 0)
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

// TestGemmManyBlocks crosses every boundary of the blocking: slices of the
// summation, units, and the blocks of C.
func TestGemmManyBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of oracle")
	}
	gemmCheck[float64](t, 2, Full, NoTrans, NoTrans, 4100, 50, 9, 1, 0)
	gemmCheck[float64](t, 2, Full, Trans, Trans, 50, 4130, 9, 1, 1)
	gemmCheck[float32](t, 2, Lower, NoTrans, Trans, 700, 700, 800, 1, 0)
	gemmCheck[float64](t, 2, Upper, Trans, NoTrans, 700, 700, 800, -1, 1)
}

// TestThreadsGiveTheSameBits runs every parallel routine at several thread counts.
func TestThreadsGiveTheSameBits(t *testing.T) {
	const n = 611
	a, b := normal[float64](n, n), normal[float64](n, n-1)
	for i := range n {
		a.Set(i, i, n)
	}
	for name, f := range map[string]func(t int) []float64{
		"gemm": func(t int) []float64 {
			c := New[float64](n, n-1)
			Gemm(t, Trans, NoTrans, 1, a, b, 0, c)
			return c.Data
		},
		"deep gemm": func(t int) []float64 {
			long := Matrix[float64]{Rows: 10, Cols: n * n / 10, Stride: n * n / 10, Data: a.Data}
			c := New[float64](10, 10)
			GemmFunc(t, Lower, NoTrans, Trans, 1, long, long, 0, c, func(tile Matrix[float64], i, j int) {
				tile.Set(0, 0, 2*tile.At(0, 0))
			})
			return c.Data
		},
		"syrk": func(t int) []float64 {
			c := New[float64](n, n)
			Syrk(t, Lower, NoTrans, 1, b, 0, c)
			return c.Data
		},
		"symm": func(t int) []float64 {
			c := New[float64](n, n-1)
			Symm(t, Left, Upper, 1, a, b, 0, c)
			return c.Data
		},
		"trsm": func(t int) []float64 {
			x := b.Clone()
			Trsm(t, Left, Lower, NoTrans, NonUnit, 1, a, x)
			return x.Data
		},
		"trmm": func(t int) []float64 {
			x := b.Clone()
			Trmm(t, Left, Lower, NoTrans, NonUnit, 1, a, x)
			return x.Data
		},
		"gemv": func(t int) []float64 {
			y := make([]float64, 2*n)
			Gemv(t, Trans, 1, a, b.Data[:n], 0, y[:n])
			Gemv(t, NoTrans, 1, a, b.Data[:n], 0, y[n:])
			return y
		},
	} {
		want := f(1)
		for _, threads := range []int{2, 3, 8} {
			for i, v := range f(threads) {
				if math.Float64bits(v) != math.Float64bits(want[i]) {
					t.Fatalf("%s: element %d differs with %d threads", name, i, threads)
				}
			}
		}
	}
}

// TestGemmFuncVisitsEveryElementOnce counts the visits of the tile function.
func TestGemmFuncVisitsEveryElementOnce(t *testing.T) {
	for _, shape := range [][2]int{{1, 7}, {5, 7}, {40, 7}, {530, 7}, {1001, 7}, {30, 5000}} {
		n, depth := shape[0], shape[1]
		for _, part := range []Triangle{Full, Lower, Upper} {
			a, c := normal[float64](n, depth), New[float64](n, n)
			want := New[float64](n, n)
			Gemm(1, NoTrans, Trans, 1, a, a, 0, want)
			var mu sync.Mutex
			visits := New[float32](n, n)
			GemmFunc(4, part, NoTrans, Trans, 1, a, a, 0, c, func(tile Matrix[float64], i, j int) {
				mu.Lock()
				defer mu.Unlock()
				for r := range tile.Rows {
					lo, hi := part.columns(i+r, j, tile.Cols)
					for s := lo; s < hi; s++ {
						visits.Set(i+r, j+s, visits.At(i+r, j+s)+1)
						tile.Set(r, s, -tile.At(r, s))
					}
				}
			})
			for i := range n {
				lo, hi := part.columns(i, 0, n)
				for j := range n {
					in := j >= lo && j < hi
					if in && (visits.At(i, j) != 1 || math.Abs(c.At(i, j)+want.At(i, j)) > 1e-13*float64(depth)) || !in &&
						(visits.At(i, j) != 0 || c.At(i, j) != 0) {
						t.Fatalf("n %d part %v: (%d, %d) visited %g times, holds %g", n, part, i, j, visits.At(i, j), c.At(i, j))
					}
				}
			}
		}
	}
}

// TestGemmRefusesWrongShapes expects a panic that names the shapes.
func TestGemmRefusesWrongShapes(t *testing.T) {
	for name, f := range map[string]func(){
		"inner":  func() { Gemm(1, NoTrans, NoTrans, 1, New[float64](2, 3), New[float64](4, 5), 0, New[float64](2, 5)) },
		"result": func() { Gemm(1, NoTrans, NoTrans, 1, New[float64](2, 3), New[float64](3, 5), 0, New[float64](5, 2)) },
		"storage": func() {
			Gemm(1, NoTrans, NoTrans, 1, Matrix[float64]{Rows: 9, Cols: 3, Stride: 3}, New[float64](3, 5), 0, New[float64](9, 5))
		},
		"trsm": func() { Trsm(1, Left, Lower, NoTrans, Unit, 1, New[float64](3, 3), New[float64](4, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// FuzzGemm draws shapes, transpositions, parts and scalars.
func FuzzGemm(f *testing.F) {
	f.Add(uint8(3), uint8(5), uint8(7), uint8(0), 1.0, 0.0)
	f.Add(uint8(100), uint8(50), uint8(200), uint8(7), -1.0, 0.5)
	f.Fuzz(func(t *testing.T, m, n, k, how uint8, alpha, beta float64) {
		if !(math.Abs(alpha) < 1e6) || !(math.Abs(beta) < 1e6) {
			t.Skip("scalars this large only test overflow")
		}
		part := Triangle(how / 4 % 3)
		for _, l := range simd.Supported() {
			restore := simd.Force(l)
			gemmCheck[float64](t, 2, part, how&1 != 0, how&2 != 0, int(m), int(n), int(k), alpha, beta)
			gemmCheck[float32](t, 2, part, how&1 != 0, how&2 != 0, int(m), int(n), int(k), float32(alpha), float32(beta))
			restore()
		}
	})
}
