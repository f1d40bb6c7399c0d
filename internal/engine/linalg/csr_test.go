package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// randomCSR has about density·cols entries in a row, some rows empty.
func randomCSR(rows, cols int, density float64, seed uint64) *CSR {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := &CSR{Rows: rows, Cols: cols, Ptr: make([]int, rows+1)}
	for i := range rows {
		if rng.IntN(7) > 0 {
			for c := range cols {
				if rng.Float64() < density {
					m.Index = append(m.Index, int32(c))
					m.Value = append(m.Value, rng.NormFloat64())
				}
			}
		}
		m.Ptr[i+1] = len(m.Index)
	}
	return m
}

func TestSparseProductsEqualDense(t *testing.T) {
	for _, shape := range [][3]int{{0, 0, 3}, {1, 1, 1}, {3, 5, 0}, {7, 9, 20}, {8, 8, 33}, {9, 16, 50}, {64, 65, 40},
		{130, 71, 200}, {600, 20, 30}} {
		a, b := randomCSR(shape[0], shape[2], 0.2, 1), randomCSR(shape[1], shape[2], 0.3, 2)
		da, db := a.ToDense(), b.ToDense()
		want := naiveMul(da, transposed(db))
		bound := 10 * float64(shape[2]+1) * eps64 * (1 + frobenius(da)*frobenius(db))
		what := fmt.Sprint(shape)

		got, check := inNaN[float64](a.Rows, b.Rows)
		MulRows(2, got, a, b)
		check(t)
		within(t, what+" A·Bᵀ", gap(got, want), bound)
		got32, check := inNaN[float32](a.Rows, b.Rows)
		MulRows(2, got32, a, b)
		check(t)
		for i := range a.Rows {
			for j := range b.Rows {
				if got32.At(i, j) != float32(got.At(i, j)) {
					t.Fatalf("%s: float32 (%d, %d) is %g, float64 %g", what, i, j, got32.At(i, j), got.At(i, j))
				}
				if d := a.RowDot(i, b, j); math.Abs(d-want.At(i, j)) > bound {
					t.Fatalf("%s: row dot (%d, %d) is %g, want %g", what, i, j, d, want.At(i, j))
				}
			}
		}

		if a.Rows > 5 && b.Rows > 6 {
			tile, check := inNaN[float64](4, 3)
			NewRowProducts(a, b).Tile(tile, 1, 3)
			check(t)
			sameBits(t, what+" tile", tile, got.Slice(1, 5, 3, 6))
		}

		x := fillNormal(New[float64](shape[2], 45), 1)
		for _, k := range []int{1, 3, 8, 15, 16, 17, 40, 45} {
			xs := x.Slice(0, shape[2], 0, k)
			y, check := inNaN[float64](a.Rows, k)
			a.MulDense(2, y, xs)
			check(t)
			within(t, what+" A·x", gap(y, naiveMul(da, xs)), 10*bound+eps64*float64(shape[2])*frobenius(da)*frobenius(xs))
			z := fillNormal(New[float64](a.Rows, k), 2)
			w, check := inNaN[float64](shape[2], k)
			a.MulTransDense(2, w, z)
			check(t)
			within(t, what+" Aᵀ·z", gap(w, naiveMul(transposed(da), z)),
				10*bound+eps64*float64(a.Rows)*frobenius(da)*frobenius(z))
		}
		if err := a.T().Check(); err != nil {
			t.Fatalf("%s: transposed: %v", what, err)
		}
		within(t, what+" transposed", gap(a.T().ToDense(), transposed(da)), 0)
		within(t, what+" twice transposed", gap(a.T().T().ToDense(), da), 0)
		norms := make([]float64, a.Rows)
		a.RowNormsSquared(norms)
		for i := range norms {
			if math.Abs(norms[i]-simd.Dot(da.Row(i), da.Row(i))) > bound {
				t.Fatalf("%s: norm of row %d is %g", what, i, norms[i])
			}
		}
	}
}

