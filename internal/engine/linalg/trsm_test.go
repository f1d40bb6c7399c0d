package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// triangularAt is element (i, j) of op of the triangular matrix in a.
func triangularAt[F Float](u Triangle, ta Op, d Diag, a Matrix[F], i, j int) float64 {
	if ta == Trans {
		i, j = j, i
	}
	switch {
	case i == j && d == Unit:
		return 1
	case u == Lower && j > i, u == Upper && i > j:
		return 0
	}
	return float64(a.At(i, j))
}

// triangular makes a well-conditioned triangular matrix whose other triangle is NaN.
func triangular[F Float](r *rand.Rand, u Triangle, d Diag, n int) Matrix[F] {
	a, _ := guarded[F](r, n, n)
	for i := range n {
		lo, hi := u.columns(i, 0, n)
		for j := range n {
			switch {
			case j < lo || j >= hi || j == i && d == Unit:
				a.Set(i, j, F(math.NaN()))
			case j == i:
				a.Set(i, j, F(1+r.Float64()))
			default:
				a.Set(i, j, a.At(i, j)/F(n))
			}
		}
	}
	return a
}

// triangularFactors gives in float64, by rows, what the definition of op(a)·x (Left) or x·op(a)
// (Right) multiplies: element (i, j) is the sum of first[i][p]·second[j][p].
func triangularFactors[F Float](s Side, u Triangle, ta Op, d Diag, a, x Matrix[F]) (first, second [][]float64) {
	n := a.Rows
	tri := make([][]float64, n)
	for i := range tri {
		tri[i] = make([]float64, n)
		for j := range n {
			if s == Left {
				tri[i][j] = triangularAt(u, ta, d, a, i, j)
			} else {
				tri[i][j] = triangularAt(u, ta, d, a, j, i)
			}
		}
	}
	if s == Left {
		return tri, wide(Trans, x)
	}
	return wide(NoTrans, x), tri
}

func eachTriangular(f func(s Side, u Triangle, ta Op, d Diag)) {
	for _, s := range []Side{Left, Right} {
		for _, u := range []Triangle{Lower, Upper} {
			for _, ta := range []Op{NoTrans, Trans} {
				for _, d := range []Diag{NonUnit, Unit} {
					f(s, u, ta, d)
				}
			}
		}
	}
}

// testTrsm multiplies the solution back: |op(a)·x − alpha·b| is small against |op(a)|·|x|.
func testTrsm[F Float](t *testing.T) {
	for _, shape := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {2, 7}, {8, 24}, {9, 50}, {191, 30}, {200, 51}, {413, 9}} {
		n, rhs := shape[0], shape[1]
		turn := n
		eachTriangular(func(s Side, u Triangle, ta Op, d Diag) {
			if turn++; testing.Short() && n > 100 && turn%3 > 0 {
				return // a third of the ways, others for each size
			}
			r := rand.New(rand.NewPCG(uint64(n), uint64(rhs)))
			a := triangular[F](r, u, d, n)
			rows, cols := n, rhs
			if s == Right {
				rows, cols = rhs, n
			}
			b, checkB := guarded[F](r, rows, cols)
			x := b
			b = b.Clone()
			const alpha = -2
			Trsm(2, s, u, ta, d, alpha, a, x)
			if err := checkB(); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("side %v triangle %v %v unit %v %d×%d", s, u, ta, d, rows, cols)
			first, second := triangularFactors(s, u, ta, d, a, x)
			for i := range rows {
				for j := range cols {
					sum, abs := 0.0, 0.0
					for p, v := range first[i] {
						v *= second[j][p]
						sum += v
						abs += math.Abs(v)
					}
					if diff := math.Abs(sum - alpha*float64(b.At(i, j))); !(diff <= float64(n+8)*eps[F]()*abs) {
						t.Fatalf("%s: residual (%d, %d) is %g, bound %g", name, i, j, diff, float64(n+8)*eps[F]()*abs)
					}
				}
			}
		})
	}
}

func TestTrsm(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", testTrsm[float64])
		t.Run("float32", testTrsm[float32])
	})
}

func TestTrsmDenormalPivot(t *testing.T) {
	a, b := New[float64](2, 2), New[float64](2, 1)
	a.Set(0, 0, 0x1p-1060)
	a.Set(1, 1, 1)
	b.Set(0, 0, 0x1p-1050)
	b.Set(1, 0, 3)
	Trsm(1, Left, Lower, NoTrans, NonUnit, 1, a, b)
	if b.At(0, 0) != 1024 || b.At(1, 0) != 3 {
		t.Fatalf("solution %v, want 1024 and 3", b.Data)
	}
}

func TestSymm(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range []int{1, 2, 9, 30, 100, 230} {
			for _, u := range []Triangle{Lower, Upper} {
				for _, s := range []Side{Left, Right} {
					full, _ := guarded[float64](r, n, n)
					half := full.Clone()
					for i := range n {
						for j := range i {
							full.Set(i, j, full.At(j, i))
							half.Set(i, j, full.At(i, j))
							if u == Lower {
								half.Set(j, i, math.NaN())
							} else {
								half.Set(i, j, math.NaN())
							}
						}
					}
					rows, cols := n, 37
					if s == Right {
						rows, cols = cols, rows
					}
					b, _ := guarded[float64](r, rows, cols)
					got, want := b.Clone(), b.Clone()
					Symm(2, s, u, 2, half, b, -1, got)
					if s == Left {
						Gemm(1, NoTrans, NoTrans, 2, full, b, -1, want)
					} else {
						Gemm(1, NoTrans, NoTrans, 2, b, full, -1, want)
					}
					for i, v := range want.Data {
						if !(math.Abs(got.Data[i]-v) <= 1e-12*float64(n)) {
							t.Fatalf("n %d triangle %v side %v: element %d is %g, want %g", n, u, s, i, got.Data[i], v)
						}
					}
				}
			}
		}
	})
}
