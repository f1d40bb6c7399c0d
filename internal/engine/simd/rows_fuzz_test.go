package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fuzzedNumbers is n numbers spread over some forty binary orders of magnitude,
// a fifth of them zero.
func fuzzedNumbers[F Float](r *rand.Rand, g guarded[F]) guarded[F] {
	for i := range g.x {
		g.x[i] = F(math.Ldexp(r.NormFloat64(), r.IntN(40)-20))
		if r.IntN(5) == 0 {
			g.x[i] = 0
		}
	}
	return g
}

func fuzzRows[F Float](t *testing.T, seed uint64, n, extra, off int) {
	r := rand.New(rand.NewPCG(seed, 1))
	lda := n + extra
	a, x := fuzzedNumbers(r, guard[F](r, 3*lda+n, off)), fuzzedNumbers(r, guard[F](r, n, off+1))
	for k := range 3 { // between the rows nothing may be read
		for i := n; i < lda; i++ {
			a.x[k*lda+i] = F(math.NaN())
		}
	}
	w := fuzzedNumbers(r, guard[F](r, 4, 2))
	out := [4]F{F(math.NaN())}
	DotRows(a.x, lda, x.x, &out)
	for i := range out {
		want, abs := dotExactly(a.x[i*lda:i*lda+n], x.x)
		near(t, "dotRows", n, out[i], want, abs)
	}
	old := slices.Clone(x.x)
	AxpyRows((*[4]F)(w.x), a.x, lda, x.x)
	for i := range x.x {
		want, abs := float64(old[i]), math.Abs(float64(old[i]))
		for p := range 4 {
			v := float64(w.x[p]) * float64(a.x[p*lda+i])
			want += v
			abs += math.Abs(v)
		}
		near(t, "axpyRows", 4, x.x[i], want, abs)
	}
	for _, g := range []guarded[F]{a, x, w} {
		g.intact(t)
	}
}

// fuzzSymmetric checks the products that use an entry twice, for one and for
// four vectors.
func fuzzSymmetric(t *testing.T, seed uint64, n, extra, off int) {
	r := rand.New(rand.NewPCG(seed, 2))
	lda, ldx, ldy := n+extra, n+extra%3, n+extra%5
	a, x, y := guard[float64](r, 3*lda+n, off), guard[float64](r, 3*ldx+n, off), guard[float64](r, 3*ldy+n, off+3)
	out, coef := guard[float64](r, 128, off), guard[float64](r, 16, off)
	gotLanes, wantLanes, wantY := lanesOf(out.x), lanesOf(out.x), slices.Clone(y.x)
	symmRowsRef(n, a.x, lda, x.x, ldx, wantLanes, wantY, ldy, (*[16]float64)(coef.x))
	SymmRows64(n, a.x, lda, x.x, ldx, gotLanes, y.x, ldy, (*[16]float64)(coef.x))
	allNear(t, "products of four", n, sumsOf(gotLanes), sumsOf(wantLanes))
	allNear(t, "combination of four", n, y.x, wantY)
	wantOut := slices.Clone(out.x)
	symvRowsRef(a.x, lda, x.x[:n], (*[4]float64)(wantOut), wantY[:n], (*[4]float64)(coef.x))
	SymvRows64(a.x, lda, x.x[:n], (*[4]float64)(out.x), y.x[:n], (*[4]float64)(coef.x))
	allNear(t, "products", n, out.x, wantOut)
	allNear(t, "combination", n, y.x, wantY)
	wantX := slices.Clone(x.x[:n])
	c, s := math.Sincos(float64(seed % 1000))
	rotateRef(wantX, wantY[:n], c, s)
	Rotate64(x.x[:n], y.x[:n], c, s)
	allNear(t, "rotated", n, x.x[:n], wantX)
	allNear(t, "rotated against", n, y.x, wantY)
	for _, g := range []guarded[float64]{a, x, y, out, coef} {
		g.intact(t)
	}
}

// FuzzRows draws lengths, strides and alignments for the routines that work on
// four rows of a matrix.
func FuzzRows(f *testing.F) {
	f.Add(uint64(1), uint16(3), uint8(0), uint8(1))
	f.Add(uint64(2), uint16(517), uint8(9), uint8(7))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, extra, off uint8) {
		n %= 2048
		everyLevel(t, func(t *testing.T) {
			fuzzRows[float64](t, seed, int(n), int(extra), int(off%17)+1)
			fuzzRows[float32](t, seed, int(n), int(extra), int(off%17)+1)
			fuzzSymmetric(t, seed, int(n), int(extra), int(off%17)+1)
		})
	})
}