// Sixteen columns next to one another are those of MulDense, bit by bit, and every row is told of
// once, when it is there.
func TestMulLanes(t *testing.T) {
	for _, rows := range []int{0, 1, 127, 300} {
		a := randomCSR(rows, 90, 0.2, uint64(rows)+1)
		x := fillNormal(New[float64](90, Lanes), 3)
		want, got := New[float64](rows, Lanes), New[float64](rows, Lanes)
		a.MulDense(1, want, x)
		told := make([]int32, rows)
		a.MulLanes(2, got.Data, x.Data, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				told[i]++
				for j, v := range want.Row(i) {
					if got.At(i, j) != v {
						t.Errorf("%d rows: (%d, %d) is %v, want %v", rows, i, j, got.At(i, j), v)
					}
				}
			}
		})
		for i, n := range told {
			if n != 1 {
				t.Errorf("%d rows: row %d was told of %d times", rows, i, n)
			}
		}
	}
}

// TestSparseWaysAgree holds lanes and the inverted way to each other, bit by
// bit on integers (no rounding), on whole products and on odd tiles.
func TestSparseWaysAgree(t *testing.T) {
	for _, shape := range [][3]int{{1, 1, 1}, {15, 129, 7}, {16, 128, 40}, {17, 300, 90}, {70, 131, 500}} {
		a, b := randomCSR(shape[0], shape[2], 0.15, 1), randomCSR(shape[1], shape[2], 0.1, 2)
		for _, m := range []*CSR{a, b} {
			for k := range m.Value {
				m.Value[k] = math.Round(8 * m.Value[k])
			}
		}
		lanes, inverted := NewRowProducts(a, b), NewRowProducts(a, b)
		lanes.columns, inverted.columns = nil, b.T()
		want := naiveMul(a.ToDense(), transposed(b.ToDense()))
		for _, at := range [][4]int{{0, 0, shape[0], shape[1]},
			{shape[0] / 3, shape[1] / 3, shape[0] - shape[0]/3, shape[1] - shape[1]/3},
			{0, shape[1] / 2, min(3, shape[0]), shape[1] / 4}} {
			for name, p := range map[string]*RowProducts{"lanes": lanes, "inverted": inverted} {
				got, check := inNaN[float64](at[2], at[3])
				p.Tile(got, at[0], at[1])
				check(t)
				sameBits(t, fmt.Sprint(name, shape, at), got, want.Slice(at[0], at[0]+at[2], at[1], at[1]+at[3]))
				got32, check32 := inNaN[float32](at[2], at[3])
				p.Tile32(got32, at[0], at[1])
				check32(t)
				for i := range got.Rows {
					for j := range got.Cols {
						if float64(got32.At(i, j)) != got.At(i, j) {
							t.Fatalf("%s %v: float32 (%d, %d) is %g, want %g", name, shape, i, j, got32.At(i, j), got.At(i, j))
						}
					}
				}
			}
		}
	}
}

// TestSparseWayChosen: few columns go by lanes, very many by columns.
func TestSparseWayChosen(t *testing.T) {
	narrow := randomCSR(300, 100, 0.2, 1)
	if simd.Current() != simd.Generic && invertedIsCheaper(narrow, narrow) {
		t.Error("100 dense columns should go by lanes")
	}
	wide := &CSR{Rows: 4, Cols: 1 << 20, Ptr: []int{0, 1, 1, 2, 2}, Index: []int32{5, 1<<20 - 1}, Value: []float64{1, 2}}
	if !invertedIsCheaper(wide, wide) {
		t.Error("a million columns should go inverted")
	}
}

func TestSparseSliceRowsIsAView(t *testing.T) {
	a := randomCSR(20, 30, 0.3, 1)
	s := a.SliceRows(5, 12)
	within(t, "slice", gap(s.ToDense(), a.ToDense().Slice(5, 12, 0, 30)), 0)
	within(t, "slice, transposed", gap(s.T().ToDense(), transposed(a.ToDense().Slice(5, 12, 0, 30))), 0)
}

func TestSparseProductsSameBitsAtAnyThreadCount(t *testing.T) {
	a := randomCSR(500, 60, 0.2, 1)
	x := fillNormal(New[float64](500, 2), 1)
	one, oneT := New[float64](500, 500), New[float64](60, 2)
	MulRows(1, one, a, a)
	a.MulTransDense(1, oneT, x)
	for _, threads := range []int{2, 8} {
		got, gotT := New[float64](500, 500), New[float64](60, 2)
		MulRows(threads, got, a, a)
		sameBits(t, "A·Aᵀ", one, got)
		a.MulTransDense(threads, gotT, x)
		sameBits(t, "Aᵀ·x", oneT, gotT)
	}
}

