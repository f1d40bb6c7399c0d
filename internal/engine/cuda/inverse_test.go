package cuda

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// lowerTriangle is a well-conditioned triangle with what is no number above it.
func lowerTriangle(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 5))
	l := make([]float64, n*n)
	for i := range n {
		for j := range n {
			l[i*n+j] = math.NaN()
			if j <= i {
				l[i*n+j] = rng.NormFloat64() / math.Sqrt(float64(n))
			}
		}
		l[i*n+i] = 1 + rng.Float64()
	}
	return l
}

// dense is a device of the test with libraries, nil where there are none.
func dense(t *testing.T, where string, d Device) (_ Device, chip bool) {
	if !strings.HasPrefix(where, "chip") {
		return Emulate(Emulated{Libraries: true}), false
	}
	if d.Libraries() == nil {
		t.Log("SKIPPED: no libraries for dense matrices on", where)
		return nil, true
	}
	return d, true
}

// A triangle times its inverse is the identity, whatever n: one block, blocks that do not come out
// even, several rounds. Nothing above the diagonal is read, and (LLᵀ)⁻¹ = MᵀM.
func TestInvertLower(t *testing.T) {
	for where, d := range under(t) {
		d, chip := dense(t, where, d)
		if d == nil {
			continue
		}
		sizes := []int{1, 5, 63, 64, 65, 128, 129, 200, 321}
		if chip {
			sizes = append(sizes, 1700, 2600)
		}
		for _, n := range sizes {
			l := lowerTriangle(n, uint64(n))
			pl, ps, po := put(t, d, l), put(t, d, make([]float64, n*n)), put(t, d, make([]float64, n*n))
			check(t, Inverse(d, 0, n, pl, ps, po))
			m, a := get(t, d, ps, n*n), get(t, d, po, n*n)
			// by columns e of the identity: L·M·e = e; and LLᵀ(MᵀM)e = e, some of them
			for _, c := range []int{0, n / 3, n / 2, n - 1} {
				x := make([]float64, n)
				for i := range n {
					s := 0.0
					for k := range i + 1 {
						s += l[i*n+k] * m[k*n+c]
					}
					want := 0.0
					if i == c {
						want = 1
					}
					if i < c && m[i*n+c] != 0 {
						t.Fatalf("%s, n = %d: %g above the diagonal", where, n, m[i*n+c])
					}
					if !(math.Abs(s-want) <= 1e-12) {
						t.Fatalf("%s, n = %d: LM[%d, %d] = %g", where, n, i, c, s)
					}
					x[i] = a[max(i, c)*n+min(i, c)]
				}
				y := make([]float64, n)
				for j := range n {
					for i := j; i < n; i++ {
						y[j] += l[i*n+j] * x[i]
					}
				}
				for i := range n {
					s := 0.0
					for k := range i + 1 {
						s += l[i*n+k] * y[k]
					}
					if want := float64(map[bool]int{true: 1}[i == c]); !(math.Abs(s-want) <= 1e-11) {
						t.Fatalf("%s, n = %d: LLᵀA⁻¹[%d, %d] = %g", where, n, i, c, s)
					}
				}
			}
			for _, p := range []Ptr{pl, ps, po} {
				check(t, d.Free(p))
			}
		}
		if !chip && Left(d) != "" {
			t.Error(Left(d))
		}
	}
}

// Products of rectangles, transposed or not, several at once, are those of three loops.
func TestMultiply(t *testing.T) {
	for where, d := range under(t) {
		d, _ := dense(t, where, d)
		if d == nil {
			continue
		}
		const rows, columns, inner, apart = 5, 7, 6, 9
		rng := rand.New(rand.NewPCG(6, 6))
		room := make([]float64, 3*apart*apart)
		for i := range room {
			room[i] = rng.NormFloat64()
		}
		for _, count := range []int{0, 3} {
			for kind := range 8 {
				ta, tb, beta := kind&1 > 0, kind&2 > 0, 0.5*float64(kind>>2)
				a, b, c := put(t, d, room), put(t, d, room[1:]), put(t, d, room)
				check(t, d.Libraries().Multiply(0, Multiplication{Rows: rows, Columns: columns, Inner: inner, Alpha: -2, Beta: beta,
					A: a, B: b, C: c, TransposeA: ta, TransposeB: tb,
					StrideA: apart, StrideB: apart, StrideC: apart, Count: count, StepA: 81, StepB: 80, StepC: 79}))
				got := get(t, d, c, len(room))
				for e := range max(count, 1) {
					for i := range rows {
						for j := range columns {
							s := 0.0
							for k := range inner {
								x, y := i*apart+k, k*apart+j
								if ta {
									x = k*apart + i
								}
								if tb {
									y = j*apart + k
								}
								s += room[e*81+x] * room[1+e*80+y]
							}
							at := e*79 + i*apart + j
							if want := -2*s + beta*room[at]; !(math.Abs(got[at]-want) <= 1e-13) {
								t.Fatalf("%s, %d, kind %d: %g, want %g", where, count, kind, got[at], want)
							}
						}
					}
				}
				for _, p := range []Ptr{a, b, c} {
					check(t, d.Free(p))
				}
			}
		}
	}
}

func put(t testing.TB, d Device, v []float64) Ptr {
	t.Helper()
	p, err := d.Alloc(int64(8 * len(v)))
	check(t, err)
	check(t, d.ToDevice(0, p, bytesOf(v)))
	return p
}

func get(t *testing.T, d Device, p Ptr, size int) []float64 {
	t.Helper()
	v := make([]float64, size)
	check(t, d.ToHost(0, bytesOf(v), p))
	check(t, d.Sync(0))
	return v
}