func fuzzPairs[F Float](t *testing.T, cases []fourRowsCase[F], seed uint64, n int) {
	r := rand.New(rand.NewPCG(seed, 3))
	var rows [5][]F
	for i := range rows {
		rows[i] = nonNegativeBetweenNaNs[F](r, n)
		for j := range rows[i] { // ordinary and tiny histograms, whose quotients are the hard ones
			rows[i][j] = F(math.Ldexp(float64(rows[i][j]), -r.IntN(20)))
		}
	}
	for _, c := range cases {
		var got, want, swapped [4]F
		c.run(rows[0], rows[1], rows[2], rows[3], rows[4], &got)
		c.ref(rows[0], rows[1], rows[2], rows[3], rows[4], &want)
		for j := range got {
			if d := math.Abs(float64(got[j] - want[j])); !(d <= float64(2*n+8)*unit[F]()*float64(want[j])) {
				t.Fatalf("%s: n=%d row %d: %v, want %v", c.name, n, j, got[j], want[j])
			}
			y := rows[j+1]
			c.run(y, y, rows[0], y, y, &swapped)
			if swapped[1] != got[j] {
				t.Fatalf("%s: n=%d row %d: %v one way, %v the other", c.name, n, j, got[j], swapped[1])
			}
		}
	}
}

// FuzzPairs draws rows for the direct distances and for the finish of squared
// distances from products.
func FuzzPairs(f *testing.F) {
	f.Add(uint64(1), uint16(3), 0.5, 0.25)
	f.Add(uint64(9), uint16(300), 1e-3, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, tau, norm float64) {
		n %= 1024
		everyLevel(t, func(t *testing.T) {
			fuzzPairs(t, fourRows64, seed, int(n))
			fuzzPairs(t, fourRows32, seed, int(n))
			r := rand.New(rand.NewPCG(seed, 4))
			row, norms := guard[float64](r, int(n), 3), guard[float64](r, int(n), 5)
			want := slices.Clone(row.x)
			small := addNormsRef(want, norms.x, norm, tau)
			if got := AddNorms64(row.x, norms.x, norm, tau); got != (small && n > 0) {
				t.Fatalf("n=%d: small %v, want %v", n, got, small)
			}
			for i := range want {
				if !sameBits(row.x[i], want[i]) {
					t.Fatalf("n=%d: %v at %d, want %v", n, row.x[i], i, want[i])
				}
			}
			row.intact(t)
			norms.intact(t)
		})
	})
}

// FuzzSparse draws sparse rows, as bytes: the low bits of each say whether its
// column has an entry and whether the row ends.
func FuzzSparse(f *testing.F) {
	f.Add(uint64(1), []byte{1, 3, 0, 2, 255, 7})
	f.Add(uint64(2), make([]byte, 400))
	f.Fuzz(func(t *testing.T, seed uint64, raw []byte) {
		r := rand.New(rand.NewPCG(seed, 5))
		cols := 1 + len(raw)/3
		ptr, index := []int{0}, []int32{}
		column := 0
		for _, b := range raw {
			if b&1 != 0 {
				index = append(index, int32(column))
			}
			if column++; b&6 == 6 || column == cols {
				ptr = append(ptr, len(index))
				column = 0
			}
		}
		ptr = append(ptr, len(index))
		rows := len(ptr) - 1
		value, spread := guard[float64](r, len(index), 3), guard[float64](r, cols*SparseLanes, 5)
		everyLevel(t, func(t *testing.T) {
			got, want := guard[float64](r, rows*SparseLanes, 7), make([]float64, rows*SparseLanes)
			SparseRows64(ptr, index, value.x, spread.x, got.x)
			sparseRowsRef(ptr, index, value.x, spread.x, want)
			allNear(t, "sparse rows", cols, got.x, want)
			sum, abs := 0.0, 0.0
			for k, i := range index {
				p := value.x[k] * spread.x[i]
				sum += p
				abs += math.Abs(p)
			}
			near(t, "gather", len(index), GatherDot64(value.x, index, spread.x), sum, abs)
			got.intact(t)
			value.intact(t)
			spread.intact(t)
		})
	})
}