// exactDistance is the squared distance in 200-bit arithmetic.
func exactDistance(x, y []float64) float64 {
	s := new(big.Float).SetPrec(200)
	for k := range x {
		d := new(big.Float).SetPrec(200).Sub(big.NewFloat(x[k]).SetPrec(200), big.NewFloat(y[k]))
		s.Add(s, d.Mul(d, d))
	}
	v, _ := s.Float64()
	return v
}

func TestSparseSquaredDistancesOfNearDuplicates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	base := randomCSR(30, 40, 0.4, 5)
	m := &CSR{Rows: 60, Cols: 40, Ptr: []int{0}}
	for i := range 30 { // each row, and itself moved by 10^(−i/2) in a few entries, far from the origin
		index, value := base.Row(i)
		for copyOf := range 2 {
			for k, c := range index {
				v := 1e3 + value[k]
				if copyOf == 1 && k%3 == 0 && i%10 > 0 {
					v += math.Pow(10, -float64(i)/2) * rng.NormFloat64()
				}
				m.Index, m.Value = append(m.Index, c), append(m.Value, v)
			}
			m.Ptr = append(m.Ptr, len(m.Index))
		}
	}
	d := m.ToDense()
	got := New[float64](60, 60)
	NewRowProducts(m, m).DistanceTile(got, 0, 0)
	small := 0
	for i := range 60 {
		for j := range 60 {
			want := exactDistance(d.Row(i), d.Row(j))
			g := got.At(i, j)
			if g < 0 || math.Abs(g-want) > 1e-12*want {
				t.Fatalf("(%d, %d): %g, want %g", i, j, g, want)
			}
			if want > 0 && want < 1e-8 {
				small++
			}
		}
	}
	if small < 10 {
		t.Fatalf("only %d near-duplicates", small)
	}
}

func TestCSRRefusesBadParts(t *testing.T) {
	good := func() (ptr []int, index []int32, value []float64) {
		return []int{0, 2, 3}, []int32{0, 2, 1}, []float64{1, 2, 3}
	}
	if ptr, index, value := good(); true {
		if _, err := NewCSR(2, 3, ptr, index, value); err != nil {
			t.Fatal(err)
		}
	}
	for want, spoil := range map[string]func(ptr *[]int, index *[]int32, value *[]float64){
		"one more than rows":          func(p *[]int, _ *[]int32, _ *[]float64) { *p = (*p)[:2] },
		"3 columns but 2 values":      func(_ *[]int, _ *[]int32, v *[]float64) { *v = (*v)[:2] },
		"row 1 ends at entry 1":       func(p *[]int, _ *[]int32, _ *[]float64) { (*p)[2] = 1 },
		"outside the 3 entries":       func(p *[]int, _ *[]int32, _ *[]float64) { (*p)[2] = 9 },
		"row 0 ends at entry 9":       func(p *[]int, _ *[]int32, _ *[]float64) { (*p)[1] = 9 },
		"row 0 has column 3":          func(_ *[]int, i *[]int32, _ *[]float64) { (*i)[1] = 3 },
		"row 1 has column -1":         func(_ *[]int, i *[]int32, _ *[]float64) { (*i)[2] = -1 },
		"column 0 after column 0":     func(_ *[]int, i *[]int32, _ *[]float64) { (*i)[1] = 0 },
		"entry (0, 2) is NaN":         func(_ *[]int, _ *[]int32, v *[]float64) { (*v)[1] = math.NaN() },
		"entry (1, 1) is +Inf: every": func(_ *[]int, _ *[]int32, v *[]float64) { (*v)[2] = math.Inf(1) },
	} {
		ptr, index, value := good()
		spoil(&ptr, &index, &value)
		_, err := NewCSR(2, 3, ptr, index, value)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		var nf *NotFinite
		if strings.HasPrefix(want, "entry") != errors.As(err, &nf) {
			t.Errorf("%q: type of %v", want, err)
		}
	}
}
